//! Work by bands of rows, in the caller's rayon pool or in turn; the results come in order, so they
//! are the same for any number of threads.

/// Rows per band; it does not depend on the number of threads, since a band's result may depend on
/// where it begins.
pub(crate) const BAND: usize = 16;

/// `work(first row, end row)` for every band of `rows` rows.
#[cfg(feature = "rayon")]
pub(crate) fn bands<T: Send>(
    rows: usize,
    work: impl Fn(usize, usize) -> T + Sync + Send,
) -> Vec<T> {
    use rayon::prelude::*;
    let bands = (0..rows.div_ceil(BAND)).into_par_iter();
    bands.map(|b| work(b * BAND, ((b + 1) * BAND).min(rows))).collect()
}

/// `work(first row, end row)` for every band of `rows` rows.
#[cfg(not(feature = "rayon"))]
pub(crate) fn bands<T>(rows: usize, work: impl Fn(usize, usize) -> T) -> Vec<T> {
    (0..rows.div_ceil(BAND)).map(|b| work(b * BAND, ((b + 1) * BAND).min(rows))).collect()
}
