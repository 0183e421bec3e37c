//! tmp
use ndarray::{Array2, Ix2};
use std::time::Instant;
use wave_core::*;
fn main() {
    let medium = Medium::<Ix2, f64>::builder([401, 401]).build().unwrap();
    for lead in [6, 8, 10, 12, 20] {
        let mut f = Front::with_config(&medium, FrontConfig { lead: Some(lead), ..Default::default() }).unwrap();
        f.emit(&medium, &[[0, 0]]).unwrap();
        let t = Instant::now();
        f.run(&medium).unwrap();
        let e = t.elapsed().as_secs_f64();
        println!("lead {lead} upd/cell {:.1} ns/upd {:.2} axis {:.4} diag {:.4}", f.updates() as f64 / 160801.0, e * 1e9 / f.updates() as f64, f.arrival([0, 200]).unwrap() / 200.0, f.arrival([141, 141]).unwrap() / 199.404);
    }
    let mut walls = Array2::from_elem([200, 200], false);
    let mut s = 1u64;
    for w in walls.iter_mut() { s = s.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407); *w = (s >> 33) % 100 < 30; }
    walls[[100, 100]] = false;
    let medium = Medium::<Ix2, f64>::builder([200, 200]).walls(&walls).build().unwrap();
    let mut f = Front::new(&medium);
    f.emit(&medium, &[[100, 100]]).unwrap();
    f.run(&medium).unwrap();
    println!("reached {} upd {:.1}", f.reached_cells(), f.updates() as f64 / f.reached_cells() as f64);
}
