//! A map as plain data, and back, checked.
//!
//! Numbers stand as their bits, because not every text format gives the last one back.

use super::bits::Bits;
use super::builder::{Settings, TimeStep};
use super::edits::Edits;
use super::links::Link;
use super::map::{MAGNITUDES, Map, WallRule, min_speed};
use super::medium::Medium;
use super::space::Space;
use super::speeds::Speeds;
use serde::{Deserialize, Serialize};

/// A map. Cells are in the order of `[z][y][x]`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MapRecord {
    axes: usize,
    size: [usize; 3],
    spacing: u64,
    origin: [u64; 3],
    dt: u64,
    damping: u64,
    wall_rule: WallRule,
    /// A bit for every open cell.
    open: Vec<u64>,
    uniform: bool,
    /// The speed of every cell; a single one where all have the same.
    speeds: Vec<u64>,
    /// Whether these are rounded, since there were once too many for a table.
    #[serde(default)]
    rounded: bool,
    /// How often walls and speeds were edited.
    revision: u64,
    speed_edits: u64,
    /// The beginnings and ends of links, and their times.
    #[serde(default)]
    links: Vec<([usize; 3], [usize; 3], u64)>,
}

impl From<Map> for MapRecord {
    fn from(map: Map) -> Self {
        let speeds = if map.is_uniform() { 1 } else { map.count() };
        Self {
            axes: map.axes,
            size: map.size,
            spacing: map.spacing.to_bits(),
            origin: map.origin.map(f64::to_bits),
            dt: map.dt.to_bits(),
            damping: map.damping.to_bits(),
            wall_rule: map.rule,
            open: map.open.words().to_vec(),
            uniform: map.is_uniform(),
            speeds: (0..speeds).map(|cell| map.speeds.at(cell).to_bits()).collect(),
            rounded: matches!(map.speeds, Speeds::Many(_)),
            revision: map.edits.walls(),
            speed_edits: map.edits.speeds(),
            links: map
                .all_links()
                .map(|Link { from, to, time }| (from, to, time.to_bits()))
                .collect(),
        }
    }
}

impl TryFrom<MapRecord> for Map {
    type Error = String;

    fn try_from(from: MapRecord) -> Result<Self, String> {
        let MapRecord { axes, size, revision, speed_edits, .. } = from;
        if !(axes == 3 || axes == 2 && size[0] == 1) || size.contains(&0) {
            return Err(format!("a grid of {size:?} cells along {axes} axes is not possible"));
        }
        if (revision | speed_edits) >> 60 > 0 {
            return Err(format!("revision {revision}, speed_edits {speed_edits}"));
        }
        let speeds: Vec<f64> = from.speeds.iter().copied().map(f64::from_bits).collect();
        let [dt, spacing] = [from.dt, from.spacing].map(f64::from_bits);
        // Rounding may have put a permitted speed below the slowest one, by a step at most.
        let least = if from.rounded { MAGNITUDES.start().max(min_speed(dt, spacing)) } else { 0.0 };
        let as_given = |&speed: &f64| {
            let is_rounded = (speed as f32).next_up() >= least as f32;
            if is_rounded { speed.max(least) } else { speed }
        };
        let checked: Vec<f64> = speeds.iter().map(as_given).collect();
        let (&speed, each) = match (&checked[..], from.uniform) {
            ([speed], true) => (speed, None),
            ([speed, ..], false) => (speed, Some((&size[3 - axes..], &checked[..]))),
            _ => return Err(format!("{} speeds for a grid of {size:?} cells", speeds.len())),
        };
        let count = size.iter().try_fold(1usize, |count, &n| count.checked_mul(n));
        let fits = |count: &usize| {
            from.open.len() == count.div_ceil(64) && (each.is_none() || speeds.len() == *count)
        };
        let other = || format!("{} speeds for {count:?} cells, or walls of others", speeds.len());
        let count = count.filter(fits).ok_or_else(other)?;
        let settings = Settings {
            axes,
            size,
            spacing,
            origin: from.origin.map(f64::from_bits),
            walls: None,
            speed,
            speeds: each,
            rule: from.wall_rule,
            damping: f64::from_bits(from.damping),
            step: TimeStep::Time(dt),
        };
        let mut map = settings.build().map_err(|error| error.to_string())?;
        if from.rounded {
            let rounded = Speeds::each_rounded(&speeds).filter(|_| !from.uniform);
            map.speeds = rounded.ok_or("speeds that are not rounded")?;
        }
        let link = |&(from, to, time)| Link { from, to, time: f64::from_bits(time) };
        let links: Vec<_> = from.links.iter().map(link).collect();
        // Before walls, since ends may have been closed later; with any time, since speeds may have
        // been set.
        map.link(&links, f64::MIN_POSITIVE).map_err(|error| error.to_string())?;
        map.open = Bits::from_words(from.open, count).ok_or("walls of other cells")?;
        map.edits = Edits::counted(revision, speed_edits);
        debug_assert_eq!(matches!(map.speeds, Speeds::Uniform(_)), from.uniform);
        Ok(map)
    }
}

impl<D: Space> From<Medium<D>> for Map {
    fn from(medium: Medium<D>) -> Self {
        medium.into_map()
    }
}

impl<D: Space> TryFrom<Map> for Medium<D> {
    type Error = String;

    fn try_from(map: Map) -> Result<Self, String> {
        if map.axes() == D::AXES {
            return Ok(Self::of(map));
        }
        Err(format!("a medium of {} axes, not of {}", map.axes(), D::AXES))
    }
}
