//! The questions of height maps, asked of worlds with storeys: edits, cuts, shortcuts, speeds,
//! stages.

use crate::cuts::Joins;
use crate::edits::same;
use crate::shortcuts;
use crate::spans::{World, place, standing, terrain};
use jump_planner::{
    CutAt, Finding, JumpError, JumpGraph, Level, Move, MoveGraph, MoveKind, Place, Preference,
    SearchOver, ShortcutRule, Span, SpanTerrain, Ways,
};
use ndarray::Array2;
use petgraph::algo::dijkstra;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::HashSet;

/// One edit of a column, as a designer makes it.
fn edited(rng: &mut ChaCha8Rng, column: &[Span], high: f64) -> Vec<Span> {
    let mut spans = column.to_vec();
    let some = |rng: &mut ChaCha8Rng, n: usize| rng.random_range(0..n.max(1));
    match rng.random_range(0..9) {
        0 => return vec![Span::ground(0.25 * f64::from(rng.random_range(0..8)))],
        1 => return vec![Span::wall()],
        2 | 3 if !spans.is_empty() => {
            spans.remove(some(rng, spans.len()));
        }
        4 if !spans.is_empty() => {
            let at = some(rng, spans.len());
            spans[at].no_go ^= true;
        }
        5 | 6 if !spans.is_empty() => {
            let at = some(rng, spans.len());
            let by = 0.25 * f64::from(rng.random_range(-4..5));
            let span = &mut spans[at];
            (span.bottom, span.top) = (span.bottom + by, span.top + by);
        }
        _ => {
            let bottom = 0.25 * f64::from(rng.random_range(0..(12.0 * high) as i32 + 4));
            spans.push(Span::new(bottom, bottom + [0.125, 0.5, 2.0][some(rng, 3)]));
        }
    }
    spans
}

/// Compares a level with one that is made of its spans.
fn equals_a_rebuild(level: &Level<SpanTerrain>, columns: &Array2<Vec<Span>>, case: &str) -> usize {
    let ours = level.graph();
    let size = ours.terrain().cell_size();
    let terrain = SpanTerrain::builder(columns).cell_size(size).build().unwrap();
    assert_eq!(ours.terrain(), &terrain, "{case}");
    let rebuilt = JumpGraph::new(terrain, *ours.character()).unwrap();
    let audit = rebuilt.audit(level.start()).unwrap();
    let mut groups = Vec::new();
    for place in rebuilt.terrain().places() {
        let (a, b) = (rebuilt.group(place), ours.group(place));
        assert_eq!(a.is_some(), b.is_some(), "{case} {place:?}");
        groups.extend(a.map(|_| (a, b)));
        assert_eq!(audit.region(rebuilt.terrain(), place), level.region(place), "{case} {place:?}");
        let is_reached = audit.is_reached(rebuilt.terrain(), place);
        assert_eq!(is_reached, level.is_reached(place), "{case} {place:?}");
    }
    assert!(same(&groups), "{case}");
    assert!(groups.iter().all(|(_, ours)| ours < &Some(level.graph().terrain().len())), "{case}");
    assert_eq!(rebuilt.group_count(), ours.group_count(), "{case}");
    assert_eq!(audit.counts(), level.counts(), "{case}");
    let kinds = |findings: &[Finding<Place>]| -> Vec<_> {
        findings.iter().map(|f| (std::mem::discriminant(f), f.cells())).collect()
    };
    assert_eq!(kinds(audit.findings()), kinds(level.findings()), "{case}");
    for step in level.findings().iter().filter_map(Finding::witness) {
        match step.kind {
            MoveKind::Jump => assert!(rebuilt.witness(&step).is_some(), "{case} {step:?}"),
            kind => assert_eq!(rebuilt.step(step.from, step.to), Some(kind), "{case}"),
        }
    }
    audit.region_count()
}

/// Edits of random worlds; how often there were several regions, and how often a column had more
/// or fewer storeys than before.
fn edit(seed: u64, worlds: usize, edits: usize, every: usize, body: [f64; 2]) -> [usize; 2] {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (mut several, mut other) = (0, 0);
    for n in 0..worlds {
        let mut world = World::random(&mut rng, body);
        let Some(graph) = world.graph() else { continue };
        let places = standing(&graph);
        let start = places[rng.random_range(0..places.len())].0;
        let mut level = Level::new(graph, (n % 3 > 0).then_some(start)).unwrap();
        let (rows, columns) = world.columns.dim();
        for edit in 0..edits {
            let cell = [rng.random_range(0..rows), rng.random_range(0..columns)];
            let spans = edited(&mut rng, &world.columns[cell], world.character.jump_height());
            let before = level.graph().terrain().storeys(cell);
            if level.set_spans(cell, &spans).is_ok() {
                world.columns[cell] = spans;
            }
            other += usize::from(level.graph().terrain().storeys(cell) != before);
            // Nobody could stand anywhere: a graph cannot be made of that.
            if world.graph().is_none() {
                break;
            }
            if edit % every == every - 1 {
                let case = format!("{seed} {n} {edit}");
                several += usize::from(equals_a_rebuild(&level, &world.columns, &case) > 1);
            }
        }
    }
    [several, other]
}

