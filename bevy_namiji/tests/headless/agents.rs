use crate::{app, at, refusals, ticks};
use bevy_app::App;
use bevy_ecs::prelude::*;
use bevy_math::Vec2;
use bevy_namiji::{
    AgentBudget, AgentGoal, AgentState, Agents, DangerSource, GridMap, SetWalls, UtilityAgent,
};
use bevy_transform::components::Transform;

/// Two ways from the left to the right: a short one above, a longer one below.
const WAYS: &str = "
    ###############
    #.............#
    #.###########.#
    #.###########.#
    #.............#
    #.###########.#
    #.............#
    ###############";

fn ways() -> App {
    let mut app = app();
    app.insert_resource(GridMap::from_drawing(WAYS).unwrap());
    app
}
fn state(app: &App, entity: Entity) -> AgentState {
    *app.world().get::<AgentState>(entity).unwrap()
}
fn place(app: &App, entity: Entity) -> Vec2 {
    app.world().get::<Transform>(entity).unwrap().translation.truncate()
}

#[test]
fn an_agent_reaches_its_goal_around_a_danger() {
    for guarded in [false, true] {
        let mut app = ways();
        let goal = AgentGoal(Vec2::new(13.0, 3.0));
        let thief = app
            .world_mut()
            .spawn((UtilityAgent { reach: 4.0, ..UtilityAgent::new(4.0) }, goal, at(1.0, 3.0)))
            .id();
        if guarded {
            app.world_mut().spawn((DangerSource::default(), at(7.0, 3.0)));
        }
        let mut lowest = f32::INFINITY;
        for _ in 0..600 {
            ticks(&mut app, 1);
            let at = place(&app, thief);
            let map = app.world().resource::<GridMap>();
            assert!(!map.is_wall(map.cell_at(at).unwrap()), "{at}");
            lowest = lowest.min(at.y);
        }
        assert_eq!(state(&app, thief), AgentState::Arrived);
        assert!(place(&app, thief).distance(goal.0) < 0.01);
        // The straight way is row 3; with a guard in it, the one below is taken.
        assert_eq!(lowest < 2.0, guarded);
        assert_eq!(refusals(&mut app), [""; 0]);
    }
}

#[test]
fn who_is_cut_off_waits_until_a_way_opens() {
    let mut app = ways();
    app.world_mut().write_message(SetWalls::all([[1, 7], [3, 7], [6, 7]], true));
    let agent = app.world_mut().spawn((UtilityAgent::new(4.0), at(1.0, 3.0))).id();
    ticks(&mut app, 5);
    assert_eq!(state(&app, agent), AgentState::NoGoal);
    app.world_mut().entity_mut(agent).insert(AgentGoal(Vec2::new(13.0, 3.0)));
    ticks(&mut app, 50);
    assert_eq!(state(&app, agent), AgentState::CutOff);
    app.world_mut().write_message(SetWalls::all([[6, 7]], false));
    ticks(&mut app, 600);
    assert_eq!(state(&app, agent), AgentState::Arrived);
    // Nobody builds where it stands.
    app.world_mut().write_message(SetWalls::all([[3, 13]], true));
    ticks(&mut app, 1);
    assert_eq!(refusals(&mut app).len(), 1);
    assert!(!app.world().resource::<GridMap>().is_wall([3, 13]));
    app.world_mut().entity_mut(agent).remove::<AgentGoal>();
    ticks(&mut app, 2);
    assert_eq!(state(&app, agent), AgentState::NoGoal);
    app.world_mut().despawn(agent);
    assert!(app.world().resource::<Agents>().is_empty());
}

