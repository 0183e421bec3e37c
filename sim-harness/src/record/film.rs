//! A record of a run that is small enough to keep: places as 16-bit numbers, at a bounded number of
//! moments. A longer run is kept at every second moment, then at every fourth, and so on, and at
//! its last one. Where reasons and edits are too many, those that were soon followed by another of
//! the same evader or cell are left out.

use crate::output::WriteError;
use crate::world::{Doing, End, Member, Moment, Scene, Summary, Watch};
use ndarray::{Array3, Axis};
use serde_json::json;
use std::collections::BTreeMap;

/// `[units: moments]` The most that are kept.
const MOST_SHOTS: usize = 4096;
/// `[units: places]` The most that are kept, all moments together.
const MOST_PLACES: usize = 1 << 24;
/// `[units: bytes]` The most of all reasons, and `[units: cells]` of all edits, that are kept; but
/// the last one of an evader or cell always is.
const MOST_WHY: usize = 1 << 24;
const MOST_EDITS: usize = 1 << 20;
/// The most figures that are kept: the first ones.
const MOST_GAUGES: usize = 64;
/// `[units: moments]` The most at which layers are kept, of large maps and of small ones; and the
/// most cells of all these moments, where that lies between.
const MOST_LAYERED: [usize; 2] = [48, 128];
const MOST_CELLS: usize = 1 << 20;
/// `[units: cells]` Layers are coarsened to this many cells along an axis, or fewer.
const LAYER_SIDE: usize = 256;

/// A moment that was kept. Evaders come first, then pursuers.
#[derive(Clone, Debug)]
pub struct Shot {
    /// Frames done.
    pub step: u64,
    /// Coordinates by [`Scene::range`], member by member.
    pub places: Vec<u16>,
    /// The activity of each member, by number.
    pub doing: Vec<u8>,
    /// Figures by the film's names.
    pub gauges: Vec<f32>,
}

/// Figures per cell at a moment.
#[derive(Clone, Debug)]
pub struct Layer {
    /// Their name.
    pub name: &'static str,
    /// Frames done.
    pub step: u64,
    /// The value of 254; 255 means none.
    pub most: f32,
    /// Storey by storey, row by row.
    pub values: Vec<u8>,
    mark: usize,
}

/// The film of a run.
#[derive(Clone, Debug)]
pub struct Film {
    /// The constant data.
    pub scene: Scene,
    /// Moments, in order.
    pub shots: Vec<Shot>,
    /// Names of figures.
    pub gauges: Vec<String>,
    /// The reasons of evaders: the first step, the evader, and the reason.
    pub why: Vec<(u64, usize, String)>,
    /// Before which step a cell became a wall or free.
    pub edits: Vec<(u64, [usize; 3], bool)>,
    /// Figures per cell.
    pub layers: Vec<Layer>,
    /// `[units: cells]` The side of a layer's cell.
    pub coarse: usize,
    /// The last reason of each evader.
    reasons: BTreeMap<usize, String>,
    why_room: Room,
    edit_room: Room,
    most_layered: usize,
    shown: usize,
    stride: usize,
    layer_stride: usize,
    marks: usize,
}

/// The room for what an evader or a cell had at steps.
#[derive(Clone, Debug)]
struct Room {
    used: usize,
    most: usize,
    /// `[units: steps]` Of what one had in such a window, the last is kept.
    window: u64,
}

impl Room {
    fn of(most: usize) -> Self {
        Self { used: 0, most, window: 1 }
    }

    fn add<K: Copy + Ord, V>(
        &mut self,
        list: &mut Vec<(u64, K, V)>,
        entry: (u64, K, V),
        size: fn(&V) -> usize,
    ) {
        let step = entry.0;
        if list.is_empty() {
            // Whoever shows the film may have taken all that there was.
            (self.used, self.window) = (0, 1);
        }
        self.used += size(&entry.2);
        list.push(entry);
        if self.used <= self.most {
            return;
        }
        loop {
            self.window *= if self.window <= step { 2 } else { 1 };
            let mut next = BTreeMap::new();
            let last = |(step, key, _): &(u64, K, V)| {
                let window = step / self.window;
                next.insert(*key, window) != Some(window)
            };
            let mut last: Vec<bool> = list.iter().rev().map(last).collect();
            list.retain(|_| last.pop() == Some(true));
            self.used = list.iter().map(|(.., value)| size(value)).sum();
            if self.used <= self.most / 2 {
                return;
            }
            if self.window > step {
                // Only the last ones are left.
                self.most = 2 * self.used;
                return;
            }
        }
    }
}

