//! Reading a map and walking its scenario.

use benches::scenes;
use criterion::{Criterion, Throughput};
use ndarray::{Array2, Axis, Ix2};
use sim_harness::maps::{self, Class, Entry, MapFile};
use sim_harness::pursue::{self, Outcome, Rules};
use wave_track::Fronts;

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let walls = scenes::random_walls::<Ix2>([256, 256], 0.2, 1);
    let text = draw(&walls);
    let map = maps::parse_octile("random.map", text.as_bytes()).unwrap();
    assert_eq!(map.walls(Class::Ground).index_axis_move(Axis(0), 0), walls);
    parse(&mut criterion, &text, &map);
    walk(&mut criterion, &walls, &map);
    criterion.final_summary();
}

fn parse(criterion: &mut Criterion, text: &str, map: &MapFile) {
    let mut group = criterion.benchmark_group("parse_octile");
    group.throughput(Throughput::Bytes(text.len() as u64));
    group.bench_function("256x256", |bencher| {
        bencher.iter(|| {
            let read = maps::parse_octile("random.map", text.as_bytes()).unwrap();
            assert_eq!(read.shape(), map.shape());
            read
        });
    });
    group.finish();
}

/// Four ways across the map.
fn walk(criterion: &mut Criterion, walls: &Array2<bool>, map: &MapFile) {
    let open = scenes::reachable(walls, [128, 128]);
    let at = |i: usize| [0, open[i][0], open[i][1]];
    let entries: Vec<Entry> = (0..4)
        .map(|i| Entry {
            start: at(open.len() - 1 - 97 * i),
            goal: at(997 * i),
            optimal: 0.0,
            line: i + 2,
        })
        .collect();
    let run = || pursue::run(map, &entries, Rules::Ours(Fronts::ShortWaves), &|| {}).unwrap();
    let hash =
        |walks: &[pursue::Walk]| pursue::summarise(map.name(), &entries, walks, 0.0).state_hash;
    let first = run();
    assert!(first.iter().all(|walk| walk.outcome == Outcome::Arrived && walk.walked > 50.0));
    let expected = hash(&first);

    let mut group = criterion.benchmark_group("pursue");
    group.throughput(Throughput::Elements(entries.len() as u64));
    group.bench_function("4 entries on 256x256", |bencher| {
        bencher.iter(|| assert_eq!(hash(&run()), expected));
    });
    group.finish();
}

/// The map as its file would draw it.
fn draw(walls: &Array2<bool>) -> String {
    let (height, width) = walls.dim();
    let mut text = format!("type octile\nheight {height}\nwidth {width}\nmap\n");
    for row in walls.rows() {
        text.extend(row.iter().map(|wall| if *wall { '@' } else { '.' }));
        text.push('\n');
    }
    text
}
