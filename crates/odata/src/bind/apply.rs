//! `$apply` typed against the entity model: groupings and a concatenation as stages of a pipeline, each of
//! which later names and types follow from.
//!
//! A filter of ungrouped records joins the conditions of the query, and a computed value takes the place of
//! its name; only stages become queries of their own. `$compute` names values of the result, as a last
//! transformation would.

use std::collections::BTreeSet;

use crate::ast::apply::{AggregateItem, AggregateMethod, Aggregated, ComputeItem, Transformation};
use crate::ast::options::Options;
use crate::ast::{LogicOp, Segment, SelectItem};
use crate::bind::expr::Binder;
use crate::bind::node::{Node, NodeKind, Source, is_numeric, type_name};
use crate::bind::read_as;
use crate::bind::shape::{ResultColumn, Shape};
use crate::edm::Type;
use crate::error::{Error, ErrorKind, excerpt};

/// The stages of `$apply`, and the values of the result's rows.
#[derive(Debug, Clone)]
pub(crate) struct Pipeline {
    /// The first reads the rows of the entity, each other one those of the one before. Without any, the rows
    /// are those of the entity, with computed values.
    pub stages: Vec<Stage>,
    /// The values of each row. Their nodes refer to the columns of the last stage if there is one.
    pub columns: Vec<ResultColumn>,
}

/// A query of its own.
#[derive(Debug, Clone)]
pub(crate) enum Stage {
    Grouping(Grouping),
    /// Always the first, as each sequence contains what came before.
    Concat(Concat),
}

/// The rows of several sequences. The columns are the number of the sequence, followed by the values that any
/// of them has.
#[derive(Debug, Clone)]
pub(crate) struct Concat {
    pub sequences: Vec<Sequence>,
    /// The columns that no two rows share: the number of the sequence, and the keys of each.
    pub places: Vec<Node>,
}

/// One sequence of a concatenation. Its last stage is a grouping.
#[derive(Debug, Clone)]
pub(crate) struct Sequence {
    pub applied: Applied,
    /// The values of the columns, by their types, from the second column on. One that the sequence lacks is
    /// null.
    pub values: Vec<(Type, Option<Node>)>,
}

/// One grouping. Its columns are the keys, followed by the aggregates.
#[derive(Debug, Clone)]
pub(crate) struct Grouping {
    /// Which rows are grouped.
    pub filter: Option<Node>,
    /// The values that the rows of a group share. Without any, all rows are one group, even if there are
    /// none.
    pub keys: Vec<Node>,
    /// The columns of the keys.
    pub places: Vec<Node>,
    pub aggregates: Vec<Aggregate>,
}

#[derive(Debug, Clone)]
pub(crate) enum Aggregate {
    /// The number of rows.
    Count,
    Of(AggregateMethod, Node),
}

/// What transformations result in.
#[derive(Debug, Clone, Default)]
pub(crate) struct Applied {
    pub stages: Vec<Stage>,
    /// Which of the rows of the last stage, or of the entity, there are.
    pub filter: Option<Node>,
}

impl Applied {
    /// The number of nodes, as of [`Node::size`].
    fn size(&self) -> usize {
        let stages = self.stages.iter().map(|stage| match stage {
            Stage::Grouping(grouping) => {
                let aggregates = grouping.aggregates.iter().map(|aggregate| match aggregate {
                    Aggregate::Count => 1,
                    Aggregate::Of(_, node) => node.size(),
                });
                let nodes = grouping.filter.iter().chain(&grouping.keys);
                nodes.map(Node::size).chain(aggregates).sum::<usize>()
            }
            // There is one at most, and nothing before it has one.
            Stage::Concat(_) => 0,
        });
        stages.chain(self.filter.iter().map(Node::size)).sum()
    }
}

impl Stage {
    /// The columns whose values no two rows share.
    pub fn places(&self) -> &[Node] {
        match self {
            Self::Grouping(grouping) => &grouping.places,
            Self::Concat(concat) => &concat.places,
        }
    }
}

/// A column of the stage before.
pub(crate) fn column(at: usize, ty: Type, place: usize) -> Node {
    Node::new(at, ty, NodeKind::Column(place))
}

fn is_same_column(one: &Node, other: &Node) -> bool {
    match (&one.kind, &other.kind) {
        (NodeKind::Column(one), NodeKind::Column(other)) => one == other,
        _ => false,
    }
}

