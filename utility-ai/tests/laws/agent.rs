//! Hit points, stagnation, fuzzy weights, hysteresis and explanations.

use super::worlds::{directed, grid};
use utility_ai::fuzzy::RuleBase;
use utility_ai::glam::DVec3;
use utility_ai::{
    Agent, AgentConfig, Danger, DangerConfig, Decision, Falloff, FillConfig, Flood, Graph,
    HealthConfig, Reason, Route, Sense, StagnationConfig, StandingCost, Strategy, Threat,
};

fn still(contact: bool) -> Sense {
    Sense { position: DVec3::new(1.0, 2.0, 0.0), contact, dt: 0.5 }
}

fn lone(config: AgentConfig) -> (Graph, Agent) {
    let graph = directed(&[(0, 1, 1.0), (1, 0, 1.0)]);
    let cost = StandingCost::new(&graph, 1.0).unwrap();
    let agent = Agent::new(&graph, cost, 0, &[1], config).unwrap();
    (graph, agent)
}

#[test]
fn a_hit_takes_a_point_and_then_there_is_grace() {
    let health = HealthConfig { max: 3.0, recovery: 0.5, grace: 1.0 };
    let (graph, mut agent) = lone(AgentConfig { health, ..AgentConfig::default() });
    let mut hits = Vec::new();
    for contact in [true, true, true, true, false, false, false, false, true] {
        hits.push(agent.tick(&graph, still(contact)).unwrap());
    }
    assert_eq!(hits, [true, false, true, false, false, false, false, false, true]);
    // 3 - 2 hits + 4 half times at 0.5, then a hit.
    assert_eq!((agent.health().points(), agent.health().hits()), (1.0, 3));
    for _ in 0..100 {
        agent.tick(&graph, still(true)).unwrap();
    }
    assert_eq!(agent.health().points(), 0.0);
    for _ in 0..100 {
        agent.tick(&graph, still(false)).unwrap();
    }
    assert_eq!(agent.health().points(), 3.0);
}

#[test]
fn stagnation_is_the_source_s_formula() {
    let stagnation = StagnationConfig { ticks: 4, stride: 0.5 };
    let (graph, mut agent) = lone(AgentConfig { stagnation, ..AgentConfig::default() });
    let mut seen = Vec::new();
    for x in [0.0, 0.5, 1.0, 1.5, 2.0, 2.0, 2.0, 2.0, 2.0, 9.0] {
        let sense = Sense { position: DVec3::new(x, 0.0, 0.0), contact: false, dt: 0.1 };
        agent.tick(&graph, sense).unwrap();
        seen.push(agent.stagnation().value());
    }
    // Nothing to compare with, full speed, then slower until stuck, then faster than it can be.
    assert_eq!(seen, [0.0, 0.0, 0.0, 0.0, 0.0, 0.5, 1.0, 1.5, 2.0, 0.0]);
}

#[test]
fn the_fuzzy_weight_is_upper_times_what_z_leaves() {
    let graph = grid(5, &[false; 25], true);
    let mut cost = StandingCost::new(&graph, 1.0).unwrap();
    let settings = DangerConfig { reach: 3.0, falloff: Falloff::Linear };
    let danger = cost.add("danger", Danger::by_travel(&graph, settings).unwrap(), 0.0).unwrap();
    let config = AgentConfig {
        health: HealthConfig { max: 10.0, recovery: 0.0, grace: 0.0 },
        stagnation: StagnationConfig { ticks: 1, stride: 1.0 },
        ..AgentConfig::default()
    };
    let mut agent = Agent::new(&graph, cost, 0, &[24], config).unwrap();
    agent.set_fuzzy_weight(danger, RuleBase::furukawa(), 8.0).unwrap();
    let z = |a: f64, b: f64| RuleBase::furukawa().infer(&[a, b]).unwrap().output().value();
    agent.tick(&graph, still(false)).unwrap();
    assert_eq!(z(1.0, 0.0), None);
    assert_eq!(agent.standing_cost().weight(danger).unwrap(), 4.0);
    assert!(agent.explain(&graph).unwrap().fuzzy.unwrap().nothing_fired);
    for _ in 0..3 {
        agent.tick(&graph, still(true)).unwrap();
    }
    let sense = Sense { position: DVec3::new(1.0, 2.4, 0.0), contact: false, dt: 0.1 };
    agent.tick(&graph, sense).unwrap();
    let (a, b) = (agent.health().share(), agent.stagnation().share());
    assert!((a - 0.7).abs() < 1e-12 && (b - 0.6).abs() < 1e-12);
    assert_eq!(agent.standing_cost().weight(danger).unwrap(), 8.0 * (1.0 - z(a, b).unwrap()));
    let note = agent.explain(&graph).unwrap().fuzzy.unwrap();
    assert_eq!(
        note.fired.iter().map(|(_, s)| (s * 10.0).round()).collect::<Vec<_>>(),
        [0.0, 6.0, 2.0]
    );
    assert_eq!(z(a, b), Some(note.z));
}

