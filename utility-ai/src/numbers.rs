//! Lists of a certain number of numbers, as they are read.

use serde::de::{Error, IgnoredAny, SeqAccess, Visitor};
use std::fmt;

/// Reads `N` numbers, and refuses more: left to itself, TOML takes the first `N` and says nothing.
pub(crate) fn numbers<'de, D, const N: usize>(from: D) -> Result<[f64; N], D::Error>
where
    D: serde::Deserializer<'de>,
{
    struct Numbers<const N: usize>;
    impl<'de, const N: usize> Visitor<'de> for Numbers<N> {
        type Value = [f64; N];
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "{N} numbers")
        }
        fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
            let mut all = [0.0; N];
            for (i, number) in all.iter_mut().enumerate() {
                *number = seq.next_element()?.ok_or_else(|| A::Error::invalid_length(i, &self))?;
            }
            let mut found = N;
            while seq.next_element::<IgnoredAny>()?.is_some() {
                found += 1;
            }
            if found == N { Ok(all) } else { Err(A::Error::invalid_length(found, &self)) }
        }
    }
    from.deserialize_tuple(N, Numbers::<N>)
}
