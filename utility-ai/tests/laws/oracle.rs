//! The least fill that leaves a way to the goal, computed independently.

use super::worlds::grid_by;
use serde_json::Value;
use utility_ai::{DistanceField, Flood};

#[test]
fn least_fill_of_the_oracle() {
    let Some(folder) = std::env::var_os("ORACLE_DIR") else {
        eprintln!("skipped: ORACLE_DIR is not set");
        return;
    };
    let path = std::path::Path::new(&folder).join("fill_oracle.json");
    let oracle: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let cases = oracle["cases"].as_array().unwrap();
    assert!(!cases.is_empty());
    for case in cases {
        let id = &case["id"];
        let triples = |key: &str| -> Vec<(usize, usize, f64)> {
            serde_json::from_value(case[key].clone()).unwrap()
        };
        let pairs = |key: &str| -> Vec<(usize, usize)> {
            serde_json::from_value(case[key].clone()).unwrap()
        };
        let width = case["width"].as_u64().unwrap() as usize;
        let (goal_x, goal_y): (usize, usize) =
            serde_json::from_value(case["goal"].clone()).unwrap();
        let listed = triples("G").into_iter().map(|(x, y, _)| (x, y)).chain(pairs("walls"));
        let height = listed.map(|(_, y)| y).max().unwrap() + 1;
        let mut walls = vec![false; width * height];
        for (x, y) in pairs("walls") {
            walls[y * width + x] = true;
        }
        // The oracle's diagonals pass between walls.
        let eight = case["eight"].as_bool().unwrap();
        let graph = grid_by(width, &walls, |_| eight);
        let goal = goal_y * width + goal_x;

        let field = DistanceField::new(&graph, &[goal]).unwrap();
        for (x, y, expected) in triples("G") {
            let ours = field.distance(y * width + x);
            assert!((ours - expected).abs() < 1e-9, "{id} G at {x}, {y}: {ours} {expected}");
        }
        let reached = field.values().iter().filter(|g| g.is_finite()).count();
        assert_eq!(reached, triples("G").len(), "{id}");

        let mut cost = vec![f64::INFINITY; graph.node_bound()];
        for (x, y, t) in triples("T0") {
            cost[y * width + x] = t;
        }
        let mut flood = Flood::new(&graph);
        flood.update(&graph, &cost, &[goal]).unwrap();
        for (x, y, expected) in triples("Cstar") {
            let node = y * width + x;
            let ours = flood.values()[node] - cost[node];
            assert!((ours - expected).abs() < 1e-9, "{id} C* at {x}, {y}: {ours} {expected}");
        }

        // How many nodes plain descent leaves in a pit.
        let lowest = |node: usize| {
            let steps = graph.steps(node).map(|s| s.to).filter(|&to| cost[to].is_finite());
            steps.min_by(|&a, &b| cost[a].total_cmp(&cost[b]))
        };
        let trapped = |start: usize| {
            let mut node = start;
            while node != goal {
                match lowest(node).filter(|&to| cost[to] < cost[node]) {
                    Some(to) => node = to,
                    None => return true,
                }
            }
            false
        };
        let count = triples("T0").iter().filter(|&&(x, y, _)| trapped(y * width + x)).count();
        assert_eq!(count as u64, case["greedy_trapped_nodes"].as_u64().unwrap(), "{id}");
    }
}
