//! The finished tables: CSV, and Parquet with the feature `parquet`; all of them or none.

use super::columns::MEANS;
use super::journal::{Row, line, plain};
use super::plan::Plan;
use super::{PointSummary, SweepError};
#[cfg(feature = "parquet")]
use crate::output::WriteError;
use crate::output::{OutFolder, Whole};
use std::path::PathBuf;

pub(super) fn write(
    plan: &Plan,
    folder: &OutFolder,
    rows: &[Row],
    points: &[PointSummary],
) -> Result<Vec<PathBuf>, SweepError> {
    let path = |name: &str| folder.join(name);
    let records = rows.iter().map(|row| row.record(plan));
    let rows_csv = csv([Row::header(plan)].into_iter().chain(records));
    let tables = [
        ("rows.csv", rows_csv),
        #[cfg(feature = "parquet")]
        ("rows.parquet", {
            let table = super::parquet::table(plan, rows);
            table.map_err(|e| WriteError::new(path("rows.parquet"), &e))?
        }),
        ("means.csv", csv(means(plan, points))),
    ];
    let files = tables.iter().map(|(name, bytes)| Whole::of(path(name), bytes));
    Whole::place(files.collect::<Result<_, _>>()?)?;
    Ok(tables.iter().map(|(name, _)| path(name)).collect())
}

fn csv(records: impl Iterator<Item = Vec<String>>) -> Vec<u8> {
    records.flat_map(|record| line(&record)).collect()
}

fn means<'a>(plan: &'a Plan, points: &'a [PointSummary]) -> impl Iterator<Item = Vec<String>> + 'a {
    let names = MEANS.map(str::to_owned);
    let header = [&["point".to_owned()], plan.columns(), &names].concat();
    let rows = points.iter().flat_map(move |point| {
        point.means.iter().map(move |(name, estimate)| {
            let settings = plan.settings(point.point);
            let settings = settings.iter().map(|(_, value)| plain(value));
            let numbers = [estimate.mean, estimate.low, estimate.high].map(|v| v.to_string());
            [point.point.to_string()]
                .into_iter()
                .chain(settings)
                .chain([name.clone(), estimate.count.to_string()])
                .chain(numbers)
                .collect()
        })
    });
    [header].into_iter().chain(rows)
}
