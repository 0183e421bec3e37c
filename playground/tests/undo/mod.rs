//! What is taken back.

use playground::Playground;
use sim_harness::scenario;

#[test]
fn undo_takes_back_what_was_done_since_the_mark_and_nothing_else() {
    let text = scenario::text_of("rooms").unwrap();
    let mut touched = Playground::open("rooms", &text, None).unwrap();
    let mut other = Playground::open("rooms", &text, None).unwrap();
    assert!(touched.undo().is_err());
    for playground in [&mut touched, &mut other] {
        playground.go_on(5, false).unwrap();
        playground.mark();
        playground.edit(vec![1, 1], vec![3, 1], Some(false), None).unwrap();
        playground.go_on(5, false).unwrap();
    }
    touched.mark();
    touched.edit(vec![1, 2], vec![4, 4], Some(false), None).unwrap();
    touched.edit(vec![2, 2], vec![2, 4], None, Some(0.5)).unwrap();
    touched.undo().unwrap();
    for playground in [&mut touched, &mut other] {
        playground.go_on(20, false).unwrap();
    }
    assert_eq!(touched.state_hash(), other.state_hash());
    assert_eq!(touched.saved(), other.saved());
}

#[test]
fn undo_goes_back_a_hundred_times() {
    let text = scenario::text_of("rooms").unwrap();
    let mut playground = Playground::open("rooms", &text, None).unwrap();
    let mut saved = Vec::new();
    for i in 0..130 {
        saved.push(playground.saved());
        playground.mark();
        playground.edit(vec![1 + i % 8, 1], vec![1 + i % 8, 3], None, Some(0.5)).unwrap();
    }
    for before in saved.iter().rev().take(100) {
        playground.undo().unwrap();
        assert_eq!(playground.saved(), *before);
    }
    assert!(playground.undo().is_err());
    assert_eq!(playground.saved(), saved[30]);
}

#[test]
fn undo_after_a_restart_keeps_the_seed() {
    let text = scenario::text_of("house").unwrap();
    let mut playground = Playground::open("house", &text, None).unwrap();
    playground.mark();
    playground.edit(vec![1, 1, 1], vec![1, 1, 1], None, Some(0.5)).unwrap();
    playground.restart(Some(7)).unwrap();
    playground.undo().unwrap();
    playground.go_on(5, false).unwrap();
    let mut fresh = Playground::open("house", &text, Some(7)).unwrap();
    fresh.go_on(5, false).unwrap();
    assert_eq!(playground.summary()["seed"], 7);
    assert_eq!(playground.state_hash(), fresh.state_hash());
}
