//! Promises of arrival: kept whatever is chosen and whatever the threats do.

use super::worlds::{directed, grid, random_edges, walls};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use utility_ai::glam::DVec3;
use utility_ai::{
    Agent, AgentConfig, Danger, DangerConfig, Decision, DetourBudget, DistanceField, Extent,
    Falloff, FillConfig, Graph, Guarantee, Indicator, Reason, Sense, StandingCost, Strategy,
    Threat, UtilityError,
};

const NOWHERE: Sense = Sense { position: DVec3::ZERO, contact: false, dt: 0.1 };

/// Makes one node better than all others.
struct Wish(usize);

impl Indicator for Wish {
    fn evaluate(&mut self, _: &Graph, values: &mut [f64]) -> Result<(), UtilityError> {
        values.fill(0.0);
        values[self.0] = -1e9;
        Ok(())
    }
}

/// The result of a sequence of wishes.
struct Played {
    /// Whether every wish was followed.
    granted: bool,
    arrived: bool,
    node: usize,
    walked: f64,
    /// Length walked before each decision, and the promise then.
    promises: Vec<(f64, f64)>,
}

fn play(graph: &Graph, start: usize, budget: DetourBudget, wishes: &[usize]) -> Played {
    let mut cost = StandingCost::new(graph, 1.0).unwrap();
    let wish = cost.add("wish", Wish(0), 1.0).unwrap();
    let config =
        AgentConfig { strategy: Strategy::Descend, budget: Some(budget), ..AgentConfig::default() };
    let mut agent = Agent::new(graph, cost, start, &[0], config).unwrap();
    let mut played =
        Played { granted: true, arrived: false, node: start, walked: 0.0, promises: Vec::new() };
    for &to in wishes {
        agent.standing_cost_mut().get_mut(wish).unwrap().0 = to;
        agent.tick(graph, NOWHERE).unwrap();
        let Guarantee::Arrival { within } = agent.guarantee(graph).unwrap() else { panic!() };
        played.promises.push((played.walked, within));
        let Decision::Go(step) = agent.decide(graph).unwrap() else { panic!() };
        played.walked += step.length;
        played.granted &= step.to == to;
    }
    played.node = agent.node();
    played.arrived = agent.decide(graph).unwrap() == Decision::Arrived;
    played
}

/// All that an agent could be made to do. Returns the longest way.
fn every_choice(graph: &Graph, start: usize, budget: DetourBudget, wishes: &mut Vec<usize>) -> f64 {
    let played = play(graph, start, budget, wishes);
    if played.arrived {
        for (walked, within) in &played.promises {
            assert!(played.walked <= walked + within, "{wishes:?}");
        }
        return played.walked;
    }
    let mut longest = f64::NEG_INFINITY;
    for step in graph.steps(played.node).collect::<Vec<_>>() {
        wishes.push(step.to);
        if play(graph, start, budget, wishes).granted {
            longest = longest.max(every_choice(graph, start, budget, wishes));
        }
        wishes.pop();
    }
    assert!(longest > 0.0, "no allowed move after {wishes:?}");
    longest
}

#[test]
fn every_allowed_choice_on_small_graphs_arrives_within_the_bound() {
    let mut attained = 0;
    let mut cases = 0;
    for seed in 0..150 {
        let graph = directed(&random_edges(3 + seed as u32 % 4, 4, seed));
        let start = graph.node_bound() - 1;
        for (detour, refill_every) in [
            (Extent::Length(0.0), None),
            (Extent::OfStart(0.5), None),
            (Extent::Length(2.0), None),
            (Extent::Length(0.75), Some(1.0)),
        ] {
            let budget = DetourBudget { detour, refill_every };
            let first = play(&graph, start, budget, &[graph.steps(start).next().unwrap().to]);
            let within = first.promises[0].1;
            let longest = every_choice(&graph, start, budget, &mut Vec::new());
            assert!(longest <= within);
            cases += 1;
            attained += u32::from(longest == within);
        }
    }
    // The bound cannot be lowered: without a detour it is always attained.
    assert!(attained * 4 >= cases, "{attained} of {cases}");
}

