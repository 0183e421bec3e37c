//! Places that come and go: all after them have other numbers then.

/// Places in a row that have gone, and others that have come in their place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Splice {
    /// The first one.
    pub(crate) at: usize,
    pub(crate) gone: usize,
    pub(crate) new: usize,
}

impl Splice {
    /// Whether all numbers stay.
    pub(crate) fn is_empty(self) -> bool {
        self.gone == 0 && self.new == 0
    }

    /// The number of a place now; `None` if it has gone.
    pub(crate) fn number(self, place: u32) -> Option<u32> {
        let i = place as usize;
        if i < self.at {
            return Some(place);
        }
        (i >= self.at + self.gone).then(|| (i - self.gone + self.new) as u32)
    }

    /// Of both ends of a move.
    pub(crate) fn ends(self, (from, to): (u32, u32)) -> Option<(u32, u32)> {
        Some((self.number(from)?, self.number(to)?))
    }

    /// Follows in a list by place; new places get `such` a value.
    pub(crate) fn follow<V: Clone>(self, by_place: &mut Vec<V>, such: V) {
        let gone = self.at..self.at + self.gone;
        by_place.splice(gone, std::iter::repeat_n(such, self.new));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn numbers_go_with_what_is_kept(n in 1_u32..9, at in 0_usize..9, gone in 0_usize..4, new in 0_usize..4) {
            let at = at.min(n as usize);
            let splice = Splice { at, gone: gone.min(n as usize - at), new };
            let mut kept: Vec<u32> = (0..n).collect();
            splice.follow(&mut kept, u32::MAX);
            for place in 0..n {
                let expected = kept.iter().position(|&known| known == place);
                prop_assert_eq!(splice.number(place), expected.map(|i| i as u32));
            }
            prop_assert_eq!(kept.iter().filter(|&&known| known == u32::MAX).count(), new);
        }
    }
}
