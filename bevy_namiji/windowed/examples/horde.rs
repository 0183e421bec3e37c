//! A horde of 5000 in a dungeon whose doors close and open, and a target that walks through it.

use bevy::asset::RenderAssetUsages;
use bevy::camera::visibility::NoFrustumCulling;
use bevy::mesh::{Indices, PrimitiveTopology};
use bevy::prelude::*;
use bevy_namiji::wave_track::ndarray::Array2;
use bevy_namiji::{
    GridMap, NamijiGizmos, NamijiSystems, Pursuer, Pursuit, PursuitTarget, SetWalls,
};
use bevy_namiji_windowed::{game, square};

/// Cells of a room, with its walls.
const ROOM: usize = 20;
/// Rooms across and up.
const ROOMS: [usize; 2] = [9, 6];
/// Pursuers.
const HORDE: usize = 5000;

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
        .add_systems(FixedUpdate, (doors, walk).chain().before(NamijiSystems::Edit))
        .add_systems(Update, draw);
    app.run();
    Ok(())
}

/// Which corner of its tour a target walks to, and whether it goes round the other way.
#[derive(Component, Default)]
struct Tour {
    corner: usize,
    is_back: bool,
}

fn spawn(
    mut commands: Commands,
    map: Res<GridMap>,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<ColorMaterial>>,
) {
    let place = map.centre([111, 171]).extend(2.0);
    let target = (PursuitTarget, Tour::default(), square(3.0, Color::srgb(1.0, 0.9, 0.3)));
    commands.spawn((target, Transform::from_translation(place)));
    let [rows, columns] = map.shape();
    let open = (1..rows).flat_map(|y| (1..columns).map(move |x| [y, x]));
    let open = open.filter(|cell| !map.is_wall(*cell) && cell[1] < 90);
    for (i, cell) in open.take(HORDE).enumerate() {
        let speed = 9.0 + (i % 7) as f32;
        let place = Transform::from_translation(map.centre(cell).extend(1.0));
        commands.spawn((Pursuer { speed }, place));
    }
    commands.spawn((
        Crowd,
        Mesh2d(meshes.add(squares(HORDE))),
        MeshMaterial2d(materials.add(Color::WHITE)),
        Transform::from_xyz(0.0, 0.0, 1.0),
        // Its corners move, and Bevy would keep the bounds of the first frame.
        NoFrustumCulling,
    ));
}

/// The whole horde in one mesh: a pursuer is four corners of it and no sprite.
#[derive(Component)]
struct Crowd;

/// A mesh of so many squares in many colours, all of them still at one place.
fn squares(count: usize) -> Mesh {
    let color = |i: usize| {
        let hue = 360.0 * (i % 97) as f32 / 97.0;
        [Color::hsl(hue, 0.7, 0.6).to_linear().to_f32_array(); 4]
    };
    let triangles = |i: u32| [0, 1, 2, 0, 2, 3].map(|corner| 4 * i + corner);
    Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::default())
        .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, vec![[0.0f32; 3]; 4 * count])
        .with_inserted_attribute(
            Mesh::ATTRIBUTE_COLOR,
            (0..count).flat_map(color).collect::<Vec<_>>(),
        )
        .with_inserted_indices(Indices::U32((0..count as u32).flat_map(triangles).collect()))
}

/// Writes the places of all pursuers into the mesh.
fn draw(
    pursuers: Query<&Transform, With<Pursuer>>,
    crowds: Query<&Mesh2d, With<Crowd>>,
    mut meshes: ResMut<Assets<Mesh>>,
) {
    let corners = [[-0.4, -0.4], [0.4, -0.4], [0.4, 0.4], [-0.4, 0.4]];
    let places = pursuers.iter().map(|transform| transform.translation);
    let places: Vec<[f32; 3]> =
        places.flat_map(|at| corners.map(|[x, y]| [at.x + x, at.y + y, 0.0])).collect();
    if let Some(mut mesh) = crowds.single().ok().and_then(|crowd| meshes.get_mut(&crowd.0)) {
        mesh.insert_attribute(Mesh::ATTRIBUTE_POSITION, places);
    }
}

/// In every half second another door is asked to close or to open.
fn doors(mut tick: Local<usize>, map: Res<GridMap>, mut walls: MessageWriter<SetWalls>) {
    *tick += 1;
    if tick.is_multiple_of(32) {
        let turn = *tick / 32 * 7;
        let column = 1 + turn % (ROOMS[0] - 1);
        let row = turn / 3 % ROOMS[1];
        let door = (8..12).map(|i| [row * ROOM + i, column * ROOM]);
        let is_open = !map.is_wall([row * ROOM + 8, column * ROOM]);
        walls.write(SetWalls::all(door, is_open));
    }
}

/// The target walks from room to room, through doors and past pillars. It turns back where a door
/// is shut.
fn walk(
    time: Res<Time>,
    pursuit: Res<Pursuit>,
    mut targets: Query<(&mut Transform, &mut Tour), With<PursuitTarget>>,
) {
    let corners = [[171.0, 111.0], [31.0, 111.0], [31.0, 11.0], [171.0, 11.0]].map(Vec2::from);
    for (mut transform, mut tour) in &mut targets {
        let here = transform.translation.truncate();
        let way = corners[tour.corner % 4] - here;
        let step = way.clamp_length_max(12.0 * time.delta_secs());
        let Ok(there) = pursuit.slide(here, step) else { continue };
        transform.translation = there.extend(transform.translation.z);
        let is_blocked = there.distance(here) < 0.5 * step.length();
        if is_blocked {
            tour.is_back = !tour.is_back;
        }
        if is_blocked || way.length() < 0.5 {
            // Three on is one back, of four.
            tour.corner += if tour.is_back { 3 } else { 1 };
        }
    }
}
