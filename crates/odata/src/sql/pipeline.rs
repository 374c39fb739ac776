//! The groupings of `$apply` as SQL: each is a subquery over that of the one before, with the columns `c0, c1
//! …`.
//!
//! What a sum of doubles is, and which value stands for a group, does not depend on the order in which a
//! database reads the rows: the answers of all databases have the same bytes.

use super::dialect::Extent;
use super::render::{Mode, Renderer};
use super::{Scope, SqlKind, conditions_of_entity, where_clause};
use crate::ast::apply::AggregateMethod;
use crate::bind::Bound;
use crate::bind::apply::{Aggregate, Grouping};
use crate::bind::node::Node;
use crate::edm::Type;

/// The text after FROM for the groups of the last stage, which become the rows that columns refer to; `None`
/// for a query without groupings.
pub(super) fn source(
    query: &Bound,
    renderer: &mut Renderer<'_>,
    scope: &Scope<'_>,
) -> Option<String> {
    let pipeline = query.pipeline.as_ref()?;
    let mut from = None;
    for (number, stage) in pipeline.stages.iter().enumerate() {
        let filter = stage.filter.as_ref();
        let aggregates = match from {
            None => from_rollup(query, stage, renderer, scope),
            Some(_) => None,
        };
        let conditions = match from {
            None => conditions_of_entity(query, filter, renderer, scope, Extent::Other),
            Some(_) => filter
                .map(|filter| renderer.condition(filter, Mode::Filter))
                .into_iter()
                .collect(),
        };
        let columns = columns(stage, aggregates, renderer);
        // The joins of the entity's row are known only now.
        let rows = from.unwrap_or_else(|| renderer.from());
        let alias = format!("g{number}");
        from = Some(format!(
            "(SELECT {} FROM {rows}{}{}) AS {alias}",
            columns.join(", "),
            where_clause(&conditions),
            group_by(stage),
        ));
        renderer.enter_groups(alias);
    }
    from
}

/// The aggregates of the first stage from the rollup of the entity's rows, which the renderer then reads;
/// `None` if it reads the rows.
fn from_rollup(
    query: &Bound,
    stage: &Grouping,
    renderer: &mut Renderer<'_>,
    scope: &Scope<'_>,
) -> Option<Vec<String>> {
    let rollup = scope.rollup?;
    let aggregates = rollup.aggregates(stage, &renderer.root(), renderer.dialect)?;
    // A condition for the rows that may be shown reads their other columns.
    if renderer.visible_root(query).is_some() {
        return None;
    }
    renderer.read_from(&(rollup.rows)(renderer.dialect));
    Some(aggregates)
}

fn columns(
    stage: &Grouping,
    aggregates: Option<Vec<String>>,
    renderer: &mut Renderer<'_>,
) -> Vec<String> {
    let mut columns: Vec<String> = stage.keys.iter().map(|key| value(key, renderer)).collect();
    columns.extend(aggregates.unwrap_or_else(|| {
        let aggregates = stage.aggregates.iter();
        aggregates.map(|it| aggregate(it, renderer)).collect()
    }));
    let columns = columns.into_iter().enumerate();
    columns
        .map(|(place, text)| format!("{text} AS c{place}"))
        .collect()
}

/// The keys by their places, so that a value with parameters is written once.
fn group_by(stage: &Grouping) -> String {
    let places: Vec<String> = (1..=stage.keys.len())
        .map(|place| place.to_string())
        .collect();
    if places.is_empty() {
        String::new()
    } else {
        format!(" GROUP BY {}", places.join(", "))
    }
}

fn aggregate(aggregate: &Aggregate, renderer: &mut Renderer<'_>) -> String {
    let (method, node) = match aggregate {
        Aggregate::Count => return "COUNT(*)".to_owned(),
        Aggregate::Of(method, node) => (*method, node),
    };
    let kind = Renderer::kind_of_key(node);
    let text = value(node, renderer);
    let dialect = renderer.dialect;
    match method {
        AggregateMethod::Sum => dialect.sum(&text, kind),
        AggregateMethod::Average => dialect.average(&text, kind),
        AggregateMethod::Min | AggregateMethod::Max => {
            let text = match node.ty {
                Some(Type::String) => dialect.by_code_point(&text),
                _ => text,
            };
            format!("{}({text})", method.word().to_ascii_uppercase())
        }
        AggregateMethod::CountDistinct => format!("COUNT(DISTINCT {text})"),
    }
}

/// A value that can be grouped by. The two zeros are equal, and become one.
fn value(node: &Node, renderer: &mut Renderer<'_>) -> String {
    let text = renderer.narrow(node);
    match Renderer::kind_of_key(node) {
        SqlKind::Real => format!("({text} + 0.0)"),
        _ => text,
    }
}