/// Both conditions.
pub(crate) fn both(first: Option<Node>, second: Option<Node>) -> Option<Node> {
    match (first, second) {
        (Some(first), Some(second)) => {
            let at = first.at;
            let kind = NodeKind::Logic(LogicOp::And, vec![first, second]);
            Some(Node::new(at, Type::Boolean, kind))
        }
        (first, second) => first.or(second),
    }
}

/// Binds the transformations; afterwards the binder's shape is that of the result.
pub(crate) fn transformations(
    binder: &mut Binder<'_>,
    all: &[Transformation],
) -> Result<Applied, Error> {
    let mut applied = Applied::default();
    apply(binder, &mut applied, all)?;
    Ok(applied)
}

fn apply(
    binder: &mut Binder<'_>,
    applied: &mut Applied,
    all: &[Transformation],
) -> Result<(), Error> {
    for transformation in all {
        match transformation {
            Transformation::Filter(condition) => {
                let condition = binder.predicate(condition)?;
                applied.filter = both(applied.filter.take(), Some(condition));
            }
            Transformation::Compute(items) => compute(binder, items)?,
            Transformation::Aggregate(items) => group(binder, applied, &[], items)?,
            Transformation::GroupBy { paths, aggregates } => {
                group(binder, applied, paths, aggregates)?;
            }
            Transformation::Concat(sequences) => concat(binder, applied, sequences)?,
        }
    }
    Ok(())
}

/// The values of the result, once every expression is bound; `None` if they are those of the entity.
pub(crate) fn result(binder: &mut Binder<'_>) -> Option<Shape> {
    let shape = std::mem::take(&mut binder.shape);
    if shape.grouped {
        return Some(shape);
    }
    if shape.columns.is_empty() {
        return None;
    }
    let properties = binder.entity.properties.iter().map(|property| {
        let property = read_as(binder.entity, property, binder.replaced);
        let kind = NodeKind::Property(Source::of(0), property);
        ResultColumn {
            path: vec![property.name.to_owned()],
            ty: property.ty,
            declared: true,
            node: Node::new(0, property.ty, kind),
        }
    });
    Some(Shape {
        columns: properties.chain(shape.columns).collect(),
        ..shape
    })
}

/// Names the values; they cannot refer to each other.
pub(crate) fn compute(binder: &mut Binder<'_>, items: &[ComputeItem]) -> Result<(), Error> {
    let mut computed = Vec::with_capacity(items.len());
    for item in items {
        let node = binder.expr(&item.expr)?;
        let ty = result_type(&node, item.expr.at)?;
        let path = vec![free_name(binder, &item.alias, &computed, true)?];
        computed.push(ResultColumn {
            path,
            ty,
            declared: false,
            node,
        });
    }
    binder.shape.columns.extend(computed);
    Ok(())
}

fn group(
    binder: &mut Binder<'_>,
    applied: &mut Applied,
    paths: &[Vec<Segment>],
    items: &[AggregateItem],
) -> Result<(), Error> {
    let mut keys = Vec::with_capacity(paths.len());
    let mut columns: Vec<ResultColumn> = Vec::with_capacity(paths.len() + items.len());
    for path in paths {
        let at = path[0].at;
        if path[0].name.starts_with('$') {
            let message = format!(
                "found `{}`; expected the path of a property without it, as in `area/name`",
                excerpt(&path[0].name)
            );
            return Err(Error::new(ErrorKind::Option, at, message));
        }
        if columns.iter().any(|column| column.is_at(path)) {
            let message = "found a property that is named before; expected each one once";
            return Err(Error::new(ErrorKind::Option, at, message));
        }
        let known = binder
            .shape
            .columns
            .iter()
            .find(|column| column.is_at(path));
        let declared = known.is_none_or(|column| column.declared);
        let node = binder.named(path)?;
        let ty = result_type(&node, at)?;
        columns.push(ResultColumn {
            path: path.iter().map(|segment| segment.name.clone()).collect(),
            ty,
            declared,
            node: column(at, ty, keys.len()),
        });
        keys.push(node);
    }
    let places = columns.iter().map(|column| column.node.clone()).collect();
    let mut aggregates = Vec::with_capacity(items.len());
    for item in items {
        let (ty, aggregate) = aggregated(binder, item)?;
        let path = vec![free_name(binder, &item.alias, &columns, false)?];
        columns.push(ResultColumn {
            path,
            ty,
            declared: false,
            node: column(item.alias.at, ty, keys.len() + aggregates.len()),
        });
        aggregates.push(aggregate);
    }
    let filter = applied.filter.take();
    applied.stages.push(Stage::Grouping(Grouping {
        filter,
        keys,
        places,
        aggregates,
    }));
    binder.shape = Shape {
        columns,
        grouped: true,
    };
    Ok(())
}

