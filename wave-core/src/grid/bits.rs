//! A set of cells, a bit each.

/// Bits by number, without gaps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Bits {
    words: Vec<u64>,
    len: usize,
}

impl Bits {
    /// `len` bits, all of them `value`.
    pub(crate) fn new(len: usize, value: bool) -> Self {
        let mut bits =
            Self { words: vec![if value { u64::MAX } else { 0 }; len.div_ceil(64)], len };
        bits.clear_tail();
        bits
    }

    /// The bits of a snapshot, if they are `len`.
    #[cfg(feature = "serde")]
    pub(crate) fn from_words(words: Vec<u64>, len: usize) -> Option<Self> {
        let mut bits = Self { words, len };
        let fits = bits.words.len() == len.div_ceil(64);
        fits.then(|| {
            bits.clear_tail();
            bits
        })
    }

    /// Sixty-four bits to a word, the lowest first.
    #[cfg(feature = "serde")]
    pub(crate) fn words(&self) -> &[u64] {
        &self.words
    }

    fn clear_tail(&mut self) {
        if let Some(last) = self.words.last_mut().filter(|_| !self.len.is_multiple_of(64)) {
            *last &= (1 << (self.len % 64)) - 1;
        }
    }

    #[inline]
    pub(crate) fn get(&self, i: usize) -> bool {
        self.words[i / 64] >> (i % 64) & 1 == 1
    }

    #[inline]
    pub(crate) fn set(&mut self, i: usize, value: bool) {
        let word = &mut self.words[i / 64];
        *word = *word & !(1 << (i % 64)) | u64::from(value) << (i % 64);
    }

    /// The 64 bits from `i` on, those past the end 0.
    #[inline]
    pub(crate) fn word(&self, i: usize) -> u64 {
        let word = |n: usize| u128::from(self.words.get(n).copied().unwrap_or(0));
        ((word(i / 64) | word(i / 64 + 1) << 64) >> (i % 64)) as u64
    }

    /// Whether all of `count` bits from `i` on are set; they must be there.
    #[inline]
    pub(crate) fn all(&self, mut i: usize, count: usize) -> bool {
        if (1..=64 - i % 64).contains(&count) {
            let asked = u64::MAX >> (64 - count) << (i % 64);
            return self.words[i / 64] & asked == asked;
        }
        let end = i + count;
        while i < end {
            let asked = u64::MAX >> (64 - (end - i).min(64));
            if self.word(i) & asked != asked {
                return false;
            }
            i += 64;
        }
        true
    }

    /// How many bits are set.
    pub(crate) fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// How many bits differ from the next one.
    pub(crate) fn edges(&self) -> usize {
        let edges = |i: usize| {
            let left = (self.len - i).min(64);
            let next = self.word(i + 1);
            // The last bit of all has no next one.
            let counted = u64::MAX >> (64 - left) >> usize::from(i + left == self.len);
            ((self.word(i) ^ next) & counted).count_ones() as usize
        };
        (0..self.len).step_by(64).map(edges).sum()
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        size_of_val(&self.words[..])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn bits_are_what_they_were_set_to(
            edits in proptest::collection::vec((0..200usize, any::<bool>()), 0..300),
            value: bool, first in 0..200usize, count in 0..200usize,
        ) {
            let (mut bits, mut expected) = (Bits::new(200, value), vec![value; 200]);
            for (i, value) in edits {
                bits.set(i, value);
                expected[i] = value;
            }
            prop_assert!((0..200).all(|i| bits.get(i) == expected[i]));
            prop_assert_eq!(bits.count(), expected.iter().filter(|&&bit| bit).count());
            let word = bits.word(first);
            for lane in 0..64 {
                let there = expected.get(first + lane) == Some(&true);
                prop_assert_eq!(word >> lane & 1 == 1, there);
            }
            let edges = expected.windows(2).filter(|pair| pair[0] != pair[1]).count();
            prop_assert_eq!(bits.edges(), edges);
            let count = count.min(200 - first);
            prop_assert_eq!(bits.all(first, count), expected[first..first + count].iter().all(|&b| b));
        }
    }
}
