//! The audience of a wave on a large map: the pursuers that listen, and none beyond.

use crate::config::{Fronts, Method};
use crate::front::TrackerFront;
use crate::ground::{Cells, Ground, distance};
use crate::pursuer::Pursuer;
use crate::schedule::Crowd;
use crate::waves::{Emission, Scene};
use wave_core::Space;

/// How much longer than the known way, or than a straight line, the way to a pursuer may be: one
/// factor for each try, and then a wave goes everywhere. Each try allows four times the excess of
/// the one before, and so comes to about four times as many cells in 3D, twice as many in 2D. So in
/// the open all tries that fall short cost at most a third of the one that does not, in 2D seven
/// eighths of it.
const PARTS: [f64; 4] = [1.02, 1.08, 1.32, 2.28];
/// Where the box around the listening pursuers is more than one part in so many of the map, waves
/// go everywhere: most cells are then on the way to a pursuer.
const SPREAD: usize = 16;
/// `[units: steps]` The extra steps of a wave, since arrivals are exact only with two steps left.
const MORE_STEPS: f64 = 4.0;

/// `[units: cells]` A target that is at most this far from its old place counts as not having
/// walked further.
const NEAR: f64 = 1.5;

/// Tries after which waves go everywhere.
pub(crate) const EVERYWHERE: u8 = PARTS.len() as u8;

/// The cells of a box, and for how many steps a wave toward them runs.
pub(crate) type Audience<D> = ([<D as Space>::Cell; 2], f64);

/// Cells of the map.
fn cells<D: Space>(scene: &Scene<'_, D>) -> usize {
    D::to_size(scene.medium.shape()).iter().product()
}

/// `[units: steps]` The time of a wave for a cell, where waves are only for the pursuers that
/// listen.
fn steps_per_cell<D: Space>(scene: &Scene<'_, D>) -> Option<f64> {
    let config = scene.config;
    let is_short = config.method == Method::Wake && config.fronts == Fronts::ShortWaves;
    let is_narrow = is_short && cells(scene) as u64 > config.narrow_from;
    Ground::new(scene.medium).even_steps_per_cell().filter(|_| is_narrow)
}

/// A wave, and whether it is on its way to a pursuer.
pub(crate) type Underway<'w, D> = (&'w Emission, &'w TrackerFront<D>, bool);

/// Whether a wave is on its way everywhere.
pub(crate) fn goes_everywhere<D: Space>((emission, _, runs): Underway<'_, D>) -> bool {
    runs && emission.tries == EVERYWHERE && emission.range.is_none()
}

/// Whether a wave for the listening pursuers did not come to all of them.
pub(crate) fn falls_short<D: Space>(
    scene: &Scene<'_, D>,
    emission: &Emission,
    front: &TrackerFront<D>,
) -> bool {
    let misses = |p: &Pursuer<D>| {
        let is_here = || front.arrival(Ground::<D>::cell(p.at())).is_some();
        awaits(scene, p, emission) && !is_here()
    };
    emission.tries < EVERYWHERE && front.is_exhausted() && scene.pursuers.iter().any(misses)
}

/// Whether a pursuer has heard neither a wave nor a newer one, and counts.
fn awaits<D: Space>(scene: &Scene<'_, D>, p: &Pursuer<D>, emission: &Emission) -> bool {
    !scene.counts_out(p) && p.hears < emission.number
}

/// The number of the next wave's try: one more than that of any wave that fell short, and no less
/// than that of one on its way to a pursuer whose distance is not known. `None` where waves go
/// everywhere.
pub(crate) fn next_try<'w, D: Space + 'w, W: Iterator<Item = Underway<'w, D>>>(
    scene: &Scene<'_, D>,
    crowd: &Crowd,
    everywhere_underway: bool,
    waves: impl Fn() -> W,
) -> Option<u8> {
    let steps_per_cell = steps_per_cell(scene)?;
    let is_lost = |emission: &Emission| {
        let is_lost = |p: &Pursuer<D>| {
            let heard = waves().map(|(emission, ..)| emission);
            awaits(scene, p, emission) && known(scene, steps_per_cell, p, heard).is_none()
        };
        scene.pursuers.iter().any(is_lost)
    };
    // A second wave that goes everywhere would only come after the first one.
    let most = EVERYWHERE - u8::from(everywhere_underway);
    let next = |(emission, front, runs): Underway<'w, D>| {
        let Emission { tries, number, .. } = *emission;
        if tries == EVERYWHERE || !crowd.awaits(number) {
            0
        } else if falls_short(scene, emission, front) {
            (tries + 1).min(most)
        } else if runs && is_lost(emission) {
            tries
        } else {
            0
        }
    };
    Some(waves().map(next).max().unwrap_or(0))
}

/// `[units: steps]` How long a wave takes to a pursuer that has heard one, by the time of that one
/// and the ways of both since. It takes longer only if a way was closed.
fn known<'w, D: Space>(
    scene: &Scene<'_, D>,
    steps_per_cell: f64,
    p: &Pursuer<D>,
    mut emissions: impl Iterator<Item = &'w Emission>,
) -> Option<f64> {
    let heard = emissions.find(|e| p.hears > 0 && e.number == p.hears)?;
    // Targets that walk up and down have walked far, but are near.
    let off = heard.sources.iter().zip(scene.targets).map(|(s, t)| distance(*s, *t));
    let off = off.fold(0.0, f64::max);
    let walked = heard.walked.map_or(off, |then| scene.walked - then);
    let gone = if off <= NEAR { off } else { walked.max(off) };
    Some(p.away + steps_per_cell * (p.gone() + gone))
}

/// The audience of the next try; `None` for a wave that goes everywhere.
pub(crate) fn of<D: Space>(
    scene: &Scene<'_, D>,
    emissions: &[Emission],
    tries: u8,
) -> Option<Audience<D>> {
    let part = PARTS.get(usize::from(tries))?;
    let steps_per_cell = steps_per_cell(scene)?;
    let (mut low, mut high) = ([f64::INFINITY; 3], [0.0f64; 3]);
    let mut steps = 0.0f64;
    for p in scene.pursuers.iter().filter(|p| !scene.counts_out(p)) {
        let at = p.at();
        low = std::array::from_fn(|a| low[a].min(at[a]));
        high = std::array::from_fn(|a| high[a].max(at[a]));
        let off = |target: &Cells| distance(at, *target);
        let straight = scene.targets.iter().map(off).fold(f64::INFINITY, f64::min);
        let known = known(scene, steps_per_cell, p, emissions.iter());
        steps = steps.max(known.unwrap_or(steps_per_cell * straight));
    }
    if !(low[0].is_finite() && steps.is_finite()) {
        return None;
    }
    let corners = [low, high].map(Ground::<D>::cell);
    let [from, to] = corners.map(D::to_zyx);
    let within: usize = (0..3).map(|a| to[a] - from[a] + 1).product();
    (within <= cells(scene) / SPREAD).then_some((corners, part * steps + MORE_STEPS))
}