/// Rows and columns of a storey's layer.
fn coarse_size(scene: &Scene, coarse: usize) -> [usize; 2] {
    let (_, height, width) = scene.walls.dim();
    [height, width].map(|cells| cells.div_ceil(coarse))
}

impl Film {
    /// Nothing shown yet.
    #[must_use]
    pub fn new(scene: Scene) -> Self {
        let (_, height, width) = scene.walls.dim();
        let coarse = width.max(height).div_ceil(LAYER_SIDE);
        let [rows, columns] = coarse_size(&scene, coarse);
        let cells = scene.storeys().len() * rows * columns;
        Self {
            coarse,
            most_layered: (MOST_CELLS / cells).clamp(MOST_LAYERED[0], MOST_LAYERED[1]),
            scene,
            shots: Vec::new(),
            gauges: Vec::new(),
            reasons: BTreeMap::new(),
            why_room: Room::of(MOST_WHY),
            edit_room: Room::of(MOST_EDITS),
            why: Vec::new(),
            edits: Vec::new(),
            layers: Vec::new(),
            shown: 0,
            stride: 1,
            layer_stride: 1,
            marks: 0,
        }
    }

    /// Keeps a moment, or not. Returns whether layers of it are wanted.
    fn keep(&mut self, moment: &Moment<'_>) -> bool {
        for (evader, text) in moment.why {
            if self.reasons.get(evader) != Some(text) {
                self.reasons.insert(*evader, text.clone());
                let entry = (moment.step, *evader, text.clone());
                self.why_room.add(&mut self.why, entry, String::len);
            }
        }
        for &(cell, wall) in moment.edits {
            self.edit_room.add(&mut self.edits, (moment.step, cell, wall), |_| 1);
        }
        // The newest moment stays until the next one comes, so the run's last one is kept.
        if self.shown > 0 && !(self.shown - 1).is_multiple_of(self.stride) {
            self.shots.pop();
        }
        let shot = self.shot(moment);
        self.shots.push(shot);
        let places: usize = self.shots.iter().map(|s| s.doing.len()).sum();
        if self.shots.len() > MOST_SHOTS || places > MOST_PLACES {
            let newest = self.shots.len() - 1;
            let mut keep = (0..).map(|i: usize| i.is_multiple_of(2) || i == newest);
            self.shots.retain(|_| keep.next() == Some(true));
            self.stride *= 2;
        }
        let layered = self.shown.is_multiple_of(self.layer_stride);
        if layered {
            if self.marks == self.most_layered {
                self.layers.retain(|layer| layer.mark.is_multiple_of(2));
                self.layers.iter_mut().for_each(|layer| layer.mark /= 2);
                self.marks /= 2;
                self.layer_stride *= 2;
            }
            self.marks += 1;
        }
        self.shown += 1;
        layered
    }

    fn shot(&mut self, moment: &Moment<'_>) -> Shot {
        let (axes, range) = (self.scene.axes(), self.scene.range());
        let members = || moment.cast.evaders.iter().chain(&moment.cast.pursuers);
        let place = |m: &Member| {
            let p = m.position;
            (0..axes).map(move |a| {
                let part = (p[a] - range[a][0]) / range[a][1];
                (part * 65_535.0).round().clamp(0.0, 65_535.0) as u16
            })
        };
        let mut gauges = vec![f32::NAN; self.gauges.len()];
        for (name, value) in moment.gauges {
            let i = self.gauges.iter().position(|known| known == name);
            let i = i.unwrap_or(self.gauges.len());
            if i == MOST_GAUGES {
                continue;
            }
            if i == self.gauges.len() {
                self.gauges.push(name.clone());
                gauges.push(f32::NAN);
            }
            gauges[i] = *value as f32;
        }
        Shot {
            step: moment.step,
            places: members().flat_map(place).collect(),
            doing: members().map(|m| m.doing as u8).collect(),
            gauges,
        }
    }

