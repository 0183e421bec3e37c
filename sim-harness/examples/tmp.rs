//! tmp
use sim_harness::{maps, pursue};
use std::path::Path;
fn main() {
    let n: usize = std::env::args().nth(1).unwrap().parse().unwrap();
    let fixed = n % 2 == 1;
    for f in std::env::args().skip(2) {
        let map = maps::read_map(Path::new(&f)).unwrap();
        let scen = if f.ends_with("3dmap") { format!("{f}.3dscen") } else { format!("{f}.scen") };
        let Ok(e) = maps::read_scen(Path::new(&scen), &map) else { continue };
        let e = maps::select(&e, n);
        let t = std::time::Instant::now();
        let w = pursue::run(&map, &e, if fixed { wave_core::WallRule::Fixed } else { wave_core::WallRule::Free }, &|| {}).unwrap();
        let s = pursue::summarise(map.name(), &e, &w, t.elapsed().as_secs_f64());
        println!("{:22} n {:3} skip {} unr {} arr {} lost {} mean {:.4} p95 {:.4} max {:.4} u/c {:.1} {:.1}s", s.map, s.entries, s.skipped, s.unreachable, s.arrived, s.lost, s.ratio_mean.unwrap_or(9.0), s.ratio_p95.unwrap_or(9.0), s.ratio_max.unwrap_or(9.0), s.updates_per_cell.unwrap_or(0.0), s.seconds);
    }
}