#[test]
fn edits_of_storeys_equal_a_rebuild() {
    let points = edit(61, 120, 12, 2, [0.0, 0.0]);
    assert!(points[0] > 100 && points[1] > 100, "{points:?}");
}

#[test]
fn so_do_edits_for_bodies() {
    let tall = edit(62, 24, 10, 2, [0.0, 0.8]);
    let wide = edit(63, 6, 6, 2, [0.3, 0.5]);
    assert!(tall[0] > 30 && tall[1] > 30 && wide[0] > 3, "{tall:?} {wide:?}");
}

#[test]
#[ignore = "takes minutes"]
fn so_do_thousands_of_edits() {
    for seed in 0..40 {
        edit(1000 + seed, 60, 25, 1, [0.0, 0.0]);
        edit(2000 + seed, 30, 20, 1, [0.0, 0.8]);
        edit(3000 + seed, 10, 10, 1, [0.3, 0.5]);
    }
}

/// A tower of shelves, more of them than have bits, beside a shaft that they are reached from.
#[test]
fn so_do_edits_of_towers() {
    let mut rng = ChaCha8Rng::seed_from_u64(64);
    let character = jump_planner::Character::with_jump_height(1.3, 9.81).body(0.0, 0.4);
    let character = character.step_height(0.5).build().unwrap();
    let shelves = |rng: &mut ChaCha8Rng, n: i32| {
        let mut spans = vec![Span::ground(0.0)];
        let kept = (1..n).filter(|_| rng.random_bool(0.8));
        spans.extend(kept.map(|k| Span::new(f64::from(k) - 0.25, f64::from(k))));
        spans
    };
    let mut high = 0;
    for n in 0..6 {
        let mut columns = Array2::from_shape_simple_fn([2, 4], || shelves(&mut rng, 12));
        columns[[0, 1]] = vec![Span::ground(0.0)];
        let terrain = SpanTerrain::builder(&columns).build().unwrap();
        let mut level = Level::new(JumpGraph::new(terrain, character).unwrap(), None).unwrap();
        for edit in 0..10 {
            let cell = [rng.random_range(0..2), rng.random_range(0..4)];
            columns[cell] = shelves(&mut rng, [12, 12, 2][edit % 3]);
            level.set_spans(cell, &columns[cell]).unwrap();
            equals_a_rebuild(&level, &columns, &format!("{n} {edit}"));
            high += usize::from(level.graph().terrain().most_storeys() > 8);
        }
    }
    assert!(high > 30, "{high}");
}

#[test]
fn a_refused_edit_changes_nothing() {
    let columns = Array2::from_elem([1, 3], vec![Span::ground(0.0), Span::new(2.0, 2.5)]);
    let terrain = SpanTerrain::builder(&columns).build().unwrap();
    let character = jump_planner::Character::with_jump_height(1.0, 9.81).body(0.2, 1.5);
    let graph = JumpGraph::new(terrain, character.build().unwrap()).unwrap();
    let start = Place { cell: [0, 0], storey: 1 };
    let mut level = Level::new(graph, Some(start)).unwrap();
    let before = level.graph().terrain().clone();
    let refused = level.set_spans([0, 0], &[Span::wall()]);
    assert!(matches!(refused, Err(JumpError::NotGround { .. })), "{refused:?}");
    for spans in [Span::new(1.0, 1.0), Span::new(0.0, f64::NAN), Span::new(0.0, 2e9)] {
        let refused = level.set_spans([0, 1], &[spans]);
        assert!(matches!(refused, Err(JumpError::Terrain(_))), "{spans:?}");
    }
    assert!(matches!(level.set_spans([0, 9], &[]), Err(JumpError::Terrain(_))));
    let refused = level.set_no_go(start, true);
    assert!(matches!(refused, Err(JumpError::NotGround { .. })), "{refused:?}");
    assert_eq!(level.graph().terrain(), &before);
    equals_a_rebuild(&level, &columns, "refused");
    // The start goes where its floor goes.
    level.set_spans([0, 0], &[Span::ground(-3.0), Span::ground(0.0), Span::new(2.5, 3.0)]).unwrap();
    assert_eq!(level.start(), Some(start));
    level.set_spans([0, 0], &[Span::new(-9.0, -8.0), Span::new(-3.0, -2.0)]).unwrap();
    assert_eq!(level.start(), Some(Place { cell: [0, 0], storey: 2 }));
}

