//! Tables as Parquet files, through the few kinds of column that the record needs.
//!
//! A row type lists its columns once and pushes its cells in that order; reading pulls them in the same order, without
//! those that are written for people only (names, encodings of what stands beside them). Rows are read and written in
//! groups, so memory does not grow with a table's length.

mod budget;
mod groups;
mod guard;
mod read;
mod write;

pub(crate) use budget::Budget;
pub(crate) use read::{Cells, TableReader};
pub(crate) use write::TableWriter;

use parquet::basic::{ConvertedType, LogicalType, Repetition, Type as Physical};
use parquet::errors::Result;
use parquet::schema::types::{Type, TypePtr};
use std::sync::Arc;

/// Where a table's metadata has the id of its run.
pub(crate) const RUN_KEY: &str = "run";

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Int,
    IntOrNull,
    Float,
    FloatOrNull,
    Flag,
    Text,
    TextOrNull,
    /// A list of whole numbers, never null, perhaps empty.
    Ints,
    BytesOrNull,
}

#[derive(Clone, Debug)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    /// Whether it is written for people and other tools only.
    pub(crate) is_label: bool,
    /// Whether tables of earlier versions lack it; each of its cells is null there.
    is_added: bool,
}

impl Column {
    pub(crate) fn new(name: impl Into<String>, kind: Kind) -> Self {
        Self { name: name.into(), kind, is_label: false, is_added: false }
    }

    /// A column that earlier versions did not write.
    pub(crate) fn added(name: impl Into<String>, kind: Kind) -> Self {
        Self { is_added: true, ..Self::new(name, kind) }
    }

    pub(crate) fn label(name: impl Into<String>, kind: Kind) -> Self {
        Self { name: name.into(), kind, is_label: true, is_added: false }
    }

    /// Path of the values in the file: a list's stand two levels down.
    fn leaf(&self) -> String {
        match self.kind {
            Kind::Ints => format!("{}.list.element", self.name),
            _ => self.name.clone(),
        }
    }

    fn physical(&self) -> Physical {
        match self.kind {
            Kind::Int | Kind::IntOrNull | Kind::Ints => Physical::INT64,
            Kind::Float | Kind::FloatOrNull => Physical::DOUBLE,
            Kind::Flag => Physical::BOOLEAN,
            Kind::Text | Kind::TextOrNull | Kind::BytesOrNull => Physical::BYTE_ARRAY,
        }
    }

    /// Greatest definition level: 0 where a value always stands.
    fn definition(&self) -> i16 {
        match self.kind {
            Kind::Int | Kind::Float | Kind::Flag | Kind::Text => 0,
            Kind::IntOrNull | Kind::FloatOrNull | Kind::TextOrNull | Kind::BytesOrNull | Kind::Ints => 1,
        }
    }

    fn schema(&self) -> Result<Type> {
        let is_required = self.definition() == 0 || self.kind == Kind::Ints;
        let repetition = if is_required { Repetition::REQUIRED } else { Repetition::OPTIONAL };
        let name = if self.kind == Kind::Ints { "element" } else { &self.name };
        let leaf = Type::primitive_type_builder(name, self.physical()).with_repetition(repetition);
        let leaf = match self.kind {
            Kind::Text | Kind::TextOrNull => {
                leaf.with_logical_type(Some(LogicalType::String)).with_converted_type(ConvertedType::UTF8)
            }
            _ => leaf,
        }
        .build()?;
        if self.kind != Kind::Ints {
            return Ok(leaf);
        }
        // The three-level form that the Parquet format asks for lists.
        let list = Type::group_type_builder("list")
            .with_repetition(Repetition::REPEATED)
            .with_fields(vec![Arc::new(leaf)])
            .build()?;
        Type::group_type_builder(&self.name)
            .with_repetition(Repetition::REQUIRED)
            .with_logical_type(Some(LogicalType::List))
            .with_converted_type(ConvertedType::LIST)
            .with_fields(vec![Arc::new(list)])
            .build()
    }
}

pub(crate) fn schema(name: &str, columns: &[Column]) -> Result<TypePtr> {
    let fields = columns.iter().map(|column| column.schema().map(Arc::new)).collect::<Result<Vec<_>>>()?;
    Ok(Arc::new(Type::group_type_builder(name).with_fields(fields).build()?))
}
