//! The published fill against its formula, and the bound of gamma.

use super::worlds::{directed, grid, random_edges, walls};
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use utility_ai::{Fill, FillConfig, Graph, Laplacian, UtilityError};

/// One update, node by node.
fn plainly(
    graph: &Graph,
    config: FillConfig,
    c: &[f64],
    cost: &[f64],
    goals: &[usize],
) -> Vec<f64> {
    let total: Vec<f64> = cost.iter().zip(c).map(|(t, c)| t + config.gamma * c).collect();
    let mut new = Vec::new();
    for node in 0..graph.node_bound() {
        let mut depth = 0.0;
        for step in graph.steps(node) {
            if total[step.to].is_finite() {
                depth += total[step.to] - total[node];
            }
        }
        if config.laplacian == Laplacian::Mean {
            depth /= graph.steps(node).len().max(1) as f64;
        }
        let pit = depth > config.threshold && depth.is_finite() && !goals.contains(&node);
        let keep = 1.0 - config.decay;
        new.push(if pit { keep * (c[node] + depth) } else { keep * c[node] });
    }
    new
}

/// Some updates, edits between them if `edit` makes any.
fn check_updates(
    mut graph: Graph,
    seed: u64,
    (gamma, laplacian): (f64, Laplacian),
    edit: impl Fn(&mut Graph, &mut ChaCha8Rng),
) -> Result<(), TestCaseError> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let config = FillConfig { gamma, laplacian, ..FillConfig::default() };
    let mut fill = match Fill::new(&graph, config) {
        Err(UtilityError::UnstableGamma { bound, .. }) => {
            Fill::new(&graph, FillConfig { gamma: 0.9 * bound, ..config }).unwrap()
        }
        fill => fill.unwrap(),
    };
    let config = *fill.config();
    let mut plain = vec![0.0; graph.node_bound()];
    for round in 0..6_u64 {
        let cost: Vec<f64> = (0..graph.node_bound() as u64)
            .map(|i| match (i + seed % 7) % 31 {
                0 => f64::INFINITY,
                _ => ((i * i + round + seed % 1000) % 17) as f64,
            })
            .collect();
        fill.update(&graph, &cost, &[0]).unwrap();
        plain = plainly(&graph, config, &plain, &cost, &[0]);
        prop_assert_eq!(fill.values(), &plain[..]);
        edit(&mut graph, &mut rng);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn updates_are_those_of_the_formula_to_the_last_bit(seed: u64, share in 0.0..0.6, eight: bool, mean: bool) {
        let rule = (0.29, if mean { Laplacian::Mean } else { Laplacian::Sum });
        let graph = grid(40, &walls(40 * 25, share, seed), eight);
        check_updates(graph, seed, rule, |_, _| ())?;
        // Few nodes have the same steps.
        check_updates(directed(&random_edges(700, 900, seed)), seed, rule, |_, _| ())?;
        // Some have neighbours too far away for a short number, or all do.
        for far in [40, 1] {
            let edges = random_edges(700, 900, seed);
            let edges: Vec<_> = edges
                .iter()
                .map(|&(a, b, length)| {
                    let shift = |node: u32| if node.is_multiple_of(far) { node + 40_000 } else { node };
                    (if far == 1 { a } else { shift(a) }, shift(b), length)
                })
                .collect();
            check_updates(directed(&edges), seed, rule, |_, _| ())?;
        }
    }

    #[test]
    fn edits_count_from_the_next_update_on(seed: u64, share in 0.0..0.6, eight: bool) {
        let edit = |graph: &mut Graph, rng: &mut ChaCha8Rng| {
            for _ in 0..8 {
                // Steps that grids have, and others.
                let near = [1, 39, 40, 41, 40 * 7 + 3][rng.random_range(0..5)];
                let node = rng.random_range(1..graph.node_bound() - near);
                let length = rng.random_bool(0.5).then_some(1.0);
                let _ = match rng.random_range(0..9) {
                    0 => graph.remove_node(node),
                    _ => graph.set_length(node, node + near, length),
                };
            }
        };
        let walls = walls(40 * 25, share, seed);
        check_updates(grid(40, &walls, eight), seed, (0.1, Laplacian::Sum), edit)?;
        check_updates(directed(&random_edges(700, 900, seed)), seed, (0.1, Laplacian::Sum), edit)?;
    }
}

#[test]
fn the_bound_of_gamma_is_4_13ths_with_8_neighbours_and_half_with_4() {
    for (eight, least, most) in [(true, 0.3, 4.0 / 13.0), (false, 0.49, 0.5)] {
        let graph = grid(40, &[false; 1600], eight);
        let bound = |gamma| match Fill::new(&graph, FillConfig { gamma, ..FillConfig::default() }) {
            Err(UtilityError::UnstableGamma { bound, .. }) => bound,
            other => panic!("{other:?}"),
        };
        let bound = bound(0.6);
        assert!(least < bound && bound < most * 1.01, "{bound}");
        let just_below = FillConfig { gamma: bound * (1.0 - 1e-9), ..FillConfig::default() };
        assert!(Fill::new(&graph, just_below).is_ok());
        let at = FillConfig { gamma: bound, ..FillConfig::default() };
        assert!(Fill::new(&graph, at).is_err());
        let mean = FillConfig { gamma: 1.9, laplacian: Laplacian::Mean, ..FillConfig::default() };
        assert!(Fill::new(&graph, mean).is_ok());
    }
}

