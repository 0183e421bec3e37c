//! Jumps as a tree: jumps that begin alike share a branch.

/// A step of one or more jumps.
#[derive(Clone, Debug, Default)]
pub(super) struct Step {
    /// From the step before, `[x, y]`, each -1 to 1.
    pub(super) by: [isize; 2],
    /// The steps that may follow, by their numbers.
    pub(super) next: Vec<usize>,
}

/// Step 0 is where jumps begin: there the character is not in a jump yet.
#[derive(Clone, Debug)]
pub(super) struct Arcs(pub(super) Vec<Step>);

impl Default for Arcs {
    fn default() -> Self {
        Self(vec![Step::default()])
    }
}

impl Arcs {
    /// Adds a jump and its mirror image. An error names the step that is longer than a tile.
    pub(super) fn add(&mut self, jump: &[[isize; 2]]) -> Result<(), usize> {
        for side in [1, -1] {
            let (mut at, mut from) = (0, [0, 0]);
            for (number, &[x, y]) in jump.iter().enumerate() {
                let by = [side * x - from[0], y - from[1]];
                if by.iter().any(|d| d.abs() > 1) {
                    return Err(number);
                }
                from = [side * x, y];
                // The corpus repeats a place at the top of a jump: nothing happens there.
                if by == [0, 0] {
                    continue;
                }
                let known = self.0[at].next.iter().copied().find(|&next| self.0[next].by == by);
                at = known.unwrap_or_else(|| {
                    self.0.push(Step { by, next: Vec::new() });
                    let new = self.0.len() - 1;
                    self.0[at].next.push(new);
                    new
                });
            }
        }
        Ok(())
    }
}