/// The spans that are set are those of the column, in the level's units, with their own no-go.
#[test]
fn set_spans_take_the_place_of_all_that_was_said_of_a_column() {
    let columns = Array2::from_elem([1, 2], vec![Span::ground(1.0)]);
    let terrain = SpanTerrain::builder(&columns).height_scale(2.0).build().unwrap();
    let character = jump_planner::Character::with_jump_height(1.0, 9.81).body(0.2, 1.5);
    let mut graph = JumpGraph::new(terrain, character.build().unwrap()).unwrap();
    let [one, other] = [0, 1].map(|x| Place { cell: [0, x], storey: 0 });
    assert_eq!(graph.terrain().floor(one), Some(2.0));
    graph.set_no_go(one, true).unwrap();
    graph.set_spans([0, 0], &[Span::ground(1.0)]).unwrap();
    assert_eq!((graph.terrain().floor(one), graph.can_stand(one)), (Some(1.0), true));
    // Nobody can stand under that ceiling, but it is ground.
    let low = [Span::ground(0.0), Span { no_go: true, ..Span::new(1.0, 2.0) }];
    graph.set_spans([0, 0], &low).unwrap();
    graph.set_no_go(other, true).unwrap();
    assert_eq!([one, other].map(|place| graph.can_stand(place)), [false; 2]);
    let before = graph.terrain().clone();
    let pit = [Span { no_go: true, ..Span::ground(0.0) }];
    assert!(matches!(graph.set_spans([0, 0], &pit), Err(JumpError::Terrain(_))));
    assert_eq!(graph.terrain(), &before);
}

#[test]
fn no_go_of_a_place_is_followed() {
    let mut rng = ChaCha8Rng::seed_from_u64(65);
    for n in 0..20 {
        let mut world = World::random(&mut rng, [0.0, 0.3]);
        let Some(graph) = world.graph() else { continue };
        let places = standing(&graph);
        let mut level = Level::new(graph, Some(places[0].0)).unwrap();
        for &(place, floor) in places.iter().skip(1).step_by(3) {
            let column = &mut world.columns[place.cell];
            if let Some(span) = column.iter_mut().find(|span| span.top == floor) {
                span.no_go = true;
                level.set_no_go(place, true).unwrap();
                equals_a_rebuild(&level, &world.columns, &format!("{n} {place:?}"));
            }
        }
    }
}

/// A world so small that every move of it can be decided, and all its places.
fn small(rng: &mut ChaCha8Rng, height: f64) -> (JumpGraph<SpanTerrain>, Vec<Place>) {
    loop {
        let Some(graph) = World::random(rng, [0.0, height]).graph() else { continue };
        let ground: Vec<Place> = standing(&graph).into_iter().map(|(place, _)| place).collect();
        if (6..16).contains(&ground.len()) {
            return (graph, ground);
        }
    }
}

#[test]
fn cuts_are_what_taking_away_cuts_off() {
    let mut rng = ChaCha8Rng::seed_from_u64(71);
    let (mut all, mut stacked) = ([0; 2], 0);
    for n in 0..60 {
        let (graph, ground) = small(&mut rng, [0.0, 0.6][n % 2]);
        let start = ground[rng.random_range(0..ground.len())];
        let moves: Vec<_> = ground.iter().flat_map(|&place| graph.moves(place)).collect();
        let audit = graph.audit(Some(start)).unwrap();
        for ways in [Ways::FromStart, Ways::ToStart] {
            let cuts = graph.cuts(&audit, ways).unwrap();
            let joins = Joins::new(&ground, &moves, ways);
            let found = joins.compare(start, cuts.worst_first());
            (0..2).for_each(|k| all[k] += found[k]);
            let inside = |at: CutAt<Place>| match at {
                CutAt::Cell(place) => graph.terrain().ceiling(place).is_some(),
                CutAt::Move(step) => graph.terrain().ceiling(step.to).is_some(),
            };
            stacked += cuts.worst_first().iter().filter(|cut| inside(cut.at)).count();
            for &goal in ground.iter().step_by(3) {
                joins.compare_ways(start, goal, cuts.on_every_way(graph.terrain(), goal));
            }
        }
    }
    assert!(all[0] > 30 && all[1] > 60 && stacked > 50, "{all:?} {stacked}");
}

