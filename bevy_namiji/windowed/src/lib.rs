//! What the three games share: a window, `--frames N` to end after so many frames with a hash of
//! the state, `--shot FILE.png` for a picture of the last one, and `--headless` for the same game
//! without a window or a graphics card. One frame is one tick, so that every run is the same.

use bevy::app::ScheduleRunnerPlugin;
use bevy::asset::RenderAssetUsages;
use bevy::image::ImageSampler;
use bevy::platform::collections::HashSet;
use bevy::prelude::*;
use bevy::render::RenderPlugin;
use bevy::render::render_resource::{Extent3d, TextureDimension, TextureFormat};
use bevy::render::settings::WgpuSettings;
use bevy::render::view::screenshot::{Screenshot, save_to_disk};
use bevy::time::TimeUpdateStrategy;
use bevy::window::{ExitCondition, PresentMode};
use bevy::winit::{WinitPlugin, WinitSettings};
use bevy_namiji::{GridMap, NamijiGizmoPlugin, NamijiPlugins, Refused, WallsSet, state_hash};
use std::time::Duration;

/// The options of the command line.
#[derive(Resource, Clone, Debug, Default)]
struct Run {
    frames: Option<u32>,
    shot: Option<String>,
    is_headless: bool,
    frame: u32,
}

/// An app with a window of 1200 x 800, in which `rows` world units are high around `middle`.
///
/// # Errors
/// A sentence for an argument that is not known, or for `--headless` without `--frames` or with
/// `--shot`.
pub fn game(title: &str, middle: Vec2, rows: f32) -> Result<App, String> {
    let mut run = Run::default();
    let mut arguments = std::env::args().skip(1);
    while let Some(name) = arguments.next() {
        let mut value = || arguments.next().ok_or(format!("{name} needs a value"));
        match name.as_str() {
            "--frames" => run.frames = Some(value()?.parse().map_err(|e| format!("{name}: {e}"))?),
            "--shot" => run.shot = Some(value()?),
            "--headless" => run.is_headless = true,
            _ => {
                let known = "--frames N, --shot FILE.png, --headless";
                return Err(format!("{name} is not known: {known}"));
            }
        }
    }
    if run.is_headless && (run.frames.is_none() || run.shot.is_some()) {
        return Err("--headless needs --frames N, and takes no picture".to_owned());
    }
    let window = Window {
        title: title.to_owned(),
        resolution: (1200, 800).into(),
        // A run of so many frames waits for no screen.
        present_mode: if run.frames.is_some() { PresentMode::AutoNoVsync } else { default() },
        ..default()
    };
    let window = WindowPlugin { primary_window: Some(window), ..default() };
    let mut app = App::new();
    if run.is_headless {
        let window = WindowPlugin {
            primary_window: None,
            exit_condition: ExitCondition::DontExit,
            ..window
        };
        // The same plugins: systems of the games make meshes, which nobody draws.
        let nobody = WgpuSettings { backends: None, ..default() };
        let render = RenderPlugin { render_creation: nobody.into(), ..default() };
        app.add_plugins(DefaultPlugins.set(window).set(render).disable::<WinitPlugin>())
            .add_plugins(ScheduleRunnerPlugin::run_loop(Duration::ZERO));
    } else {
        app.add_plugins(DefaultPlugins.set(window));
    }
    app.add_plugins((NamijiPlugins, NamijiGizmoPlugin))
        .insert_resource(ClearColor(Color::srgb(0.06, 0.07, 0.09)))
        .insert_resource(TimeUpdateStrategy::FixedTimesteps(1))
        // Without a window manager nothing has the focus.
        .insert_resource(WinitSettings::continuous())
        .insert_resource(run)
        .add_systems(Startup, move |mut commands: Commands| {
            let scale = rows / 800.0;
            let place = Transform::from_translation(middle.extend(100.0));
            commands.spawn((Camera2d, place.with_scale(Vec3::new(scale, scale, 1.0))));
        })
        .add_systems(Update, (end, report, show_map))
        .add_systems(Last, tell_hash);
    Ok(app)
}

/// The state after so many frames, for a comparison with another run.
fn tell_hash(world: &mut World) {
    let run = world.resource::<Run>();
    if run.frames == Some(run.frame) {
        println!("state_hash {:016x}", state_hash(world));
    }
}

fn end(
    mut run: ResMut<Run>,
    pictures: Query<(), With<Screenshot>>,
    mut commands: Commands,
    mut exit: MessageWriter<AppExit>,
) {
    run.frame += 1;
    let Some(frames) = run.frames else { return };
    if run.frame == frames
        && let Some(file) = run.shot.clone()
    {
        commands.spawn(Screenshot::primary_window()).observe(save_to_disk(file));
        return;
    }
    // A picture takes some frames to come back from the graphics card, and many on a busy machine.
    if run.frame >= frames && (pictures.is_empty() || run.frame > frames + 600) {
        exit.write(AppExit::Success);
    }
}

/// Prints refusals, such as doors that an entity stands in.
fn report(mut refused: MessageReader<Refused>) {
    refused.read().for_each(|refused| println!("{refused}"));
}

/// The map in one picture.
#[derive(Component)]
struct MapPicture;

/// Draws the map, and again when it has changed: one pixel a cell. A sprite for every wall would be
/// thousands of entities that never move.
fn show_map(
    map: Option<Res<GridMap>>,
    mut doors: Local<HashSet<[usize; 2]>>,
    mut set: MessageReader<WallsSet>,
    pictures: Query<Entity, With<MapPicture>>,
    mut images: ResMut<Assets<Image>>,
    mut commands: Commands,
) {
    for set in set.read() {
        doors.extend(set.cells.iter().map(|c| c.0));
    }
    let Some(map) = map.filter(|map| map.is_changed()) else { return };
    let [rows, columns] = map.shape();
    let color = |cell: [usize; 2]| match (map.is_wall(cell), doors.contains(&cell)) {
        (true, false) => [69, 77, 92, 255],
        (false, false) => [24, 26, 33, 255],
        // A door that is shut, and one that is open.
        (true, true) => [176, 62, 44, 255],
        (false, true) => [40, 74, 58, 255],
    };
    // The first row of an image is its top.
    let cells = (0..rows).rev().flat_map(|y| (0..columns).map(move |x| [y, x]));
    let mut image = Image::new(
        Extent3d { width: columns as u32, height: rows as u32, depth_or_array_layers: 1 },
        TextureDimension::D2,
        cells.flat_map(color).collect(),
        TextureFormat::Rgba8UnormSrgb,
        RenderAssetUsages::RENDER_WORLD,
    );
    image.sampler = ImageSampler::nearest();
    let size = Vec2::new(columns as f32, rows as f32) * map.medium().spacing() as f32;
    let middle = map.centre([0, 0]).midpoint(map.centre([rows - 1, columns - 1]));
    pictures.iter().for_each(|picture| commands.entity(picture).despawn());
    commands.spawn((
        MapPicture,
        Sprite { image: images.add(image), custom_size: Some(size), ..default() },
        Transform::from_translation(middle.extend(-1.0)),
    ));
}

/// A square of a colour.
pub fn square(size: f32, color: Color) -> Sprite {
    Sprite { color, custom_size: Some(Vec2::splat(size)), ..default() }
}
