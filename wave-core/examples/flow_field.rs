//! A flow field in the terminal: a wave runs from the door (o) through a house, and every cell
//! shows the way to it. Then the door is walled up, and a wave from the window shows another.
//!
//! `cargo run -p namiji-wave-core --example flow_field`

use ndarray::{Array2, Ix2};
use wave_core::{ArrivalField, Medium, WaveError};

const HOUSE: &str = "\
#####################################
#.........#.............#...........#
#.........#.............#...........#
#.........#.............#.....#.....#
#.......................#.....#.....#
#.........#...................#.....#
#.........#.............#.....#.....#
####.##########.#########.....#.....#
#.............#.........#.....#.....o
#.............#...............#.....#
#.............#.........#.....#.....#
#.......................#.....#.....#
#.............#.........#...........#
#.............#.........#...........#
########o############################";

/// Arrows by eighths of a turn from +x toward +y, which points down.
const ARROWS: [char; 8] = ['→', '↘', '↓', '↙', '←', '↖', '↑', '↗'];

fn main() -> Result<(), WaveError> {
    let rows: Vec<&str> = HOUSE.lines().collect();
    let shape = [rows.len(), rows[0].len()];
    let tile = |y: usize, x: usize| rows[y].as_bytes()[x];
    let walls = Array2::from_shape_fn(shape, |(y, x)| tile(y, x) == b'#');
    let mut medium = Medium::<Ix2>::builder(shape).walls(&walls).build()?;
    let (door, window) = ([8, 36], [14, 8]);

    let field = ArrivalField::from_sources(&medium, &[door])?;
    print(&medium, &field);
    // A walker that follows the arrows from the far corner comes out, one cell at a time.
    assert_eq!(followed(&field, [1, 1]), door);

    medium.set_wall(door, true)?;
    let field = ArrivalField::from_sources(&medium, &[window])?;
    print(&medium, &field);
    assert_eq!(followed(&field, [1, 1]), window);
    Ok(())
}

fn print(medium: &Medium<Ix2>, field: &ArrivalField<Ix2>) {
    let [height, width] = medium.shape();
    for y in 0..height {
        let row = (0..width).map(|x| {
            let way = field.directions()[[y, x]];
            let eighths = (way.to_angle() / std::f32::consts::FRAC_PI_4).round();
            match (medium.is_wall([y, x]), way.length() > 0.0) {
                (true, _) => '█',
                (false, false) => 'o',
                (false, true) => ARROWS[eighths.rem_euclid(8.0) as usize],
            }
        });
        println!("{}", row.collect::<String>());
    }
    println!();
}

/// Where the way from a cell leads, always along the axis that the arrow is nearer to, or the other
/// one.
fn followed(field: &ArrivalField<Ix2>, mut cell: [usize; 2]) -> [usize; 2] {
    let (times, directions) = (field.times(), field.directions());
    while directions[cell].length() > 0.0 {
        let (way, [y, x]) = (directions[cell], cell);
        let along_x = [y, if way.x > 0.0 { x + 1 } else { x - 1 }];
        let along_y = [if way.y > 0.0 { y + 1 } else { y - 1 }, x];
        let ways = if way.x.abs() > way.y.abs() { [along_x, along_y] } else { [along_y, along_x] };
        let earlier = ways.into_iter().find(|&next| times[next] < times[cell]);
        cell = earlier.expect("an arrow points where the wave was before");
    }
    cell
}
