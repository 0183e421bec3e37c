//! The memory of a map and a front, counted at the allocator.

#![allow(unsafe_code)] // an allocator is

use ndarray::{Array2, Ix2, Ix3};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};
use wave_core::{Front, Medium, WorldField};

static LIVE: AtomicUsize = AtomicUsize::new(0);

struct Counting;

// SAFETY: all is left to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LIVE.fetch_add(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Bytes that live on when `make` is done, and the map's own figure.
fn bytes(make: impl FnOnce() -> Medium<Ix2>) -> [usize; 2] {
    let before = LIVE.load(Ordering::Relaxed);
    let medium = make();
    let after = LIVE.load(Ordering::Relaxed);
    [after - before, medium.memory_bytes()]
}

/// One test, since the counter is that of all threads.
#[test]
fn what_maps_fronts_and_worlds_take() {
    a_map_takes_a_bit_a_cell_and_where_speeds_differ_a_byte_or_four();
    a_front_takes_nothing_for_cells_that_no_wave_comes_near();
    a_world_takes_less_than_two_bytes_a_cell_and_says_how_much();
}

/// Rooms of 24 cells with doors, among them pillars.
fn a_world_takes_less_than_two_bytes_a_cell_and_says_how_much() {
    const SIDE: usize = 1000;
    let walls = Array2::from_shape_fn([SIDE, SIDE], |(y, x)| {
        let is_door = |i: usize| (9..13).contains(&(i % 24));
        let is_wall = y % 24 == 0 && !is_door(x) || x % 24 == 0 && !is_door(y);
        is_wall || y % 24 == 12 && x % 6 == 3
    });
    // Threads are there before anything is counted.
    drop(WorldField::new(&Medium::<Ix2>::builder([300, 300]).build().unwrap()));
    let before = LIVE.load(Ordering::Relaxed);
    let medium = Medium::from_walls(&walls).unwrap();
    let world = WorldField::new(&medium).unwrap();
    let taken = LIVE.load(Ordering::Relaxed) - before;
    let said = world.memory_bytes() + medium.memory_bytes();
    assert!(taken.abs_diff(said) < taken / 50, "{taken} bytes, {said} said");
    assert!(taken < 2 * SIDE * SIDE, "{taken} bytes");
}

/// As large as the largest of the published voxel worlds, and empty.
fn a_front_takes_nothing_for_cells_that_no_wave_comes_near() {
    let [from, to] = [[300, 260, 370], [310, 250, 400]];
    let medium = Medium::<Ix3>::builder([615, 527, 745]).build().unwrap();
    let before = LIVE.load(Ordering::Relaxed);
    let mut front = Front::new(&medium);
    front.emit(&medium, &[from]).unwrap();
    while front.arrival(to).is_none() {
        front.step(&medium, 1).unwrap();
    }
    let taken = LIVE.load(Ordering::Relaxed) - before;
    // The box of the cells that a wave comes near, twice as large as it is at most along each axis:
    // times, and the cells that wait to be reached.
    let far = front.arrival(to).unwrap() * medium.dt() + 16.0;
    let near = (4.0 * far).powi(3);
    assert!((taken as f64) < 6.0 * near, "{taken} bytes for {near} cells near by");
    assert!(taken < 615 * 527 * 745 / 8, "{taken} bytes, more than a bit for every cell");
}

fn a_map_takes_a_bit_a_cell_and_where_speeds_differ_a_byte_or_four() {
    const SIDE: usize = 1000;
    let cells = (SIDE * SIDE) as f64;
    let walls = Array2::from_shape_fn([SIDE, SIDE], |(y, x)| (x * 7 + y) % 11 == 0);
    let few =
        Array2::from_shape_fn([SIDE, SIDE], |(y, x)| 0.5 + ((x / 9 + y) % 256) as f32 / 512.0);
    let many = Array2::from_shape_fn([SIDE, SIDE], |(y, x)| 0.5 + ((x + y) % 257) as f32 / 600.0);
    let speeds = |speeds: &Array2<f32>| {
        Medium::<Ix2>::builder([SIDE, SIDE]).walls(&walls).speeds(speeds).build().unwrap()
    };
    for (found, most) in [
        (bytes(|| Medium::from_walls(&walls).unwrap()), 1.2 / 8.0),
        (bytes(|| speeds(&few)), 1.0 + 1.2 / 8.0),
        (bytes(|| speeds(&many)), 4.0 + 1.2 / 8.0),
        (bytes(|| Medium::<Ix2>::builder([SIDE * SIDE, 1]).build().unwrap()), 1.2 / 8.0),
    ] {
        assert!(found[0] as f64 <= most * cells, "{found:?} bytes, not {}", most * cells);
        assert!(found[0].abs_diff(found[1]) < 1000, "{found:?}");
    }
}