#[test]
fn hysteresis_stops_dithering() {
    // Danger on both sides of a corridor in turn; published, the agent runs to and fro.
    let graph = grid(9, &[false; 9], false);
    let turns = |hysteresis: f64| {
        let mut cost = StandingCost::new(&graph, 0.1).unwrap();
        let settings = DangerConfig { reach: 12.0, falloff: Falloff::Linear };
        let danger = cost.add("danger", Danger::by_travel(&graph, settings).unwrap(), 3.0).unwrap();
        let config = AgentConfig { hysteresis, ..AgentConfig::published(Strategy::Descend) };
        let mut agent = Agent::new(&graph, cost, 4, &[8], config).unwrap();
        let (mut turns, mut before) = (0, None);
        for tick in 0..20 {
            let threat = [Threat::at_node(if tick % 2 == 0 { 8 } else { 0 })];
            agent
                .standing_cost_mut()
                .get_mut(danger)
                .unwrap()
                .set_threats(&graph, &threat)
                .unwrap();
            agent.tick(&graph, still(false)).unwrap();
            let from = agent.node();
            let Decision::Go(step) = agent.decide(&graph).unwrap() else { break };
            turns += u32::from(before == Some(step.to));
            before = Some(from);
        }
        turns
    };
    assert!(turns(0.0) > 10);
    // Once, at the end of the corridor, where the only way is back.
    assert_eq!(turns(10.0), 1);
}

#[test]
fn explanations_add_up_and_name_what_decided() {
    let graph = grid(6, &[false; 36], true);
    let fill = Strategy::Fill(FillConfig { gamma: 0.3, threshold: 0.0, ..FillConfig::default() });
    let strategies =
        [Strategy::Straight, Strategy::Descend, fill, Strategy::Flood, Strategy::Weighted];
    for strategy in strategies {
        let mut cost = StandingCost::new(&graph, 1.0).unwrap();
        let settings = DangerConfig { reach: 4.0, falloff: Falloff::Linear };
        let danger = Danger::by_travel(&graph, settings).unwrap();
        let danger = cost.add("danger", danger, 6.0).unwrap();
        let mut agent =
            Agent::new(&graph, cost, 0, &[35], AgentConfig::published(strategy)).unwrap();
        let threats = [Threat::at_node(14), Threat::at_node(16)];
        agent.indicator_mut(danger).unwrap().set_threats(&graph, &threats).unwrap();
        for _ in 0..30 {
            agent.tick(&graph, still(false)).unwrap();
            let why = agent.explain(&graph).unwrap();
            let decision = agent.decide(&graph).unwrap();
            match decision {
                Decision::Arrived => {
                    assert_eq!((why.chosen, why.reason), (None, Reason::AtGoal));
                    break;
                }
                Decision::Go(step) => assert_eq!(why.chosen, Some(step)),
            }
            // The part of ranks from beyond the neighbour, found in another way.
            let sum = agent.standing_cost();
            let mut flood = Flood::new(&graph);
            flood.update(&graph, sum.total(), &[35]).unwrap();
            let mut route = Route::new(&graph);
            route.update(&graph, 1.0, sum.indicator_sum(), &[35]).unwrap();
            for choice in why.choices.iter().filter(|_| decision != Decision::Arrived) {
                let to = choice.step.to;
                match strategy {
                    Strategy::Flood => {
                        let raised = flood.values()[to] - sum.total()[to];
                        assert!(raised >= 0.0 && (choice.beyond.unwrap() - raised).abs() < 1e-9);
                    }
                    Strategy::Weighted => {
                        let danger = sum.indicator_sum()[to];
                        let way = choice.step.length * (1.0 + danger) + route.values()[to];
                        let beyond = way - sum.total()[to];
                        assert!((choice.beyond.unwrap() - beyond).abs() < 1e-9);
                    }
                    _ => assert_eq!(choice.beyond, None),
                }
            }
            if matches!(strategy, Strategy::Descend | Strategy::Fill(_)) {
                for choice in &why.choices {
                    let parts: f64 = choice.indicators.iter().sum();
                    let sum = choice.distance + parts + choice.fill.unwrap_or(0.0);
                    assert!((sum - choice.rank).abs() < 1e-9);
                }
            }
            let best = why.choices.iter().map(|c| c.rank).fold(f64::INFINITY, f64::min);
            let rank = why.choices.iter().find(|c| Some(c.step) == why.chosen).unwrap().rank;
            assert_eq!(rank, best);
            assert_eq!(why.reason, Reason::LowestRank);
            let text = why.to_string();
            let rows: Vec<_> = text.lines().skip(2).take(why.choices.len()).collect();
            assert!(rows[0].ends_with("<-") && text.contains("danger"), "{text}");
            let rank = |row: &&str| row.split_whitespace().nth(1).unwrap().parse::<f64>().unwrap();
            assert!(rows.iter().map(rank).is_sorted(), "{text}");
            let sum = text.lines().nth(2 + rows.len()).unwrap();
            let whole = strategy == Strategy::Straight;
            assert_eq!(sum == "rank = length of the way", whole, "{text}");
            assert!(whole || sum.starts_with("rank = distance + danger"), "{text}");
        }
    }
}

#[test]
fn the_budget_is_named_where_it_decides() {
    let graph = directed(&[(0, 1, 1.0), (1, 3, 1.0), (0, 2, 2.0), (2, 3, 2.0)]);
    let mut cost = StandingCost::new(&graph, 1.0).unwrap();
    let settings = DangerConfig { reach: 0.5, falloff: Falloff::Step };
    let danger = cost.add("danger", Danger::by_travel(&graph, settings).unwrap(), 50.0).unwrap();
    let mut agent = Agent::new(&graph, cost, 0, &[3], AgentConfig::default()).unwrap();
    agent
        .standing_cost_mut()
        .get_mut(danger)
        .unwrap()
        .set_threats(&graph, &[Threat::at_node(1)])
        .unwrap();
    agent.tick(&graph, still(false)).unwrap();
    let why = agent.explain(&graph).unwrap();
    assert_eq!(why.reason, Reason::BudgetForbidsBetter);
    assert_eq!(why.choices.iter().map(|c| c.allowed).collect::<Vec<_>>(), [true, false]);
    assert!(why.to_string().contains("over budget"));
}
