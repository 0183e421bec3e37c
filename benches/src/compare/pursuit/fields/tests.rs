use super::super::lattice::tests::small_maps;
use super::*;

/// Rounds over all cells until nothing changes; steps of 1 and `diagonal`.
pub(crate) fn reference(lattice: &Lattice, target: Cell, diagonal: f64) -> Vec<f64> {
    let s = lattice.stride as isize;
    let mut lengths = vec![f64::INFINITY; lattice.open.len()];
    lengths[target] = 0.0;
    loop {
        let mut changed = false;
        for cell in (0..lengths.len()).filter(|&c| lattice.open[c]) {
            for (dx, dy) in [-1, 0, 1].into_iter().flat_map(|x| [-1, 0, 1].map(|y| (x, y))) {
                let at = |dx, dy| cell.wrapping_add_signed(dx + s * dy);
                let there = at(dx, dy);
                let open = [there, at(dx, 0), at(0, dy)].iter().all(|&c| lattice.open[c]);
                let step = if dx != 0 && dy != 0 { diagonal } else { 1.0 };
                if open && lengths[there] + step < lengths[cell] - 1e-9 {
                    lengths[cell] = lengths[there] + step;
                    changed = true;
                }
            }
        }
        if !changed {
            return lengths;
        }
    }
}

fn check<T: Mark>(lattice: &Lattice, values: &Values<T>, expected: &[f64], f64: fn(T) -> f64) {
    for (cell, &expected) in expected.iter().enumerate() {
        let found = values.now[cell];
        if !lattice.open[cell] {
            assert!(found == T::WALL);
        } else if expected.is_infinite() {
            assert!(found == T::UNSEEN);
        } else {
            assert!((f64(found) - expected).abs() < 1e-3, "{} and {expected}", f64(found));
            let next = values.lowest_around(cell);
            assert_eq!(next == cell, expected == 0.0);
            assert!(values.now[next] < found || expected == 0.0);
        }
    }
}

#[test]
fn fields_are_those_of_a_plain_reference_before_and_after_edits() {
    for (mut lattice, target) in small_maps() {
        let mut bfs = Bfs::new(&lattice);
        let mut dijkstra = Dijkstra::new(&lattice);
        let mut buckets = Buckets::new(&lattice);
        for edit in 0..3 {
            bfs.fill(target);
            dijkstra.fill(target);
            buckets.fill(target);
            let hops = reference(&lattice, target, 1.0);
            check(&lattice, &bfs.values, &hops, f64::from);
            let lengths = reference(&lattice, target, std::f64::consts::SQRT_2);
            check(&lattice, &dijkstra.values, &lengths, f64::from);
            check(&lattice, &buckets.values, &lengths, f64::from);
            let cell = lattice.cell_at(5 * edit + 1, 4 * edit + 2);
            if cell != target {
                let wall = lattice.open[cell];
                lattice.open[cell] = !wall;
                bfs.set_wall(cell, wall);
                dijkstra.set_wall(cell, wall);
                buckets.set_wall(cell, wall);
            }
        }
    }
}