    /// The data that a page needs before it reads the film's numbers.
    #[must_use]
    pub fn head(&self) -> serde_json::Value {
        let scene = &self.scene;
        let (depth, height, width) = scene.walls.dim();
        let doing: Vec<_> = Doing::ALL.iter().map(|d| d.words()).collect();
        let layers =
            self.layers.iter().map(|l| json!({"name": l.name, "step": l.step, "most": l.most}));
        let round = |p: [f64; 3]| p.map(|v| (v * 1e3).round() / 1e3);
        let ways = scene.ways.iter().map(|(ends, jump)| (ends.map(round), u8::from(*jump)));
        json!({
            "question": scene.question,
            "size": [width, height, depth],
            "dimensions": scene.dimensions,
            "axes": scene.axes(),
            "range": scene.range(),
            "spacing": scene.spacing,
            "dt": scene.dt,
            "storeys": scene.storeys(),
            "coarse": self.coarse,
            "evaders": scene.evaders,
            "heights": scene.heights.as_ref().map(|h| h.iter().copied().collect::<Vec<_>>()),
            "places": scene.places.iter().map(|(name, at)| (name, round(*at))).collect::<Vec<_>>(),
            "doing": doing,
            "steps": self.shots.iter().map(|s| s.step).collect::<Vec<_>>(),
            "counts": self.shots.iter().map(|s| s.doing.len()).collect::<Vec<_>>(),
            "gauges": self.gauges,
            "why": self.why,
            "edits": self.edits.iter().map(|(step, [z, y, x], wall)| {
                (step, (z * height + y) * width + x, u8::from(*wall))
            }).collect::<Vec<_>>(),
            "layers": layers.collect::<Vec<_>>(),
            "ways": ways.collect::<Vec<_>>(),
        })
    }

    /// Walls of the storeys to show as they were at first, row by row, a byte a cell; then which
    /// cells are slow.
    #[must_use]
    pub fn ground(&self) -> Vec<u8> {
        let planes = [&self.scene.walls, &self.scene.slow].into_iter().flat_map(|field| {
            self.scene.storeys().into_iter().map(move |z| field.index_axis(Axis(0), z))
        });
        planes.flat_map(|plane| plane.iter().map(|&b| u8::from(b)).collect::<Vec<_>>()).collect()
    }

    /// Keeps figures per cell `[z, y, x]` of all storeys to show; infinite is nothing.
    fn keep_layer(&mut self, step: u64, name: &'static str, at: impl Fn([usize; 3]) -> f64) {
        let values = self.coarse_values(at);
        let most = values.iter().copied().filter(|v| v.is_finite()).fold(0.0, f64::max);
        self.push_layer(step, name, most, &values);
    }

    fn coarse_values(&self, at: impl Fn([usize; 3]) -> f64) -> Vec<f64> {
        let (_, height, width) = self.scene.walls.dim();
        let coarse = self.coarse;
        let mut values = Vec::new();
        for z in self.scene.storeys() {
            for y in (0..height).step_by(coarse) {
                values.extend((0..width).step_by(coarse).map(|x| at([z, y, x])));
            }
        }
        values
    }

    fn push_layer(&mut self, step: u64, name: &'static str, most: f64, values: &[f64]) {
        let scale = if most > 0.0 { 254.0 / most } else { 0.0 };
        let byte = |v: &f64| if v.is_finite() { (v * scale).clamp(0.0, 254.0) as u8 } else { 255 };
        let values = values.iter().map(byte).collect();
        let mark = self.marks.saturating_sub(1);
        self.layers.push(Layer { name, step, most: most as f32, values, mark });
    }

    /// Cells of a layer, all storeys together.
    #[cfg(feature = "record")]
    pub(super) fn coarse_cells(&self) -> usize {
        let [rows, columns] = coarse_size(&self.scene, self.coarse);
        self.scene.storeys().len() * rows * columns
    }