/// All graphs of three nodes with one-way edges of length 1 or 2, and of four with edges both ways,
/// in which a way leads from the last node to node 0.
#[test]
fn every_allowed_choice_on_every_smallest_graph_arrives_within_the_bound() {
    let one_way = [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)];
    let both_ways = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)];
    let mut played = 0;
    for (last, pairs) in [(2, one_way), (3, both_ways)] {
        for code in 0..3_u32.pow(6) {
            let length = |i: usize| f64::from(code / 3_u32.pow(i as u32) % 3);
            let mut edges = Vec::new();
            for (i, &(a, b)) in pairs.iter().enumerate().filter(|(i, _)| length(*i) > 0.0) {
                edges.push((a, b, length(i)));
                if last == 3 {
                    edges.push((b, a, length(i)));
                }
            }
            if !edges.iter().any(|edge| edge.0.max(edge.1) == last) {
                continue;
            }
            let graph = directed(&edges);
            let start = last as usize;
            if DistanceField::new(&graph, &[0]).unwrap().distance(start) == f64::INFINITY {
                continue;
            }
            for (detour, refill_every) in [(2.0, None), (1.0, Some(2.0))] {
                let budget = DetourBudget { detour: Extent::Length(detour), refill_every };
                every_choice(&graph, start, budget, &mut Vec::new());
                played += 1;
            }
        }
    }
    assert!(played > 2000, "{played}");
}

#[test]
fn a_refill_after_more_than_there_is_to_walk_is_none() {
    let graph = directed(&[(1, 0, 1.0), (0, 1, 1.0), (2, 1, 1.0), (1, 2, 1.0)]);
    let budget = |refill_every| DetourBudget { detour: Extent::OfStart(0.5), refill_every };
    let wishes = [1, 0];
    let promises = |every| play(&graph, 2, budget(every), &wishes).promises;
    let never = promises(None);
    for every in [4.0, 4.5, 100.0, 1e9, 1e60, f64::MAX] {
        assert_eq!(promises(Some(every)), never, "{every}");
    }
    assert_ne!(promises(Some(1.0)), never);
}

/// Any costs, ties included.
struct Costs(Vec<f64>);

impl Indicator for Costs {
    fn evaluate(&mut self, _: &Graph, values: &mut [f64]) -> Result<(), UtilityError> {
        values.copy_from_slice(&self.0);
        Ok(())
    }
}

#[test]
fn what_is_promised_on_small_graphs_while_costs_stay_is_what_is_walked() {
    for seed in 0..300 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let nodes = 3 + seed as u32 % 6;
        let graph = directed(&random_edges(nodes, nodes, seed));
        let costs: Vec<f64> = (0..nodes).map(|_| f64::from(rng.random_range(0..4_u32))).collect();
        for (strategy, promised) in STRATEGIES.into_iter().zip([true, false, false, true, true]) {
            for start in graph.nodes() {
                let mut cost = StandingCost::new(&graph, 1.0).unwrap();
                cost.add("costs", Costs(costs.clone()), 2.0).unwrap();
                let strategy = match strategy {
                    Strategy::Fill(config) => Strategy::Fill(FillConfig { gamma: 0.1, ..config }),
                    other => other,
                };
                let config = AgentConfig::published(strategy);
                let mut agent = Agent::new(&graph, cost, start, &[0], config).unwrap();
                agent.tick(&graph, NOWHERE).unwrap();
                let (Guarantee::WhileStill { within } | Guarantee::Arrival { within }) =
                    agent.guarantee(&graph).unwrap()
                else {
                    assert!(!promised, "{strategy:?} {seed}");
                    continue;
                };
                assert!(promised);
                let mut walked = 0.0;
                while let Decision::Go(step) = agent.decide(&graph).unwrap() {
                    walked += step.length;
                    assert!(walked <= within, "{strategy:?} {seed}");
                    agent.tick(&graph, NOWHERE).unwrap();
                }
                assert_eq!(walked, within, "{strategy:?} {seed}");
            }
        }
    }
}

