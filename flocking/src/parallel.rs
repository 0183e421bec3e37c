//! Work cut in two until it is small: over the current rayon pool, or one piece after the other.

/// Something that a task may own a part of.
pub(crate) trait Split: Sized {
    /// The part before `at`, and the rest; at the end or behind it, all and nothing.
    fn split(self, at: usize) -> (Self, Self);
}

impl<T> Split for &mut [T] {
    fn split(self, at: usize) -> (Self, Self) {
        let at = at.min(self.len());
        self.split_at_mut(at)
    }
}

#[cfg(feature = "rayon")]
fn both(a: impl FnOnce() + Send, b: impl FnOnce() + Send) {
    rayon::join(a, b);
}

/// Tasks that can run at the same time.
#[cfg(feature = "rayon")]
pub(crate) fn workers() -> usize {
    rayon::current_num_threads()
}

/// Tasks that can run at the same time.
#[cfg(not(feature = "rayon"))]
pub(crate) fn workers() -> usize {
    1
}

/// Calls `work(first index, part)` for parts of at most `grain` of `len` items. Nothing waits for
/// anything but the two halves that it was cut into, so any pool finishes.
#[cfg(feature = "rayon")]
pub(crate) fn each_part<P: Split + Send>(
    parts: P,
    len: usize,
    grain: usize,
    work: &(impl Fn(usize, P) + Sync),
) {
    fn divide<P: Split + Send>(
        parts: P,
        first: usize,
        len: usize,
        grain: usize,
        work: &(impl Fn(usize, P) + Sync),
    ) {
        if len <= grain {
            work(first, parts);
            return;
        }
        let mid = (len / grain).div_ceil(2).max(1) * grain;
        let mid = if mid < len { mid } else { len / 2 };
        let (a, b) = parts.split(mid);
        both(
            || divide(a, first, mid, grain, work),
            || divide(b, first + mid, len - mid, grain, work),
        );
    }
    if workers() == 1 {
        in_turn(parts, len, grain, work);
    } else {
        divide(parts, 0, len, grain, work);
    }
}

/// The same without threads.
#[cfg(not(feature = "rayon"))]
pub(crate) fn each_part<P: Split>(parts: P, len: usize, grain: usize, work: &impl Fn(usize, P)) {
    in_turn(parts, len, grain, work);
}

fn in_turn<P: Split>(mut parts: P, len: usize, grain: usize, work: &impl Fn(usize, P)) {
    let mut first = 0;
    while first < len {
        let n = grain.min(len - first);
        let (part, rest) = parts.split(n);
        work(first, part);
        parts = rest;
        first += n;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_once_whatever_the_grain() {
        for len in [0usize, 1, 5, 64, 1000] {
            for grain in [1, 3, 64, 5000] {
                let mut items = vec![0usize; len];
                each_part(&mut items[..], len, grain, &|first, part: &mut [usize]| {
                    assert!(part.len() <= grain);
                    for (i, item) in part.iter_mut().enumerate() {
                        *item += first + i + 1;
                    }
                });
                assert!(items.iter().enumerate().all(|(i, &item)| item == i + 1));
            }
        }
    }
}
