//! The data of surrounding boids that a step reads, array by array.

/// The data of neighbours, array by array; arrays that the rules do not read stay empty.
#[derive(Clone, Debug, Default)]
pub(crate) struct Columns<S> {
    pub x: Vec<S>,
    pub y: Vec<S>,
    pub z: Vec<S>,
    pub hx: Vec<S>,
    pub hy: Vec<S>,
    pub hz: Vec<S>,
    pub angle: Vec<S>,
    pub speed: Vec<S>,
    /// The species.
    pub kind: Vec<S>,
}

impl<S> Columns<S> {
    pub(crate) fn each(&self) -> [&[S]; 9] {
        let Self { x, y, z, hx, hy, hz, angle, speed, kind } = self;
        [x, y, z, hx, hy, hz, angle, speed, kind]
    }

    #[inline(always)]
    pub(crate) fn sight(&self) -> Sight<'_, S> {
        let [x, y, z, hx, hy, hz, angle, speed, kind] = self.each();
        Sight { x, y, z, hx, hy, hz, angle, speed, kind }
    }
}

/// Boids to look at, array by array; with eight more at the end, of any value. Arrays that the
/// rules do not read are empty.
#[derive(Clone, Copy)]
pub(crate) struct Sight<'a, S> {
    pub(crate) x: &'a [S],
    pub(crate) y: &'a [S],
    pub(crate) z: &'a [S],
    pub(crate) hx: &'a [S],
    pub(crate) hy: &'a [S],
    pub(crate) hz: &'a [S],
    pub(crate) angle: &'a [S],
    pub(crate) speed: &'a [S],
    pub(crate) kind: &'a [S],
}
