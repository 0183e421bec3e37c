//! Contestants measured in turn, so that a change of the machine's mood meets all of them.

use crate::error::CompareError;
use indicatif::{ProgressBar, ProgressStyle};
use sim_harness::quantile::nearest_rank;
use std::time::Instant;

/// Contestants that run by number, 0 to n - 1.
pub(crate) trait Race {
    /// Puts contestant `who` at the start; not timed.
    fn prepare(&mut self, who: usize) -> Result<(), CompareError>;
    /// The timed part.
    fn run(&mut self, who: usize) -> Result<(), CompareError>;
    /// Checks the answer of the run just made; not timed.
    fn check(&mut self, who: usize) -> Result<(), CompareError>;
}

/// The times of one contestant.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Times {
    /// Milliseconds, ascending.
    sorted: Vec<f64>,
}

impl Times {
    pub(crate) fn new(mut milliseconds: Vec<f64>) -> Self {
        milliseconds.sort_by(f64::total_cmp);
        Self { sorted: milliseconds }
    }

    /// Every time divided by `parts`, for runs that do the same thing several times.
    pub(crate) fn per(mut self, parts: f64) -> Self {
        self.sorted.iter_mut().for_each(|t| *t /= parts);
        self
    }

    /// The mean of the two in the middle where their number is even; 0 without times.
    pub(crate) fn median(&self) -> f64 {
        let n = self.sorted.len();
        let at = |i: usize| self.sorted.get(i).copied().unwrap_or(0.0);
        f64::midpoint(at(n.saturating_sub(1) / 2), at(n / 2))
    }

    /// The percentile of nearest rank; 0 without times.
    pub(crate) fn percentile(&self, percent: u8) -> f64 {
        nearest_rank(&self.sorted, percent).unwrap_or(0.0)
    }

    /// 0 without times.
    pub(crate) fn mean(&self) -> f64 {
        self.sorted.iter().sum::<f64>() / self.sorted.len().max(1) as f64
    }

    pub(crate) fn min(&self) -> f64 {
        self.sorted.first().copied().unwrap_or(0.0)
    }

    pub(crate) fn max(&self) -> f64 {
        self.sorted.last().copied().unwrap_or(0.0)
    }

    pub(crate) fn runs(&self) -> usize {
        self.sorted.len()
    }
}

/// One round that is checked and not counted, then `runs` rounds; in each, `names.len()`
/// contestants run once. Every run is checked.
pub(crate) fn interleave(
    race: &mut impl Race,
    names: &[&str],
    runs: usize,
) -> Result<Vec<Times>, CompareError> {
    // Drawn on a terminal only, and between the runs only.
    let progress = ProgressBar::new(((runs + 1) * names.len()) as u64);
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} {msg} {elapsed}") {
        progress.set_style(style);
    }
    let mut times = vec![Vec::with_capacity(runs + 1); names.len()];
    for _ in 0..=runs {
        for (who, (name, times)) in names.iter().zip(&mut times).enumerate() {
            progress.set_message((*name).to_owned());
            race.prepare(who)?;
            let start = Instant::now();
            race.run(who)?;
            times.push(start.elapsed().as_secs_f64() * 1e3);
            race.check(who)?;
            progress.inc(1);
        }
    }
    progress.finish_and_clear();
    Ok(times.into_iter().map(|times: Vec<f64>| Times::new(times[1..].to_vec())).collect())
}

/// How often something must be done to take `seconds`: `run(n)` does it n times.
pub(crate) fn repeats_for(
    seconds: f64,
    mut run: impl FnMut(usize) -> Result<(), CompareError>,
) -> Result<usize, CompareError> {
    // The first touch of fresh memory is slower than anything that follows.
    run(1)?;
    let mut n = 1;
    loop {
        let start = Instant::now();
        run(n)?;
        let taken = start.elapsed().as_secs_f64();
        if taken >= seconds / 4.0 {
            return Ok(((n as f64 * seconds / taken).ceil() as usize).max(1));
        }
        n *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Log(Vec<(char, usize)>);

    impl Race for Log {
        fn prepare(&mut self, who: usize) -> Result<(), CompareError> {
            self.0.push(('p', who));
            Ok(())
        }
        fn run(&mut self, who: usize) -> Result<(), CompareError> {
            self.0.push(('r', who));
            Ok(())
        }
        fn check(&mut self, who: usize) -> Result<(), CompareError> {
            self.0.push(('c', who));
            Ok(())
        }
    }

    #[test]
    fn contestants_take_turns_and_the_first_round_does_not_count() {
        let mut log = Log::default();
        let times = interleave(&mut log, &["a", "b"], 3).unwrap();
        assert_eq!(times.iter().map(Times::runs).collect::<Vec<_>>(), [3, 3]);
        let round = [('p', 0), ('r', 0), ('c', 0), ('p', 1), ('r', 1), ('c', 1)];
        assert_eq!(log.0, round.repeat(4));
    }

    #[test]
    fn medians_of_odd_and_even_numbers_of_times() {
        let times = Times::new(vec![8.0, 2.0, 4.0]);
        assert_eq!((times.min(), times.median(), times.max()), (2.0, 4.0, 8.0));
        assert_eq!(Times::new(vec![8.0, 2.0]).per(2.0).median(), 2.5);
        assert_eq!(Times::new(Vec::new()).median(), 0.0);
        let hundred = Times::new((0..=100).map(f64::from).collect());
        assert_eq!([0, 50, 99, 100].map(|p| hundred.percentile(p)), [0.0, 50.0, 99.0, 100.0]);
        // 59 of 60 are not yet 99 %.
        let sixty = Times::new((1..=60).map(f64::from).collect());
        assert_eq!([50, 95, 99].map(|p| sixty.percentile(p)), [30.0, 57.0, 60.0]);
        assert_eq!(Times::new(Vec::new()).percentile(50), 0.0);
    }

    #[test]
    fn repeats_fill_the_time_asked_for() {
        let sleep = |n: usize| {
            std::thread::sleep(std::time::Duration::from_millis(n as u64));
            Ok(())
        };
        // A busy machine sleeps longer, never shorter.
        assert!((1..=20).contains(&repeats_for(0.02, sleep).unwrap()));
    }
}
