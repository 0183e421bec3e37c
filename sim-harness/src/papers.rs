//! The published figures, measured again: one module per source, one line in [`EXPERIMENTS`].
//!
//! Every row stands beside a figure of the source. `holds` says whether the source's finding is met
//! or beaten, by the rule that the module's documentation states; `null` where a row only shows
//! something. An experiment holds when every row of the source does, by "ours" and by "published
//! rules". A row of "contrast" shows a setting under which findings of the source fail; it does not
//! count.

mod boids;
mod building;
mod chase;
mod furukawa;
mod fuzzy_appendix;
mod harakawa;
mod kumagai;
pub(crate) mod lee;
mod pictures;
mod plans;
mod watanabe_speed;
mod watanabe_table;

#[cfg(test)]
pub(crate) use plans::PLANS;

pub(crate) use furukawa::Found;
pub(crate) use pictures::Picture;

use crate::world::Refusal;
use serde::Serialize;
use thiserror::Error;

/// A figure: a number, or whether something came about.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub(crate) enum Figure {
    /// A number, in the unit that the case names.
    Number(f64),
    /// Whether it came about.
    Truth(bool),
}

impl std::fmt::Display for Figure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Number(n) if n.abs() >= 100.0 => write!(f, "{n:.1}"),
            Self::Number(n) => write!(f, "{n:.3}"),
            Self::Truth(true) => write!(f, "yes"),
            Self::Truth(false) => write!(f, "no"),
        }
    }
}

/// Whose method a row measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) enum By {
    /// The default of the crate.
    #[serde(rename = "ours")]
    Ours,
    /// The source's method as printed.
    #[serde(rename = "published rules")]
    Published,
    /// A method that the source compares with, or one that is plain to write.
    #[serde(rename = "baseline")]
    Baseline,
}

/// The purpose of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Of {
    /// A finding of the source, by its own method or by ours.
    Source,
    /// A setting that is shown because findings of the source fail under it.
    Contrast,
}

/// One figure beside the source's.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Row {
    /// The purpose of the row.
    pub(crate) of: Of,
    /// The quantity that is measured, and the method.
    pub(crate) case: String,
    /// Whose method it is.
    pub(crate) by: By,
    /// The source's figure; `None` where it gives none.
    pub(crate) published: Option<Figure>,
    /// Ours.
    pub(crate) measured: Figure,
    /// Whether the source's finding is met or beaten; `None` where the row only shows something.
    pub(crate) holds: Option<bool>,
    /// Details of the figure.
    pub(crate) detail: String,
}

/// The results of an experiment; the keys of `reproduce --json`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Reproduction {
    /// The experiment's name.
    pub(crate) name: &'static str,
    /// Figure by figure.
    pub(crate) rows: Vec<Row>,
    /// [`Experiment::on_published`].
    #[serde(skip)]
    pub(crate) on_published: &'static str,
    /// The pictures of the source, if they were drawn.
    #[serde(skip)]
    pub(crate) pictures: Vec<Picture>,
    /// Whether every row of the source holds that says so, by whatever method.
    pub(crate) holds: bool,
}

