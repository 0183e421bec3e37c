//! All rows as one table of Parquet.

use super::columns::{AFTER, BEFORE};
use super::journal::{Row, plain};
use super::plan::Plan;
use parquet::basic::{LogicalType, Repetition, Type as PhysicalType};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;
use std::sync::Arc;

/// Whole numbers where a column has only such; parameters that are no numbers as text.
pub(super) fn table(plan: &Plan, rows: &[Row]) -> Result<Vec<u8>, ParquetError> {
    let settings: Vec<Vec<toml::Value>> = (0..plan.points())
        .map(|point| plan.settings(point).into_iter().map(|(_, value)| value).collect())
        .collect();
    let numeric = |i: usize| settings.iter().all(|s| number(&s[i]).is_some());
    let of = |f: fn(&Row) -> u64| Column::Whole(rows.iter().map(|row| f(row) as i64).collect());
    let [run, point, seed] = BEFORE;
    let mut columns = vec![(run, of(|r| r.run)), (point, of(|r| r.point)), (seed, of(|r| r.seed))];
    for (i, name) in plan.columns().iter().enumerate() {
        let cell = |row: &Row| &settings[row.point as usize][i];
        columns.push((
            name,
            if numeric(i) {
                Column::Real(rows.iter().map(|row| number(cell(row))).collect())
            } else {
                Column::Text(rows.iter().map(|row| plain(cell(row))).collect())
            },
        ));
    }
    let [steps, state_hash] = AFTER;
    columns.push((steps, of(|r| r.steps)));
    columns.push((state_hash, Column::Text(rows.iter().map(|r| r.state_hash.clone()).collect())));
    for (i, name) in plan.figures().iter().enumerate() {
        columns.push((name, Column::Real(rows.iter().map(|row| row.figures[i]).collect())));
    }
    let fields = columns.iter().map(|(name, column)| column.field(name).map(Arc::new));
    let fields = fields.collect::<Result<Vec<_>, _>>()?;
    let schema = Type::group_type_builder("rows").with_fields(fields).build()?;
    let properties = Arc::new(WriterProperties::builder().build());
    let mut bytes = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut bytes, Arc::new(schema), properties)?;
    let mut group = writer.next_row_group()?;
    for (_, column) in &columns {
        let Some(mut target) = group.next_column()? else { break };
        match column {
            Column::Whole(values) => {
                target.typed::<Int64Type>().write_batch(values, None, None)?;
            }
            Column::Text(values) => {
                let values: Vec<ByteArray> = values.iter().map(|v| v.as_str().into()).collect();
                target.typed::<ByteArrayType>().write_batch(&values, None, None)?;
            }
            Column::Real(values) => {
                let there: Vec<f64> = values.iter().copied().flatten().collect();
                let levels: Vec<i16> = values.iter().map(|v| i16::from(v.is_some())).collect();
                target.typed::<DoubleType>().write_batch(&there, Some(&levels), None)?;
            }
        }
        target.close()?;
    }
    group.close()?;
    writer.close()?;
    Ok(bytes)
}

enum Column {
    Whole(Vec<i64>),
    Real(Vec<Option<f64>>),
    Text(Vec<String>),
}

impl Column {
    fn field(&self, name: &str) -> Result<Type, ParquetError> {
        let builder = match self {
            // Seeds go up to 2^64 - 1.
            Self::Whole(_) => Type::primitive_type_builder(name, PhysicalType::INT64)
                .with_logical_type(Some(LogicalType::integer(64, false)))
                .with_repetition(Repetition::REQUIRED),
            Self::Real(_) => Type::primitive_type_builder(name, PhysicalType::DOUBLE)
                .with_repetition(Repetition::OPTIONAL),
            Self::Text(_) => Type::primitive_type_builder(name, PhysicalType::BYTE_ARRAY)
                .with_logical_type(Some(LogicalType::String))
                .with_repetition(Repetition::REQUIRED),
        };
        builder.build()
    }
}

fn number(value: &toml::Value) -> Option<f64> {
    value.as_float().or_else(|| value.as_integer().map(|i| i as f64))
}
