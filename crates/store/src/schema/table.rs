//! What a table is, in no database's words.
//!
//! Read next: [`super::tables`].

/// A table.
pub(crate) struct Table {
    pub(crate) name: &'static str,
    pub(crate) columns: &'static [Column],
    /// The columns of the primary key.
    pub(crate) key: &'static [&'static str],
    /// Other columns that are unique together.
    pub(crate) unique: &'static [&'static [&'static str]],
    pub(crate) indexes: &'static [Index],
    /// What every row keeps to.
    pub(crate) checks: &'static [&'static str],
    /// The place that the code of a row is bound to beside the row; none if rows carry no codes. Small
    /// tables are summed up whenever they are read.
    pub(crate) code: Option<&'static str>,
    /// True if a change of keys walks over its rows, by their numbers.
    pub(crate) walked: bool,
}

/// A column.
pub(crate) struct Column {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    /// True if it may be null.
    pub(crate) optional: bool,
}

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// 64 bits with a sign; flags are 0 or 1.
    Number,
    /// Text that is searched or sorted by, in the order of its bytes; never with U+0000.
    Text,
    /// Text that is only read as a whole, of any characters.
    Payload,
    Bytes,
}

/// An index.
pub(crate) struct Index {
    pub(crate) name: &'static str,
    pub(crate) columns: &'static [&'static str],
    /// The condition of the rows in it; none if all are.
    pub(crate) only: Option<&'static str>,
}

impl Column {
    const fn of(name: &'static str, kind: Kind) -> Self {
        Self {
            name,
            kind,
            optional: false,
        }
    }

    pub(crate) const fn optional(self) -> Self {
        Self {
            optional: true,
            ..self
        }
    }
}

pub(crate) const fn number(name: &'static str) -> Column {
    Column::of(name, Kind::Number)
}

pub(crate) const fn text(name: &'static str) -> Column {
    Column::of(name, Kind::Text)
}

pub(crate) const fn payload(name: &'static str) -> Column {
    Column::of(name, Kind::Payload)
}

pub(crate) const fn bytes(name: &'static str) -> Column {
    Column::of(name, Kind::Bytes)
}

pub(crate) const fn index(name: &'static str, columns: &'static [&'static str]) -> Index {
    Index {
        name,
        columns,
        only: None,
    }
}

impl Index {
    pub(crate) const fn only(self, condition: &'static str) -> Self {
        Self {
            only: Some(condition),
            ..self
        }
    }
}