/// Why there are no figures.
#[derive(Debug, Error)]
#[non_exhaustive]
pub(crate) enum ReproduceError {
    /// No experiment has this name.
    #[error("{name}: no such experiment; there are: {}, all", names().join(", "))]
    Unknown {
        /// The name.
        name: String,
    },
    /// A number out of its limits.
    #[error("--seeds {seeds}: must be 1 to {MAX_SEEDS}")]
    Seeds {
        /// The number.
        seeds: u64,
    },
    /// A number out of its limits.
    #[error("--search {trials}: must be 16 to {MAX_TRIALS}")]
    Trials {
        /// The number.
        trials: u64,
    },
    /// An experiment that nothing is searched of.
    #[error("--search: only furukawa has a search, not {name}")]
    NoSearch {
        /// The name.
        name: String,
    },
    /// The machine has too little memory.
    #[error("no memory for a picture")]
    NoMemory,
    /// The pool of one thread did not start.
    #[error("one thread: {0}")]
    Pool(#[from] rayon::ThreadPoolBuildError),
    /// A setting that is part of the program cannot be read.
    #[error("furukawa/setting.toml: {}", .0.message())]
    Setting(#[from] toml::de::Error),
    /// A crate refuses a scene, which would be a mistake of ours.
    #[error(transparent)]
    Refused(Refusal),
}

impl<E: Into<Refusal>> From<E> for ReproduceError {
    fn from(error: E) -> Self {
        Self::Refused(error.into())
    }
}

/// The largest number of seeds.
pub(crate) const MAX_SEEDS: u64 = 1_000_000;
/// The largest number of settings that a search begins with.
const MAX_TRIALS: u64 = 1_000_000;

/// Searches the settings that the source of this experiment leaves open, then plays the best one
/// with `seeds` seeds that the search has not seen. The result is the same for any number of
/// threads.
///
/// # Errors
/// [`ReproduceError::NoSearch`], [`ReproduceError::Trials`], [`ReproduceError::Seeds`].
pub(crate) fn search(
    name: &str,
    trials: u64,
    seeds: u64,
    tick: &(dyn Fn() + Sync),
) -> Result<Found, ReproduceError> {
    if name != "furukawa" {
        return Err(ReproduceError::NoSearch { name: name.to_owned() });
    }
    if !(16..=MAX_TRIALS).contains(&trials) {
        return Err(ReproduceError::Trials { trials });
    }
    if !(1..=MAX_SEEDS).contains(&seeds) {
        return Err(ReproduceError::Seeds { seeds });
    }
    furukawa::search(trials, seeds, tick)
}

type Run = fn(seeds: u64, tick: &(dyn Fn() + Sync)) -> Result<Vec<Row>, ReproduceError>;

/// A source's finding that can be measured again.
pub(crate) struct Experiment {
    /// Its name on the command line.
    pub(crate) name: &'static str,
    /// Why a row by the published rules that does not hold refutes nothing; empty where all do.
    pub(crate) on_published: &'static str,
    ticks: fn(seeds: u64) -> u64,
    run: Run,
    draw: fn() -> Result<Vec<Picture>, ReproduceError>,
}

/// All experiments.
pub(crate) const EXPERIMENTS: &[Experiment] = &[
    Experiment {
        name: "watanabe-table-2",
        on_published: "",
        ticks: watanabe_table::ticks,
        run: watanabe_table::rows,
        draw: watanabe_table::pictures,
    },
    Experiment {
        name: "watanabe-speed",
        on_published: "",
        ticks: watanabe_speed::ticks,
        run: watanabe_speed::rows,
        draw: || Ok(Vec::new()),
    },
    Experiment {
        name: "kumagai",
        on_published: "",
        ticks: kumagai::ticks,
        run: kumagai::rows,
        draw: kumagai::pictures,
    },
    Experiment {
        name: "furukawa",
        on_published: "The source states neither maps nor speeds nor reaches. Under one setting (besieged) gamma = 0.3 is the \
            sooner, under another (in passing) games take as long and as many hits as its own; no setting \
            that was found does both.",
        ticks: furukawa::ticks,
        run: furukawa::rows,
        draw: furukawa::pictures,
    },
    Experiment {
        name: "fuzzy-appendix",
        on_published: "",
        ticks: |_| 0,
        run: |_, _| fuzzy_appendix::rows(),
        draw: || Ok(Vec::new()),
    },
    Experiment {
        name: "harakawa",
        on_published: "",
        ticks: |_| 0,
        run: |_, _| harakawa::rows(),
        draw: harakawa::pictures,
    },
    Experiment {
        name: "boids",
        on_published: "",
        ticks: |_| 0,
        run: |_, _| boids::rows(),
        draw: boids::pictures,
    },
];

fn names() -> Vec<&'static str> {
    EXPERIMENTS.iter().map(|e| e.name).collect()
}

/// The experiments that `name` means: one, or with "all" every one.
///
/// # Errors
/// [`ReproduceError::Unknown`].
pub(crate) fn select(name: &str) -> Result<Vec<&'static Experiment>, ReproduceError> {
    let chosen: Vec<_> = EXPERIMENTS.iter().filter(|e| name == "all" || e.name == name).collect();
    if chosen.is_empty() {
        return Err(ReproduceError::Unknown { name: name.to_owned() });
    }
    Ok(chosen)
}

impl Experiment {
    /// How often a run with so many seeds ticks.
    #[must_use]
    pub(crate) fn ticks(&self, seeds: u64) -> u64 {
        (self.ticks)(seeds.min(MAX_SEEDS))
    }

    /// Runs it in the current rayon pool. The figures are the same for any number of threads,
    /// except those that are times.
    ///
    /// # Errors
    /// [`ReproduceError::Seeds`].
    pub(crate) fn run(
        &self,
        seeds: u64,
        tick: &(dyn Fn() + Sync),
    ) -> Result<Reproduction, ReproduceError> {
        if !(1..=MAX_SEEDS).contains(&seeds) {
            return Err(ReproduceError::Seeds { seeds });
        }
        let rows = (self.run)(seeds, tick)?;
        let holds = rows.iter().all(|row| row.of != Of::Source || row.holds != Some(false));
        let (name, on_published, pictures) = (self.name, self.on_published, Vec::new());
        Ok(Reproduction { name, rows, on_published, pictures, holds })
    }

    /// Draws the pictures of the source; some sources have none.
    ///
    /// # Errors
    /// [`ReproduceError::NoMemory`].
    pub(crate) fn draw(&self) -> Result<Vec<Picture>, ReproduceError> {
        (self.draw)()
    }
}

impl Reproduction {
    /// The name of a picture's file in a folder of all of them.
    #[must_use]
    pub(crate) fn file_of(&self, picture: &Picture) -> String {
        format!("{}-{}", self.name, picture.file)
    }

    /// A table for people.
    #[must_use]
    pub(crate) fn table(&self) -> String {
        let figure = |f: Option<Figure>| f.map_or_else(|| "-".to_owned(), |f| f.to_string());
        let verdict = |row: &Row| match (row.of, row.holds) {
            (Of::Contrast, _) => "contrast",
            (Of::Source, Some(true)) => "holds",
            (Of::Source, Some(false)) => "fails",
            (Of::Source, None) => "",
        };
        let width = self.rows.iter().map(|row| row.case.len()).max().unwrap_or(0);
        let counts = |row: &&Row, by: By| row.of == Of::Source && row.by == by;
        let of =
            |by: By| self.rows.iter().filter(move |row| counts(row, by)).filter_map(|r| r.holds);
        let share = |by: By| format!("{} of {}", of(by).filter(|h| *h).count(), of(by).count());
        let mut text = format!("{}: ours holds in {} rows", self.name, share(By::Ours));
        if of(By::Published).next().is_some() {
            text += &format!(", the published rules in {}", share(By::Published));
        }
        text.push('\n');
        text += &format!("{:width$}  {:>9}  {:>9}\n", "", "published", "measured");
        for row in &self.rows {
            let Row { case, published, measured, detail, .. } = row;
            let (published, measured) = (figure(*published), measured.to_string());
            let holds = verdict(row);
            text += &format!("{case:width$}  {published:>9}  {measured:>9}  {holds:8}  {detail}\n");
        }
        text
    }
}
