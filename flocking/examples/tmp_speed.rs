use flocking::*;
use glam::*;
use rand::{Rng, RngExt, SeedableRng};
use std::time::Instant;
fn world<V: Space>(n: usize, density: f64, radius: f64, nb: Neighbours, mk: impl Fn([f64; 3]) -> V) -> Flock<V> {
    let side = if V::FLAT { (n as f64 / density).sqrt() } else { (n as f64 / density).cbrt() };
    let mut c = FlockConfig::<V>::of(Species { rule: Rule::Turning(Turning::published_at(radius)), ..Species::published() });
    c.neighbours = nb;
    c.edges = Edges::Wrapping { low: mk([0.0; 3]), high: mk([side; 3]) };
    let mut f = Flock::new(c).unwrap();
    let mut r = rand_chacha::ChaCha8Rng::seed_from_u64(1);
    for _ in 0..n {
        let p: [f64; 3] = std::array::from_fn(|_| r.random::<f64>() * side * 0.999999);
        let h: [f64; 3] = std::array::from_fn(|_| r.random::<f64>() * 2.0 - 1.0);
        let mut b = Boid::new(mk(p), mk(h));
        b.speed = 0.7; b.cruise = 0.7;
        f.add(b).unwrap();
    }
    f
}
fn time<V: Space>(name: &str, f: &Flock<V>, steps: usize) {
    let mut line = format!("{name:28}");
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut f = f.clone();
            f.step();
            let mut best = f64::MAX;
            for _ in 0..steps { let t = Instant::now(); f.step(); best = best.min(t.elapsed().as_secs_f64()); }
            line += &format!("  {threads}t {:.3e}/s {:.0} ns", f.len() as f64 / best, best * 1e9 / f.len() as f64);
            line += &format!(" {:x}", f.state_hash());
        });
    }
    println!("{line}");
}
fn main() {
    let only = std::env::args().nth(1).unwrap_or_default();
    let m2 = |p: [f64; 3]| Vec2::new(p[0] as f32, p[1] as f32);
    let m3 = |p: [f64; 3]| Vec3::new(p[0] as f32, p[1] as f32, p[2] as f32);
    let on = |n: &str| only.is_empty() || n.contains(&only);
    if only == "cg" { let mut f = world(20_000, 0.1, 10.0, Neighbours::All, m2); let k: usize = std::env::args().nth(2).unwrap().parse().unwrap(); rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap().install(|| for _ in 0..k { f.step() }); return; }
    if on("small") { time("small 2d", &world(4000, 0.1, 10.0, Neighbours::All, m2), 400); }
    if on("100k") { time("100k 2d", &world(100_000, 0.1, 10.0, Neighbours::All, m2), 10); }
    if on("1M") { time("1M 2d", &world(1_000_000, 0.1, 10.0, Neighbours::All, m2), 5); }
    if on("3d") { time("100k 3d 31", &world(100_000, 31.4/4188.8, 10.0, Neighbours::All, m3), 5); }
    if on("near") { time("100k 2d nearest 16", &world(100_000, 0.1, 10.0, Neighbours::Nearest { most: 16 }, m2), 5); }
    if on("dense") { time("10k dense all", &world(10_000, 3.2, 10.0, Neighbours::All, m2), 5);
     time("10k dense nearest 16", &world(10_000, 3.2, 10.0, Neighbours::Nearest { most: 16 }, m2), 5); 
     time("10k denser nearest 16", &world(10_000, 6.4, 10.0, Neighbours::Nearest { most: 16 }, m2), 5); }
}
