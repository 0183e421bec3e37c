//! Every bad input is named, and changes nothing.

use super::worlds::directed;
use petgraph::graph::DiGraph;
use utility_ai::fuzzy::{Definition, RuleBase, Variable};
use utility_ai::glam::DVec3;
use utility_ai::{
    Agent, AgentConfig, Curve, Danger, DangerConfig, DetourBudget, DistanceField, Extent, Falloff,
    Fill, FillConfig, Flood, Graph, HealthConfig, Indicator, Route, Sense, StagnationConfig,
    StandingCost, Strategy, Threat, UtilityError,
};

fn small() -> Graph {
    directed(&[(0, 1, 1.0), (1, 2, 1.0), (2, 0, 3.0), (3, 0, 1.0)])
}

#[test]
fn graphs() {
    let none = DiGraph::<(), f64>::new();
    let freeze = |graph: &DiGraph<(), f64>| Graph::freeze(graph, |edge| *edge.weight());
    assert_eq!(freeze(&none).unwrap_err(), UtilityError::NodeCount { nodes: 0 });
    for length in [-1.0, 0.0, f64::NAN, f64::INFINITY, 1e61, 1e-61] {
        let error = freeze(&DiGraph::from_edges([(4, 7, length)])).unwrap_err();
        let text = error.to_string();
        assert!(text.starts_with(&format!("the edge 4 -> 7 has length {length:?}")), "{text}");
    }
    let mut graph = small();
    let before = graph.clone();
    assert_eq!(graph.max_length(), 12.0);
    for length in [-1.0, 0.0, f64::NAN, 12.1] {
        assert!(matches!(
            graph.set_length(0, 1, Some(length)),
            Err(UtilityError::Length { from: 0, to: 1, .. })
        ));
    }
    assert_eq!(graph.set_length(1, 1, None), Err(UtilityError::Loop { node: 1 }));
    let missing = UtilityError::NoNode { node: 9, bound: 4 };
    assert_eq!(graph.set_length(9, 1, None), Err(missing.clone()));
    assert_eq!(graph.remove_node(9), Err(missing));
    assert_eq!(graph.revision(), before.revision());
    assert!(graph.set_length(0, 1, Some(graph.max_length())).is_ok());
}

#[test]
fn fields_and_strategies() {
    let graph = small();
    let mut field = DistanceField::new(&graph, &[2]).unwrap();
    let values = field.values().to_vec();
    assert_eq!(field.set_goals(&graph, &[]), Err(UtilityError::NoGoal));
    let missing = UtilityError::NoNode { node: 4, bound: 4 };
    assert_eq!(field.set_goals(&graph, &[1, 4]), Err(missing.clone()));
    let other = directed(&[(0, 1, 1.0)]);
    assert_eq!(field.update(&other), Err(UtilityError::OtherGraph { found: 2, expected: 4 }));
    let mut edited = graph.clone();
    edited.remove_node(2).unwrap();
    assert_eq!(field.update(&edited), Err(UtilityError::GoalRemoved { node: 2 }));
    assert_eq!(field.values(), values);

    let cost = [0.0, 1.0, f64::NAN, 3.0];
    let not = UtilityError::NotFinite { what: "cost".into(), node: 2, value: f64::NAN }.to_string();
    let mut fill = Fill::new(&graph, FillConfig::default()).unwrap();
    assert_eq!(fill.update(&graph, &cost, &[2]).unwrap_err().to_string(), not);
    let mut flood = Flood::new(&graph);
    assert_eq!(flood.update(&graph, &cost, &[2]).unwrap_err().to_string(), not);
    let short = UtilityError::Count { what: "cost", found: 2, expected: 4 };
    assert_eq!(flood.update(&graph, &[0.0; 2], &[2]), Err(short.clone()));
    assert_eq!(fill.update(&graph, &[0.0; 2], &[2]), Err(short));
    assert_eq!(flood.update(&graph, &[0.0; 4], &[]), Err(UtilityError::NoGoal));
    let mut route = Route::new(&graph);
    assert_eq!(
        route.update(&graph, 1.0, &[0.0, -1.0, 0.0, 0.0], &[2]),
        Err(UtilityError::Factor { node: 1, factor: 0.0 })
    );
    assert!(route.update(&graph, 1.0, &[0.0, f64::NAN, 0.0, 0.0], &[2]).is_err());
    assert_eq!(route.update(&graph, 1.0, &[0.0; 4], &[4]), Err(missing));
    for config in [
        FillConfig { gamma: -0.1, ..FillConfig::default() },
        FillConfig { threshold: f64::NAN, ..FillConfig::default() },
        FillConfig { decay: 1.0, ..FillConfig::default() },
    ] {
        assert!(matches!(Fill::new(&graph, config), Err(UtilityError::Value { .. })));
    }
}

