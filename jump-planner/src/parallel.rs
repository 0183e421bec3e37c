//! Work by bands of rows, in the caller's rayon pool or in turn; the results come in order, so they
//! are the same for any number of threads.

/// Rows per band; it does not depend on the number of threads, since a band's result may depend on
/// where it begins.
pub(crate) const BAND: usize = 16;

/// `work(first row, end row)` for every band of `rows` rows.
pub(crate) fn bands<T: Send>(
    rows: usize,
    work: impl Fn(usize, usize) -> T + Sync + Send,
) -> Vec<T> {
    pieces(rows, BAND, work)
}

/// `work(first, end)` for every piece of `size` of `0..n`.
#[cfg(feature = "rayon")]
pub(crate) fn pieces<T: Send>(
    n: usize,
    size: usize,
    work: impl Fn(usize, usize) -> T + Sync + Send,
) -> Vec<T> {
    use rayon::prelude::*;
    let pieces = (0..n.div_ceil(size)).into_par_iter();
    pieces.map(|p| work(p * size, ((p + 1) * size).min(n))).collect()
}

/// `work(first, end)` for every piece of `size` of `0..n`.
#[cfg(not(feature = "rayon"))]
pub(crate) fn pieces<T>(n: usize, size: usize, work: impl Fn(usize, usize) -> T) -> Vec<T> {
    (0..n.div_ceil(size)).map(|p| work(p * size, ((p + 1) * size).min(n))).collect()
}