#[test]
fn shortcuts_are_those_of_a_plain_search() {
    let mut rng = ChaCha8Rng::seed_from_u64(72);
    let (mut routes, mut all) = (0, [0; 2]);
    for n in 0..60 {
        let (graph, ground) = small(&mut rng, [0.0, 0.6][n % 2]);
        let mut some = || ground[rng.random_range(0..ground.len())];
        let stops = [some(), some(), some()];
        let Ok(route) = graph.route_through(&stops, Preference::FewestJumps) else { continue };
        if route.len() < 3 {
            continue;
        }
        routes += 1;
        let moves: Vec<_> = ground.iter().flat_map(|&place| graph.moves(place)).collect();
        let (width, least) = ([None, Some(0), Some(1)][n % 3], 1 + n % 2);
        let rule = ShortcutRule { width, least: Some(least) };
        let found = graph.shortcuts(&route, rule).unwrap();
        let found = shortcuts::compare(&moves, &route, (width, least), &found);
        (0..2).for_each(|k| all[k] += found[k]);
    }
    assert!(routes > 30 && all[0] > 15, "{routes} {all:?}");
}

#[test]
fn all_searches_say_what_petgraph_says() {
    let mut rng = ChaCha8Rng::seed_from_u64(73);
    let (mut yes, mut no) = (0, 0);
    for _ in 0..20 {
        let (graph, ground) = small(&mut rng, 0.3);
        let index = graph.reach_index();
        let from = ground[rng.random_range(0..ground.len())];
        let moves = dijkstra(MoveGraph(&graph), from, None, |_| 1_usize);
        for &to in ground.iter().step_by(5) {
            let exists = moves.contains_key(&to);
            for over in [
                SearchOver::Cells,
                SearchOver::Groups,
                SearchOver::GroupsThenCells,
                SearchOver::CellsLazily,
                SearchOver::GroupsLazily,
                SearchOver::Index(&index),
            ] {
                assert_eq!(graph.exists(from, to, over).unwrap().exists, exists, "{over:?}");
            }
            let way = graph.two_stages(from, to).unwrap();
            assert_eq!(way.way().map(<[_]>::len), moves.get(&to).copied());
            (yes, no) = (yes + usize::from(exists), no + usize::from(!exists));
        }
    }
    assert!(yes > 30 && no > 5, "{yes} {no}");
}

/// The same move in a world of one storey.
fn in_place(step: &Move) -> Move<Place> {
    step.map(place)
}