/// A square map with random walls and an agent in it that has half of its side to go.
fn scene(
    side: usize,
    seed: u64,
    config: AgentConfig,
) -> (Graph, Agent, utility_ai::IndicatorId<Danger>) {
    let graph = grid(side, &walls(side * side, 0.25, seed), true);
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    loop {
        let mut any = || rng.random_range(0..graph.node_bound());
        let (start, goal) = (any(), any());
        let mut cost = StandingCost::new(&graph, 1.0).unwrap();
        let settings = DangerConfig { reach: 8.0, falloff: Falloff::Linear };
        let danger = Danger::by_travel(&graph, settings).unwrap();
        let slot = cost.add("danger", danger, 9.0).unwrap();
        if let Ok(agent) = Agent::new(&graph, cost, start, &[goal], config)
            && agent.distance_field().distance(start) > side as f64 / 2.0
        {
            return (graph, agent, slot);
        }
    }
}

const STRATEGIES: [Strategy; 5] = [
    Strategy::Straight,
    Strategy::Descend,
    Strategy::Fill(FillConfig {
        gamma: 0.3,
        threshold: 1.0,
        decay: 0.01,
        laplacian: utility_ai::Laplacian::Sum,
    }),
    Strategy::Flood,
    Strategy::Weighted,
];

#[test]
fn no_threat_keeps_an_agent_with_a_budget_from_arriving() {
    for (i, strategy) in STRATEGIES.into_iter().enumerate() {
        for seed in 0..13 {
            let refill_every = (seed % 3 == 0).then_some(5.0);
            let budget = DetourBudget { detour: Extent::OfStart(0.4), refill_every };
            let config = AgentConfig {
                strategy,
                budget: Some(budget),
                hysteresis: f64::from(seed as u32 % 2),
                ..AgentConfig::default()
            };
            let side = if seed < 12 { 30 } else { 90 };
            let (graph, mut agent, danger) = scene(side, seed, config);
            let mut rng = ChaCha8Rng::seed_from_u64(seed + 1000 * i as u64);
            let mut walked = 0.0;
            let mut least_end = f64::INFINITY;
            loop {
                // They appear wherever they like, half of them right where it wants to go.
                let steered = agent.explain(&graph).unwrap().chosen.map_or(agent.node(), |s| s.to);
                let threats: Vec<Threat> = (0..8)
                    .map(|t| if t < 4 { steered } else { rng.random_range(0..graph.node_bound()) })
                    .map(Threat::at_node)
                    .collect();
                agent
                    .standing_cost_mut()
                    .get_mut(danger)
                    .unwrap()
                    .set_threats(&graph, &threats)
                    .unwrap();
                agent.tick(&graph, NOWHERE).unwrap();
                let Guarantee::Arrival { within } = agent.guarantee(&graph).unwrap() else {
                    panic!("there is a budget")
                };
                least_end = least_end.min(walked + within);
                match agent.decide(&graph).unwrap() {
                    Decision::Arrived => break,
                    Decision::Go(step) => walked += step.length,
                }
                assert!(walked <= least_end, "{strategy:?} {seed}");
            }
        }
    }
}

