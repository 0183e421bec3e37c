//! A platformer seen from the side: jump links are found by themselves, runners follow them, and
//! the ground changes.

use bevy::prelude::*;
use bevy_namiji::jump_planner::{Character, Terrain};
use bevy_namiji::{
    JumpLevel, JumpRoute, JumpWalker, LegKind, NamijiGizmos, NamijiSystems, RoutePreference,
    RouteState, SetHeight,
};
use bevy_namiji_windowed::{game, square};

/// Heights of the ground, column by column; below is a pit.
const GROUND: [i32; 36] = [
    2, 2, 2, 2, -4, -4, 2, 2, 3, 3, 4, -4, -4, 4, 4, 5, 5, -4, -4, 3, 3, 3, 1, 1, -4, -4, 2, 3, 3,
    -4, -4, 2, 2, 2, 2, 2,
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let heights = [GROUND.map(f64::from)];
    let character = Character::builder(6.8).walk_speed(3.0).build()?;
    let level = JumpLevel::new(Terrain::from_rows(&heights)?, character)?;
    let mut app = game("Automatic jump links", Vec2::new(17.5, 2.0), 24.0)?;
    app.insert_resource(level)
        .insert_resource(NamijiGizmos { from_the_side: true, arcs: false, ..default() })
        .add_systems(Startup, spawn)
        .add_systems(FixedUpdate, (turn_back, lift).chain().before(NamijiSystems::Edit))
        .add_systems(Update, (columns, links, follow));
    app.run();
    Ok(())
}

/// A column of ground.
#[derive(Component)]
struct Column(usize);

/// The picture of a runner, by its x and z.
#[derive(Component)]
struct Shows(Entity);

fn spawn(mut commands: Commands, level: Res<JumpLevel>) {
    for x in 0..GROUND.len() {
        commands.spawn((Column(x), square(1.0, Color::srgb(0.3, 0.5, 0.35)), Transform::default()));
    }
    for i in 0..4u8 {
        let x = usize::from(i);
        let place = level.standing([0, x]).unwrap_or_default();
        let route =
            JumpRoute { goal: Vec2::new(34.0, 0.0), preference: RoutePreference::LeastTime };
        let runner = commands.spawn((JumpWalker, route, Transform::from_translation(place))).id();
        let color = Color::hsl(90.0 * f32::from(i), 0.9, 0.6);
        commands.spawn((Shows(runner), square(0.6, color), Transform::default()));
    }
}

/// The ground as it is.
fn columns(level: Res<JumpLevel>, mut columns: Query<(&Column, &mut Sprite, &mut Transform)>) {
    for (column, mut sprite, mut transform) in &mut columns {
        let Some(top) = level.standing([0, column.0]) else { continue };
        let height = top.z + 10.0;
        sprite.custom_size = Some(Vec2::new(1.0, height));
        transform.translation = Vec3::new(top.x, top.z - height / 2.0, 0.0);
    }
}

/// Every link, worked out again when the level changes.
fn links(level: Res<JumpLevel>, mut known: Local<Vec<Vec<Vec3>>>, mut gizmos: Gizmos) {
    if level.is_changed() {
        let arc = |leg: bevy_namiji::JumpLeg| {
            let at = |i: u8| leg.position_at(leg.time() * f32::from(i) / 23.0);
            (0..24).map(at).map(|p| Vec3::new(p.x, p.z, 0.5)).collect()
        };
        let jumps = level.links().into_iter().filter(|leg| leg.kind == LegKind::Jump);
        *known = jumps.map(arc).collect();
    }
    for arc in &*known {
        gizmos.linestrip(arc.iter().copied(), Color::srgba(1.0, 0.9, 0.3, 0.6));
    }
}

/// From the terrain's (x, y, z) to the screen: x and z, feet on the ground.
fn follow(mut shown: Query<(&Shows, &mut Transform)>, runners: Query<&Transform, Without<Shows>>) {
    for (shows, mut transform) in &mut shown {
        if let Ok(runner) = runners.get(shows.0) {
            let at = runner.translation;
            transform.translation = Vec3::new(at.x, at.z + 0.3, 1.0);
        }
    }
}

/// A walker that is there goes back.
fn turn_back(mut runners: Query<(&mut JumpRoute, &RouteState)>) {
    for (mut route, state) in &mut runners {
        if *state == RouteState::Arrived {
            route.goal.x = if route.goal.x > 17.0 { 1.0 } else { 34.0 };
        }
    }
}

/// A column in a pit rises and falls.
fn lift(mut tick: Local<u32>, mut heights: MessageWriter<SetHeight>) {
    *tick += 1;
    if tick.is_multiple_of(150) {
        let height = if tick.is_multiple_of(300) { -4.0 } else { 3.0 };
        heights.write(SetHeight { cell: [0, 24], height });
    }
}
