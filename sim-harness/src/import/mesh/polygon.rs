//! Faces of more than three corners, as triangles that cover the face and nothing else.
//!
//! A convex face becomes a fan from its first corner. Any other is clipped ear by ear: an ear is
//! the triangle of a corner and its two neighbours, if that lies in the face and no other corner
//! lies in it. Any face with more than three corners has two ears or more, as long as its edges do
//! not touch each other, so a face whose edges do is refused.
//!
//! A face is looked at along the axis that its Newell normal is nearest to. This keeps what is
//! convex convex, and keeps coordinates on the grid exact.

/// The most corners of a face that is not convex: the work grows with their cube at worst.
const MOST_CORNERS: usize = 1024;
/// What counts as no area at all, as a part of the square of the face's longest side.
const NO_AREA: f64 = 1e-12;

/// The triangles of a face, by numbers of its corners, in the face's own winding.
pub(super) fn triangles(points: &[[f64; 3]]) -> Result<Vec<[usize; 3]>, String> {
    let mut ring: Vec<usize> = (0..points.len()).collect();
    ring.dedup_by_key(|corner| points[*corner]);
    while ring.len() > 1 && points[ring[0]] == points[ring[ring.len() - 1]] {
        ring.pop();
    }
    let Some(flat) = Flat::of(points, &ring) else {
        return Err("the face has no area".to_owned());
    };
    if flat.is_convex(&ring) {
        let fan = (2..ring.len()).map(|i| [ring[0], ring[i - 1], ring[i]]);
        // Three corners of one straight edge would be a line, which has no outer side.
        return Ok(fan.filter(|three| !flat.is_line(points, *three)).collect());
    }
    if ring.len() > MOST_CORNERS {
        return Err(format!(
            "the face has {} corners; one that is not convex has at most {MOST_CORNERS}",
            ring.len()
        ));
    }
    if flat.crosses_itself(&ring) {
        return Err(CROSSES.to_owned());
    }
    flat.clip(ring)
}

const CROSSES: &str = "the face crosses or touches itself";

/// A face, seen from its outer side.
struct Flat {
    points: Vec<[f64; 2]>,
    /// Twice an area that counts as none.
    none: f64,
}