struct Broken;
impl Indicator for Broken {
    fn evaluate(&mut self, _: &Graph, values: &mut [f64]) -> Result<(), UtilityError> {
        values[3] = f64::NAN;
        Ok(())
    }
}

#[test]
fn indicators() {
    let graph = small();
    let mut utility = StandingCost::new(&graph, 1.0).unwrap();
    for weight in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(StandingCost::new(&graph, weight), Err(UtilityError::Value { .. })));
    }
    let settings = DangerConfig { reach: 2.0, falloff: Falloff::Linear };
    let danger = utility.add("danger", Danger::by_travel(&graph, settings).unwrap(), 1.0).unwrap();
    assert!(matches!(utility.add("danger", Broken, 1.0), Err(UtilityError::NameTaken { .. })));
    assert!(matches!(utility.add("x", Broken, f64::NAN), Err(UtilityError::Value { .. })));
    assert!(matches!(utility.set_weight(danger, f64::NAN), Err(UtilityError::Value { .. })));
    let curve = Curve::Power { scale: 1.0, exponent: 0.0, offset: 0.0 };
    assert!(matches!(utility.set_curve(danger, Some(curve)), Err(UtilityError::Value { .. })));
    utility.get_mut(danger).unwrap().set_threats(&graph, &[Threat::at_node(1)]).unwrap();
    utility.update(&graph, &[0.0; 4]).unwrap();
    let before = utility.total().to_vec();
    assert!(before[1] == 1.0);

    let threats = utility.get_mut(danger).unwrap();
    assert!(threats.set_threats(&graph, &[Threat::at_node(8)]).is_err());
    assert!(threats.set_threats(&graph, &[Threat::at(DVec3::ZERO)]).is_err());
    let odd = Threat { strength: f64::NAN, ..Threat::at_node(0) };
    assert!(threats.set_threats(&graph, &[odd]).is_err());
    assert_eq!(threats.threats(), [Threat::at_node(1)]);
    for reach in [0.0, f64::NAN] {
        assert!(Danger::by_travel(&graph, DangerConfig { reach, ..settings }).is_err());
    }
    assert!(Danger::by_distance(&graph, settings, &[DVec3::ZERO; 3]).is_err());
    assert!(Danger::by_distance(&graph, settings, &[DVec3::NAN; 4]).is_err());

    let mut other = StandingCost::new(&graph, 1.0).unwrap();
    other.add("danger", Danger::by_travel(&graph, settings).unwrap(), 1.0).unwrap();
    assert_eq!(other.set_weight(danger, 2.0), Err(UtilityError::OtherIndicator { number: 0 }));
    let short = other.get_mut(danger).err();
    assert_eq!(short, Some(UtilityError::OtherIndicator { number: 0 }));
    let mut danger = Danger::by_travel(&graph, settings).unwrap();
    assert!(matches!(danger.evaluate(&graph, &mut [0.0; 2]), Err(UtilityError::Count { .. })));

    utility.add("broken", Broken, 1.0).unwrap();
    let error = utility.update(&graph, &[0.0; 4]).unwrap_err();
    assert_eq!(error.to_string(), "broken is NaN at node 3: it must be a finite number");
    assert_eq!(utility.total(), before);

    let mut utility = StandingCost::new(&graph, 1.0).unwrap();
    let kit = DistanceField::new(&graph, &[2]).unwrap();
    let kit = utility.add("kit", kit, 1e200).unwrap();
    assert!(utility.update(&graph, &[0.0, 0.0, f64::NAN, 0.0]).is_err());
    utility.set_curve(kit, Some(Curve::Linear { slope: 1e200, offset: 0.0 })).unwrap();
    let error = utility.update(&graph, &[0.0; 4]).unwrap_err();
    assert_eq!(error.to_string(), "the weighted sum is inf at node 0: it must be a finite number");
    assert!(utility.indicators().all(|(_, _, values)| values == [0.0; 4]));
    assert_eq!((utility.total(), utility.indicator_sum()), (&[0.0; 4][..], &[0.0; 4][..]));

    // Where nobody comes from, an indicator may say anything.
    let mut utility = StandingCost::new(&graph, 1.0).unwrap();
    utility.add("broken", Broken, 1.0).unwrap();
    utility.update(&graph, &[1.0, 2.0, 3.0, f64::INFINITY]).unwrap();
    assert_eq!(utility.total(), [1.0, 2.0, 3.0, f64::INFINITY]);
}

