//! Long runs stay sound.

use crate::worlds::{boids, contained, flock, turning};
use flocking::{Scalar, Vector};
use glam::{Vec2, Vec3};

/// `FLOCK_STEPS` steps (1000 if unset) of 1000 boids in a contained world.
fn long_run<V: Vector>(side: f64) {
    let steps = std::env::var("FLOCK_STEPS").ok().and_then(|s| s.parse().ok()).unwrap_or(1000u32);
    let mut config = turning::<V>(|_| {});
    config.edges = contained(side);
    let all = boids::<V>(1000, side, 1, 77);
    let mut flock = flock(&config, &all);
    let (mut low, mut high, mut drift) = (f64::MAX, f64::MIN, 0.0f64);
    for step in 0..steps {
        let old: Vec<_> = if step % 100 == 0 {
            flock.boids().map(|(id, b)| (id, b.position)).collect()
        } else {
            Vec::new()
        };
        flock.step();
        for (position, _) in flock.poses() {
            for c in position.to_xyz() {
                // False for NaN.
                assert!(c >= V::Scalar::ZERO && c.to_f64() <= side, "step {step}: {position:?}");
                (low, high) = (low.min(c.to_f64()), high.max(c.to_f64()));
            }
        }
        for (id, old) in old {
            let boid = flock.boid(id).unwrap();
            let (p, q) = (boid.position.to_xyz(), old.to_xyz());
            let d: f64 = (0..3).map(|a| (p[a] - q[a]).to_f64().powi(2)).sum::<f64>().sqrt();
            let mirrored = (0..3).any(|a| {
                let c = p[a].to_f64();
                c < 2.0 || c > side - 2.0
            });
            let given = all.iter().find(|b| b.0 == id).unwrap().1.speed;
            assert_eq!(boid.speed, given, "step {step}");
            if V::FLAT && !mirrored {
                drift = drift.max((d / given - 1.0).abs());
            }
            let h = boid.heading.to_xyz();
            let l: f64 = h.iter().map(|c| c.to_f64().powi(2)).sum::<f64>().sqrt();
            drift = drift.max((l - 1.0).abs());
        }
    }
    println!("{steps} steps: positions {low} to {high}, speed off by {drift:e} of itself at most");
    assert!(drift < 1e-5, "{drift:e}");
}

#[test]
fn long_run_in_2d() {
    long_run::<Vec2>(100.0);
}

#[test]
fn long_run_in_3d() {
    long_run::<Vec3>(60.0);
}