    /// The layer's cell of a place in the map, on the nearest of the scene's `storeys`. These are
    /// given, since finding them goes through all cells.
    #[cfg(feature = "record")]
    pub(super) fn coarse_cell(&self, storeys: &[usize], position: [f64; 3]) -> usize {
        let [rows, columns] = coarse_size(&self.scene, self.coarse);
        let [x, y, z] = position.map(|v| v / self.scene.spacing);
        let far = |&i: &usize| (storeys[i] as f64 - z).abs();
        let nearest = (0..storeys.len()).min_by(|a, b| far(a).total_cmp(&far(b))).unwrap_or(0);
        let along = |v: f64, cells| (v.round().max(0.0) as usize / self.coarse).min(cells - 1);
        (nearest * rows + along(y, rows)) * columns + along(x, columns)
    }

    /// Adds counts of a layer's cells, from the first moment on; where there are none is nothing.
    #[cfg(feature = "record")]
    pub(super) fn count(&mut self, name: &'static str, counts: &[u64]) {
        let most = counts.iter().copied().max().unwrap_or(0);
        // Rounded up: a cell in which it happened once is not one in which it did not.
        let byte = |&n: &u64| (254 * n).div_ceil(most.max(1)) as u8;
        let values = counts.iter().map(byte).collect();
        self.layers.push(Layer { name, step: 0, most: most as f32, values, mark: 0 });
    }

    /// The values of a layer for every cell `[z, y, x]`, on the storeys that are shown; infinite
    /// means none.
    #[cfg(feature = "record")]
    pub(super) fn spread(&self, layer: &Layer) -> Array3<f32> {
        let [rows, columns] = coarse_size(&self.scene, self.coarse);
        let mut cells = Array3::from_elem(self.scene.walls.dim(), f32::INFINITY);
        for (storey, z) in self.scene.storeys().into_iter().enumerate() {
            for ((y, x), cell) in cells.index_axis_mut(Axis(0), z).indexed_iter_mut() {
                let row = storey * rows + y / self.coarse;
                let value = layer.values[row * columns + x / self.coarse];
                if value < 255 {
                    *cell = f32::from(value) / 254.0 * layer.most;
                }
            }
        }
        cells
    }

    /// `[units: world units]` Where a member was, `[x, y, z]`; `None` before it came.
    #[must_use]
    pub fn place(&self, shot: &Shot, member: usize) -> Option<[f32; 3]> {
        let (axes, range) = (self.scene.axes(), self.scene.range());
        let place = shot.places.get(member * axes..(member + 1) * axes)?;
        Some(std::array::from_fn(|a| {
            let part = place.get(a).map_or(0.0, |&v| f64::from(v) / 65_535.0);
            if a < axes { (range[a][0] + part * range[a][1]) as f32 } else { 0.0 }
        }))
    }

    /// The numbers of all members, evaders first.
    #[must_use]
    pub fn members(&self) -> usize {
        self.shots.last().map_or(0, |shot| shot.doing.len())
    }
}

impl Watch for Film {
    fn begin(&mut self, scene: Scene) {
        *self = Self::new(scene);
    }

    fn show(&mut self, moment: &Moment<'_>) -> Result<bool, WriteError> {
        Ok(self.keep(moment))
    }

    fn wave(&mut self, step: u64, arrivals: &Array3<f32>) {
        self.keep_layer(step, "wave", |cell| f64::from(arrivals[cell]));
    }

    fn dense_waves(&mut self, step: u64, z: &Array3<f32>) {
        // Waves grow faint as they spread: the root shows them for longer.
        let most = z.iter().fold(f32::MIN_POSITIVE, |most, z| most.max(z.abs()));
        let shade = |z: f32| f64::from((z.abs() / most).sqrt().copysign(z));
        let values = self.coarse_values(|cell| 1.0 + shade(z[cell]));
        self.push_layer(step, "z", 2.0, &values);
    }

    fn layer(&mut self, step: u64, name: &'static str, values: &[f64]) {
        let width = self.scene.walls.dim().2;
        self.keep_layer(step, name, |[_, y, x]| {
            values.get(y * width + x).copied().filter(|v| *v > 0.0).unwrap_or(f64::INFINITY)
        });
    }

    fn end(&mut self, _: &End, _: &Summary) -> Result<(), WriteError> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::Cast;