fn concat(
    binder: &mut Binder<'_>,
    applied: &mut Applied,
    all: &[Vec<Transformation>],
) -> Result<(), Error> {
    let before = std::mem::take(applied);
    let shape = std::mem::take(&mut binder.shape);
    let mut union = Union::default();
    let mut sequences = Vec::with_capacity(all.len());
    for (number, transformations) in all.iter().enumerate() {
        if number > 0 {
            repeat(binder, &before)?;
        }
        let mut applied = before.clone();
        binder.shape = shape.clone();
        apply(binder, &mut applied, transformations)?;
        let values = std::mem::take(&mut binder.shape);
        let last = applied.stages.last().filter(|_| values.grouped);
        let Some(last) = last else {
            let message = format!(
                "found records as the result of sequence {} of `concat`; expected groups, as `groupby` and `aggregate` make them",
                number + 1
            );
            return Err(Error::new(ErrorKind::Option, None, message));
        };
        let nodes = union.add(number + 1, values.columns, last)?;
        sequences.push((applied, nodes));
    }
    let Union { columns, keys } = union;
    let sequences = sequences.into_iter().map(|(applied, mut nodes)| {
        nodes.resize(columns.len(), None);
        let types = columns.iter().map(|column| column.ty);
        let values = types.zip(nodes).collect();
        Sequence { applied, values }
    });
    let keys = keys.into_iter().map(|place| columns[place].node.clone());
    let number = column(0, Type::Int64, 0);
    let concat = Concat {
        sequences: sequences.collect(),
        places: std::iter::once(number).chain(keys).collect(),
    };
    applied.stages.push(Stage::Concat(concat));
    binder.shape = Shape {
        columns,
        grouped: true,
    };
    Ok(())
}

/// The columns of several sequences.
#[derive(Default)]
struct Union {
    columns: Vec<ResultColumn>,
    /// The places of those by which any sequence is grouped, ascending.
    keys: BTreeSet<usize>,
}

impl Union {
    /// Adds the values of a sequence, and returns their nodes by the place of their column. `last` is the
    /// stage that they refer to.
    fn add(
        &mut self,
        sequence: usize,
        values: Vec<ResultColumn>,
        last: &Stage,
    ) -> Result<Vec<Option<Node>>, Error> {
        let mut nodes = vec![None; self.columns.len()];
        for value in values {
            let known = self.columns.iter().position(|it| it.path == value.path);
            let place = known.unwrap_or(self.columns.len());
            if known.is_none() {
                let node = column(value.node.at, value.ty, place + 1);
                self.columns.push(ResultColumn {
                    node,
                    ..value.clone()
                });
                nodes.push(None);
            }
            self.widen(place, &value, sequence)?;
            let mut keys = last.places().iter();
            if keys.any(|key| is_same_column(key, &value.node)) {
                self.keys.insert(place);
            }
            nodes[place] = Some(value.node);
        }
        Ok(nodes)
    }

    /// Gives the column a type that has this value, too.
    fn widen(&mut self, place: usize, value: &ResultColumn, sequence: usize) -> Result<(), Error> {
        let known = &mut self.columns[place];
        if let (Type::Int32, Type::Int64) | (Type::Int64, Type::Int32) = (known.ty, value.ty) {
            known.ty = Type::Int64;
            known.node.ty = Some(Type::Int64);
            return Ok(());
        }
        if known.ty == value.ty {
            return Ok(());
        }
        let message = format!(
            "found `{}` of type {} in sequence {sequence} of `concat`; expected {}, as in a sequence before",
            excerpt(&value.path.join("/")),
            value.ty.name(),
            known.ty.name()
        );
        Err(Error::new(ErrorKind::Type, value.node.at, message))
    }
}

/// Accounts for what is written again for a sequence.
fn repeat(binder: &mut Binder<'_>, before: &Applied) -> Result<(), Error> {
    let most = binder.limits.list.saturating_mul(4);
    binder.used.concatenated += before.size();
    if binder.used.concatenated > most {
        let message =
            "what comes before `concat` has too many parts, as each of its sequences repeats it";
        return Err(Error::limit(None, message, most));
    }
    Ok(())
}

