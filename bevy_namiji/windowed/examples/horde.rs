//! A horde of 5000 in a dungeon whose doors close and open, and a target that walks through it.

use bevy::prelude::*;
use bevy_namiji::wave_track::ndarray::Array2;
use bevy_namiji::{GridMap, NamijiGizmos, Pursuer, Pursuit, PursuitTarget, SetWalls};
use bevy_namiji_windowed::{game, square};

/// Cells of a room, with its walls.
const ROOM: usize = 20;
/// Rooms across and up.
const ROOMS: [usize; 2] = [9, 6];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let [across, up] = ROOMS;
    let (width, height) = (across * ROOM + 1, up * ROOM + 1);
    let walls = Array2::from_shape_fn((height, width), |(y, x)| {
        let is_edge = x == 0 || y == 0 || x == width - 1 || y == height - 1;
        let is_door = |along: usize| (8..12).contains(&(along % ROOM));
        let pillar = x % 5 == 0 && y % 5 == 0 && (x / 5 + y / 5) % 3 == 0;
        is_edge || (x % ROOM == 0 && !is_door(y)) || (y % ROOM == 0 && !is_door(x)) || pillar
    });
    let middle = Vec2::new(width as f32, height as f32) / 2.0;
    let mut app = game("A horde of 5000 in a dungeon that changes", middle, 126.0)?;
    app.insert_resource(GridMap::from_walls(&walls)?)
        .insert_resource(NamijiGizmos { ways: false, most_cells: 30_000, ..default() })
        .add_systems(Startup, spawn)
        .add_systems(FixedUpdate, (doors, walk));
    app.run();
    Ok(())
}

/// Where a target walks next.
#[derive(Component)]
struct Tour(usize);

fn spawn(mut commands: Commands, map: Res<GridMap>) {
    let place = map.centre([110, 170]).extend(2.0);
    let target = (PursuitTarget, Tour(0), square(3.0, Color::srgb(1.0, 0.9, 0.3)));
    commands.spawn((target, Transform::from_translation(place)));
    let [rows, columns] = map.shape();
    let open = (1..rows).flat_map(|y| (1..columns).map(move |x| [y, x]));
    let open = open.filter(|cell| !map.is_wall(*cell) && cell[1] < 90);
    for (i, cell) in open.take(5000).enumerate() {
        let hue = 360.0 * (i % 97) as f32 / 97.0;
        commands.spawn((
            Pursuer { speed: 9.0 + (i % 7) as f32 },
            square(0.8, Color::hsl(hue, 0.6, 0.55)),
            Transform::from_translation(map.centre(cell).extend(1.0)),
        ));
    }
}

/// In every half second another door is asked to close or to open.
fn doors(mut tick: Local<usize>, map: Res<GridMap>, mut walls: MessageWriter<SetWalls>) {
    *tick += 1;
    if *tick % 32 == 0 {
        let turn = *tick / 32 * 7;
        let column = 1 + turn % (ROOMS[0] - 1);
        let row = turn / 3 % ROOMS[1];
        let door = (8..12).map(|i| [row * ROOM + i, column * ROOM]);
        let is_open = !map.is_wall([row * ROOM + 8, column * ROOM]);
        walls.write(SetWalls::all(door, is_open));
    }
}

/// The target walks from room to room and slides along walls.
fn walk(
    time: Res<Time>,
    pursuit: Res<Pursuit>,
    mut targets: Query<(&mut Transform, &mut Tour), With<PursuitTarget>>,
) {
    let tour = [[110, 170], [110, 30], [50, 30], [10, 90], [50, 170]];
    for (mut transform, mut next) in &mut targets {
        let here = transform.translation.truncate();
        let [y, x] = tour[next.0 % tour.len()];
        let way = Vec2::new(x as f32, y as f32) - here;
        if way.length() < 2.0 {
            next.0 += 1;
        }
        let step = way.normalize_or_zero() * 12.0 * time.delta_secs();
        if let Ok(there) = pursuit.slide(here, step) {
            transform.translation = there.extend(transform.translation.z);
        }
    }
}
