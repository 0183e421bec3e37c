//! The meaning of names and properties in an editor. Case does not matter.

use super::source::quoted;

const WALL: [&str; 9] = [
    "wall",
    "walls",
    "solid",
    "solids",
    "collision",
    "collisions",
    "blocked",
    "obstacle",
    "obstacles",
];
const START: [&str; 7] =
    ["start", "starts", "spawn", "player", "playerstart", "player_start", "playerspawn"];
const GOAL: [&str; 7] = ["goal", "goals", "end", "exit", "finish", "target", "destination"];
const MARK: [&str; 4] = ["mark", "marks", "marker", "waypoint"];

/// The facts that a layer, a tile, a value or a material states about the cells that it covers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Facts {
    pub(super) wall: Option<bool>,
    /// How fast one is there, as a part of the usual speed.
    pub(super) speed: Option<f64>,
    /// How high the ground is.
    pub(super) height: Option<f64>,
}

impl Facts {
    /// The facts of a name: `wall` and its like; `speed_50`, half as fast; `height_3`.
    pub(super) fn of_name(name: &str) -> Self {
        let mut facts = Self::default();
        let name = plain(name);
        if WALL.contains(&&*name) {
            facts.wall = Some(true);
        } else if let Some(percent) = number_after(&name, "speed") {
            facts.speed = Some(percent / 100.0).filter(|&speed| is_speed(speed));
        } else if let Some(height) = number_after(&name, "height") {
            facts.height = Some(height);
        }
        facts
    }

    /// Takes a property over, if it is one of those that are known.
    pub(super) fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        let name = plain(name);
        let value = value.trim();
        if WALL.contains(&&*name) {
            self.wall = Some(match value {
                "true" | "1" => true,
                "false" | "0" => false,
                _ => return Err(format!("{name} must be true or false, found {}", quoted(value))),
            });
        } else if name == "speed" {
            let speed = value.parse().ok().filter(|&speed| is_speed(speed));
            let what = || format!("speed must be 0.001 to 1000, found {}", quoted(value));
            self.speed = Some(speed.ok_or_else(what)?);
        } else if name == "height" {
            let height = value.parse().ok().filter(|&height| is_height(height));
            let what = || format!("height must be a number within +-1e9, found {}", quoted(value));
            self.height = Some(height.ok_or_else(what)?);
        }
        Ok(())
    }

    /// These, and where they say nothing, the others.
    pub(super) fn or(self, other: Self) -> Self {
        Self {
            wall: self.wall.or(other.wall),
            speed: self.speed.or(other.speed),
            height: self.height.or(other.height),
        }
    }

    /// These, without what the others say something of.
    #[cfg(feature = "ldtk")]
    pub(super) fn besides(self, others: Self) -> Self {
        Self {
            wall: self.wall.filter(|_| others.wall.is_none()),
            speed: self.speed.filter(|_| others.speed.is_none()),
            height: self.height.filter(|_| others.height.is_none()),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

pub(super) fn is_height(height: f64) -> bool {
    height.abs() <= 1e9
}

fn is_speed(speed: f64) -> bool {
    (1e-3..=1e3).contains(&speed)
}

/// Whether a layer holds heights as numbers.
#[cfg(feature = "ldtk")]
pub(super) fn is_heights(name: &str) -> bool {
    matches!(&*plain(name), "height" | "heights")
}

/// The purpose of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Start,
    Goal,
    /// A place with a name.
    Mark,
}

impl Role {
    /// The purpose by a class, or by a name that stands for one: `start`, `Goal 2`, `mark`.
    pub(super) fn of(class: &str) -> Option<Self> {
        let class = plain(class);
        let words = [(&START[..], Self::Start), (&GOAL[..], Self::Goal), (&MARK[..], Self::Mark)];
        words.into_iter().find(|(known, _)| known.contains(&&*class)).map(|(_, role)| role)
    }

    /// The purpose of a node that has only a name: `start`, `goal.001`, `mark_bridge`; with the
    /// name of a mark.
    pub(super) fn of_node(node: &str) -> Option<(Self, &str)> {
        if let Some(role) = Self::of(node) {
            return Some((role, node));
        }
        let head = node.get(..5).filter(|head| head.eq_ignore_ascii_case("mark_"))?;
        Some((Self::Mark, &node[head.len()..])).filter(|(_, name)| !name.is_empty())
    }
}

/// A name in small letters, without the number that editors add to copies: `Wall 2`, `start.001`,
/// `goal_3`.
fn plain(name: &str) -> String {
    let lower = name.trim().to_lowercase();
    let bare = lower.trim_end_matches(|c: char| c.is_ascii_digit());
    let bare = bare.trim_end_matches([' ', '.', '_', '-', '#']);
    // `speed_50` and `height_3` mean their numbers.
    if matches!(bare, "speed" | "height") || bare.is_empty() { lower } else { bare.to_owned() }
}

fn number_after(name: &str, word: &str) -> Option<f64> {
    let digits = name.strip_prefix(word)?.strip_prefix('_')?;
    let is_number = (1..=6).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
    digits.parse().ok().filter(|_| is_number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_mean_what_a_designer_would_guess() {
        let wall = Facts { wall: Some(true), ..Facts::default() };
        for name in ["wall", "Walls", " Collision 2", "SOLID", "collisions_1"] {
            assert_eq!(Facts::of_name(name), wall, "{name}");
        }
        for name in ["wallpaper", "ground", "", "7", "speed", "speed_0", "speed_x", "height_"] {
            assert!(Facts::of_name(name).is_empty(), "{name}");
        }
        assert_eq!(Facts::of_name("Speed_50").speed, Some(0.5));
        assert_eq!(Facts::of_name("height_12").height, Some(12.0));
        assert_eq!(Role::of("Player_Start"), Some(Role::Start));
        assert_eq!(Role::of_node("Goal.001"), Some((Role::Goal, "Goal.001")));
        assert_eq!(Role::of_node("Mark_bridge"), Some((Role::Mark, "bridge")));
        assert_eq!(Role::of_node("mark_"), Some((Role::Mark, "mark_")));
        assert_eq!(Role::of_node("häuser"), None);
    }

    #[test]
    fn properties_are_checked() {
        let mut facts = Facts::default();
        facts.set("Speed", "0.25").unwrap();
        facts.set("solid", "true").unwrap();
        facts.set("height", "-3").unwrap();
        facts.set("anything", "else").unwrap();
        assert_eq!(facts, Facts { wall: Some(true), speed: Some(0.25), height: Some(-3.0) });
        for (name, value) in [("wall", "yes"), ("speed", "0"), ("speed", "NaN"), ("height", "inf")]
        {
            assert!(facts.set(name, value).is_err(), "{name} = {value}");
        }
    }
}
