//! Lee's baseline on the thesis's plans and on small maps.

use super::{Flood, Lee};
use crate::papers::PLANS;
use ndarray::{Array2, Ix2};
use std::collections::VecDeque;
use wave_core::Medium;
use wave_core::glam::DVec2;
use wave_track::TrackerConfig;

/// Steps along the axes from `source`, by breadth-first search.
fn steps(walls: &Array2<bool>, source: [usize; 2]) -> Array2<Option<u32>> {
    let mut steps = Array2::from_elem(walls.raw_dim(), None);
    steps[source] = Some(0);
    let mut queue = VecDeque::from([source]);
    while let Some([y, x]) = queue.pop_front() {
        let next = steps[[y, x]].map(|s| s + 1);
        let beside = [[y + 1, x], [y.wrapping_sub(1), x], [y, x + 1], [y, x.wrapping_sub(1)]];
        for there in beside {
            if walls.get(there) == Some(&false) && steps[there].is_none() {
                steps[there] = next;
                queue.push_back(there);
            }
        }
    }
    steps
}

fn flooded(walls: &Array2<bool>, source: [usize; 2]) -> Flood {
    let mut flood = Flood::new(walls.clone());
    flood.emit(source);
    (0..walls.len()).for_each(|_| flood.step());
    flood
}

#[test]
fn the_flood_arrives_after_as_many_steps_as_the_way_along_the_axes_has() {
    for plan in PLANS {
        let walls = plan.walls(3);
        let source = plan.field('T', 3).unwrap();
        let (flood, steps) = (flooded(&walls, source), steps(&walls, source));
        for (cell, &wall) in walls.indexed_iter() {
            let cell = [cell.0, cell.1];
            assert_eq!(flood.arrival(cell), steps[cell], "{} {cell:?}", plan.name);
            // Plans are whole: every free cell is reached, and so are all three starts.
            assert_eq!(flood.arrival(cell).is_none(), wall, "{} {cell:?}", plan.name);
        }
        for mark in ['A', 'B', 'C'] {
            assert!(flood.arrival(plan.field(mark, 3).unwrap()).is_some());
        }
    }
}

#[test]
fn the_flood_advances_one_cell_a_step() {
    let mut flood = Flood::new(Array2::from_elem([9, 9], false));
    flood.emit([4, 4]);
    for step in 0..=8u32 {
        for y in 0..9usize {
            for x in 0..9usize {
                let far = (y.abs_diff(4) + x.abs_diff(4)) as u32;
                assert_eq!(flood.arrival([y, x]).is_some(), far <= step);
            }
        }
        flood.step();
    }
}

#[test]
fn directions_are_among_eight_and_lead_to_no_cell_that_is_true_later() {
    for plan in PLANS {
        let walls = plan.walls(3);
        let source = plan.field('T', 3).unwrap();
        let flood = flooded(&walls, source);
        for ((y, x), _) in walls.indexed_iter().filter(|(_, wall)| !**wall) {
            let Some(direction) = flood.direction([y, x]) else {
                assert_eq!([y, x], source);
                continue;
            };
            let eighths = direction.to_angle() / std::f64::consts::FRAC_PI_4;
            assert!((eighths - eighths.round()).abs() < 1e-12);
            assert!((direction.length() - 1.0).abs() < 1e-12);
            let ahead = direction.round();
            let there = [(y as f64 + ahead.y) as usize, (x as f64 + ahead.x) as usize];
            if let Some(earlier) = flood.arrival(there) {
                assert!(earlier <= flood.arrival([y, x]).unwrap());
            }
        }
    }
}

#[test]
fn an_open_field_is_left_diagonally_and_an_own_row_straight() {
    let flood = flooded(&Array2::from_elem([9, 9], false), [4, 4]);
    let diagonal = std::f64::consts::FRAC_1_SQRT_2;
    assert_eq!(flood.direction([4, 0]), Some(DVec2::X));
    assert_eq!(flood.direction([8, 4]), Some(DVec2::NEG_Y));
    assert!(flood.direction([0, 7]).unwrap().distance(DVec2::new(-diagonal, diagonal)) < 1e-12);
    assert_eq!(flood.direction([4, 4]), None);
    // Round a block both ways at once: where directions cancel out, the stated order decides.
    let mut walls = Array2::from_elem([3, 3], false);
    walls[[1, 1]] = true;
    assert_eq!(flooded(&walls, [0, 1]).direction([2, 1]), Some(DVec2::X));
}

#[test]
fn lee_waits_for_the_flood_goes_straight_and_slides_along_walls() {
    let mut walls = Array2::from_elem([20, 40], false);
    for y in 5..20 {
        walls[[y, 20]] = true;
    }
    let medium = Medium::<Ix2>::builder([20, 40]).walls(&walls).build().unwrap();
    let target = DVec2::new(35.0, 12.0);
    let mut lee = Lee::new(medium.clone(), TrackerConfig::watanabe(), 0.2, target).unwrap();
    let start = DVec2::new(5.0, 12.0);
    lee.add_pursuer(start).unwrap();
    let way = steps(&walls, [12, 35])[[12, 5]].unwrap();
    let mut headings = Vec::new();
    let mut caught = None;
    for step in 1..2000u32 {
        lee.step().unwrap();
        let at = lee.position(0).unwrap();
        // A step emits and spreads, so that a way of n cells takes n steps.
        assert_eq!(at == start, step < way, "step {step}");
        assert!(!medium.is_wall(medium.cell_at(at).unwrap()));
        if headings.last() != Some(&lee.heading(0)) {
            headings.push(lee.heading(0));
        }
        if at.distance(target) < 1e-9 {
            caught = Some(step);
            break;
        }
    }
    assert!(caught.is_some());
    // It turned no more often than waves came: one in 100 steps.
    assert!(headings.len() as u32 <= caught.unwrap() / 100 + 2, "{headings:?}");
}
