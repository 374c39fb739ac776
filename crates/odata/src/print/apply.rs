//! `$apply` as text: the part after the `=`.

use std::fmt::{self, Display, Formatter, Write as _};

use super::{write_list, write_path};
use crate::ast::apply::{AggregateItem, Aggregated, ComputeItem, Transformation};

impl Display for Transformation {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Filter(condition) => write!(f, "filter({condition})"),
            Self::Compute(items) => {
                f.write_str("compute(")?;
                write_list(f, items, ",", |f, item| item.fmt(f))?;
                f.write_char(')')
            }
            Self::Aggregate(items) => aggregate(f, items),
            Self::GroupBy { paths, aggregates } => {
                f.write_str("groupby((")?;
                write_list(f, paths, ",", |f, path| write_path(f, path))?;
                f.write_char(')')?;
                if !aggregates.is_empty() {
                    f.write_char(',')?;
                    aggregate(f, aggregates)?;
                }
                f.write_char(')')
            }
            Self::Concat(sequences) => {
                f.write_str("concat(")?;
                write_list(f, sequences, ",", |f, sequence| {
                    write_list(f, sequence, "/", |f, it| it.fmt(f))
                })?;
                f.write_char(')')
            }
        }
    }
}

fn aggregate(f: &mut Formatter<'_>, items: &[AggregateItem]) -> fmt::Result {
    f.write_str("aggregate(")?;
    write_list(f, items, ",", |f, item| item.fmt(f))?;
    f.write_char(')')
}

impl Display for ComputeItem {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} as {}", self.expr, self.alias.name)
    }
}

impl Display for AggregateItem {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.value {
            Aggregated::Count => f.write_str("$count")?,
            Aggregated::Of(expr, method) => write!(f, "{expr} with {}", method.word())?,
        }
        write!(f, " as {}", self.alias.name)
    }
}