#[test]
fn promises_for_threats_that_stay_are_kept_as_long_as_they_stay() {
    for (strategy, promised) in STRATEGIES.into_iter().zip([true, false, false, true, true]) {
        for seed in 0..12 {
            let config = AgentConfig::published(strategy);
            let (graph, mut agent, danger) = scene(30, seed, config);
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let threats: Vec<Threat> =
                (0..8).map(|_| Threat::at_node(rng.random_range(0..graph.node_bound()))).collect();
            agent
                .standing_cost_mut()
                .get_mut(danger)
                .unwrap()
                .set_threats(&graph, &threats)
                .unwrap();
            agent.tick(&graph, NOWHERE).unwrap();
            let (Guarantee::WhileStill { within } | Guarantee::Arrival { within }) =
                agent.guarantee(&graph).unwrap()
            else {
                assert!(!promised);
                continue;
            };
            assert!(promised);
            let mut walked = 0.0;
            while let Decision::Go(step) = agent.decide(&graph).unwrap() {
                walked += step.length;
                assert!(walked <= within);
                agent.tick(&graph, NOWHERE).unwrap();
            }
            assert_eq!(walked, within, "{strategy:?} {seed}");
        }
    }
}

#[test]
fn edits_and_other_places_begin_a_new_promise_and_charges_are_told() {
    let mut graph = directed(&[(0, 1, 1.0), (1, 2, 1.0), (0, 2, 4.0), (1, 0, 1.0)]);
    let cost = StandingCost::new(&graph, 1.0).unwrap();
    let mut agent = Agent::new(&graph, cost, 0, &[2], AgentConfig::default()).unwrap();
    let within = |agent: &mut Agent, graph: &Graph| match agent.guarantee(graph).unwrap() {
        Guarantee::Arrival { within } => within,
        other => panic!("{other:?}"),
    };
    assert_eq!(within(&mut agent, &graph), 3.0);
    assert!(agent.charge(&graph, 0.75).unwrap());
    assert_eq!(within(&mut agent, &graph), 2.25);
    assert!(!agent.charge(&graph, 0.75).unwrap());
    assert_eq!(within(&mut agent, &graph), 2.0);
    graph.set_length(1, 2, None).unwrap();
    assert_eq!(within(&mut agent, &graph), 6.0);
    agent.place(&graph, 1).unwrap();
    assert_eq!(within(&mut agent, &graph), 7.5);
    // No way is left: nothing changes but the graph.
    graph.set_length(0, 2, None).unwrap();
    assert_eq!(agent.decide(&graph), Err(UtilityError::Unreachable { from: 1 }));
    assert_eq!(agent.decide(&graph), Err(UtilityError::Unreachable { from: 1 }));
    graph.set_length(0, 2, Some(1.0)).unwrap();
    assert_eq!(within(&mut agent, &graph), 3.0);
    graph.remove_node(2).unwrap();
    assert_eq!(agent.decide(&graph), Err(UtilityError::GoalRemoved { node: 2 }));
}

/// Refills times the budget may be more quanta than a float has digits.
#[test]
fn promises_of_huge_budgets_do_not_grow_on_the_way() {
    let mut rng = ChaCha8Rng::seed_from_u64(34);
    let mut fell = 0;
    for _ in 0..200 {
        let nodes = 30;
        let length = |rng: &mut ChaCha8Rng| rng.random_range(0.1..1.0);
        let edges: Vec<_> = (1..nodes)
            .flat_map(|n| [(n, n - 1), (n - 1, n)])
            .map(|(from, to)| (from, to, length(&mut rng)))
            .collect();
        let graph = directed(&edges);
        let budget = DetourBudget {
            detour: Extent::OfStart(rng.random_range(1e3..1e6)),
            refill_every: Some(graph.quantum() * rng.random_range(1.0..9.0)),
        };
        let wishes: Vec<usize> = (0..nodes as usize - 1).rev().collect();
        let played = play(&graph, wishes.len(), budget, &wishes);
        assert!(played.granted && played.arrived);
        for pair in played.promises.windows(2) {
            let [before, after] = [pair[0].1, pair[1].1];
            assert!(before > graph.quantum() * 2f64.powi(53), "{before} is not huge");
            assert!(after <= before, "{after} after {before}");
            fell += usize::from(after < before);
        }
    }
    assert!(fell > 3000, "{fell}");
}

