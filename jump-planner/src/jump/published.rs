//! The published rule of clearance, by plan view.
//!
//! Cells between the two squares are of two kinds. A cell too tall to be jumped onto hides cells
//! behind it. The source does not define 'hides'; our reading: the target is hidden when no segment
//! from any point of the one square to any point of the other is free of such cells. A cell that
//! can be jumped onto blocks where it stands in the arc: our reading is the higher arc between the
//! nearest points of the two squares (in a row: along its middle). Neighbours have no distance to
//! fly, so nothing but such a hiding pair at a corner comes between them.

use crate::jump::ballistics::{ArcKind, Ballistics};
use crate::jump::clearance::{Body, Ground, Raster, Trajectory, point_margin};
use crate::jump::exact::{Question, Verdict};
use crate::jump::offsets::gap2;
use std::cmp::Ordering;

/// How far inside the squares the nearest points are taken, in cells.
const INSET: f64 = 1e-9;

/// Whether the published rule draws a jump between squares within reach.
pub(crate) fn clear(question: &Question<Raster<'_>>) -> bool {
    let [x0, y0] = [0, 1].map(|a: usize| question.from[a].min(question.to[a]));
    let [x1, y1] = [0, 1].map(|a: usize| question.from[a].max(question.to[a]));
    let (columns, rows) = (x1 - x0 + 1, y1 - y0 + 1);
    // The rectangle around the hull, split by whether a cell can be jumped onto.
    let (mut low, mut tall) = (Vec::new(), Vec::new());
    for y in y0..=y1 {
        for x in x0..=x1 {
            let height = question.ground.height(x as isize, y as isize);
            let (dx, dy) =
                (x as isize - question.from[0] as isize, y as isize - question.from[1] as isize);
            let reach = question.law.most_gain(gap2(dx, dy) * question.size2);
            let hides = height - question.base > reach;
            low.push(if hides { f64::NEG_INFINITY } else { height });
            tall.push(if hides { f64::INFINITY } else { f64::NEG_INFINITY });
        }
    }
    let ground = |heights| Raster { heights, ceilings: &[], rows, columns };
    let moved = |cell: [usize; 2]| [cell[0] - x0, cell[1] - y0];
    let here = Question { from: moved(question.from), to: moved(question.to), ..*question };
    if columns.max(rows) > 2 && !arc_clears(&Question { ground: ground(&low), ..here }) {
        return false;
    }
    if !tall.contains(&f64::INFINITY) {
        return true;
    }
    // A flight without weight: clear exactly where its segment meets no tall cell.
    let sight = Question {
        ground: ground(&tall),
        body: Body { radius: 0.0, height: 0.0 },
        law: Ballistics::checked(1e6, 1e-3),
        base: 0.0,
        end: 0.0,
        gain: 0.0,
        ..here
    };
    matches!(sight.decide(), Verdict::Clear(_))
}

fn arc_clears(question: &Question<Raster<'_>>) -> bool {
    let nearest = |axis: usize| {
        let (a, b) = (question.from[axis] as f64, question.to[axis] as f64);
        match question.to[axis].cmp(&question.from[axis]) {
            Ordering::Greater => (a + 1.0 - INSET, b + INSET),
            Ordering::Equal => (a + 0.5, b + 0.5),
            Ordering::Less => (a + INSET, b + 1.0 - INSET),
        }
    };
    let ((x0, x1), (y0, y1)) = (nearest(0), nearest(1));
    let d2 = ((x1 - x0) * (x1 - x0) + (y1 - y0) * (y1 - y0)) * question.size2;
    // At the very edge of reach the inset may cost the reach.
    let law = &question.law;
    let w = law.w(ArcKind::High, d2, question.gain).unwrap_or(law.w_at_limit());
    let Question { base, end, gain, .. } = *question;
    let arc = Trajectory { from: [x0, y0], to: [x1, y1], base, end, gain, w };
    point_margin(&question.ground, &arc, 0.0) > 0.0
}
