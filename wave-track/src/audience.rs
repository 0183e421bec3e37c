//! Whom a wave is for on a large map: those who listen, and nobody beyond.

use crate::config::Method;
use crate::front::TrackerFront;
use crate::ground::{Cells, Ground, distance};
use crate::pursuer::Pursuer;
use crate::waves::{Emission, Scene};
use wave_core::Space;

/// How many times as long as known, or as in a straight line, the way to a pursuer may be, one try
/// after another; then a wave goes everywhere. What is beyond is four times as much each time, and
/// about so is what a wave comes to: all that fell short cost a third of the one that does not.
const PARTS: [f64; 4] = [1.02, 1.08, 1.32, 2.28];
/// Where the box around those who listen is a larger part of the map than one in so many, waves go
/// everywhere: most of it is on the way to somebody.
const SPREAD: usize = 16;
/// `[units: steps]` What a wave has besides, since arrivals are exact with two steps left.
const MORE_STEPS: f64 = 4.0;

/// Tries after which waves go everywhere.
pub(crate) const EVERYWHERE: u8 = PARTS.len() as u8;

/// The cells of a box, and for how many steps a wave toward them runs.
pub(crate) type Audience<D> = ([<D as Space>::Cell; 2], f64);

/// Cells of the map.
fn cells<D: Space>(scene: &Scene<'_, D>) -> usize {
    D::to_size(scene.medium.shape()).iter().product()
}

/// Whether waves are for those alone who listen.
pub(crate) fn are_for_listeners<D: Space>(scene: &Scene<'_, D>) -> bool {
    let is_even = Ground::new(scene.medium).even_steps_per_cell().is_some();
    cells(scene) > scene.config.narrow_from && is_even && scene.config.method == Method::Wake
}

/// Whether a wave for those who listen did not come to all of them.
pub(crate) fn falls_short<D: Space>(
    scene: &Scene<'_, D>,
    emission: &Emission,
    front: &TrackerFront<D>,
) -> bool {
    let misses = |p: &Pursuer<D>| {
        let is_here = || front.arrival(Ground::<D>::cell(p.at)).is_some();
        !p.is_cut_off(scene.era) && p.hears < emission.number && !is_here()
    };
    emission.tries < EVERYWHERE && front.is_exhausted() && scene.pursuers.iter().any(misses)
}

/// Who listens, for the next try; `None` for a wave that goes everywhere.
pub(crate) fn of<D: Space>(
    scene: &Scene<'_, D>,
    emissions: &[Emission],
    tries: u8,
) -> Option<Audience<D>> {
    let part = PARTS.get(usize::from(tries))?;
    let steps_per_cell = Ground::new(scene.medium).even_steps_per_cell()?;
    let (mut low, mut high) = ([f64::INFINITY; 3], [0.0f64; 3]);
    let mut steps = 0.0f64;
    for p in scene.pursuers.iter().filter(|p| !p.is_cut_off(scene.era)) {
        low = std::array::from_fn(|a| low[a].min(p.at[a]));
        high = std::array::from_fn(|a| high[a].max(p.at[a]));
        let off = |target: &Cells| distance(p.at, *target);
        let straight = scene.targets.iter().map(off).fold(f64::INFINITY, f64::min);
        // The way to where the target was, and what both have gone since.
        let heard = emissions.iter().find(|e| p.hears > 0 && e.number == p.hears);
        let known = heard
            .and_then(|e| e.walked)
            .map(|then| p.away + steps_per_cell * (p.gone() + scene.walked - then));
        steps = steps.max(known.unwrap_or(steps_per_cell * straight));
    }
    if !(low[0].is_finite() && steps.is_finite()) {
        return None;
    }
    let corners = [low, high].map(Ground::<D>::cell);
    let [from, to] = corners.map(D::to_zyx);
    let within: usize = (0..3).map(|a| to[a] - from[a] + 1).product();
    (SPREAD * within <= cells(scene)).then_some((corners, part * steps + MORE_STEPS))
}