#[test]
fn one_storey_answers_every_question_as_a_height_map() {
    let mut rng = ChaCha8Rng::seed_from_u64(74);
    let (mut cuts, mut skipped, mut speeds, mut seen) = (0, 0, 0, HashSet::new());
    let mut worlds = 0;
    while worlds < 20 {
        let Some((terrain, character)) = terrain(&mut rng) else { continue };
        let spans = SpanTerrain::from(&terrain);
        let Ok(flat) = JumpGraph::new(terrain, character) else { continue };
        worlds += 1;
        let graph = JumpGraph::new(spans, character).unwrap();
        let ground: Vec<_> = standing(&graph).into_iter().map(|(place, _)| place.cell).collect();
        let mut some = || ground[rng.random_range(0..ground.len())];
        let (start, stops) = (some(), [some(), some(), some()]);
        let audits = (flat.audit(Some(start)).unwrap(), graph.audit(Some(place(start))).unwrap());
        for ways in [Ways::FromStart, Ways::ToStart] {
            let (one, other) =
                (flat.cuts(&audits.0, ways).unwrap(), graph.cuts(&audits.1, ways).unwrap());
            assert_eq!(one.worst_first().len(), other.worst_first().len());
            for (a, b) in one.worst_first().iter().zip(other.worst_first()) {
                let at = match a.at {
                    CutAt::Cell(cell) => CutAt::Cell(place(cell)),
                    CutAt::Move(step) => CutAt::Move(in_place(&step)),
                };
                assert_eq!((at, a.lost, place(a.example)), (b.at, b.lost, b.example));
                cuts += 1;
            }
            for &goal in &ground {
                let way = one.on_every_way(flat.terrain(), goal);
                let places = way.map(|way| way.into_iter().map(place).collect());
                assert_eq!(places, other.on_every_way(graph.terrain(), place(goal)));
            }
        }
        let routes = (
            flat.route_through(&stops, Preference::FewestJumps),
            graph.route_through(&stops.map(place), Preference::FewestJumps),
        );
        if let (Ok(one), Ok(other)) = &routes
            && one.len() > 1
        {
            let rule = ShortcutRule { width: Some(0), least: Some(1) };
            let (one, other) =
                (flat.shortcuts(one, rule).unwrap(), graph.shortcuts(other, rule).unwrap());
            assert_eq!(one.len(), other.len());
            for (a, b) in one.iter().zip(&other) {
                assert_eq!((a.places, a.skipped), (b.places, b.skipped));
                assert_eq!(a.way.iter().map(in_place).collect::<Vec<_>>(), b.way);
                skipped += 1;
            }
        }
        assert_eq!(routes.0.is_ok(), routes.1.is_ok());
        match (flat.speed_steps(start), graph.speed_steps(place(start))) {
            (Ok(one), Ok(other)) => {
                for (a, b) in one.steps().iter().zip(other.steps()) {
                    assert_eq!((a.speed, a.gained, a.reached), (b.speed, b.gained, b.reached));
                    assert_eq!(a.witness.as_ref().map(in_place), b.witness);
                }
                let least = |&cell: &[usize; 2]| other.least(graph.terrain(), place(cell));
                assert!(ground.iter().all(|cell| one.least(flat.terrain(), *cell) == least(cell)));
                speeds += one.steps().len();
            }
            (Err(one), Err(other)) => assert_eq!(one, other),
            other => panic!("{other:?}"),
        }
        for &to in ground.iter().step_by(9) {
            let (one, other) = (
                flat.two_stages(start, to).unwrap(),
                graph.two_stages(place(start), place(to)).unwrap(),
            );
            assert_eq!(one.group_steps, other.group_steps);
            let steps = |steps: &jump_planner::ByCells| (steps.steps, steps.steps_until_taken);
            let found = other.by_cells.as_ref().map(|by| (by.steps, by.steps_until_taken));
            assert_eq!(one.by_cells.as_ref().map(steps), found);
            let way = one.way().map(|way| way.iter().map(in_place).collect::<Vec<_>>());
            assert_eq!(way.as_deref(), other.way());
            let (a, b) = (SearchOver::GroupsLazily, SearchOver::GroupsLazily);
            let one = flat.exists(start, to, a).unwrap();
            assert_eq!(one, graph.exists(place(start), place(to), b).unwrap());
            seen.insert(one.exists);
        }
        assert!(
            ground.iter().all(|&cell| flat.is_jump_cell(cell) == graph.is_jump_cell(place(cell)))
        );
    }
    assert!(
        cuts > 30 && skipped > 3 && speeds > 15 && seen.len() == 2,
        "{cuts} {skipped} {speeds}"
    );
}

#[test]
fn edits_of_one_storey_are_those_of_a_height_map() {
    let mut rng = ChaCha8Rng::seed_from_u64(75);
    let (mut worlds, mut several) = (0, 0);
    while worlds < 40 {
        let Some((terrain, character)) = terrain(&mut rng) else { continue };
        if terrain.has_ceilings() && worlds % 2 == 0 {
            continue;
        }
        let spans = SpanTerrain::from(&terrain);
        let Ok(flat) = JumpGraph::new(terrain, character) else { continue };
        worlds += 1;
        let graph = JumpGraph::new(spans, character).unwrap();
        let [rows, columns] = graph.terrain().shape();
        let (mut one, mut other) =
            (Level::new(flat, None).unwrap(), Level::new(graph, None).unwrap());
        for _ in 0..12 {
            let cell = [rng.random_range(0..rows), rng.random_range(0..columns)];
            let z = 0.25 * f64::from(rng.random_range(-4..10));
            let terrain = one.graph().terrain();
            let (roof, no_go) = (terrain.ceiling(cell), !terrain.can_stand(cell));
            if terrain.height(cell).is_none() || roof.is_some_and(|roof| roof <= z) {
                continue;
            }
            let roof = roof.map(|roof| Span::new(roof, f64::INFINITY));
            let ground = Span { no_go, ..Span::ground(z) };
            one.set_height(cell, z).unwrap();
            other.set_spans(cell, &[ground].into_iter().chain(roof).collect::<Vec<_>>()).unwrap();
            assert_eq!(one.region_count(), other.region_count());
            assert_eq!((one.counts(), one.one_way()), (other.counts(), other.one_way()));
            let found: Vec<_> = one.findings().iter().map(Finding::cells).collect();
            let theirs: Vec<_> = other.findings().iter().map(Finding::cells).collect();
            assert_eq!(found, theirs);
            for y in 0..rows {
                for x in 0..columns {
                    assert_eq!(one.region([y, x]), other.region(place([y, x])));
                }
            }
            several += usize::from(one.region_count() > 1);
        }
    }
    assert!(several > 100, "{several}");
}
