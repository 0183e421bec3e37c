//! A wave as plain data, and back, checked.
//!
//! Numbers stand as their bits, because not every text format gives the last one back.

use super::coefficients::Coefficients;
use super::real::Real;
use super::source::{Pulse, Source};
use super::wave::Wave;
use crate::grid::{Follower, Space};
use serde::{Deserialize, Serialize};

/// A wave. Cells are in the order of `[z][y][x]`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WaveRecord {
    /// Bits of a number.
    format: u32,
    size: [usize; 3],
    steps: u64,
    /// Edits of walls and of speeds that the wave has seen.
    seen: [u64; 2],
    now: Vec<u64>,
    prev: Vec<u64>,
    pulses: Vec<PulseRecord>,
}

/// A pulse that is going out.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PulseRecord {
    cell: [usize; 3],
    amplitude: u64,
    steps: u32,
    done: u32,
}

impl<D: Space, S: Real> From<Wave<D, S>> for WaveRecord {
    fn from(wave: Wave<D, S>) -> Self {
        let layout = &wave.layout;
        let bits = |z: &[S]| layout.indices().map(|i| z[i].bits()).collect();
        let pulse = |&Pulse { index, amplitude, steps, done }: &Pulse| PulseRecord {
            cell: layout.cell(index),
            amplitude: amplitude.to_bits(),
            steps,
            done,
        };
        Self {
            format: 8 * size_of::<S>() as u32,
            size: layout.size,
            steps: wave.steps,
            seen: wave.follower.seen(),
            now: bits(&wave.now),
            prev: bits(&wave.prev),
            pulses: wave.pulses.iter().map(pulse).collect(),
        }
    }
}

impl<D: Space, S: Real> TryFrom<WaveRecord> for Wave<D, S> {
    type Error = String;

    fn try_from(from: WaveRecord) -> Result<Self, String> {
        let WaveRecord { format, size, steps, seen, .. } = from;
        let bits = 8 * size_of::<S>() as u32;
        if format != bits {
            return Err(format!("a wave of {format}-bit numbers, not of {bits}-bit ones"));
        }
        if D::to_size(D::from_zyx(size)) != size {
            return Err(format!("a grid of {size:?} cells is not possible here"));
        }
        let count = size.iter().try_fold(1usize, |count, &n| count.checked_mul(n));
        if count != Some(from.now.len()) || count != Some(from.prev.len()) {
            return Err(format!("z of {} cells, not of {count:?}", from.now.len()));
        }
        if [steps, seen[0], seen[1]].iter().any(|count| count >> 60 > 0) {
            return Err(format!("{steps} steps, edits {seen:?}"));
        }
        let layout = Coefficients::<S>::layout(size).ok_or("a grid that cannot be stored")?;
        let mut wave = Self::at_rest(layout, Follower::of_snapshot(seen));
        wave.steps = steps;
        for (to, bits) in [(&mut wave.now, &from.now), (&mut wave.prev, &from.prev)] {
            for (cell, (i, &bits)) in wave.layout.indices().zip(bits).enumerate() {
                // Finite, and nothing that a step would have made 0.
                let fits = |z: &S| z.to_f64().is_finite() && z.floored().bits() == bits;
                let z = S::from_bits(bits).filter(fits);
                to[i] = z.ok_or_else(|| format!("z of cell {cell} has bits {bits:#x}"))?;
            }
        }
        for PulseRecord { cell, amplitude, steps, done } in from.pulses {
            let amplitude = f64::from_bits(amplitude);
            let is_possible = Source::Pulse { amplitude, steps }.check().is_ok() && done < steps;
            if !is_possible || !wave.layout.contains(cell) {
                return Err(format!("a pulse at {cell:?}, {done} of {steps} steps done"));
            }
            let index = wave.layout.index(cell);
            wave.pulses.push(Pulse { index, amplitude, steps, done });
        }
        Ok(wave)
    }
}
