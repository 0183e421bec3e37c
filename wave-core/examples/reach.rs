//! Questions of a turn-based game, answered by arrival fields: how far can I go this turn, which
//! player is there first, and where is it safe?
//!
//! `cargo run -p namiji-wave-core --example reach`

use ndarray::{Array2, Ix2};
use wave_core::{ArrivalField, Medium, WaveError};

/// Two rooms and a corridor; the ground marked `~` is four times slower. `a` and `b` are players.
const LEVEL: &str = "\
##############################
#.......#....................#
#.a.....#....................#
#............####............#
#.......#.......#......~~~~..#
#.......#.......#......~~~~..#
#.......#.......#......~~~~..#
#.......#.......#............#
#..................b.........#
#.......#.......#............#
##############################";

type Cell = [usize; 2];

struct Level {
    medium: Medium<Ix2>,
    a: Cell,
    b: Cell,
}

impl Level {
    fn new() -> Result<Self, WaveError> {
        let rows: Vec<&[u8]> = LEVEL.lines().map(str::as_bytes).collect();
        let shape = [rows.len(), rows[0].len()];
        let walls = Array2::from_shape_fn(shape, |(y, x)| rows[y][x] == b'#');
        let speeds =
            Array2::from_shape_fn(shape, |(y, x)| if rows[y][x] == b'~' { 0.25 } else { 1.0 });
        let medium = Medium::<Ix2>::builder(shape).walls(&walls).speeds(&speeds).build()?;
        let find = |mark: u8| {
            let marked = |&y: &usize| rows[y].contains(&mark);
            let y = (0..shape[0]).find(marked).expect("the level has both players");
            [y, rows[y].iter().position(|&m| m == mark).unwrap_or(0)]
        };
        Ok(Self { a: find(b'a'), b: find(b'b'), medium })
    }

    /// `[units: time]` How long each cell takes to reach: a cell of usual ground takes 1.
    fn times(&self, from: &[Cell]) -> Result<Array2<f64>, WaveError> {
        let field = ArrivalField::from_sources(&self.medium, from)?;
        Ok(field.times().mapv(|steps| f64::from(steps) * self.medium.dt()))
    }
}

/// Prints the level with marks.
fn print(mark: impl Fn(Cell) -> Option<char>) {
    for (y, row) in LEVEL.lines().enumerate() {
        let cell = |(x, tile): (usize, char)| {
            if tile == '#' { tile } else { mark([y, x]).unwrap_or(tile) }
        };
        println!("{}", row.chars().enumerate().map(cell).collect::<String>());
    }
    println!();
}

fn main() -> Result<(), WaveError> {
    let level = Level::new()?;
    let (a, b) = (level.times(&[level.a])?, level.times(&[level.b])?);

    // How far can a go this turn? All cells that it reaches in 6 units of time.
    println!("a can be at + after this turn:");
    print(|cell| (a[cell] <= 6.0).then_some('+'));
    assert!(a[[2, 8]].is_infinite(), "that is a wall");
    assert!(a[[7, 2]] <= 6.0 && a[[9, 7]] > 6.0);
    // Nobody is faster than along a straight line.
    let straight = |cell: (usize, usize)| {
        (cell.0 as f64 - level.a[0] as f64).hypot(cell.1 as f64 - level.a[1] as f64)
    };
    assert!(a.indexed_iter().all(|(cell, &time)| time >= straight(cell) - 0.01));

    // Which player is where first? A player wins the cells where its field has the smaller time.
    println!("a is first at a, b at b:");
    print(|cell| Some(if a[cell] < b[cell] { 'a' } else { 'b' }));
    assert!(a[[3, 8]] < b[[3, 8]] && b[[8, 16]] < a[[8, 16]]);

    // Where is a safe? Where it is before b, and b does not come within 3 more units of time.
    println!("a is safe for a while at o:");
    print(|cell| (a[cell] + 3.0 < b[cell]).then_some('o'));
    // Of all places where it is first, the best refuge is the one that b reaches last.
    let first = a.indexed_iter().filter(|(cell, time)| **time < b[*cell]);
    let cells = first.map(|((y, x), _)| [y, x]);
    let refuge = cells.max_by(|&p, &q| b[p].total_cmp(&b[q])).unwrap_or(level.a);
    assert!(b[refuge] >= b[level.a] && refuge[1] < 8, "in its own room");

    // Slow ground: round it is sooner than across it.
    assert!(b[[5, 24]] > 4.0 * 2.0, "two cells into the mud");
    Ok(())
}
