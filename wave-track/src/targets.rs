//! The targets and their trails: a pursuer that comes to the source of an old wave goes on along
//! the trail.

#[cfg(feature = "serde")]
use crate::error::TrackError;
use crate::ground::{Cells, Ground, distance};
#[cfg(feature = "serde")]
use crate::state::{Bits, bits, length, numbers, place};
use std::collections::VecDeque;
use wave_core::Space;

/// `[units: cells]` The longest leg of a trail.
const LEG: f64 = 2.0;
/// The weight of the last look in a velocity.
const SMOOTHING: f64 = 0.125;
/// The most turns that are kept of a trail.
const TURNS: usize = 1024;

/// A place on the trail of one of the targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    pub(crate) target: u32,
    /// The number of the turn; it stays the same while the trail grows.
    pub(crate) turn: u64,
}

impl Mark {
    /// There is no memory for more than 2^32 targets and their waves.
    pub(crate) fn new(target: usize, turn: u64) -> Self {
        Self { target: target as u32, turn }
    }
}

/// Where the targets are, and the turns of their trails. From each turn a straight way led to the
/// next one when it was walked.
#[derive(Clone, Debug, Default)]
pub(crate) struct Targets {
    here: Vec<Cells>,
    /// The number of the first turn that is kept; the same for all targets.
    first: u64,
    turns: VecDeque<Vec<Cells>>,
    /// See [`Targets::walked`].
    walked: f64,
    /// Where they were at the last look, and `[units: cells per time]` their smoothed velocities.
    before: Vec<Cells>,
    velocities: Vec<Cells>,
    /// Around each target, if it is known, the corners of a box of places among which no wall is.
    open: Vec<[Cells; 2]>,
}

impl Targets {
    /// Where they are.
    pub(crate) fn here(&self) -> &[Cells] {
        &self.here
    }

    /// Notes where they went in this time, and what is around them.
    pub(crate) fn pass<D: Space>(&mut self, time: f64, ground: Ground<'_, D>) {
        self.open.clear();
        self.open.extend(self.here.iter().map(|&at| ground.open_box_around(at)));
        if self.before.len() != self.here.len() {
            self.before.clone_from(&self.here);
            self.velocities.clear();
            self.velocities.resize(self.here.len(), [0.0; 3]);
        }
        let moves = self.here.iter().zip(&mut self.before);
        for ((here, before), velocity) in moves.zip(&mut self.velocities) {
            for a in 0..3 {
                velocity[a] += ((here[a] - before[a]) / time - velocity[a]) * SMOOTHING;
            }
            *before = *here;
        }
    }

    /// `[units: cells per time]` How a target moves, on the mean over the last dozen looks.
    pub(crate) fn velocity(&self, target: usize) -> Cells {
        self.velocities.get(target).copied().unwrap_or_default()
    }

    /// Whether a place is so near to a target that certainly no wall is between them.
    #[inline]
    pub(crate) fn is_beside(&self, target: usize, at: Cells) -> bool {
        let is_within =
            |[low, high]: &[Cells; 2]| (0..3).all(|a| low[a] <= at[a] && at[a] <= high[a]);
        self.open.get(target).is_some_and(is_within)
    }

    /// `[units: cells]` The sum, over all moves, of the longest way of a target: between two
    /// moments no target has walked further than the difference.
    pub(crate) fn walked(&self) -> f64 {
        self.walked
    }

    /// The number of the first turn that the trails still lead from.
    pub(crate) fn first_turn(&self) -> u64 {
        self.first
    }

    /// The number of the next turn: until it is made, it stands for the targets' own places.
    pub(crate) fn next_turn(&self) -> u64 {
        self.first + self.turns.len() as u64
    }

    /// The place of a mark; `None` if the trail does not lead there any more.
    pub(crate) fn place(&self, mark: Mark) -> Option<Cells> {
        if mark.turn >= self.next_turn() {
            return self.here.get(mark.target as usize).copied();
        }
        let kept = usize::try_from(mark.turn.checked_sub(self.first)?).ok()?;
        self.turns.get(kept)?.get(mark.target as usize).copied()
    }

    /// Moves the targets and returns whether all of them may have walked there straight, as `sees`
    /// says. If not, their trails end and begin again.
    pub(crate) fn move_to(
        &mut self,
        places: Vec<Cells>,
        sees: impl Fn(Cells, Cells) -> bool,
    ) -> bool {
        let walked = places.len() == self.here.len()
            && self.here.iter().zip(&places).all(|(&p, &q)| sees(p, q));
        if !walked {
            self.clear();
            self.here = places;
            self.turn();
            return false;
        }
        let ways = self.here.iter().zip(&places).map(|(&p, &q)| distance(p, q));
        self.walked += ways.fold(0.0, f64::max);
        let last = self.turns.back().unwrap_or(&self.here);
        let straight = |(&p, &q): (&Cells, &Cells)| distance(p, q) <= LEG && sees(p, q);
        if !last.iter().zip(&places).all(straight) {
            self.turn();
        }
        self.here = places;
        true
    }

