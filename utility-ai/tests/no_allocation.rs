//! A tick and a decision allocate nothing, once threats have been at their most.
//! Counted is the test's own thread: the test harness allocates in others.
#![allow(unsafe_code)]

use petgraph::graph::UnGraph;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use utility_ai::fuzzy::RuleBase;
use utility_ai::{
    Agent, AgentConfig, Danger, DangerConfig, Decision, Falloff, FillConfig, Graph, Sense,
    Strategy, Threat, Utility,
};

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: everything is handed on to the system's allocator as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
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

#[test]
fn ticks_and_decisions_allocate_nothing() {
    let side = 40_u32;
    let join = |x: u32, y: u32, dx: u32, dy: u32, length: f64| {
        (x + dx < side && y + dy < side).then(|| (y * side + x, (y + dy) * side + x + dx, length))
    };
    let cells = (0..side).flat_map(|y| (0..side).map(move |x| (x, y)));
    let edges = cells
        .flat_map(|(x, y)| [join(x, y, 1, 0, 1.0), join(x, y, 0, 1, 1.0), join(x, y, 1, 1, 1.5)]);
    let petgraph = UnGraph::<(), f64>::from_edges(edges.flatten());
    let graph = Graph::freeze(&petgraph, |edge| *edge.weight()).unwrap();
    let fill = Strategy::Fill(FillConfig { gamma: 0.25, ..FillConfig::default() });
    for strategy in
        [Strategy::Straight, Strategy::Descend, fill, Strategy::Flood, Strategy::Weighted]
    {
        for straight in [false, true] {
            let mut utility = Utility::new(&graph, 1.0).unwrap();
            let settings = DangerConfig { reach: 9.0, falloff: Falloff::Linear };
            let danger = if straight {
                let position = |i: u32| [f64::from(i % side), f64::from(i / side), 0.0];
                let positions: Vec<_> = (0..side * side).map(position).collect();
                Danger::by_distance(&graph, settings, &positions).unwrap()
            } else {
                Danger::by_travel(&graph, settings).unwrap()
            };
            let danger = utility.add("danger", danger, 5.0).unwrap();
            let config = AgentConfig { strategy, ..AgentConfig::default() };
            let goal = (side * side - 1) as usize;
            let mut agent = Agent::new(&graph, utility, 0, &[goal], config).unwrap();
            agent.set_fuzzy_weight(danger, RuleBase::furukawa(), 8.0).unwrap();
            let tick = |i: usize, agent: &mut Agent| {
                let threats = [7, 11, 13, 17].map(|k| Threat::at_node(k * (i + 40) % goal));
                agent.utility_mut().get_mut(danger).unwrap().set_threats(&graph, &threats).unwrap();
                let position = [i as f64 * 0.05, 0.0, 0.0];
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
