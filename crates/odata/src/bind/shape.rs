//! The values that transformations of `$apply` and `$compute` name, and how later expressions find them.
//!
//! Before a grouping, computed values are named in addition to the properties of the entity. After one,
//! nothing but the values of the groups has a name.

use crate::ast::Segment;
use crate::bind::expr::Binder;
use crate::bind::node::Node;
use crate::bind::path::unknown;
use crate::edm::Type;
use crate::error::{Error, ErrorKind, excerpt};
use crate::nearest::{did_you_mean, nearest};

/// The named values of the rows that an expression is evaluated for.
#[derive(Debug, Clone, Default)]
pub(crate) struct Shape {
    /// The values. No two have the same path, and none has the name of a property of the entity that it is
    /// not.
    pub columns: Vec<ResultColumn>,
    /// Whether the rows are groups.
    pub grouped: bool,
}

/// A value of each row of a result of `$apply` or `$compute`.
#[derive(Debug, Clone)]
pub struct ResultColumn {
    /// Its path: a name, or the navigations to a property and its name.
    pub path: Vec<String>,
    /// The type.
    pub ty: Type,
    /// Whether it is a property of the entity or of a navigation, rather than named by the request.
    pub declared: bool,
    pub(crate) node: Node,
}

impl ResultColumn {
    /// Whether a path of the request names it.
    pub(crate) fn is_at(&self, path: &[Segment]) -> bool {
        self.path
            .iter()
            .eq(path.iter().map(|segment| &segment.name))
    }
}

impl Shape {
    /// The error for a path that names no value of the result.
    pub(crate) fn unknown(&self, path: &[Segment]) -> Error {
        let names: Vec<String> = self.columns.iter().map(|it| it.path.join("/")).collect();
        let found: Vec<&str> = path.iter().map(|segment| segment.name.as_str()).collect();
        let found = found.join("/");
        let hint = match nearest(&found, names.iter().map(String::as_str)) {
            near @ Some(_) => did_you_mean(near, ""),
            None => format!("; expected one of `{}`", excerpt(&names.join("`, `"))),
        };
        let message = format!(
            "found `{}`, which the result does not have{hint}",
            excerpt(&found)
        );
        let at = path.first().map(|segment| segment.at);
        Error::new(ErrorKind::UnknownProperty, at, message)
    }
}

impl Binder<'_> {
    /// The value that a path names: one of the shape, or else a property.
    pub(crate) fn named(&mut self, path: &[Segment]) -> Result<Node, Error> {
        // Inside of a lambda, its variables come first; inside of `$count(…)`, the members do.
        let is_outer = match path.first() {
            Some(first) => !self.variables.iter().any(|variable| {
                variable.name.is_none() || variable.name.as_deref() == Some(&first.name)
            }),
            None => true,
        };
        if is_outer && let Some(column) = self.shape.columns.iter().find(|it| it.is_at(path)) {
            // The value is written again wherever it is named.
            self.used.repeated += column.node.size();
            let most = self.limits.nodes.saturating_mul(4);
            if self.used.repeated > most {
                return Err(Error::limit(
                    path[0].at,
                    "the computed values have too many parts where they are used",
                    most,
                ));
            }
            let at = path[0].at;
            return Ok(Node {
                at,
                ..column.node.clone()
            });
        }
        if self.shape.grouped {
            return Err(self.shape.unknown(path));
        }
        if self.shape.columns.is_empty() {
            return self.property(path);
        }
        self.property(path).map_err(|error| match path {
            [only] if is_outer && error.kind == ErrorKind::UnknownProperty => {
                let names = self.shape.columns.iter().filter_map(|it| it.path.first());
                let variables = self.variables.iter().filter_map(|it| it.name.as_ref());
                let others = names.chain(variables).map(String::as_str);
                unknown(self.entity, only, others)
            }
            _ => error,
        })
    }
}