/// Edges of a far corner say nothing about the way that is left.
#[test]
fn edits_that_leave_it_as_far_away_leave_budget_and_promise() {
    let mut graph = directed(&[(0, 1, 1.0), (1, 2, 1.0), (2, 3, 1.0), (4, 3, 1.0), (3, 4, 1.0)]);
    let cost = StandingCost::new(&graph, 1.0).unwrap();
    let mut agent = Agent::new(&graph, cost, 0, &[3], AgentConfig::default()).unwrap();
    assert!(agent.charge(&graph, 1.0).unwrap());
    let promise = agent.guarantee(&graph).unwrap();
    assert_eq!(promise, Guarantee::Arrival { within: 3.5 });
    for length in [Some(2.0), None, Some(1.0)] {
        graph.set_length(4, 3, length).unwrap();
        agent.tick(&graph, NOWHERE).unwrap();
        assert_eq!(agent.guarantee(&graph), Ok(promise));
    }
}

/// Time passes for it, blows are counted, and with a way there is a full budget again.
#[test]
fn who_is_cut_off_lives_on_and_decides_nothing() {
    let mut graph = directed(&[(0, 1, 1.0), (1, 2, 1.0), (0, 2, 3.0), (2, 0, 1.0)]);
    let cost = StandingCost::new(&graph, 1.0).unwrap();
    let mut agent = Agent::new(&graph, cost, 0, &[2], AgentConfig::default()).unwrap();
    assert!(agent.charge(&graph, 1.0).unwrap());
    graph.set_length(0, 1, None).unwrap();
    graph.set_length(0, 2, None).unwrap();
    let full = agent.health().share();
    let mut hits = 0;
    for _ in 0..3 {
        hits += u32::from(agent.tick(&graph, Sense { contact: true, ..NOWHERE }).unwrap());
        assert_eq!(agent.decide(&graph), Err(UtilityError::Unreachable { from: 0 }));
        assert_eq!(agent.guarantee(&graph), Err(UtilityError::Unreachable { from: 0 }));
        let why = agent.explain(&graph).unwrap();
        assert_eq!((why.reason, why.chosen, why.choices.len()), (Reason::CutOff, None, 0));
    }
    assert!(hits > 0 && agent.health().share() < full);
    graph.set_length(0, 2, Some(2.0)).unwrap();
    agent.tick(&graph, NOWHERE).unwrap();
    assert_eq!(agent.guarantee(&graph), Ok(Guarantee::Arrival { within: 3.0 }));
    assert!(matches!(agent.decide(&graph), Ok(Decision::Go(step)) if step.to == 2));
}

#[test]
fn who_is_cut_off_may_name_the_goals_that_are_left() {
    let mut graph = directed(&[(0, 1, 1.0), (1, 0, 1.0), (0, 2, 3.0), (2, 0, 1.0)]);
    let cost = StandingCost::new(&graph, 1.0).unwrap();
    let mut agent = Agent::new(&graph, cost, 0, &[1, 2], AgentConfig::default()).unwrap();
    graph.set_length(0, 2, None).unwrap();
    // While a way leads somewhere, goals beyond reach are refused.
    assert_eq!(agent.set_goals(&graph, &[2]), Err(UtilityError::Unreachable { from: 0 }));
    graph.remove_node(1).unwrap();
    assert_eq!(agent.tick(&graph, NOWHERE), Err(UtilityError::GoalRemoved { node: 1 }));
    agent.set_goals(&graph, &[2]).unwrap();
    agent.tick(&graph, NOWHERE).unwrap();
    assert_eq!(agent.decide(&graph), Err(UtilityError::Unreachable { from: 0 }));
    graph.set_length(0, 2, Some(2.0)).unwrap();
    assert_eq!(agent.guarantee(&graph), Ok(Guarantee::Arrival { within: 3.0 }));
}
