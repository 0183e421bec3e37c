//! A walker that follows a solved field.

use glam::DVec2;
use ndarray::Ix2;
use wave_core::ArrivalField;

/// `[units: cells]` How far a walker goes before it looks again.
const STRIDE: f64 = 0.25;

/// The directions of the open cells around `p`, weighted as in linear interpolation.
fn way_at(field: &ArrivalField<Ix2>, p: DVec2) -> DVec2 {
    let low = p.floor();
    let part = p - low;
    let mut way = DVec2::ZERO;
    for (x, y) in [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)] {
        let cell = [(low.y + y) as usize, (low.x + x) as usize];
        let weight = (1.0 - (part.x - x).abs()) * (1.0 - (part.y - y).abs());
        if field.times().get(cell).is_some_and(|t| t.is_finite()) {
            way += weight * field.directions()[cell].as_dvec2();
        }
    }
    way.normalize_or_zero()
}

/// `[units: cells]` How far one walks home from a cell; `None` if one stands still or goes round.
#[must_use]
pub fn walked(field: &ArrivalField<Ix2>, from: [usize; 2], home: [usize; 2]) -> Option<f64> {
    let centre = |[y, x]: [usize; 2]| DVec2::new(x as f64, y as f64);
    let cell = |p: DVec2| [p.y.round() as usize, p.x.round() as usize];
    let is_open = |p: DVec2| {
        p.min_element() > -0.5 && field.times().get(cell(p)).is_some_and(|t| t.is_finite())
    };
    let (mut at, home, mut length) = (centre(from), centre(home), 0.0);
    let most = field.times()[from] * 20.0 + 100.0;
    for _ in 0..most as usize {
        if at.distance(home) < 1.0 {
            return Some(length + at.distance(home));
        }
        // By the directions of the cells around; without them by that of this cell; without it
        // along the nearer axis.
        let own = field.directions()[cell(at)].as_dvec2();
        let (x, y) = (DVec2::X * own.x.signum(), DVec2::Y * own.y.signum());
        let axes = if own.x.abs() >= own.y.abs() { [x, y] } else { [y, x] };
        let next = [way_at(field, at), own, axes[0], axes[1]].map(|way| at + STRIDE * way);
        let next = next.into_iter().find(|&next| next != at && is_open(next))?;
        length += at.distance(next);
        at = next;
    }
    None
}