/// The largest eigenvalue of a symmetric matrix, by Jacobi's rotations.
fn largest_eigenvalue(mut a: Vec<Vec<f64>>) -> f64 {
    let n = a.len();
    for _ in 0..60 {
        for p in 0..n {
            for q in p + 1..n {
                if a[p][q].abs() < 1e-14 {
                    continue;
                }
                let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
                let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
                let c = 1.0 / (t * t + 1.0).sqrt();
                let s = t * c;
                for row in &mut a {
                    (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
                }
                let (head, tail) = a.split_at_mut(q);
                for (one, other) in head[p].iter_mut().zip(&mut tail[0]) {
                    (*one, *other) = (c * *one - s * *other, s * *one + c * *other);
                }
            }
        }
    }
    (0..n).map(|i| a[i][i]).fold(0.0, f64::max)
}

/// Degrees on the diagonal, -1 per edge.
fn laplacian(graph: &Graph) -> Vec<Vec<f64>> {
    let mut matrix = vec![vec![0.0; graph.node_bound()]; graph.node_bound()];
    for node in graph.nodes() {
        for step in graph.steps(node) {
            matrix[node][node] += 1.0;
            matrix[node][step.to] = -1.0;
        }
    }
    matrix
}

fn refused_at(graph: &Graph) -> f64 {
    match Fill::new(graph, FillConfig { gamma: 1e9, ..FillConfig::default() }) {
        Err(UtilityError::UnstableGamma { largest_eigenvalue, .. }) => largest_eigenvalue,
        other => panic!("{other:?}"),
    }
}

proptest! {
    #[test]
    fn no_eigenvalue_of_a_random_graph_is_above_the_bound(
        n in 2_u32..14,
        pairs in proptest::collection::vec((0_u32..14, 0_u32..14), 1..70),
    ) {
        let edges: Vec<_> = pairs.iter().map(|&(a, b)| (a % n, b % n, 1.0)).filter(|e| e.0 != e.1).collect();
        prop_assume!(!edges.is_empty());
        let petgraph = petgraph::graph::UnGraph::<(), f64>::from_edges(edges.clone());
        let graph = Graph::freeze(&petgraph, |edge| *edge.weight()).unwrap();
        let (exact, ours) = (largest_eigenvalue(laplacian(&graph)), refused_at(&graph));
        prop_assert!(ours >= exact * (1.0 - 1e-9), "{} {}", ours, exact);
        prop_assert!(ours <= 1.5 * exact, "{} {}", ours, exact);
    }

    /// A gamma that an update accepts after edits is stable, and a new fill refuses the ones that
    /// it refuses.
    #[test]
    fn edits_that_make_gamma_unstable_are_refused(
        n in 3_u32..14, pairs in proptest::collection::vec((0_u32..14, 0_u32..14), 1..40),
        edits in proptest::collection::vec((0_u32..14, 0_u32..14, any::<bool>()), 1..60), part in 0.3..0.999,
    ) {
        let mut petgraph = petgraph::graph::UnGraph::<(), f64>::default();
        (0..n).for_each(|_| {
            petgraph.add_node(());
        });
        for (a, b) in pairs {
            petgraph.add_edge((a % n).into(), (b % n).into(), 1.0);
        }
        let mut graph = Graph::freeze(&petgraph, |edge| *edge.weight()).unwrap();
        prop_assume!((0..graph.node_bound()).any(|node| graph.steps(node).len() > 0));
        let config = FillConfig { gamma: part * 4.0 / refused_at(&graph), ..FillConfig::default() };
        let mut fill = Fill::new(&graph, config).unwrap();
        let cost: Vec<f64> = (0..graph.node_bound() as u32).map(|i| f64::from(i * i % 7)).collect();
        for (a, b, there) in edits {
            let _ = graph.set_length((a % n) as usize, (b % n) as usize, there.then_some(1.0));
            let before = fill.values().to_vec();
            match fill.update(&graph, &cost, &[0]) {
                Ok(()) => {
                    let exact = largest_eigenvalue(laplacian(&graph));
                    prop_assert!(config.gamma * exact < 4.0 * (1.0 + 1e-9), "{}", exact);
                }
                Err(error) => {
                    prop_assert_eq!(Fill::new(&graph, config).unwrap_err(), error);
                    prop_assert_eq!(fill.values(), before);
                }
            }
        }
    }

    /// Many edges at once, far from where the bound was found.
    #[test]
    fn many_new_edges_at_once_are_refused_if_they_must_be(
        leaves in 2_usize..60, more in 0_usize..200, seed: u64,
    ) {
        let petgraph = petgraph::graph::UnGraph::<(), f64>::from_edges([(300_u32, 301, 1.0)]);
        let mut graph = Graph::freeze(&petgraph, |edge| *edge.weight()).unwrap();
        let config = FillConfig::default();
        let mut fill = Fill::new(&graph, config).unwrap();
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        for leaf in 1..=leaves {
            graph.set_length(0, leaf, Some(1.0)).unwrap();
        }
        for _ in 0..more {
            let node = rng.random_range(100..299);
            graph.set_length(node, node + 1, Some(1.0)).unwrap();
        }
        // A star of n nodes has the eigenvalue n, the ways beside it none above 4.
        let stable = config.gamma * (leaves as f64 + 1.0) < 4.0;
        prop_assert_eq!(fill.update(&graph, &vec![1.0; 302], &[0]).is_ok(), stable);
    }

    #[test]
    fn doors_may_open_anywhere_at_the_published_gamma(share in 0.0..0.6, seed in 0_u64..999) {
        let mut walls = walls(900, share, seed);
        let mut graph = grid(30, &walls, true);
        let mut fill = Fill::new(&graph, FillConfig::default()).unwrap();
        for node in (0..60).map(|i| (i * 77 + seed as usize) % 900) {
            if std::mem::take(&mut walls[node]) {
                let open = grid(30, &walls, true);
                for near in (0..900_usize).filter(|near| near.abs_diff(node) <= 31) {
                    for step in open.steps(near) {
                        graph.set_length(near, step.to, Some(step.length)).unwrap();
                    }
                }
                prop_assert!(fill.update(&graph, &[1.0; 900], &[0]).is_ok(), "{}", node);
            }
        }
    }

    #[test]
    fn the_published_gamma_is_accepted_whatever_stands_on_the_grid(share in 0.0..0.9, seed in 0_u64..999) {
        let graph = grid(30, &walls(900, share, seed), true);
        prop_assert!(Fill::new(&graph, FillConfig::default()).is_ok());
    }
}

/// No eigenvalue is above the bound that is used: complete graphs (n), stars (n) and rings (4 at
/// most).
#[test]
fn known_spectra_are_within_the_bound() {
    let eigenvalue = |edges: Vec<(u32, u32, f64)>| {
        let petgraph = petgraph::graph::UnGraph::<(), f64>::from_edges(edges);
        let graph = Graph::freeze(&petgraph, |edge| *edge.weight()).unwrap();
        match Fill::new(&graph, FillConfig { gamma: 100.0, ..FillConfig::default() }) {
            Err(UtilityError::UnstableGamma { largest_eigenvalue, .. }) => largest_eigenvalue,
            other => panic!("{other:?}"),
        }
    };
    for n in [3_u32, 8, 30] {
        let complete = (0..n).flat_map(|a| (0..a).map(move |b| (a, b, 1.0))).collect();
        let star = (1..n).map(|a| (0, a, 1.0)).collect();
        let ring = (0..n).map(|a| (a, (a + 1) % n, 1.0)).collect();
        for (edges, exact) in [(complete, f64::from(n)), (star, f64::from(n)), (ring, 4.0)] {
            let ours = eigenvalue(edges);
            let exact = if exact == 4.0 && n % 2 == 1 {
                2.0 + 2.0 * (std::f64::consts::PI / f64::from(n)).cos()
            } else {
                exact
            };
            assert!(ours >= exact * (1.0 - 1e-9) && ours <= exact * 1.04, "{n}: {ours} {exact}");
        }
    }
}

/// Ten thousand updates at the largest gammas stay bounded; above the bound they would not.
#[test]
fn below_the_bound_the_fill_does_not_grow_for_ever() {
    let graph = grid(20, &walls(400, 0.2, 3), true);
    let cost: Vec<f64> = (0..400_u32).map(|i| f64::from(i * i % 23)).collect();
    for (gamma, laplacian) in [(0.3, Laplacian::Sum), (1.9, Laplacian::Mean)] {
        let config = FillConfig { gamma, laplacian, threshold: 0.0, decay: 0.0 };
        let mut fill = Fill::new(&graph, config).unwrap();
        for _ in 0..10_000 {
            fill.update(&graph, &cost, &[0]).unwrap();
        }
        assert!(fill.values().iter().all(|&c| c < 1e4), "{gamma}");
    }
}

#[cfg(feature = "rayon")]
#[test]
fn the_same_bits_for_any_number_of_threads() {
    let graph = grid(200, &walls(200 * 150, 0.2, 9), true);
    let cost: Vec<f64> =
        (0..graph.node_bound() as u64).map(|i| (i * i % 19) as f64 / 7.0).collect();
    let after = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut fill = Fill::new(&graph, FillConfig::default()).unwrap();
            (0..9).for_each(|_| fill.update(&graph, &cost, &[5]).unwrap());
            fill.values().to_vec()
        })
    };
    let one = after(1);
    assert!(one.iter().any(|&c| c > 1.0));
    for threads in [2, 3, 8] {
        assert_eq!(after(threads), one);
    }
}
