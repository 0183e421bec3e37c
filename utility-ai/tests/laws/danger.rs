//! Danger against sums over all threats, written plainly.

use super::worlds::{directed, edges, random_edges};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use utility_ai::glam::DVec3;
use utility_ai::{Danger, DangerConfig, DistanceField, Falloff, Graph, Indicator, Threat};

const FALLOFFS: [Falloff; 4] = [
    Falloff::Linear,
    Falloff::Power { exponent: 2.5 },
    Falloff::Gaussian { sigma: 0.33 },
    Falloff::Step,
];

fn values(graph: &Graph, danger: &mut Danger) -> Vec<f64> {
    let mut values = vec![9.0; graph.node_bound()];
    danger.evaluate(graph, &mut values).unwrap();
    values
}

proptest! {
    #[test]
    fn by_travel_it_falls_off_with_the_way_from_the_threat(
        edges in edges(), at in prop::collection::vec((0_usize..12, -2.0..3.0), 0..4),
        reach in 0.3..6.0, falloff in prop::sample::select(&FALLOFFS[..]),
    ) {
        let graph = directed(&edges);
        let threats: Vec<Threat> = at
            .into_iter()
            .map(|(node, strength)| Threat { strength, ..Threat::at_node(node % graph.node_bound()) })
            .collect();
        let mut danger = Danger::by_travel(&graph, DangerConfig { reach, falloff }).unwrap();
        danger.set_threats(&graph, &threats).unwrap();
        // The way to every node is that from it with all edges turned round.
        let back: Vec<_> = edges.iter().map(|&(a, b, length)| (b, a, length)).collect();
        let back = directed(&back);
        let mut plain = vec![0.0; graph.node_bound()];
        for threat in &threats {
            let utility_ai::Place::Node(node) = threat.place else { unreachable!() };
            let from = DistanceField::new(&back, &[node]).unwrap();
            for (sum, distance) in plain.iter_mut().zip(from.values()) {
                *sum += threat.strength * falloff.at(distance / reach);
            }
        }
        prop_assert_eq!(values(&graph, &mut danger), plain);
    }

    #[test]
    fn after_moves_and_edits_it_is_that_of_a_new_one(
        seed: u64, counts in prop::collection::vec(1_usize..9, 1..12),
    ) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut graph = directed(&random_edges(40, 10, seed));
        let config = DangerConfig { reach: 4.0, falloff: Falloff::Linear };
        let mut danger = Danger::by_travel(&graph, config).unwrap();
        let mut threats = vec![Threat::at_node(0); 9];
        for count in counts {
            threats[rng.random_range(0..9)] =
                Threat { strength: 1.5, ..Threat::at_node(rng.random_range(0..40)) };
            if rng.random_bool(0.3) {
                let (from, to) = (rng.random_range(0..20), rng.random_range(20..40));
                graph.set_length(from, to, Some(0.5)).unwrap();
            }
            for count in [count, count, 9] {
                danger.set_threats(&graph, &threats[..count]).unwrap();
                let mut new = Danger::by_travel(&graph, config).unwrap();
                new.set_threats(&graph, &threats[..count]).unwrap();
                prop_assert_eq!(values(&graph, &mut danger), values(&graph, &mut new));
            }
        }
    }

    #[test]
    fn by_distance_it_is_felt_where_the_threat_is_seen(
        seed: u64, reach in 0.3..6.0, falloff in prop::sample::select(&FALLOFFS[..]), wall: bool,
    ) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let graph = directed(&random_edges(40, 10, seed));
        let mut somewhere = || DVec3::from([0; 3].map(|_| rng.random_range(0.0..6.0_f64)));
        let positions: Vec<DVec3> = (0..40).map(|_| somewhere()).collect();
        let threats: Vec<Threat> = (0..3).map(|_| Threat::at(somewhere())).collect();
        let threats = [&threats[..], &[Threat::at_node(7)]].concat();
        // A wall at x = 3, if there is one.
        let sees = move |a: DVec3, b: DVec3| !wall || (a.x < 3.0) == (b.x < 3.0);
        let config = DangerConfig { reach, falloff };
        let mut danger =
            Danger::by_distance(&graph, config, &positions).unwrap().with_line_of_sight(sees);
        danger.set_threats(&graph, &threats).unwrap();
        let felt = |to: DVec3| {
            let from = threats.iter().map(|threat| match threat.place {
                utility_ai::Place::Node(node) => positions[node],
                utility_ai::Place::Position(position) => position,
            });
            let near = from.filter(|&from| sees(from, to)).map(|from| {
                let squares = (0..3).map(|a| (to[a] - from[a]) * (to[a] - from[a]));
                falloff.at(squares.sum::<f64>().sqrt() / reach)
            });
            near.sum::<f64>()
        };
        let plain: Vec<f64> = positions.iter().copied().map(felt).collect();
        prop_assert_eq!(values(&graph, &mut danger), plain);
    }
}

#[test]
fn falloffs_go_from_1_at_the_threat_to_0_at_the_reach_and_never_up() {
    for falloff in FALLOFFS {
        assert_eq!((falloff.at(0.0), falloff.at(1.0), falloff.at(7.0)), (1.0, 0.0, 0.0));
        for i in 0..100 {
            let d = f64::from(i) / 100.0;
            assert!(falloff.at(d) >= falloff.at(d + 0.01), "{falloff:?} {d}");
        }
    }
}
