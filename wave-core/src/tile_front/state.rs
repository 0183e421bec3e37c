//! A running front as plain data, and back, checked. What follows from the rest is found again:
//! what lies beside a tile at once, what the medium is like there in the next step.

use super::kernel::{Block, Rows, Told};
use super::live::{ASLEEP, Head};
use super::records::{self, PulseState, StateError};
use super::tiles::{Around, Mask, ROWS, WIDTH};
use super::{FrontConfig, MAX_STEPS, PARTS, TileFront};
use crate::dense::real::Real;
use crate::grid::{Follower, Space};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A tile that is computed. Masks hold a word a row, x from the lowest bit; numbers stand as their
/// bits.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TileState {
    /// Counted among the tiles of the grid.
    tile: usize,
    gain: u16,
    aged: Mask,
    news: u16,
    waits: bool,
    held: bool,
    amplitude: u64,
    last: u32,
    until: u32,
    woke: (Option<Around>, u32),
    moving: [u16; 2],
    bend: Vec<u64>,
    now: Vec<u64>,
    prev: Vec<u64>,
    history: Vec<Mask>,
}

/// A front. Cells are in the order of `[z][y][x]`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FrontState {
    format: u32,
    size: [usize; 3],
    config: FrontConfig,
    pulse: u32,
    lead: u32,
    rest: u32,
    patience: u32,
    suited: u64,
    exhausted: bool,
    step: u32,
    updates: u64,
    renewals: u64,
    /// Edits of the medium that the front has seen.
    seen: [u64; 2],
    closed: Vec<usize>,
    /// Cells that the wave may enter, tile by tile.
    open: Vec<Mask>,
    /// When it came, in parts of a step, and 1; 0 where it did not.
    arrivals: Vec<u32>,
    tiles: Vec<TileState>,
    pulses: Vec<PulseState>,
    /// That of the power of two over which z is computed.
    exponent: i32,
}

impl<D: Space, S: Real> TileFront<D, S> {
    fn state(&self) -> FrontState {
        let layout = &self.layout;
        let inner: Vec<usize> = (0..self.tiles.len()).filter(|&t| self.is_inside(t)).collect();
        let arrivals = layout.indices().map(|i| self.parts(layout.cell(i)).map_or(0, |p| p + 1));
        FrontState {
            format: 8 * size_of::<S>() as u32,
            size: layout.size,
            config: self.config,
            pulse: self.pulse,
            lead: self.lead,
            rest: self.rest,
            patience: self.patience,
            suited: self.suited,
            exhausted: self.exhausted,
            step: self.step,
            updates: self.updates,
            renewals: self.renewals,
            seen: self.follower.seen(),
            closed: self.closed.iter().map(|&i| records::number(layout, i as usize)).collect(),
            open: inner.iter().map(|&tile| self.tiles[tile].open).collect(),
            arrivals: arrivals.collect(),
            tiles: (0..self.live.heads.len()).map(|place| self.tile_state(place)).collect(),
            pulses: self.pulses.iter().map(|pulse| PulseState::new(pulse, layout)).collect(),
            exponent: self.exponent,
        }
    }

    fn tile_state(&self, place: usize) -> TileState {
        let head = &self.live.heads[place];
        let bits = |numbers: &[S]| numbers.iter().map(|z| z.bits()).collect();
        TileState {
            tile: self.tiling.inner(head.tile as usize),
            gain: self.live.gains[place],
            aged: head.aged,
            news: head.told.news,
            waits: head.told.waits,
            held: head.told.held,
            amplitude: head.told.amplitude.bits(),
            last: head.last,
            until: head.until,
            woke: head.woke,
            moving: head.moving,
            bend: bits(head.bend.0.as_flattened()),
            now: bits(self.live.now[place].cells()),
            prev: bits(self.live.prev[place].cells()),
            history: self.live.history_of(place).to_vec(),
        }
    }

    /// Whether a tile is one of the grid, not of the frame around it.
    fn is_inside(&self, tile: usize) -> bool {
        self.tiling.is_inside(tile)
    }

