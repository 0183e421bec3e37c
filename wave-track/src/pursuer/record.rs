//! A pursuer in a snapshot.

use super::{Aim, Course, Crossing, NEVER, Pursuer, PursuerState};
use crate::config::{MAX_WAVES, Method};
use crate::error::TrackError;
use crate::ground::Ground;
use crate::state::{Bits, bits, length, number, numbers, place};
use crate::targets::Mark;
use crate::tracker::PursuerId;
use wave_core::Space;

/// A pursuer as plain data.
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PursuerRecord {
    id: u64,
    at: Bits,
    position: Bits,
    speed: u64,
    state: PursuerState,
    walked: u64,
    hears: u64,
    reacted: [u64; MAX_WAVES],
    /// The place, and the count of edits at which the way was free.
    aim: Option<(Bits, u64)>,
    mark: Option<(usize, u64)>,
    away: u64,
    #[serde(default)]
    gone: u64,
    unseen: u64,
    heading: Option<Bits>,
    horizon: u32,
    traced: u32,
    cut_off: Option<u64>,
    /// The beginning of the link that it is on, the rest of its time, and all of it.
    #[serde(default)]
    crossing: Option<(Bits, u64, u64)>,
}

impl<D: Space> Pursuer<D> {
    pub(crate) fn record(&self) -> PursuerRecord {
        PursuerRecord {
            id: self.id.number(),
            at: bits(self.at),
            position: bits(D::to_xyz(self.position)),
            speed: self.speed.to_bits(),
            state: self.state,
            walked: self.walked.to_bits(),
            hears: self.hears,
            reacted: self.reacted_to.as_deref().copied().unwrap_or_else(|| {
                let mut reacted = [0; MAX_WAVES];
                reacted[0] = self.reacted;
                reacted
            }),
            aim: self.aim().map(|aim| (bits(aim.at), aim.free)),
            mark: self.mark.map(|mark| (mark.target, mark.turn)),
            away: self.away.to_bits(),
            gone: self.gone.to_bits(),
            unseen: self.unseen.to_bits(),
            heading: if let Course::Heading(way) = self.course { Some(bits(way)) } else { None },
            horizon: self.horizon.into(),
            traced: self.traced,
            cut_off: (self.cut_off != NEVER).then_some(self.cut_off),
            crossing: self.crossing().map(|c| (bits(c.from), c.left.to_bits(), c.time.to_bits())),
        }
    }

    pub(crate) fn from_record(
        from: &PursuerRecord,
        ground: Ground<'_, D>,
        method: Method,
    ) -> Result<Self, TrackError> {
        let at = place(ground, "pursuer's place", from.at)?;
        let position = numbers("pursuer's place", from.position)?;
        if !ground.is_clear(at) {
            return Err(TrackError::InWall { what: "pursuer", position });
        }
        // Both say where it is; they differ only by rounding.
        let at_rest = from.crossing.is_none();
        let there = ground.to_cells(D::from_xyz(position));
        if at_rest && there.iter().zip(at).any(|(a, b)| (a - b).abs() > 1e-5) {
            return Err(TrackError::Snapshot { what: "pursuer's position" });
        }
        let wrong = |what| Err(TrackError::Snapshot { what });
        let follows_wakes = method == Method::Wake;
        let course = match (from.aim, from.heading, from.crossing) {
            (None, None, None) => Course::Open,
            (Some((at, free)), None, None) if follows_wakes => {
                Course::Straight(Aim { at: place(ground, "aim", at)?, free })
            }
            (None, Some(heading), None) if !follows_wakes => {
                Course::Heading(numbers("heading", heading)?)
            }
            (None, None, Some((start, left, time))) if follows_wakes => {
                let (left, time) = (number("link", left)?, number("link", time)?);
                if !(0.0 < left && left <= time) {
                    return wrong("link");
                }
                Course::Link(Crossing { from: place(ground, "link", start)?, left, time })
            }
            _ => return wrong("course"),
        };
        // The targets count turns; no count gets this high.
        if from.mark.is_some_and(|(_, turn)| turn >> 60 != 0) {
            return wrong("mark");
        }
        // Far above the points that are ever looked at, and far below an overflow when horizons
        // double.
        let (Ok(horizon), 0..=65_536) = (u16::try_from(from.horizon), from.traced) else {
            return wrong("number of points");
        };
        Ok(Self {
            id: PursuerId::of(from.id),
            at,
            position: D::from_xyz(position),
            speed: number("speed", from.speed)?,
            state: from.state,
            walked: number("walked length", from.walked)?,
            hears: from.hears,
            reacted: from.reacted[0],
            reacted_to: matches!(method, Method::Published { .. }).then(|| Box::new(from.reacted)),
            course,
            mark: from.mark.map(|(target, turn)| Mark { target, turn }),
            away: number("time", from.away)?,
            gone: length("walked length", from.gone)?,
            unseen: number("length", from.unseen)?,
            horizon,
            traced: from.traced,
            cut_off: from.cut_off.unwrap_or(NEVER),
        })
    }
}