impl Flat {
    /// `None`: it has no area.
    fn of(points: &[[f64; 3]], ring: &[usize]) -> Option<Self> {
        let first = points[*ring.first()?];
        // From the first corner, so that a face far from the origin loses nothing.
        let from_first: Vec<[f64; 3]> =
            points.iter().map(|p| [0, 1, 2].map(|axis| p[axis] - first[axis])).collect();
        let mut normal = [0.0; 3];
        let mut side: f64 = 0.0;
        for (i, &corner) in ring.iter().enumerate() {
            let [a, b] = [from_first[corner], from_first[ring[(i + 1) % ring.len()]]];
            for axis in 0..3 {
                let [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
                normal[axis] += a[u] * b[v] - a[v] * b[u];
                side = side.max(a[axis].abs());
            }
        }
        let none = NO_AREA * side * side;
        let longest =
            (1..3).fold(
                0,
                |best, axis| if normal[axis].abs() > normal[best].abs() { axis } else { best },
            );
        // A face with coordinates too large for its area to be a number has none, either.
        let has_area = normal[longest].abs() > none && normal[longest].is_finite();
        let [u, v] = [(longest + 1) % 3, (longest + 2) % 3];
        let [u, v] = if normal[longest] > 0.0 { [u, v] } else { [v, u] };
        let points = from_first.iter().map(|p| [p[u], p[v]]).collect();
        has_area.then_some(Self { points, none })
    }

    /// Which way three corners turn: 1 to the left, -1 to the right, 0 not at all.
    fn turn(&self, [a, b, c]: [usize; 3]) -> i8 {
        let [a, b, c] = [a, b, c].map(|corner| self.points[corner]);
        let area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
        i8::from(area > self.none) - i8::from(area < -self.none)
    }

    fn is_line(&self, points: &[[f64; 3]], three: [usize; 3]) -> bool {
        let [a, b, c] = three.map(|corner| points[corner]);
        let [p, q] = [b, c].map(|p| [p[0] - a[0], p[1] - a[1], p[2] - a[2]]);
        (0..3).all(|axis| {
            let [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
            (p[u] * q[v] - p[v] * q[u]).abs() <= self.none
        })
    }

    /// Whether it turns to the left alone, and once round.
    fn is_convex(&self, ring: &[usize]) -> bool {
        let at = |i: usize| ring[i % ring.len()];
        let upwards = |i: usize| {
            let [a, b] = [at(i), at(i + 1)].map(|corner| self.points[corner]);
            b[1] > a[1] || (b[1] == a[1] && b[0] > a[0])
        };
        let changes = (0..ring.len()).filter(|&i| upwards(i) != upwards(i + 1)).count();
        changes == 2 && (0..ring.len()).all(|i| self.turn([at(i), at(i + 1), at(i + 2)]) >= 0)
    }

    /// Whether two edges share more than the corner between them.
    fn crosses_itself(&self, ring: &[usize]) -> bool {
        let n = ring.len();
        let edge = |i: usize| [ring[i], ring[(i + 1) % n]];
        (0..n).any(|i| {
            let [a, b] = edge(i);
            let [_, next] = edge((i + 1) % n);
            let folds_back = self.turn([a, b, next]) == 0 && self.dot(b, a, next) > 0.0;
            folds_back || (i + 2..n).any(|j| (j + 1) % n != i && self.meet([a, b], edge(j)))
        })
    }

    /// The product of the ways from a corner to two others.
    fn dot(&self, from: usize, a: usize, b: usize) -> f64 {
        let [from, a, b] = [from, a, b].map(|corner| self.points[corner]);
        (a[0] - from[0]) * (b[0] - from[0]) + (a[1] - from[1]) * (b[1] - from[1])
    }

    fn meet(&self, [a, b]: [usize; 2], [c, d]: [usize; 2]) -> bool {
        // Most edges are far from each other, which is cheap to see.
        let apart = (0..2).any(|axis| {
            let [a, b, c, d] = [a, b, c, d].map(|corner| self.points[corner][axis]);
            a.max(b) < c.min(d) || c.max(d) < a.min(b)
        });
        !apart
            && self.turn([a, b, c]) * self.turn([a, b, d]) <= 0
            && self.turn([c, d, a]) * self.turn([c, d, b]) <= 0
    }

    fn clip(&self, mut ring: Vec<usize>) -> Result<Vec<[usize; 3]>, String> {
        let mut ears = Vec::with_capacity(ring.len());
        let (mut at, mut tried) = (0, 0);
        while ring.len() > 3 {
            let n = ring.len();
            at %= n;
            let ear = [ring[(at + n - 1) % n], ring[at], ring[(at + 1) % n]];
            if self.is_ear(&ring, ear) {
                ears.push(ear);
                ring.remove(at);
                // The corner before it may be an ear now.
                at = (at + n - 2) % (n - 1);
                tried = 0;
            } else if tried == n {
                // Only rounding errors lead here.
                return Err(CROSSES.to_owned());
            } else {
                at += 1;
                tried += 1;
            }
        }
        ears.push([ring[0], ring[1], ring[2]]);
        Ok(ears)
    }

    fn is_ear(&self, ring: &[usize], [a, b, c]: [usize; 3]) -> bool {
        let holds = |p: usize| [[a, b, p], [b, c, p], [c, a, p]].iter().all(|&t| self.turn(t) >= 0);
        self.turn([a, b, c]) > 0 && !ring.iter().any(|&p| ![a, b, c].contains(&p) && holds(p))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Half of the length of the sum of the cross products of a ring: a triangle's or, by Newell,
    /// a flat face's area.
    fn area(ring: &[[f64; 3]]) -> f64 {
        let mut sum = [0.0; 3];
        for (i, a) in ring.iter().enumerate() {
            let b = ring[(i + 1) % ring.len()];
            sum = [0, 1, 2].map(|axis| {
                let [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
                sum[axis] + a[u] * b[v] - a[v] * b[u]
            });
        }
        sum.iter().map(|v| v * v).sum::<f64>().sqrt() / 2.0
    }

    /// A polygon whose edges do not cross: where two of them do, the corners between them are
    /// turned round, which makes the whole shorter, so it ends.
    fn untangled(mut corners: Vec<[f64; 2]>) -> Vec<[f64; 2]> {
        let n = corners.len();
        let left = |a: [f64; 2], b: [f64; 2], c: [f64; 2]| {
            (b[0] - a[0]) * (c[1] - a[1]) > (b[1] - a[1]) * (c[0] - a[0])
        };
        loop {
            let pairs = (0..n).flat_map(|i| (i + 2..n).map(move |j| (i, j)));
            let crossing = pairs.filter(|(i, j)| (j + 1) % n != *i).find(|&(i, j)| {
                let [a, b, c, d] = [i, i + 1, j, (j + 1) % n].map(|corner| corners[corner]);
                left(a, b, c) != left(a, b, d) && left(c, d, a) != left(c, d, b)
            });
            let Some((i, j)) = crossing else { return corners };
            corners[i + 1..=j].reverse();
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn the_areas_of_the_triangles_are_the_areas_of_the_face(
            corners in prop::collection::vec(prop::array::uniform2(-9.0_f64..9.0), 4..32),
            plane in prop::array::uniform3(prop::array::uniform3(-3.0_f64..3.0)),
            backwards in any::<bool>(),
            first in any::<prop::sample::Index>(),
        ) {
            let [origin, u, v] = plane;
            prop_assume!(area(&[[0.0; 3], u, v]) > 0.1);
            let mut face: Vec<[f64; 3]> = untangled(corners)
                .iter()
                .map(|p| [0, 1, 2].map(|axis| origin[axis] + p[0] * u[axis] + p[1] * v[axis]))
                .collect();
            if backwards {
                face.reverse();
            }
            let first = first.index(face.len());
            face.rotate_left(first);
            let cut = triangles(&face).unwrap();
            prop_assert_eq!(cut.len(), face.len() - 2);
            let sum: f64 = cut.iter().map(|three| area(&three.map(|corner| face[corner]))).sum();
            prop_assert!((sum - area(&face)).abs() <= 1e-9 * sum, "{} {}", sum, area(&face));
        }
    }

    #[test]
    fn a_long_spiral_is_clipped_and_a_longer_one_is_refused() {
        let spiral = |corners: i32| -> Vec<[f64; 3]> {
            let arm = |i: i32, out: f64| {
                let (sin, cos) = (f64::from(i) * 0.2).sin_cos();
                let r = 1.0 + 0.1 * f64::from(i) + out;
                [r * cos, 0.0, r * sin]
            };
            let half = corners / 2;
            (0..half).map(|i| arm(i, 0.0)).chain((0..half).rev().map(|i| arm(i, 1.0))).collect()
        };
        let face = spiral(1024);
        let cut = triangles(&face).unwrap();
        let sum: f64 = cut.iter().map(|three| area(&three.map(|corner| face[corner]))).sum();
        assert!((sum - area(&face)).abs() <= 1e-9 * sum);
        let line = triangles(&spiral(1026)).unwrap_err();
        assert!(line.contains("1026") && line.contains("1024"), "{line}");
    }
}
