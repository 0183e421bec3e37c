//! The checks of a scenario that do not need its map.

use super::origin::brief;
use super::{
    Claim, Detour, Edit, EvaderMind, Evaders, FrontKind, Legs, Map, Move, Origin, Pack, Place,
    PursuerMind, Pursuers, Scenario, ScenarioError, Tracking, Until, UtilityMind,
};
use crate::import::{Up, View};
use serde::Serialize;
use std::collections::BTreeSet;
use std::fmt::Display;
use std::path::Path;

/// The largest number that is a speed, a length, a time or a weight.
const MOST: f64 = 1e6;
/// The most evaders to which pursuers find the way across a world: each needs a field of it.
const MOST_WORLDS: usize = 16;

/// A choice as a file states it.
fn word(choice: Option<impl Serialize>) -> Option<toml::Value> {
    choice.and_then(|choice| toml::Value::try_from(choice).ok())
}

/// Refuses a [`Move`] that is not possible.
pub(crate) fn check_move(s: &Scenario, key: &str, put: &Move) -> Result<(), ScenarioError> {
    Checker { origin: &s.origin }.put(key, put, s)
}

/// Refuses a change of cells that changes nothing, or that no map can have.
pub(crate) fn check_edit(s: &Scenario, key: &str, edit: &Edit) -> Result<(), ScenarioError> {
    Checker { origin: &s.origin }.change(key, edit.wall, edit.wave_speed)
}

/// Refuses a speed by which somebody goes too many cells in a frame that is so long.
pub(crate) fn check_stride(s: &Scenario, key: &str, speed: f64, frame: f64) -> Checked {
    Checker { origin: &s.origin }.stride(key, speed, s, Some(frame))
}

/// Refuses values out of their limits.
pub(super) fn check(s: &Scenario) -> Result<(), ScenarioError> {
    Checker { origin: &s.origin }.scenario(s)
}

struct Checker<'a> {
    origin: &'a Origin,
}

type Checked = Result<(), ScenarioError>;