    #[test]
    fn a_long_run_is_kept_at_even_distances_and_places_to_a_65535th() {
        let walls = Array3::from_elem([1, 20, 30], false);
        let mut film = Film::new(Scene {
            name: String::new(),
            question: String::new(),
            dimensions: 2,
            spacing: 2.0,
            dt: 1.0,
            slow: walls.clone(),
            walls,
            heights: None,
            slices: Vec::new(),
            evaders: 1,
            places: Vec::new(),
            ways: Vec::new(),
        });
        let at = |step: u64| [step as f64 * 5e-3, 39.0 - step as f64 * 3e-3, 0.0];
        let mut layered = 0;
        for step in 0..10_000 {
            let position = at(step);
            let member = Member {
                position,
                foothold: position,
                doing: Doing::Walking,
                walked: 0.0,
                met: None,
                contact: false,
                group: 0,
            };
            let cast = Cast { evaders: vec![member], pursuers: Vec::new() };
            let (gauges, why) =
                ([("step".to_owned(), step as f64)], [(0, (step / 1000).to_string())]);
            let edits = if step == 7 { &[([0, 1, 2], true)][..] } else { &[] };
            let moment = Moment { step, cast: &cast, edits, gauges: &gauges, why: &why };
            if film.keep(&moment) {
                layered += 1;
                film.keep_layer(step, "wave", |[_, y, x]| (x + y) as f64);
            }
        }
        assert!((MOST_SHOTS / 2..=MOST_SHOTS).contains(&film.shots.len()));
        let stride = film.shots[1].step;
        let last = film.shots.len() - 1;
        for (i, shot) in film.shots.iter().enumerate() {
            // The run's last moment is there, too.
            assert_eq!(shot.step, if i == last { 9999 } else { i as u64 * stride });
            let (shown, told) = (film.place(shot, 0).unwrap(), at(shot.step));
            assert!((0..2).all(|a| (f64::from(shown[a]) - told[a]).abs() <= 60.0 / 65_535.0));
            assert_eq!(shot.gauges, [shot.step as f32]);
        }
        assert!(film.place(&film.shots[0], 1).is_none());
        assert!(layered > film.most_layered && film.layers.len() <= film.most_layered);
        assert_eq!(film.most_layered, MOST_LAYERED[1]);
        let spread = film.spread(&film.layers[0]);
        assert!(
            (spread[[0, 19, 29]] - 48.0).abs() < 1e-5
                && (spread[[0, 3, 4]] - 7.0).abs() <= 48.0 / 254.0
        );
        assert!(film.layers.windows(2).all(|pair| {
            pair[1].step - pair[0].step == film.layers[1].step - film.layers[0].step
        }));
        assert_eq!(film.layers[0].values[31], (2.0 / 48.0 * 254.0) as u8);
        assert_eq!(film.why.len(), 10);
        assert_eq!(film.edits, [(7, [0, 1, 2], true)]);
    }

    /// Of a cell or an evader, at any step what it then had or had soon after is known.
    #[test]
    fn reasons_and_edits_of_a_long_run_are_thinned_out() {
        let mut room = Room::of(1000);
        let mut list = Vec::new();
        for step in 0..100_000u64 {
            for key in (0..7u64).filter(|key| step % (key + 1) == 0) {
                room.add(&mut list, (step, key, step), |_| 1);
            }
            assert!(list.len() <= 1000);
        }
        assert!(list.is_sorted_by_key(|(step, ..)| *step) && list.len() > 250);
        for key in 0..7 {
            let mut own = list.iter().filter(|(_, k, _)| *k == key).map(|(step, ..)| *step);
            let mut before = own.next().unwrap();
            assert!(own.all(|step| std::mem::replace(&mut before, step) + 2 * room.window > step));
            assert_eq!(before, 99_999 / (key + 1) * (key + 1), "the last one");
        }
        // Where each key has only one, all are kept.
        let (mut room, mut list) = (Room::of(1000), Vec::new());
        (0..5000).for_each(|key| room.add(&mut list, (3, key, ()), |()| 1));
        assert_eq!(list.len(), 5000);
        // What was taken away does not count.
        let (mut room, mut list) = (Room::of(1000), Vec::new());
        for first in [0, 900, 1800] {
            (first..first + 900).for_each(|step| room.add(&mut list, (step, 0, ()), |()| 1));
            assert_eq!(std::mem::take(&mut list).len(), 900);
        }
    }
}
