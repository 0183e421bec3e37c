//! A chase of one moving target by 1000 pursuers, and pursuers that come and go.

use benches::scenes;
use criterion::{BatchSize, Criterion, Throughput};
use glam::DVec2;
use ndarray::Ix2;
use wave_core::{Medium, WallRule};
use wave_track::{PursuerId, Tracker, TrackerConfig};

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    step(&mut criterion);
    come_and_go(&mut criterion);
    criterion.final_summary();
}

const PURSUERS: usize = 1000;
/// `[units: steps]` When the measured steps begin: the first wave has come to all of the map.
const START: usize = 500;
/// Steps per iteration.
const STEPS: usize = 32;
const SIDE: usize = 256;

/// A chase on 256 x 256 cells, 10 % of them walls.
#[derive(Clone)]
struct Chase {
    tracker: Tracker<Ix2>,
    target: DVec2,
    heading: usize,
}

impl Chase {
    fn new(config: TrackerConfig, rule: WallRule) -> Self {
        let walls = scenes::random_walls::<Ix2>([SIDE, SIDE], 0.1, 1);
        let open = scenes::reachable(&walls, [SIDE / 2, SIDE / 2]);
        let builder = Medium::builder([SIDE, SIDE]).walls(&walls).wall_rule(rule);
        let mut tracker = Tracker::new(builder.build().unwrap(), config).unwrap();
        let target = centre(open[0]);
        tracker.set_target(target).unwrap();
        let speed = 0.25 / tracker.medium().dt();
        for i in 0..PURSUERS {
            let cell = open[i * open.len() / PURSUERS];
            tracker.add_pursuer(centre(cell), speed).unwrap();
        }
        Self { tracker, target, heading: 0 }
    }

    /// The target walks twice as fast as its pursuers, and turns at walls.
    fn step(&mut self) {
        const WAYS: [DVec2; 4] = [DVec2::X, DVec2::Y, DVec2::NEG_X, DVec2::NEG_Y];
        let way = 0.5 * WAYS[self.heading % 4];
        let next = self.tracker.slide(self.target, way).unwrap();
        if next.distance(self.target) < 0.25 {
            self.heading += 1;
        }
        self.target = next;
        self.tracker.set_target(next).unwrap();
        self.tracker.step().unwrap();
    }

    fn walked(&self) -> f64 {
        self.tracker.pursuers().iter().map(wave_track::Pursuer::walked).sum()
    }
}

fn step(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("step of 1000 pursuers, 256x256");
    group.throughput(Throughput::Elements(STEPS as u64));
    // At least so many of the steps are walked: few hear the published waves at such distances.
    for (name, config, rule, least) in [
        ("default rule", TrackerConfig::default(), WallRule::Free, 0.9),
        ("published rule", TrackerConfig::watanabe(), WallRule::Fixed, 0.1),
    ] {
        let mut start = Chase::new(config, rule);
        (0..START).for_each(|_| start.step());
        let mut end = start.clone();
        (0..STEPS).for_each(|_| end.step());
        let walked = end.walked() - start.walked();
        assert!(
            walked > least * (0.25 * (PURSUERS * STEPS) as f64),
            "{name}: walked {walked} cells"
        );
        let hash = end.tracker.state_hash();
        group.bench_function(name, |bencher| {
            bencher.iter_batched_ref(
                || start.clone(),
                |chase| (0..STEPS).for_each(|_| chase.step()),
                BatchSize::LargeInput,
            );
        });
        let mut again = start.clone();
        (0..STEPS).for_each(|_| again.step());
        assert_eq!(again.tracker.state_hash(), hash);
    }
    group.finish();
}

fn come_and_go(criterion: &mut Criterion) {
    let Chase { mut tracker, .. } = Chase::new(TrackerConfig::default(), WallRule::Free);
    let places: Vec<DVec2> = tracker.pursuers().iter().map(wave_track::Pursuer::position).collect();
    let mut names: Vec<PursuerId> = Vec::with_capacity(PURSUERS);
    let mut group = criterion.benchmark_group("pursuers");
    group.throughput(Throughput::Elements(PURSUERS as u64));
    group.bench_function("1000 added and removed", |bencher| {
        bencher.iter(|| {
            for &place in &places {
                names.push(tracker.add_pursuer(place, 1.0).unwrap());
            }
            assert_eq!(tracker.pursuers().len(), 2 * PURSUERS);
            for name in names.drain(..) {
                tracker.remove_pursuer(name).unwrap();
            }
            assert_eq!(tracker.pursuers().len(), PURSUERS);
        });
    });
    group.finish();
}

fn centre([y, x]: [usize; 2]) -> DVec2 {
    DVec2::new(x as f64, y as f64)
}