const STILL: Sense = Sense { position: DVec3::ZERO, contact: false, dt: 0.1 };

#[test]
fn rules_for_a_weight() {
    let graph = small();
    let mut utility = StandingCost::new(&graph, 1.0).unwrap();
    let settings = DangerConfig { reach: 2.0, falloff: Falloff::Linear };
    let danger = utility.add("danger", Danger::by_travel(&graph, settings).unwrap(), 2.0).unwrap();
    let mut agent = Agent::new(&graph, utility, 0, &[2], AgentConfig::default()).unwrap();
    let refused = |agent: &mut Agent, change: fn(&mut Definition)| {
        let mut definition = Definition::furukawa();
        change(&mut definition);
        let rules = RuleBase::new(definition).unwrap();
        let error = agent.set_fuzzy_weight(danger, rules, 4.0).unwrap_err();
        assert_eq!(agent.standing_cost().weight(danger), Ok(2.0));
        error.to_string()
    };
    let text = refused(&mut agent, |d| d.output.range = [0.0, 10.0]);
    assert!(text.ends_with("z has the range [0.0, 10.0]"), "{text}");
    let text = refused(&mut agent, |d| d.inputs[1].range = [0.0, 50.0]);
    assert!(text.ends_with("b has the range [0.0, 50.0]"), "{text}");
    let text =
        refused(&mut agent, |d| d.inputs.push(Variable { name: "c".into(), ..d.output.clone() }));
    assert!(text.ends_with("these take 3"), "{text}");
    // At once, and the same as after a tick in which nothing happens.
    agent.set_fuzzy_weight(danger, RuleBase::furukawa(), 4.0).unwrap();
    assert_eq!(agent.standing_cost().weight(danger), Ok(2.0));
    let before = agent.explain(&graph).unwrap().fuzzy;
    agent.tick(&graph, STILL).unwrap();
    assert_eq!(agent.explain(&graph).unwrap().fuzzy, before);
    agent.remove_fuzzy_weight();
    assert_eq!(agent.explain(&graph).unwrap().fuzzy, None);
}