    /// The inverse of [`TileFront::state`], checked.
    fn from_state(from: &FrontState) -> Result<Self, StateError> {
        let layout = records::layout::<D, S>(from.size, from.format)?;
        // Before anything is made for so many cells.
        let (found, expected) = (from.arrivals.len(), layout.count());
        if found != expected {
            return Err(StateError::Length { what: "arrivals", found, expected });
        }
        let mut front = Self::empty(layout, Follower::unread());
        front.set_settings(from)?;
        let inside: Vec<usize> = (0..front.tiles.len()).filter(|&t| front.is_inside(t)).collect();
        if from.open.len() != inside.len() {
            let (found, expected) = (from.open.len(), inside.len());
            return Err(StateError::Length { what: "open", found, expected });
        }
        for (&tile, open) in inside.iter().zip(&from.open) {
            front.tiles[tile].open = front.checked_mask(tile, open)?;
        }
        front.set_arrivals(&from.arrivals)?;
        for &cell in &from.closed {
            let value = cell as f64;
            let index = records::index(&front.layout, cell);
            let index = index.ok_or(StateError::Value { what: "a closed cell", value })?;
            front.closed.push(index as u32);
        }
        front.live.clear(front.rest as usize);
        for tile in &from.tiles {
            let number = *inside
                .get(tile.tile)
                .ok_or(StateError::Tile { what: "number", value: tile.tile as u64 })?;
            front.add_tile(number, tile)?;
        }
        for place in 0..front.live.heads.len() {
            front.join(front.live.heads[place].tile as usize, place);
        }
        let pulses = from.pulses.iter().map(|pulse| pulse.pulse(&front.layout));
        front.pulses = pulses.collect::<Result<_, _>>()?;
        Ok(front)
    }

    fn set_settings(&mut self, from: &FrontState) -> Result<(), StateError> {
        let within = |what, value: u64, min: u64, max: u64| {
            if (min..=max).contains(&value) {
                Ok(value as u32)
            } else {
                Err(StateError::Value { what, value: value as f64 })
            }
        };
        let FrontConfig { pulse, lead, rest } = from.config;
        for (what, value, most) in
            [("pulse", pulse, 1024), ("lead", lead, 250), ("rest", rest, 1024)]
        {
            let least = 1 + u64::from(what == "pulse");
            value.map_or(Ok(0), |value| within(what, value.into(), least, most))?;
        }
        self.config = from.config;
        self.pulse = within("pulse", from.pulse.into(), 2, 1024)?;
        self.lead = within("lead", from.lead.into(), 1, 250)?;
        self.rest = within("rest", from.rest.into(), 1, 1024)?;
        self.patience = within("patience", from.patience.into(), 1, 1 << 20)?;
        self.hold = self.pulse / 2 + 1;
        self.step = within("step", from.step.into(), 0, MAX_STEPS.into())?;
        // Far from where counting on would overflow.
        within("updates", from.updates >> 32, 0, 1 << 28)?;
        within("renewals", from.renewals >> 32, 0, 1 << 28)?;
        (self.updates, self.renewals) = (from.updates, from.renewals);
        self.follower = Follower::of_snapshot(from.seen);
        self.suited = from.suited;
        self.exhausted = from.exhausted;
        if !(-40..=40).contains(&from.exponent) {
            return Err(StateError::Value { what: "exponent", value: from.exponent.into() });
        }
        self.exponent = from.exponent;
        Ok(())
    }

    fn set_arrivals(&mut self, arrivals: &[u32]) -> Result<(), StateError> {
        let layout = self.layout.clone();
        for (cell, (i, &parts)) in layout.indices().zip(arrivals).enumerate() {
            if parts == 0 {
                continue;
            }
            if parts > self.step * PARTS + 1 {
                let bits = parts.into();
                return Err(StateError::Cell { what: "arrival", cell, bits });
            }
            let at = self.tiling.locate(layout.cell(i));
            let tile = &mut self.tiles[at.tile];
            tile.wave = self.start;
            tile.reached[at.row] |= 1 << at.lane;
            self.times[at.inner][at.row][at.lane] = self.start + parts - 1;
            self.reached_cells += 1;
        }
        Ok(())
    }

