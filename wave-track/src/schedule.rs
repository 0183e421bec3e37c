//! How far fronts run, and how far each goes before the next one.
//!
//! A pursuer that is far away can use old news: the way that the target has gone since is short
//! beside its distance. So most waves run only as far as the nearer pursuers, every second one
//! twice as far, every fourth over the whole map. A wave is emitted when the one before has gone as
//! far as the shortest ones go. The ranges follow from how long the waves took to reach the
//! pursuers, and change with that.

use crate::config::{MAX_WAVES, Method, TrackerConfig};
use crate::ground::{least, most};

/// `[units: steps]` The shortest range of a wave.
const LEAST_RANGE: f64 = 32.0;

/// A summary of the pursuers for the waves. Pursuers that know that no way exists count only for
/// the points that they looked at.
#[derive(Clone, Debug)]
pub(crate) struct Crowd {
    /// The emission of each wave.
    emissions: [u64; MAX_WAVES],
    /// Bit i: a pursuer stands in wave i, and its emission is too old for `recent`.
    older: u32,
    /// The newest of them.
    newest: u64,
    /// Whether a pursuer stands in the newest emission, in the one before, and so on: a bit each
    /// from the lowest on.
    recent: u64,
    /// The oldest emission that a pursuer stands in: 0 if one has heard none, and above all numbers
    /// if there are no pursuers.
    oldest: u64,
    /// `[units: steps]` How long the waves took to the nearest and to the furthest pursuer that has
    /// heard one.
    nearest: f64,
    furthest: f64,
    /// Whether a pursuer has heard no wave, or cannot go on by the wave that it heard.
    at_a_loss: bool,
    /// How many points of ways home they all looked at in their last step.
    pub(crate) points: u64,
}

impl Default for Crowd {
    fn default() -> Self {
        Self::new([])
    }
}

impl Crowd {
    /// No pursuers, with the waves of these emissions.
    pub(crate) fn new(numbers: impl IntoIterator<Item = u64>) -> Self {
        let mut emissions = [0; MAX_WAVES];
        emissions.iter_mut().zip(numbers).for_each(|(emission, number)| *emission = number);
        Self {
            emissions,
            older: 0,
            newest: emissions.into_iter().max().unwrap_or(0),
            recent: 0,
            oldest: u64::MAX,
            nearest: f64::INFINITY,
            furthest: 0.0,
            at_a_loss: false,
            points: 0,
        }
    }

    /// Adds a pursuer that heard emission `heard`, `away` steps after it went out.
    #[inline]
    pub(crate) fn add(&mut self, heard: u64, away: f64, at_a_loss: bool) {
        // Without a loop for nearly all.
        let age = self.newest.wrapping_sub(heard);
        if age < u64::from(u64::BITS) {
            self.recent |= 1 << age;
        } else {
            for (i, number) in self.emissions.iter().enumerate() {
                self.older |= u32::from(*number == heard) << i;
            }
        }
        self.oldest = self.oldest.min(heard);
        if heard > 0 {
            self.nearest = least(self.nearest, away);
            self.furthest = most(self.furthest, away);
        }
        self.at_a_loss |= at_a_loss;
    }

    /// Both summaries together, of waves of the same emissions.
    pub(crate) fn join(mut self, other: &Self) -> Self {
        self.older |= other.older;
        self.recent |= other.recent;
        self.oldest = self.oldest.min(other.oldest);
        self.nearest = self.nearest.min(other.nearest);
        self.furthest = self.furthest.max(other.furthest);
        self.at_a_loss |= other.at_a_loss;
        self.points += other.points;
        self
    }

    /// Whether a pursuer has heard neither emission `number` nor a newer one.
    pub(crate) fn awaits(&self, number: u64) -> bool {
        self.oldest < number
    }

    /// Whether a pursuer stands in emission `number`, which was one of the waves when pursuers were
    /// counted.
    pub(crate) fn stands_in(&self, number: u64) -> bool {
        let age = self.newest.wrapping_sub(number);
        let is_recent = age < u64::from(u64::BITS) && self.recent >> age & 1 == 1;
        let stands = |i: usize| is_recent || self.older >> i & 1 == 1;
        self.emissions.iter().enumerate().any(|(i, own)| *own == number && stands(i))
    }
}

