//! A tick and a decision allocate nothing, once threats have been at their most.
//! Counted is the test's own thread, or those of its pools: the test harness allocates in others.
#![allow(unsafe_code)]

use petgraph::graph::UnGraph;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};
use utility_ai::fuzzy::RuleBase;
use utility_ai::glam::DVec3;
use utility_ai::{
    Agent, AgentConfig, Danger, DangerConfig, Decision, Falloff, FillConfig, Graph, Sense,
    StandingCost, Strategy, Threat,
};

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
    static IN_POOL: Cell<bool> = const { Cell::new(false) };
}
/// The allocations of threads of pools.
static IN_POOLS: AtomicUsize = AtomicUsize::new(0);

// SAFETY: everything is handed on to the system's allocator as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        IN_POOLS.fetch_add(usize::from(IN_POOL.get()), Ordering::Relaxed);
        // SAFETY: the caller's promise is the same.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise is the same.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// A square, every node joined to its 8 neighbours.
fn square(side: u32) -> Graph {
    let join = |x: u32, y: u32, dx: u32, dy: u32, length: f64| {
        (x + dx < side && y + dy < side).then(|| (y * side + x, (y + dy) * side + x + dx, length))
    };
    let cells = (0..side).flat_map(|y| (0..side).map(move |x| (x, y)));
    let edges = cells
        .flat_map(|(x, y)| [join(x, y, 1, 0, 1.0), join(x, y, 0, 1, 1.0), join(x, y, 1, 1, 1.5)]);
    let petgraph = UnGraph::<(), f64>::from_edges(edges.flatten());
    Graph::freeze(&petgraph, |edge| *edge.weight()).unwrap()
}

#[test]
fn ticks_and_decisions_allocate_nothing() {
    let side = 40_u32;
    let graph = square(side);
    let fill = Strategy::Fill(FillConfig { gamma: 0.25, ..FillConfig::default() });
    for strategy in
        [Strategy::Straight, Strategy::Descend, fill, Strategy::Flood, Strategy::Weighted]
    {
        for straight in [false, true] {
            let mut cost = StandingCost::new(&graph, 1.0).unwrap();
            let settings = DangerConfig { reach: 9.0, falloff: Falloff::Linear };
            let danger = if straight {
                let position = |i: u32| DVec3::new(f64::from(i % side), f64::from(i / side), 0.0);
                let positions: Vec<_> = (0..side * side).map(position).collect();
                Danger::by_distance(&graph, settings, &positions).unwrap()
            } else {
                Danger::by_travel(&graph, settings).unwrap()
            };
            let danger = cost.add("danger", danger, 5.0).unwrap();
            let config = AgentConfig { strategy, ..AgentConfig::default() };
            let goal = (side * side - 1) as usize;
            let mut agent = Agent::new(&graph, cost, 0, &[goal], config).unwrap();
            agent.set_fuzzy_weight(danger, RuleBase::furukawa(), 8.0).unwrap();
            let tick = |i: usize, agent: &mut Agent| {
                let threats = [7, 11, 13, 17].map(|k| Threat::at_node(k * (i + 40) % goal));
                agent
                    .standing_cost_mut()
                    .get_mut(danger)
                    .unwrap()
                    .set_threats(&graph, &threats)
                    .unwrap();
                let position = DVec3::X * (i as f64 * 0.05);
                agent
                    .tick(&graph, Sense { position, contact: i.is_multiple_of(5), dt: 0.05 })
                    .unwrap();
                agent.guarantee(&graph).unwrap();
                agent.decide(&graph).unwrap() == Decision::Arrived
            };
            tick(0, &mut agent);
            let before = ALLOCATIONS.get();
            let mut i = 1;
            while i < 300 && !tick(i, &mut agent) {
                i += 1;
            }
            assert_eq!(ALLOCATIONS.get() - before, 0, "{strategy:?} {straight}");
            assert!(i > 30);
        }
    }
}

fn with_fill(graph: &Graph) -> Agent {
    let cost = StandingCost::new(graph, 1.0).unwrap();
    let fill = FillConfig { gamma: 0.25, ..FillConfig::default() };
    let config = AgentConfig { strategy: Strategy::Fill(fill), ..AgentConfig::default() };
    let mut agent = Agent::new(graph, cost, 0, &[25_000], config).unwrap();
    pass(graph, &mut agent);
    agent
}

fn pass(graph: &Graph, agent: &mut Agent) {
    agent.tick(graph, Sense { position: DVec3::ZERO, contact: false, dt: 0.05 }).unwrap();
    agent.decide(graph).unwrap();
}

#[test]
fn nor_does_who_is_in_no_pool_on_a_large_graph() {
    let graph = square(160);
    let mut agent = with_fill(&graph);
    let before = ALLOCATIONS.get();
    (0..200).for_each(|_| pass(&graph, &mut agent));
    assert_eq!(ALLOCATIONS.get() - before, 0);
}

/// On a graph so large that several threads share the work. A thread of a pool is not set up before
/// it takes over work for the first time: rayon then allocates for it, once, whenever that may be.
#[cfg(feature = "rayon")]
#[test]
fn nor_do_the_threads_of_a_pool() {
    let graph = square(160);
    for threads in [2, 5] {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .start_handler(|_| IN_POOL.set(true))
            .build()
            .unwrap();
        pool.install(|| {
            let mut agent = with_fill(&graph);
            let before = IN_POOLS.load(Ordering::Relaxed);
            (0..500).for_each(|_| pass(&graph, &mut agent));
            let found = IN_POOLS.load(Ordering::Relaxed) - before;
            assert!(found <= 4 * threads, "{found} in 500 ticks of {threads} threads");
        });
    }
}
