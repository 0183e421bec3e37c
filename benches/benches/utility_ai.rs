//! Distance fields, strategies against dead ends and inference, on 512 x 512 cells with walls.

use benches::scenes;
use criterion::{Criterion, Throughput};
use ndarray::Ix2;
use utility_ai::fuzzy::RuleBase;
use utility_ai::{
    Danger, DangerConfig, DistanceField, Falloff, Fill, FillConfig, Flood, Graph, Indicator,
    Neighbours, Route, Threat,
};

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    graph(&mut criterion);
    inference(&mut criterion);
    criterion.final_summary();
}

fn graph(criterion: &mut Criterion) {
    let walls = scenes::random_walls::<Ix2>([512, 512], 0.1, 1);
    let graph = Graph::from_walls(&walls, Neighbours::Eight).unwrap();
    let goal = graph.nodes().max_by_key(|&node| graph.steps(node).len()).unwrap();
    let mut field = DistanceField::new(&graph, &[goal]).unwrap();
    let settings = DangerConfig { reach: 30.0, falloff: Falloff::Linear };
    let mut danger = Danger::by_travel(&graph, settings).unwrap();
    let threats: Vec<Threat> = (1..=8).map(|i| Threat::at_node(i * 27_183)).collect();
    danger.set_threats(&graph, &threats).unwrap();
    let mut dangers = vec![0.0; graph.node_bound()];
    danger.evaluate(&graph, &mut dangers).unwrap();
    let cost: Vec<f64> = field.values().iter().zip(&dangers).map(|(g, u)| g + 40.0 * u).collect();

    let mut group = criterion.benchmark_group("512x512");
    group.throughput(Throughput::Elements(graph.node_bound() as u64)).sample_size(10);
    let sum = |values: &[f64]| values.iter().filter(|v| v.is_finite()).sum::<f64>();
    let expected = sum(field.values());
    group.bench_function("distance_field", |bencher| {
        bencher.iter(|| field.set_goals(&graph, &[goal]).unwrap());
    });
    assert_eq!(sum(field.values()), expected);
    group.bench_function("danger", |bencher| {
        bencher.iter(|| danger.evaluate(&graph, &mut dangers).unwrap());
    });
    let mut fill = Fill::new(&graph, FillConfig::default()).unwrap();
    group.bench_function("published_fill", |bencher| {
        bencher.iter(|| fill.update(&graph, &cost, &[goal]).unwrap());
    });
    let mut flood = Flood::new(&graph);
    group.bench_function("priority_flood", |bencher| {
        bencher.iter(|| flood.update(&graph, &cost, &[goal]).unwrap());
    });
    assert!(flood.values().iter().zip(&cost).all(|(filled, cost)| filled >= cost));
    let mut route = Route::new(&graph);
    group.bench_function("weighted", |bencher| {
        bencher.iter(|| route.update(&graph, 1.0, &dangers, &[goal]).unwrap());
    });
    assert!(route.values().iter().zip(field.values()).all(|(cost, length)| cost >= length));
    group.finish();
}

fn inference(criterion: &mut Criterion) {
    let rules = RuleBase::furukawa();
    let mut inference = rules.infer(&[0.5, 0.5]).unwrap();
    let exact = 0.2 + 3.0 * 6.0_f64.sqrt() / 20.0;
    criterion.bench_function("furukawa_bisector", |bencher| {
        bencher.iter(|| {
            rules.infer_into(&[0.7, 0.6], &mut inference).unwrap();
            inference.output().value().unwrap()
        });
    });
    assert!((inference.output().value().unwrap() - exact).abs() < 1e-12);
}