/// Whether the crate chooses when waves are emitted.
pub(crate) fn is_free(config: &TrackerConfig) -> bool {
    config.lifetime.is_none() && config.method == Method::Wake
}

/// The number of ranges of waves: of each, one wave may be in use while the next one is on its way.
fn ranges(waves: usize) -> u32 {
    (waves / 2).max(1) as u32
}

/// `[units: steps]` How far the newest wave goes before the next one, with `waves` waves in all.
pub(crate) fn period(crowd: &Crowd, waves: usize) -> u64 {
    shortest(crowd, waves) as u64
}

fn shortest(crowd: &Crowd, waves: usize) -> f64 {
    (crowd.furthest / f64::from(1u32 << (ranges(waves) - 1))).max(LEAST_RANGE).ceil()
}

/// `[units: steps]` The range of emission `number`, `None` for the whole map; `whole_underway` is
/// whether one is on its way over the whole map.
pub(crate) fn range(crowd: &Crowd, waves: usize, number: u64, whole_underway: bool) -> Option<u64> {
    let (ranges, shortest) = (ranges(waves), shortest(crowd, waves));
    let mut level = number.trailing_zeros();
    // A wave that comes to no pursuer is of no use.
    while level < ranges && shortest * f64::from(1u32 << level) < 1.25 * crowd.nearest {
        level += 1;
    }
    let range = shortest * f64::from(1u32 << level.min(ranges));
    let lost = crowd.at_a_loss && !whole_underway;
    let whole = lost || level + 1 >= ranges || range >= crowd.furthest;
    (!whole).then_some(range as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn crowd(away: &[f64]) -> Crowd {
        let mut crowd = Crowd::new([1]);
        for &away in away {
            crowd.add(1, away, false);
        }
        crowd
    }

    #[test]
    fn every_range_is_served_half_as_often_as_the_one_below() {
        let crowd = crowd(&[10.0, 800.0]);
        let ranges: Vec<_> = (1..=8).map(|number| range(&crowd, 6, number, false)).collect();
        let (near, middle) = (Some(200), Some(400));
        assert_eq!(ranges, [near, middle, near, None, near, middle, near, None]);
        assert_eq!(period(&crowd, 6), 200);
        // With two waves all run over the whole map, one after the other.
        assert_eq!((period(&crowd, 2), range(&crowd, 2, 1, false)), (800, None));
    }

    /// Whichever way they are counted: by their age, or one by one where they are old.
    #[test]
    fn pursuers_stand_in_the_emissions_that_they_heard() {
        for numbers in [[0, 0, 0], [70, 3, 0], [400, 337, 336], [5, 4, 3]] {
            for heard in [vec![], vec![0], vec![3, 70], vec![336], vec![337, 400], vec![5, 9]] {
                let mut all = Crowd::new(numbers);
                for &heard in &heard {
                    let mut one = Crowd::new(numbers);
                    one.add(heard, 1.0, false);
                    all = all.join(&one);
                }
                for number in numbers {
                    assert_eq!(all.stands_in(number), heard.contains(&number), "{number}: {all:?}");
                }
            }
        }
    }

    #[test]
    fn no_wave_is_sent_that_comes_to_nobody() {
        assert_eq!(range(&crowd(&[300.0, 800.0]), 6, 1, false), Some(400));
        assert_eq!(range(&crowd(&[700.0, 800.0]), 6, 1, false), None);
    }

    #[test]
    fn who_is_at_a_loss_is_sent_a_wave_wherever_it_is() {
        let mut crowd = crowd(&[10.0, 800.0]);
        crowd.add(0, 0.0, true);
        assert_eq!(range(&crowd, 6, 1, false), None);
        assert!(crowd.awaits(1) && !crowd.awaits(0) && crowd.stands_in(0));
    }
}
