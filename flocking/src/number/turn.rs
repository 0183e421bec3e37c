//! Turns of a heading: signed angles in 2D, rotation vectors (axis times angle) in 3D.
//!
//! Both are `[S; 3]`; in 2D only z is used, positive from +x toward +y.

use crate::number::scalar::Scalar;
use crate::number::vector::{ScalarOf, Vector, cross, dot, length, scale};

/// The axis of a turn that nothing else decides (dead ahead, exactly behind): -z made square to the
/// heading, so that a flat flock stays flat; for a heading along z, -x made square to it.
#[inline]
pub(crate) fn stated_axis<S: Scalar>(heading: [S; 3]) -> [S; 3] {
    let [x, y, z] = heading;
    let axis = if z.abs() < S::from_f64(0.9) {
        [x * z, y * z, z * z - S::ONE]
    } else {
        [x * x - S::ONE, y * x, z * x]
    };
    scale(axis, S::ONE / length(axis))
}

/// The shortest turn from the unit vector `heading` to the direction of `way`: none for a zero
/// `way`, half a turn where it lies exactly behind (2D: positive; 3D: about the stated axis, also
/// within `NARROW` of that).
#[inline(always)]
pub(crate) fn toward<V: Vector>(
    heading: [ScalarOf<V>; 3],
    way: [ScalarOf<V>; 3],
) -> [ScalarOf<V>; 3] {
    let zero = ScalarOf::<V>::ZERO;
    let mut axis = cross(heading, way);
    let mut ahead = dot(heading, way);
    if V::FLAT {
        // + 0 makes a negative zero positive.
        return [zero, zero, (axis[2] + zero).atan2(ahead)];
    }
    let mut sine = length(axis);
    if sine == ScalarOf::<V>::from_f64(f64::INFINITY) {
        let way = shrunk(way);
        (axis, ahead) = (cross(heading, way), dot(heading, way));
        sine = length(axis);
    }
    let angle = sine.atan2(ahead);
    // Nearly ahead the angle is as small as what is wrong with the axis, so any axis will do.
    if sine > zero && angle <= ScalarOf::<V>::PI - ScalarOf::<V>::NARROW {
        scale(axis, angle / sine)
    } else if ahead < zero {
        scale(stated_axis(heading), ScalarOf::<V>::PI)
    } else {
        [zero; 3]
    }
}

/// A turn by `angle` away from a thing along `way`. Dead ahead or exactly behind: the negative turn
/// (2D), about the stated axis (3D, also within `NARROW`), which is the same for a flat flock.
#[inline(always)]
pub(crate) fn away<V: Vector>(
    heading: [ScalarOf<V>; 3],
    way: [ScalarOf<V>; 3],
    angle: ScalarOf<V>,
) -> [ScalarOf<V>; 3] {
    let zero = ScalarOf::<V>::ZERO;
    if V::FLAT {
        let side = heading[0] * way[1] - heading[1] * way[0];
        return [zero, zero, if side >= zero { -angle } else { angle }];
    }
    let axis = cross(heading, way);
    let sine2 = dot(axis, axis);
    if sine2 > dot(way, way) * (ScalarOf::<V>::NARROW * ScalarOf::<V>::NARROW) {
        scale(axis, -(angle / sine2.sqrt()))
    } else {
        scale(stated_axis(heading), angle)
    }
}

/// The unit vector `heading` after `turn`, which is first brought to half a turn at most (the same
/// rotation), then cut to `most`.
#[inline]
pub(crate) fn turned<V: Vector>(
    heading: [ScalarOf<V>; 3],
    turn: [ScalarOf<V>; 3],
    most: ScalarOf<V>,
) -> [ScalarOf<V>; 3] {
    let zero = ScalarOf::<V>::ZERO;
    let (angle, axis) = if V::FLAT {
        (turn[2], [zero, zero, ScalarOf::<V>::ONE])
    } else {
        let angle = length(turn);
        (angle, if angle > zero { scale(turn, ScalarOf::<V>::ONE / angle) } else { turn })
    };
    let angle = angle.wrapped().max(-most).min(most);
    if angle == zero {
        return heading;
    }
    let (sine, cosine) = angle.sin_cos();
    // The axis is square to the heading, so Rodrigues' formula loses its third term.
    let side = if V::FLAT { [-heading[1], heading[0], zero] } else { cross(axis, heading) };
    unit([
        heading[0] * cosine + side[0] * sine,
        heading[1] * cosine + side[1] * sine,
        heading[2] * cosine + side[2] * sine,
    ])
}

/// `a` at length 1; `a` must not be near 0.
#[inline]
pub(crate) fn unit<S: Scalar>(a: [S; 3]) -> [S; 3] {
    let l = length(a);
    [a[0] / l, a[1] / l, a[2] / l]
}

/// For a vector so long that its square is infinite: the same direction with the largest
/// component 1.
#[cold]
pub(crate) fn shrunk<S: Scalar>(a: [S; 3]) -> [S; 3] {
    let largest = a.iter().fold(S::ZERO, |most, c| most.max(c.abs()));
    a.map(|c| c / largest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::{DVec2, DVec3};
    use std::f64::consts::{FRAC_PI_2, PI};

    #[test]
    fn turns_lead_where_they_should() {
        let x = [1.0, 0.0, 0.0];
        let up = toward::<DVec2>(x, [0.0, 3.0, 0.0]);
        assert!((up[2] - FRAC_PI_2).abs() < 1e-15);
        let way = turned::<DVec2>(x, up, PI);
        assert!(way[0].abs() < 1e-15 && (way[1] - 1.0).abs() < 1e-15);
        let h = unit([1.0, 2.0, -0.5]);
        let to = unit([-3.0, 0.4, 2.0]);
        let got = turned::<DVec3>(h, toward::<DVec3>(h, to), PI);
        for i in 0..3 {
            assert!((got[i] - to[i]).abs() < 1e-14);
        }
    }

    #[test]
    fn undecided_turns_take_the_stated_axis() {
        for h in [[1.0, 0.0, 0.0], unit([1.0, 2.0, 3.0]), [0.0, 0.0, 1.0], [0.0, 0.0, -1.0]] {
            let axis = stated_axis(h);
            assert!(dot(axis, h).abs() < 1e-15 && (length(axis) - 1.0f64).abs() < 1e-15);
            let back = turned::<DVec3>(h, toward::<DVec3>(h, scale(h, -2.0)), PI);
            assert!((dot(back, h) + 1.0).abs() < 1e-14);
        }
        assert_eq!(away::<DVec2>([1.0, 0.0, 0.0], [1.0, 0.0, 0.0], 0.5), [0.0, 0.0, -0.5]);
        assert_eq!(away::<DVec3>([1.0, 0.0, 0.0], [1.0, 0.0, 0.0], 0.5), [0.0, 0.0, -0.5]);
        assert_eq!(toward::<DVec2>([1.0, 0.0, 0.0], [0.0; 3]), [0.0; 3]);
    }

    #[test]
    fn a_limit_cuts_the_shortest_way_round() {
        let got = turned::<DVec2>([1.0, 0.0, 0.0], [0.0, 0.0, 2.0 * PI - 0.5], 0.1);
        assert!((got[1] + 0.1f64.sin()).abs() < 1e-12);
    }
}