#[test]
fn bad_settings_are_refused_and_budgets_only_delay() {
    let mut app = ways();
    let goal = AgentGoal(Vec2::new(13.0, 3.0));
    let bad = [
        app.world_mut().spawn((UtilityAgent::new(f32::NAN), goal, at(1.0, 3.0))).id(),
        app.world_mut().spawn((UtilityAgent::new(1.0), AgentGoal(Vec2::ZERO), at(1.0, 3.0))).id(),
        app.world_mut().spawn((UtilityAgent::new(1.0), goal, at(-9.0, 3.0))).id(),
    ];
    app.world_mut()
        .spawn((DangerSource { strength: -1.0, ..DangerSource::default() }, at(1.0, 1.0)));
    let good: Vec<Entity> = (1..7u8)
        .map(|y| app.world_mut().spawn((UtilityAgent::new(4.0), goal, at(1.0, f32::from(y)))).id())
        .collect();
    app.insert_resource(AgentBudget { decisions: 1 });
    ticks(&mut app, 1);
    assert_eq!(refusals(&mut app).len(), 4);
    assert_eq!(bad.map(|e| state(&app, e)), [AgentState::Refused; 3]);
    ticks(&mut app, 900);
    assert!(good.iter().all(|e| state(&app, *e) == AgentState::Arrived));
    assert_eq!(refusals(&mut app), [""; 0]);
}

#[test]
fn a_map_that_is_taken_away_takes_its_agents_along() {
    let mut app = ways();
    let goal = AgentGoal(Vec2::new(13.0, 3.0));
    let agent = app.world_mut().spawn((UtilityAgent::new(4.0), goal, at(1.0, 3.0))).id();
    ticks(&mut app, 20);
    let before = place(&app, agent);
    assert!(before.x > 1.0 && state(&app, agent) == AgentState::Walking);
    app.world_mut().remove_resource::<GridMap>();
    ticks(&mut app, 20);
    assert_eq!((place(&app, agent), state(&app, agent)), (before, AgentState::NotYet));
    assert!(app.world().resource::<Agents>().is_empty());
    app.insert_resource(GridMap::from_drawing(WAYS).unwrap());
    ticks(&mut app, 600);
    assert_eq!(state(&app, agent), AgentState::Arrived);
    assert_eq!(refusals(&mut app), [""; 0]);
}

#[test]
fn an_agent_goes_on_where_only_a_place_for_it_is_refused() {
    let mut app = ways();
    let goal = AgentGoal(Vec2::new(13.0, 3.0));
    let agent = app.world_mut().spawn((UtilityAgent::new(4.0), goal, at(1.0, 3.0))).id();
    ticks(&mut app, 20);
    for (tick, wrong) in [at(0.0, 3.0), at(99.0, 3.0), at(f32::NAN, 3.0)].into_iter().enumerate() {
        let before = place(&app, agent);
        *app.world_mut().get_mut::<Transform>(agent).unwrap() = wrong;
        ticks(&mut app, 1);
        assert_eq!(refusals(&mut app).len(), 1, "{tick}");
        assert_eq!(state(&app, agent), AgentState::Walking);
        // It has walked on for a tick.
        assert!(((place(&app, agent).x - before.x) - 4.0 / 64.0).abs() < 1e-4);
    }
    // Another goal in the same tick counts.
    *app.world_mut().get_mut::<Transform>(agent).unwrap() = at(0.0, 3.0);
    app.world_mut().get_mut::<AgentGoal>(agent).unwrap().0 = Vec2::new(1.0, 6.0);
    ticks(&mut app, 1);
    assert_eq!(refusals(&mut app).len(), 1);
    ticks(&mut app, 600);
    assert_eq!(state(&app, agent), AgentState::Arrived);
    assert!(place(&app, agent).distance(Vec2::new(1.0, 6.0)) < 0.01);
}

#[test]
fn a_danger_that_comes_back_into_a_wall_is_told_of_again() {
    let mut app = ways();
    app.world_mut().spawn((UtilityAgent::new(4.0), at(1.0, 3.0)));
    let danger = app.world_mut().spawn((DangerSource::default(), at(0.0, 0.0))).id();
    ticks(&mut app, 1);
    assert_eq!(refusals(&mut app).len(), 1);
    app.world_mut().entity_mut(danger).remove::<DangerSource>();
    ticks(&mut app, 1);
    app.world_mut().entity_mut(danger).insert(DangerSource::default());
    ticks(&mut app, 1);
    assert_eq!(refusals(&mut app).len(), 1);
}