    /// Makes the place where the targets are a turn, and returns its number.
    pub(crate) fn turn(&mut self) -> u64 {
        let turn = self.next_turn();
        // The oldest one is used again, so that nothing is allocated in the long run.
        let mut places = if self.turns.len() == TURNS {
            self.first += 1;
            self.turns.pop_front().unwrap_or_default()
        } else {
            Vec::new()
        };
        places.clone_from(&self.here);
        self.turns.push_back(places);
        turn
    }

    /// Takes the targets away. Numbers of turns are never used again.
    pub(crate) fn clear(&mut self) {
        self.first = self.next_turn() + 1;
        self.turns.clear();
        self.here.clear();
        self.before.clear();
        self.velocities.clear();
        self.open.clear();
        self.walked = 0.0;
    }
}

/// Targets as plain data.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TargetsRecord {
    here: Vec<Bits>,
    first: u64,
    turns: Vec<Vec<Bits>>,
    before: Vec<Bits>,
    velocities: Vec<Bits>,
    #[serde(default)]
    walked: u64,
}

#[cfg(feature = "serde")]
impl Targets {
    pub(crate) fn record(&self) -> TargetsRecord {
        let all = |places: &Vec<Cells>| places.iter().copied().map(bits).collect();
        TargetsRecord {
            here: all(&self.here),
            first: self.first,
            turns: self.turns.iter().map(all).collect(),
            before: all(&self.before),
            velocities: all(&self.velocities),
            walked: self.walked.to_bits(),
        }
    }

    pub(crate) fn from_record<D: Space>(
        from: &TargetsRecord,
        ground: Ground<'_, D>,
    ) -> Result<Self, TrackError> {
        let n = from.here.len();
        let whole = from.turns.iter().all(|turn| turn.len() == n)
            && [0, n].contains(&from.before.len())
            && from.velocities.len() == from.before.len();
        if !whole || from.turns.len() > TURNS || from.first >> 60 != 0 {
            return Err(TrackError::Snapshot { what: "trail" });
        }
        let places = |places: &Vec<Bits>| -> Result<Vec<Cells>, TrackError> {
            places.iter().map(|&at| place(ground, "place of a target", at)).collect()
        };
        let velocities = from.velocities.iter().map(|&v| numbers("velocity", v));
        Ok(Self {
            here: places(&from.here)?,
            first: from.first,
            turns: from.turns.iter().map(places).collect::<Result<_, _>>()?,
            before: places(&from.before)?,
            velocities: velocities.collect::<Result<_, _>>()?,
            open: Vec::new(),
            walked: length("walked length", from.walked)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trail_is_walked_leg_by_leg_and_a_jump_ends_it() {
        let mut targets = Targets::default();
        // A wall along y = 0 with its end at x = 5.
        let sees = |p: Cells, q: Cells| p[1] * q[1] >= 0.0 || p[0].min(q[0]) > 5.0;
        assert!(!targets.move_to(vec![[0.0, 1.0, 0.0]], sees));
        let begin = targets.turn();
        for i in 1..60 {
            let way = f64::from(i) * 0.3;
            let at = if way < 9.0 { [way, 1.0, 0.0] } else { [9.0, 10.0 - way, 0.0] };
            assert!(targets.move_to(vec![at], sees));
        }
        let places: Vec<Cells> = (begin..=targets.next_turn())
            .map(|turn| targets.place(Mark { target: 0, turn }).unwrap())
            .collect();
        assert_eq!(places.last(), Some(&targets.here()[0]));
        for leg in places.windows(2) {
            assert!(distance(leg[0], leg[1]) <= LEG && sees(leg[0], leg[1]), "{leg:?}");
        }
        assert!(!targets.move_to(vec![[0.0, 1.0, 0.0]], sees));
        assert_eq!(targets.place(Mark { target: 0, turn: begin }), None);
    }

    #[test]
    fn a_trail_is_bounded() {
        let mut targets = Targets::default();
        for i in 0..5000 {
            targets.move_to(vec![[f64::from(i) * 1.5, 0.0, 0.0]], |_, _| true);
        }
        assert!(targets.turns.len() <= TURNS);
        assert_eq!(targets.place(Mark { target: 0, turn: 1 }), None);
        let turn = targets.next_turn();
        assert_eq!(targets.place(Mark { target: 0, turn }), Some([4999.0 * 1.5, 0.0, 0.0]));
    }
}