impl Checker<'_> {
    fn fail(&self, key: &str, value: &dyn Display, limit: &str) -> Checked {
        Err(self.origin.refuse(key, value, limit))
    }

    fn within(&self, key: &str, value: f64, fits: bool, limit: &str) -> Checked {
        let fits = fits && value.is_finite();
        if fits {
            Ok(())
        } else {
            self.fail(key, &format!("{value:?}"), &format!("must be {limit}"))
        }
    }

    /// A number that was left out is right, here and in `not_below`.
    fn above(&self, key: &str, value: impl Into<Option<f64>>) -> Checked {
        let Some(value) = value.into() else { return Ok(()) };
        self.within(key, value, value > 0.0 && value <= MOST, "> 0, <= 10^6")
    }

    fn not_below(&self, key: &str, value: impl Into<Option<f64>>) -> Checked {
        let Some(value) = value.into() else { return Ok(()) };
        self.within(key, value, (0.0..=MOST).contains(&value), "0 to 10^6")
    }

    /// Checks that names by which things are found are there, and different.
    fn names<'n>(&self, key: &str, names: impl Iterator<Item = &'n str>) -> Checked {
        let mut seen = BTreeSet::new();
        for (i, name) in names.enumerate() {
            let key = format!("{key}[{i}].name");
            if name.is_empty() {
                return self.fail(&key, &"\"\"", "needs a letter");
            }
            if !seen.insert(name) {
                return self.fail(&key, &format!("{name:?}"), "is the name of another one");
            }
        }
        Ok(())
    }

    fn count(&self, key: &str, value: impl Into<Option<u64>>, [low, high]: [u64; 2]) -> Checked {
        let Some(value) = value.into() else { return Ok(()) };
        let fits = (low..=high).contains(&value);
        if fits { Ok(()) } else { self.fail(key, &value, &format!("must be {low} to {high}")) }
    }

    /// Checks its length, and the seed of its dice.
    fn frames(&self, s: &Scenario) -> Checked {
        self.count("steps", s.steps, [1, 100_000_000])?;
        if let Until::Frame(frame) = s.until {
            self.count("until.frame", frame, [0, s.steps])?;
        }
        // TOML's whole numbers go no further, and settings and sweeps read a scenario as TOML.
        if i64::try_from(s.seed).is_err() {
            return self.fail(
                "seed",
                &s.seed,
                "must be 0 to 2^63 - 1 in a scenario; --seed takes up to 2^64 - 1",
            );
        }
        self.count("record_every", s.record_every, [1, 100_000_000])
    }

    fn scenario(&self, s: &Scenario) -> Checked {
        if s.name.is_empty() {
            return self.fail("name", &"\"\"", "needs a letter");
        }
        self.frames(s)?;
        self.map(&s.map)?;
        if let Some(legs) = &s.map.legs {
            self.legs("map.legs", legs)?;
            if !legs.no_go.is_empty() {
                return self.fail("map.legs.no_go", &"a box", "must be left out");
            }
            if s.map.blocks.is_some() || !s.edits.is_empty() || !s.churn.is_empty() {
                let limit = "goes without map.blocks, edits and churn";
                return self.fail("map.legs", &"a map that changes", limit);
            }
        }
        self.above("contact.reach", s.contact.reach)?;
        self.above("contact.near", s.contact.near)?;
        self.tracking(&s.tracking)?;
        if let Some(blocks) = s.map.blocks {
            self.count("map.blocks.count", blocks.count as u64, [0, 100_000])?;
            self.count("map.blocks.longest", blocks.longest as u64, [1, 1024])?;
            let longest = blocks.longest as u64;
            self.count("map.blocks.shortest", blocks.shortest as u64, [1, longest])?;
        }
        match (s.pace.frame, s.pace.updates) {
            (None, None) => {}
            (Some(frame), Some(updates)) => {
                let fits = (1e-100..=MOST).contains(&frame);
                self.within("pace.frame", frame, fits, "10^-100 to 10^6")?;
                self.count("pace.updates", updates, [1, 1 << 40])?;
            }
            _ => {
                return self.fail(
                    "pace",
                    &"one of two keys",
                    "needs both frame and updates, or neither",
                );
            }
        }
        for (i, b) in s.map.boxes.iter().enumerate() {
            self.change(&format!("map.boxes[{i}]"), b.wall, b.wave_speed)?;
        }
        for (i, edit) in s.edits.iter().enumerate() {
            let key = format!("edits[{i}]");
            self.change(&key, edit.wall, edit.wave_speed)?;
            self.count(&format!("{key}.step"), edit.step, [0, s.steps - 1])?;
        }
        for (i, put) in s.moves.iter().enumerate() {
            let key = format!("moves[{i}]");
            self.count(&format!("{key}.step"), put.step, [0, s.steps - 1])?;
            self.put(&key, put, s)?;
        }
        for (i, churn) in s.churn.iter().enumerate() {
            let key = |k: &str| format!("churn[{i}].{k}");
            self.count(&key("every"), churn.every, [1, 100_000_000])?;
            self.count(&key("broken"), churn.broken as u64, [0, 10_000])?;
            self.count(&key("built"), churn.built as u64, [0, 10_000])?;
            self.count(&key("side"), churn.side as u64, [1, 64])?;
        }
        if s.evaders.is_empty() {
            return self.fail("evaders", &"[]", "needs at least one group");
        }
        if s.pursuers.is_empty() {
            return self.fail("pursuers", &"[]", "needs at least one group");
        }
        for (i, group) in s.evaders.iter().enumerate() {
            self.evaders(&format!("evaders[{i}]"), group, s)?;
        }
        for (i, group) in s.pursuers.iter().enumerate() {
            self.pursuers(&format!("pursuers[{i}]"), group, s)?;
        }
        let names: Vec<String> = (0..).zip(&s.pursuers).map(|(i, group)| group.name(i)).collect();
        self.names("pursuers", names.iter().map(String::as_str))?;
        self.names("variants", s.variants.iter().map(|variant| variant.name.as_str()))?;
        for (i, claim) in s.claims.iter().enumerate() {
            self.claim(&format!("claims[{i}]"), claim, s)?;
        }
        Ok(())
    }

    /// Numbers of a map, and keys that mean nothing for it.
    fn map(&self, map: &Map) -> Checked {
        self.above("map.spacing", map.spacing)?;
        self.above("map.wave_speed", map.wave_speed)?;
        self.above("map.height_step", map.height_step)?;
        self.above("map.cell", map.cell)?;
        let ending = map.file.as_deref().and_then(|file| Path::new(file).extension());
        let ends = |endings: &[&str]| {
            ending.is_some_and(|ending| endings.iter().any(|end| ending.eq_ignore_ascii_case(end)))
        };
        if let Some(level) = map.level.as_ref().filter(|_| !ends(&["ldtk"])) {
            let limit = "needs a map.file that ends in .ldtk";
            return self.fail("map.level", &format!("{level:?}"), limit);
        }
        let of_mesh = [
            ("cell", map.cell.map(|cell| format!("{cell:?}"))),
            ("view", (map.view == View::Floor).then(|| "floor".to_owned())),
            ("up", (map.up == Up::Z).then(|| "z".to_owned())),
        ];
        let given = of_mesh.into_iter().find_map(|(key, value)| Some((key, value?)));
        match given.filter(|_| !ends(&["gltf", "glb", "obj"])) {
            None => Ok(()),
            Some((key, value)) => {
                let limit = "needs a map.file that ends in .gltf, .glb or .obj";
                self.fail(&format!("map.{key}"), &value, limit)
            }
        }
    }

    fn tracking(&self, tracking: &Tracking) -> Checked {
        self.above("tracking.threshold", tracking.threshold)?;
        self.above("tracking.amplitude", tracking.amplitude)?;
        if let Some(share) = tracking.stability {
            self.within("tracking.stability", share, share > 0.0 && share <= 1.0, "> 0, <= 1")?;
        }
        self.not_below("tracking.damping", tracking.damping)?;
        self.count("tracking.waves", tracking.waves.map(|n| n as u64), [1, 8])?;
        if tracking.rule.is_published() {
            if tracking.fronts == FrontKind::Waves {
                let limit = "needs the rule wake or per-emission: published waves have no fronts";
                return self.fail("tracking.fronts", &"waves", limit);
            }
            return Ok(());
        }
        let number = |value: Option<f64>| value.map(toml::Value::Float);
        let of_published = [
            ("threshold", number(tracking.threshold)),
            ("source", word(tracking.source)),
            ("amplitude", number(tracking.amplitude)),
            ("schedule", word(tracking.schedule)),
            ("direction", word(tracking.direction)),
            ("sampling", word(tracking.sampling)),
            ("stability", number(tracking.stability)),
            ("damping", number(Some(tracking.damping).filter(|&damping| damping > 0.0))),
        ];
        let given = of_published.into_iter().find_map(|(key, value)| Some((key, value?)));
        given.map_or(Ok(()), |(key, value)| {
            let limit = "needs a published rule, watanabe or kumagai";
            self.fail(&format!("tracking.{key}"), &brief(&value), limit)
        })
    }

    fn put(&self, key: &str, put: &Move, s: &Scenario) -> Checked {
        self.place(&format!("{key}.to"), &put.to)?;
        if let Some(pursuer) = put.pursuer {
            return self.put_pursuer(key, put, pursuer, s);
        }
        let key = format!("{key}.evader");
        let all: usize = s.evaders.iter().map(|group| group.count).sum();
        let mut members =
            s.evaders.iter().flat_map(|group| std::iter::repeat_n(&group.mind, group.count));
        match members.nth(put.evader) {
            None => self.fail(&key, &put.evader, &format!("must be below {all}, the evaders")),
            Some(EvaderMind::Utility(_)) => {
                self.fail(&key, &put.evader, "must not be one that decides by utility")
            }
            Some(_) => Ok(()),
        }
    }

    fn put_pursuer(&self, key: &str, put: &Move, pursuer: usize, s: &Scenario) -> Checked {
        if put.evader != 0 {
            let limit = "must be left out where a pursuer is put elsewhere";
            return self.fail(&format!("{key}.evader"), &put.evader, limit);
        }
        let key = format!("{key}.pursuer");
        let all: usize = s.pursuers.iter().map(|group| group.count).sum();
        // In the order in which they come in; of one frame, group by group.
        let mut groups: Vec<_> = s.pursuers.iter().collect();
        groups.sort_by_key(|group| group.enter);
        let mut members = groups.iter().flat_map(|group| std::iter::repeat_n(*group, group.count));
        match members.nth(pursuer) {
            None => self.fail(&key, &pursuer, &format!("must be below {all}, the pursuers")),
            Some(group) if !matches!(group.mind, PursuerMind::Wave) => {
                self.fail(&key, &pursuer, "must be one that follows waves")
            }
            Some(group) if group.enter > put.step => {
                let limit = format!("comes in before frame {}, not yet then", group.enter);
                self.fail(&key, &pursuer, &limit)
            }
            Some(_) => Ok(()),
        }
    }

    fn change(&self, key: &str, wall: Option<bool>, speed: Option<f64>) -> Checked {
        self.above(&format!("{key}.wave_speed"), speed)?;
        if wall.is_none() && speed.is_none() {
            return self.fail(key, &"a box of nothing", "needs wall or wave_speed");
        }
        Ok(())
    }

    fn place(&self, key: &str, place: &Place) -> Checked {
        match place {
            Place::At(at) => match at.iter().find(|v| !v.is_finite()) {
                Some(bad) => self.fail(key, &bad, "must be finite"),
                None => Ok(()),
            },
            Place::Mark(_) => Ok(()),
        }
    }

    /// A speed, which may be 0, by which nobody goes too many cells in a frame. Without a frame,
    /// none is known yet: it is a step of the waves.
    fn stride(&self, key: &str, speed: f64, s: &Scenario, frame: Option<f64>) -> Checked {
        let cells = speed * frame.unwrap_or(0.0) / s.map.spacing;
        self.within(key, speed, cells <= 1000.0, "at most 1000 cells in a frame")
    }

    fn evaders(&self, key: &str, group: &Evaders, s: &Scenario) -> Checked {
        self.count(&format!("{key}.count"), group.count as u64, [1, 10_000])?;
        let speed = format!("{key}.speed");
        match &group.mind {
            EvaderMind::Flee(_) | EvaderMind::Utility(_) => self.above(&speed, group.speed)?,
            _ => self.not_below(&speed, group.speed)?,
        }
        self.stride(&speed, group.speed, s, s.pace.frame)?;
        if let Some(start) = &group.start {
            self.place(&format!("{key}.start"), start)?;
        }
        let mind = |k: &str| format!("{key}.mind.{k}");
        match &group.mind {
            EvaderMind::Still => Ok(()),
            EvaderMind::Patrol(stops) if stops.is_empty() => {
                self.fail(&mind("patrol"), &"[]", "needs at least one place")
            }
            EvaderMind::Patrol(stops) => {
                let mut stops = stops.iter().enumerate();
                stops.try_for_each(|(i, stop)| self.place(&mind(&format!("patrol[{i}]")), stop))
            }
            EvaderMind::Wander(every) => self.count(&mind("wander"), *every, [1, 100_000_000]),
            EvaderMind::Flee(_) if s.map.legs.is_some() => {
                let limit = "must be left out where the map has legs: threats come by links, too";
                self.fail(&mind("flee"), &"flee", limit)
            }
            EvaderMind::Flee(every) => self.count(&mind("flee"), *every, [1, 100_000_000]),
            EvaderMind::Utility(utility) => self.utility(&mind("utility"), utility),
        }
    }

    fn utility(&self, key: &str, utility: &UtilityMind) -> Checked {
        self.place(&format!("{key}.goal"), &utility.goal)?;
        let fits = (1e-30..=MOST).contains(&utility.distance_weight);
        let weight = format!("{key}.distance_weight");
        self.within(&weight, utility.distance_weight, fits, "10^-30 to 10^6")?;
        self.not_below(&format!("{key}.danger_weight"), utility.danger_weight)?;
        let unfired = (0.0..=1.0).contains(&utility.unfired);
        self.within(&format!("{key}.unfired"), utility.unfired, unfired, "0 to 1")?;
        self.above(&format!("{key}.stagnation"), utility.stagnation)?;
        self.not_below(&format!("{key}.hysteresis"), utility.hysteresis)?;
        match utility.detour {
            Detour::Unlimited => {}
            Detour::OfStart(part) => self.not_below(&format!("{key}.detour.of-start"), part)?,
            Detour::Length(length) => self.not_below(&format!("{key}.detour.length"), length)?,
        }
        self.legs(&format!("{key}.legs"), &utility.legs)
    }

    fn legs(&self, key: &str, legs: &Legs) -> Checked {
        self.above(&format!("{key}.launch_speed"), legs.launch_speed)?;
        self.not_below(&format!("{key}.max_fall"), legs.max_fall)?;
        self.above(&format!("{key}.gravity"), legs.gravity)?;
        self.not_below(&format!("{key}.step_height"), legs.step_height)
    }

    fn pursuers(&self, key: &str, group: &Pursuers, s: &Scenario) -> Checked {
        self.above(&format!("{key}.speed"), group.speed)?;
        self.stride(&format!("{key}.speed"), group.speed, s, s.pace.frame)?;
        self.not_below(&format!("{key}.spread"), group.spread)?;
        if group.spread > 0.0 && group.start.is_none() {
            let spread = format!("{:?}", group.spread);
            return self.fail(&format!("{key}.spread"), &spread, "needs a start to spread from");
        }
        self.count(&format!("{key}.count"), group.count as u64, [1, 1_000_000])?;
        self.count(&format!("{key}.enter"), group.enter, [0, s.steps - 1])?;
        if let Some(start) = &group.start {
            self.place(&format!("{key}.start"), start)?;
        }
        let heights = s.map.heights.is_some();
        match &group.mind {
            PursuerMind::Wave if s.map.legs.is_some() => Ok(()),
            PursuerMind::Pack(_) | PursuerMind::Travel(_) | PursuerMind::World
                if s.map.legs.is_some() =>
            {
                let limit = "must follow waves where the map has legs";
                let mind = match &group.mind {
                    PursuerMind::Pack(_) => "pack",
                    PursuerMind::Travel(_) => "travel",
                    _ => "world",
                };
                self.fail(&format!("{key}.mind"), &mind, limit)
            }
            PursuerMind::Wave | PursuerMind::Pack(_) if heights => {
                let limit = "waves do not know heights: take travel";
                self.fail(&format!("{key}.mind"), &"wave or pack", limit)
            }
            PursuerMind::World if heights => {
                self.fail(&format!("{key}.mind"), &"world", "knows no heights: take travel")
            }
            PursuerMind::World => {
                let evaders: usize = s.evaders.iter().map(|group| group.count).sum();
                let limit = "finds the ways to 16 evaders at the most";
                let fits = evaders <= MOST_WORLDS;
                if fits { Ok(()) } else { self.fail(&format!("{key}.mind"), &"world", limit) }
            }
            PursuerMind::Wave => Ok(()),
            PursuerMind::Pack(pack) => self.pack(&format!("{key}.mind.pack"), pack),
            PursuerMind::Travel(travel) => {
                self.legs(&format!("{key}.mind.travel.legs"), &travel.legs)
            }
        }
    }

    fn pack(&self, key: &str, pack: &Pack) -> Checked {
        self.above(&format!("{key}.view_radius"), pack.view_radius)?;
        self.above(&format!("{key}.leash"), pack.leash)?;
        self.not_below(&format!("{key}.pull"), pack.pull)?;
        self.above(&format!("{key}.max_turn"), pack.max_turn)?;
        self.count(&format!("{key}.nearest"), pack.nearest.map(|n| n as u64), [1, 64])?;
        let share = (0.0..=1.0).contains(&pack.leaders);
        self.within(&format!("{key}.leaders"), pack.leaders, share, "0 to 1")?;
        for (k, weight) in [
            ("cohesion", pack.cohesion),
            ("alignment", pack.alignment),
            ("separation", pack.separation),
        ] {
            let fits = (-MOST..=MOST).contains(&weight);
            self.within(&format!("{key}.{k}"), weight, fits, "-10^6 to 10^6")?;
        }
        Ok(())
    }

    fn claim(&self, key: &str, claim: &Claim, s: &Scenario) -> Checked {
        let known = |name: &str| s.variants.iter().any(|variant| variant.name == name);
        if let Some(name) = &claim.variant
            && !known(name)
        {
            return self.fail(&format!("{key}.variant"), &name, "is the name of no variant");
        }
        if let Some(name) = &claim.relative_to
            && !(known(name) || name.is_empty())
        {
            return self.fail(&format!("{key}.relative_to"), &name, "is the name of no variant");
        }
        match (claim.at_least, claim.at_most) {
            (None, None) => self.fail(key, &"a claim", "needs at_least or at_most"),
            (Some(low), Some(high)) if low > high => {
                let low = format!("{low:?}");
                self.fail(&format!("{key}.at_least"), &low, "is above at_most: nothing can be both")
            }
            (low, high) => {
                let mut limits = [("at_least", low), ("at_most", high)].into_iter();
                limits.try_for_each(|(k, limit)| {
                    let (key, limit) = (format!("{key}.{k}"), limit.unwrap_or(0.0));
                    self.within(&key, limit, true, "a finite number")
                })
            }
        }
    }
}