fn aggregated(binder: &mut Binder<'_>, item: &AggregateItem) -> Result<(Type, Aggregate), Error> {
    let Aggregated::Of(expr, method) = &item.value else {
        return Ok((Type::Int64, Aggregate::Count));
    };
    let node = binder.expr(expr)?;
    let found = result_type(&node, expr.at)?;
    let (ty, expected) = match (method, found) {
        (AggregateMethod::CountDistinct, _) => (Some(Type::Int64), ""),
        (AggregateMethod::Sum, Type::Double) => (Some(Type::Double), ""),
        (AggregateMethod::Sum, _) if is_numeric(node.ty) => (Some(Type::Int64), ""),
        (AggregateMethod::Average, _) if is_numeric(node.ty) => (Some(Type::Double), ""),
        (AggregateMethod::Sum | AggregateMethod::Average, _) => (None, "a number"),
        (
            AggregateMethod::Min | AggregateMethod::Max,
            Type::Int32
            | Type::Int64
            | Type::Double
            | Type::String
            | Type::Date
            | Type::DateTimeOffset,
        ) => (Some(found), ""),
        (AggregateMethod::Min | AggregateMethod::Max, _) => {
            (None, "a number, a text, a date or an instant")
        }
    };
    let Some(ty) = ty else {
        let message = format!(
            "found a value of type {} before `with {}`; expected {expected}",
            type_name(node.ty),
            method.word()
        );
        return Err(Error::new(ErrorKind::Type, expr.at, message));
    };
    Ok((ty, Aggregate::Of(*method, node)))
}

/// The type of a value that is grouped by, aggregated or returned.
fn result_type(node: &Node, at: usize) -> Result<Type, Error> {
    let found = match node.ty {
        None => {
            "found null, which has no type; expected a property or an expression of one".to_owned()
        }
        Some(ty @ (Type::TimeOfDay | Type::Duration)) => format!(
            "found a value of type {}, which a result cannot have; expected a number, as `totalseconds` and `hour` return",
            ty.name()
        ),
        Some(ty) => return Ok(ty),
    };
    Err(Error::new(ErrorKind::Type, at, found))
}

/// The name that a request gives to a value: no property of the entity may have it, so that a member of an
/// answer has one meaning, and no other value of the result.
fn free_name(
    binder: &Binder<'_>,
    alias: &Segment,
    others: &[ResultColumn],
    beside_shape: bool,
) -> Result<String, Error> {
    let name = alias.name.as_str();
    let entity = binder.entity;
    let shape = binder.shape.columns.iter().filter(|_| beside_shape);
    let what = if entity.property(name).is_some() || entity.navigation(name).is_some() {
        format!("which {} has as a property", entity.name)
    } else if others.iter().chain(shape).any(|it| it.path[0] == name) {
        "which another value of the result has".to_owned()
    } else {
        return Ok(name.to_owned());
    };
    let message = format!(
        "found the name `{}`, {what}; expected a new one",
        excerpt(name)
    );
    Err(Error::new(ErrorKind::Option, alias.at, message))
}

/// The rows of a result of its own have no navigations to expand.
pub(crate) fn check_expand(options: &Options) -> Result<(), Error> {
    if options.expand.is_none() {
        return Ok(());
    }
    let message = "`$expand` does not apply to a result with groups or computed values; name properties of the navigation in it, as in `groupby((area/name))` or `area/name as areaName`";
    Err(Error::new(ErrorKind::Option, None, message).of("$expand"))
}

/// The values of a result that `$select` names, in the order of the result.
pub(crate) fn selected(shape: Shape, options: &Options) -> Result<Vec<ResultColumn>, Error> {
    let Some(items) = &options.select else {
        return Ok(shape.columns);
    };
    let mut is_selected = vec![false; shape.columns.len()];
    for item in items {
        let mut known = false;
        for (column, is_selected) in shape.columns.iter().zip(&mut is_selected) {
            let named = match item {
                SelectItem::All => true,
                // A navigation means all values below it.
                SelectItem::Path(path) => {
                    path.len() <= column.path.len()
                        && path.iter().zip(&column.path).all(|(a, b)| a.name == *b)
                }
            };
            *is_selected |= named;
            known |= named;
        }
        if let (false, SelectItem::Path(path)) = (known, item) {
            return Err(shape.unknown(path));
        }
    }
    let columns = shape.columns.into_iter().zip(is_selected);
    Ok(columns
        .filter_map(|(column, is)| is.then_some(column))
        .collect())
}
