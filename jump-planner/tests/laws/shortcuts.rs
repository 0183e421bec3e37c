//! Shortcuts against a plain search from every place of the route.

use crate::levels::{ground, level};
use jump_planner::{
    JumpError, JumpGraph, JumpRule, Move, MoveKind, PlaceName, Preference, Shortcut, ShortcutRule,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::{BTreeMap, BTreeSet};

type Cell = [usize; 2];

/// The place of the nearest cell of the route, the last of several, by walks alone.
fn places<P: PlaceName>(
    moves: &[Move<P>],
    route: &[P],
    width: Option<usize>,
) -> BTreeMap<P, usize> {
    let mut best: BTreeMap<P, (usize, usize)> = BTreeMap::new();
    for (place, &from) in route.iter().enumerate() {
        let mut layer = BTreeSet::from([from]);
        let mut seen = layer.clone();
        let mut walked = 0;
        while !layer.is_empty() && width.is_none_or(|most| walked <= most) {
            for &cell in &layer {
                let known = best.entry(cell).or_insert((walked, place));
                if walked <= known.0 {
                    *known = (walked, place);
                }
            }
            let walks =
                moves.iter().filter(|m| m.kind == MoveKind::Walk && layer.contains(&m.from));
            let next: BTreeSet<P> = walks.map(|m| m.to).filter(|c| !seen.contains(c)).collect();
            seen.extend(&next);
            layer = next;
            walked += 1;
        }
    }
    best.into_iter().map(|(cell, (_, place))| (cell, place)).collect()
}

/// The furthest place to which a way leads from the ground of each place.
fn furthest<P: PlaceName>(
    moves: &[Move<P>],
    places: &BTreeMap<P, usize>,
) -> BTreeMap<usize, usize> {
    let mut furthest: BTreeMap<usize, usize> = BTreeMap::new();
    for (&start, &place) in places {
        let (mut open, mut seen) = (vec![start], BTreeSet::from([start]));
        while let Some(cell) = open.pop() {
            for step in moves.iter().filter(|m| m.from == cell) {
                match places.get(&step.to) {
                    Some(_) if cell == start && step.kind == MoveKind::Walk => {}
                    Some(&to) => {
                        let best = furthest.entry(place).or_default();
                        *best = (*best).max(to);
                    }
                    None if seen.insert(step.to) => open.push(step.to),
                    None => {}
                }
            }
        }
    }
    furthest
}

/// Compares the shortcuts of a route with a plain search; how many there are, and how many ways a
/// longer one hides.
pub(crate) fn compare<P: PlaceName>(
    moves: &[Move<P>],
    route: &[P],
    (width, least): (Option<usize>, usize),
    shortcuts: &[Shortcut<P>],
) -> [usize; 2] {
    let places = places(moves, route, width);
    let (mut expected, mut before, mut contested) = (Vec::new(), 0, 0);
    for (from, to) in furthest(moves, &places) {
        if to > from + least {
            contested += usize::from(to <= before);
            if to > before {
                expected.push([from, to]);
                before = to;
            }
        }
    }
    let mut ours: Vec<[usize; 2]> = shortcuts.iter().map(|s| s.places).collect();
    assert!(shortcuts.is_sorted_by(|a, b| a.skipped >= b.skipped));
    ours.sort_unstable();
    assert_eq!(ours, expected, "{width:?} {least} {route:?}");
    for shortcut in shortcuts {
        let way = &shortcut.way;
        assert!(way.iter().all(|step| moves.contains(step)), "{shortcut:?}");
        assert!(way.windows(2).all(|two| two[0].to == two[1].from));
        assert!(way[1..].iter().all(|step| !places.contains_key(&step.from)));
        let ends = [places[&way[0].from], places[&way[way.len() - 1].to]];
        assert_eq!(ends, shortcut.places);
        assert_eq!(shortcut.skipped, ends[1] - ends[0] - 1);
        assert!(way.contains(&shortcut.witness().unwrap()));
    }
    [shortcuts.len(), contested]
}

fn random_route(graph: &JumpGraph, rng: &mut ChaCha8Rng) -> Option<Vec<Cell>> {
    let ground = ground(graph);
    let mut cell = || ground[rng.random_range(0..ground.len())];
    let stops = [cell(), cell(), cell()];
    let route = graph.route_through(&stops, Preference::FewestJumps).ok()?;
    (route.len() > 2).then_some(route)
}

#[test]
fn shortcuts_are_those_of_a_plain_search() {
    let (mut routes, mut all) = (0, [0; 2]);
    for seed in 0..500 {
        let graph = level(40_000 + seed, JumpRule::default());
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let Some(route) = random_route(&graph, &mut rng) else { continue };
        routes += 1;
        let moves: Vec<Move> = ground(&graph).iter().flat_map(|&c| graph.moves(c)).collect();
        let width = [None, Some(0), Some(1), Some(2)][rng.random_range(0..4)];
        let least = rng.random_range(1..4);
        let rule = ShortcutRule { width, least: Some(least) };
        let shortcuts = graph.shortcuts(&route, rule).unwrap();
        let found = compare(&moves, &route, (width, least), &shortcuts);
        (0..2).for_each(|k| all[k] += found[k]);
    }
    assert!(routes > 200 && all[0] > 100 && all[1] > 20, "{routes} {all:?}");
}

#[test]
fn a_route_that_cannot_be_followed_is_refused() {
    let graph = level(3, JumpRule::default());
    let ground = ground(&graph);
    let rule = ShortcutRule::default();
    for route in [vec![], vec![ground[0]], vec![ground[0], ground[0]]] {
        let refused = graph.shortcuts(&route, rule);
        assert!(matches!(refused, Err(JumpError::Route { .. })), "{route:?}");
    }
    let outside = graph.shortcuts(&[ground[0], [99, 99]], rule);
    assert!(matches!(outside, Err(JumpError::Terrain(_))));
}