#[test]
fn agents() {
    let graph = small();
    let agent = |start, goals: &[usize], config| {
        Agent::new(&graph, StandingCost::new(&graph, 1.0).unwrap(), start, goals, config)
    };
    let good = AgentConfig::default();
    assert_eq!(agent(0, &[], good).unwrap_err(), UtilityError::NoGoal);
    assert!(matches!(agent(7, &[0], good), Err(UtilityError::NoNode { node: 7, .. })));
    assert_eq!(agent(0, &[3], good).unwrap_err(), UtilityError::Unreachable { from: 0 });
    let unstable = FillConfig { gamma: 3.0, ..FillConfig::default() };
    let error = agent(0, &[2], AgentConfig { strategy: Strategy::Fill(unstable), ..good });
    assert!(matches!(error, Err(UtilityError::UnstableGamma { .. })));
    let budget = |detour, refill_every| Some(DetourBudget { detour, refill_every });
    for config in [
        AgentConfig { hysteresis: -1.0, ..good },
        AgentConfig { budget: budget(Extent::OfStart(f64::INFINITY), None), ..good },
        AgentConfig { health: HealthConfig { max: 0.0, ..good.health }, ..good },
        AgentConfig { stagnation: StagnationConfig { ticks: 0, ..good.stagnation }, ..good },
    ] {
        assert!(matches!(agent(0, &[2], config), Err(UtilityError::Value { .. })), "{config:?}");
    }
    let quantum = graph.quantum();
    let most = quantum * (1_u64 << 50) as f64;
    for (detour, refill_every, limits) in [
        (-1.0, None, [0.0, most]),
        (f64::NAN, None, [0.0, most]),
        (2.0 * most, None, [0.0, most]),
        (1.0, Some(0.0), [quantum, f64::MAX]),
        (1.0, Some(f64::INFINITY), [quantum, f64::MAX]),
    ] {
        let budget = budget(Extent::Length(detour), refill_every);
        let error = agent(0, &[2], AgentConfig { budget, ..good }).unwrap_err().to_string();
        let named = limits.iter().all(|limit| error.contains(&format!("{limit:?}")));
        assert!(error.starts_with("budget.") && named, "{error}");
    }

    let mut sound = agent(0, &[2], good).unwrap();
    let twin = small();
    assert!(matches!(sound.decide(&twin), Err(UtilityError::OtherGraph { .. })));
    assert!(matches!(sound.charge(&twin, 0.0), Err(UtilityError::OtherGraph { .. })));
    assert!(matches!(sound.tick(&twin, STILL), Err(UtilityError::OtherGraph { .. })));
    let mut without = graph.clone();
    without.remove_node(0).unwrap();
    let mut gone = agent(0, &[2], good).unwrap();
    assert_eq!(gone.decide(&without), Err(UtilityError::NoNode { node: 0, bound: 4 }));
    let nan = Sense { position: DVec3::new(f64::NAN, 0.0, 0.0), contact: true, dt: 0.1 };
    assert!(sound.tick(&graph, nan).is_err());
    assert!(sound.tick(&graph, Sense { dt: -0.1, position: DVec3::ZERO, ..nan }).is_err());
    assert_eq!(sound.health().hits(), 0);
    assert!(sound.set_goals(&graph, &[3]).is_err());
    assert!(sound.place(&graph, 9).is_err());
    assert!(sound.charge(&graph, -1.0).is_err());
    assert_eq!(sound.distance_field().goals(), [2]);
    // A broken indicator: no hit point is lost in a tick that failed, and no weight has changed.
    let settings = DangerConfig { reach: 2.0, falloff: Falloff::Linear };
    let danger = Danger::by_travel(&graph, settings).unwrap();
    let danger = sound.standing_cost_mut().add("danger", danger, 1.0).unwrap();
    sound.set_fuzzy_weight(danger, RuleBase::furukawa(), 8.0).unwrap();
    let hit = Sense { position: DVec3::ZERO, contact: true, dt: 0.1 };
    assert!(sound.tick(&graph, hit).unwrap());
    sound
        .standing_cost_mut()
        .get_mut(danger)
        .unwrap()
        .set_threats(&graph, &[Threat::at_node(1)])
        .unwrap();
    let broken = sound.standing_cost_mut().add("broken", Broken, 0.0).unwrap();
    let before = sound.explain(&graph).unwrap();
    let later = Sense { dt: 5.0, contact: false, ..hit };
    for _ in 0..2 {
        assert!(matches!(sound.tick(&graph, later), Err(UtilityError::NotFinite { .. })));
        assert_eq!(sound.explain(&graph).unwrap(), before);
    }
    assert_eq!((sound.health().hits(), sound.node()), (1, 0));
    sound
        .standing_cost_mut()
        .set_curve(broken, Some(Curve::Step { at: 0.0, below: 0.0, above: 0.0 }))
        .unwrap();
    sound.tick(&graph, later).unwrap();
    assert_ne!(sound.explain(&graph).unwrap(), before);
}

#[test]
fn threats_belong_to_the_graph_of_their_danger() {
    let chain = |n: u32| directed(&(1..n).map(|node| (node - 1, node, 1.0)).collect::<Vec<_>>());
    let [small, large] = [chain(3), chain(12)];
    let mut danger = Danger::by_travel(&small, DangerConfig::default()).unwrap();
    let refused = danger.set_threats(&large, &[Threat::at_node(10)]);
    assert!(matches!(refused, Err(UtilityError::OtherGraph { found: 12, expected: 3 })));
    assert!(danger.threats().is_empty());
}

/// A sum that was put in place of an agent's own has no indicator whose weight the rules could set.
#[test]
fn rules_of_an_indicator_that_is_gone_are_refused() {
    let graph = small();
    let mut cost = StandingCost::new(&graph, 1.0).unwrap();
    let danger = Danger::by_travel(&graph, DangerConfig::default()).unwrap();
    let id = cost.add("danger", danger, 1.0).unwrap();
    let mut agent = Agent::new(&graph, cost, 0, &[2], AgentConfig::default()).unwrap();
    agent.set_fuzzy_weight(id, RuleBase::furukawa(), 1.0).unwrap();
    agent.tick(&graph, STILL).unwrap();
    *agent.standing_cost_mut() = StandingCost::new(&graph, 1.0).unwrap();
    let refused = agent.tick(&graph, STILL);
    assert!(matches!(refused, Err(UtilityError::OtherIndicator { number: 0 })), "{refused:?}");
}
