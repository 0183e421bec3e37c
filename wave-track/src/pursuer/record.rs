//! A pursuer in a snapshot.

use super::{Aim, Course, Memory, Pursuer, PursuerState};
use crate::config::{MAX_WAVES, Method};
use crate::error::TrackError;
use crate::ground::Ground;
use crate::state::{Bits, bits, length, number, numbers, place};
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
    /// The place, and whether the way is free.
    aim: Option<(Bits, bool)>,
    mark: Option<(u32, u64)>,
    away: u64,
    #[serde(default)]
    gone: u64,
    unseen: u64,
    heading: Option<Bits>,
    horizon: u32,
    traced: u32,
    cut_off: bool,
    /// The rest of the time of the link that it is on.
    #[serde(default)]
    crossing: Option<u64>,
}

impl<D: Space> Pursuer<D> {
    pub(crate) fn record(&self) -> PursuerRecord {
        PursuerRecord {
            id: self.id.number(),
            at: bits(self.at()),
            position: bits(D::to_xyz(self.position)),
            speed: self.speed.to_bits(),
            state: self.state,
            walked: self.walked.to_bits(),
            hears: self.hears,
            reacted: match &self.memory {
                Memory::Each(all) => **all,
                &Memory::Last(last) => std::array::from_fn(|i| if i == 0 { last } else { 0 }),
                Memory::Nothing | Memory::Trail { .. } => [0; MAX_WAVES],
            },
            aim: self.aim().map(|aim| (bits(D::to_xyz(aim.at)), aim.is_free)),
            mark: self.mark().map(|mark| (mark.target, mark.turn)),
            away: self.away.to_bits(),
            gone: self.gone.to_bits(),
            unseen: self.unseen.to_bits(),
            heading: match self.course {
                Course::Heading(way) => Some(bits(D::to_xyz(way))),
                _ => None,
            },
            horizon: self.horizon.into(),
            traced: self.traced,
            cut_off: self.cut_off,
            crossing: self.crossing_left().map(f64::to_bits),
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
            (Some((at, is_free)), None, None) if follows_wakes => {
                Course::Straight(Aim { at: D::from_xyz(place(ground, "aim", at)?), is_free })
            }
            (None, Some(heading), None) if !follows_wakes => {
                Course::Heading(D::from_xyz(numbers("heading", heading)?))
            }
            (None, None, Some(left)) if follows_wakes => {
                let left = number("link", left)?;
                if !(left > 0.0 && ground.covers(there)) {
                    return wrong("link");
                }
                Course::Link(left)
            }
            _ => return wrong("course"),
        };
        // The targets count turns; no count gets this high.
        if from.mark.is_some_and(|(_, turn)| turn >> 60 != 0) {
            return wrong("mark");
        }
        let memory = match (method, from.mark) {
            (Method::Published { .. }, None) => Memory::Each(Box::new(from.reacted)),
            (Method::PerEmission, None) => Memory::Last(from.reacted[0]),
            (Method::Wake, Some((target, turn))) => Memory::Trail { target, turn },
            (Method::Wake, None) => Memory::Nothing,
            _ => return wrong("mark"),
        };
        // Far above the points that are ever looked at, and far below an overflow when horizons
        // double.
        let (Ok(horizon), 0..=65_536) = (u16::try_from(from.horizon), from.traced) else {
            return wrong("number of points");
        };
        Ok(Self {
            id: PursuerId::of(from.id),
            cells: D::from_xyz(at),
            position: D::from_xyz(position),
            speed: number("speed", from.speed)?,
            state: from.state,
            walked: number("walked length", from.walked)?,
            hears: from.hears,
            course,
            memory,
            away: number("time", from.away)?,
            gone: length("walked length", from.gone)?,
            unseen: number("length", from.unseen)?,
            horizon,
            traced: from.traced,
            cut_off: from.cut_off,
        })
    }
}