    fn add_tile(&mut self, tile: usize, from: &TileState) -> Result<(), StateError> {
        let wrong = |what, value: u64| Err(StateError::Tile { what, value });
        if self.tiles[tile].place != ASLEEP {
            return wrong("number", from.tile as u64);
        }
        if from.gain > u16::MAX / 2 {
            return wrong("gain", from.gain.into());
        }
        let step = self.step;
        if from.last > step || from.woke.1.max(from.until) > step + 4096 {
            return wrong("a time", from.last.max(from.woke.1).max(from.until).into());
        }
        if from.woke.0.unwrap_or_default().as_flattened().iter().any(|n| n.unsigned_abs() > 256) {
            return wrong("range", 256);
        }
        if from.history.len() != self.rest as usize {
            return wrong("a history of length", from.history.len() as u64);
        }
        let amplitude = S::from_bits(from.amplitude).filter(|a| a.to_f64() >= 0.0);
        let Some(amplitude) = amplitude.filter(|a| a.to_f64().is_finite()) else {
            return wrong("amplitude", from.amplitude);
        };
        let first_cell = self.tiling.first_cell(tile);
        let cells =
            self.tiling.rows_inside(first_cell).count() * self.tiling.width_inside(first_cell);
        let mut history = Vec::with_capacity(from.history.len());
        for mask in &from.history {
            history.push(self.checked_mask(tile, mask)?);
        }
        let aged = self.checked_mask(tile, &from.aged)?;
        let place = self.live.heads.len();
        self.tiles[tile].wave = self.start;
        self.tiles[tile].place = place as u32;
        let mut head =
            Head::at_rest(tile as u32, self.layout.index(first_cell), cells as u32, aged);
        head.told = Told { news: from.news, waits: from.waits, held: from.held, amplitude };
        (head.last, head.until, head.woke, head.moving) =
            (from.last, from.until, from.woke, from.moving);
        let inside = self.inside(tile);
        let mut bend = Block::REST;
        read_numbers(&mut bend, &from.bend, &[u16::MAX; ROWS])?;
        head.bend = Rows(std::array::from_fn(|r| std::array::from_fn(|x| bend.get(r, x))));
        let (mut now, mut prev) = (Block::REST, Block::REST);
        read_numbers(&mut now, &from.now, &inside)?;
        read_numbers(&mut prev, &from.prev, &inside)?;
        self.live.add(head, from.gain, now, prev, &history);
        Ok(())
    }

    /// The cells of a tile that are inside the grid.
    fn inside(&self, tile: usize) -> Mask {
        let first = self.tiling.first_cell(tile);
        let row = u16::MAX >> (WIDTH - self.tiling.width_inside(first));
        let mut inside = [0; ROWS];
        self.tiling.rows_inside(first).for_each(|r| inside[r] = row);
        inside
    }

    fn checked_mask(&self, tile: usize, mask: &Mask) -> Result<Mask, StateError> {
        let inside = self.inside(tile);
        match mask.iter().zip(inside).find(|(row, inside)| *row & !inside != 0) {
            Some((&row, _)) => Err(StateError::Tile { what: "a row of cells", value: row.into() }),
            None => Ok(*mask),
        }
    }
}

/// Reads a tile's numbers, finite and none that a step would have made 0; outside `inside` all are
/// 0.
fn read_numbers<S: Real>(
    block: &mut Block<S>,
    bits: &[u64],
    inside: &Mask,
) -> Result<(), StateError> {
    if bits.len() != ROWS * WIDTH {
        let (found, expected) = (bits.len(), ROWS * WIDTH);
        return Err(StateError::Length { what: "a tile", found, expected });
    }
    for (i, &bits) in bits.iter().enumerate() {
        let (row, lane) = (i / WIDTH, i % WIDTH);
        let z = S::from_bits(bits).filter(|z| z.to_f64().is_finite());
        let z = z.filter(|&z| inside[row] >> lane & 1 == 1 || z == S::ZERO);
        block.set(row, lane, z.ok_or(StateError::Cell { what: "z in a tile", cell: i, bits })?);
    }
    Ok(())
}

impl<D: Space, S: Real> Serialize for TileFront<D, S> {
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        self.state().serialize(serializer)
    }
}

/// What was written by another type, or cannot be a front, is refused.
impl<'de, D: Space, S: Real> Deserialize<'de> for TileFront<D, S> {
    fn deserialize<T: Deserializer<'de>>(deserializer: T) -> Result<Self, T::Error> {
        Self::from_state(&FrontState::deserialize(deserializer)?).map_err(T::Error::custom)
    }
}
