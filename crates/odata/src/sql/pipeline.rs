//! The stages of `$apply` as SQL: each is a subquery over that of the one before, with the columns `c0, c1
//! …`.
//!
//! What a sum of doubles is, and which value stands for a group, does not depend on the order in which a
//! database reads the rows: the answers of all databases have the same bytes.

use super::dialect::Extent;
use super::render::{Mode, Renderer};
use super::{Scope, SqlKind, conditions_of_entity, where_clause};
use crate::ast::apply::AggregateMethod;
use crate::bind::Bound;
use crate::bind::apply::{Aggregate, Concat, Grouping, Stage};
use crate::bind::node::Node;
use crate::edm::Type;

/// The text after FROM for the rows of the last stage, which become those that columns refer to; `None` for a
/// query without stages.
pub(super) fn source(
    query: &Bound,
    renderer: &mut Renderer<'_>,
    scope: &Scope<'_>,
) -> Option<String> {
    rows_of(&query.pipeline.as_ref()?.stages, query, renderer, scope)
}

fn rows_of(
    stages: &[Stage],
    query: &Bound,
    renderer: &mut Renderer<'_>,
    scope: &Scope<'_>,
) -> Option<String> {
    let mut from = None;
    for (number, stage) in stages.iter().enumerate() {
        let select = match stage {
            Stage::Grouping(stage) => grouping(stage, from, query, renderer, scope),
            Stage::Concat(stage) => concat(stage, query, renderer, scope),
        };
        let alias = format!("g{number}");
        from = Some(format!("({select}) AS {alias}"));
        renderer.enter_groups(alias);
    }
    from
}

/// The groups of the rows of the entity, or of the stage before.
fn grouping(
    stage: &Grouping,
    from: Option<String>,
    query: &Bound,
    renderer: &mut Renderer<'_>,
    scope: &Scope<'_>,
) -> String {
    let filter = stage.filter.as_ref();
    let rollup = match from {
        None => from_rollup(query, stage, renderer, scope),
        Some(_) => None,
    };
    let (aggregates, is_group) = rollup.unzip();
    let conditions = match from {
        None => conditions_of_entity(query, filter, renderer, scope, Extent::Other),
        Some(_) => condition_of_groups(filter, renderer),
    };
    let columns = columns(stage, aggregates, renderer);
    // The joins of the entity's row are known only now.
    let rows = from.unwrap_or_else(|| renderer.from());
    format!(
        "SELECT {} FROM {rows}{}{}",
        columns.join(", "),
        where_clause(&conditions),
        group_by(stage, is_group.flatten()),
    )
}

/// The rows of each sequence, with its number.
fn concat(stage: &Concat, query: &Bound, renderer: &mut Renderer<'_>, scope: &Scope<'_>) -> String {
    let sequences = stage.sequences.iter().enumerate();
    let selects = sequences.map(|(number, sequence)| {
        renderer.enter_entity(query);
        let from = rows_of(&sequence.applied.stages, query, renderer, scope);
        let conditions = condition_of_groups(sequence.applied.filter.as_ref(), renderer);
        let mut columns = vec![format!("CAST({number} AS BIGINT) AS c0")];
        for (place, (ty, node)) in sequence.values.iter().enumerate() {
            let text = match node {
                Some(node) => renderer.narrow(node),
                None => renderer.dialect.null(Some(SqlKind::of_type(*ty))),
            };
            columns.push(format!("{text} AS c{}", place + 1));
        }
        format!(
            "SELECT {} FROM {}{}",
            columns.join(", "),
            from.unwrap_or_else(|| renderer.from()),
            where_clause(&conditions)
        )
    });
    let selects: Vec<String> = selects.collect();
    selects.join(" UNION ALL ")
}

fn condition_of_groups(filter: Option<&Node>, renderer: &mut Renderer<'_>) -> Vec<String> {
    let filter = filter.map(|filter| renderer.condition(filter, Mode::Filter));
    filter.into_iter().collect()
}

/// The aggregates of the first stage from the rollup of the entity's rows, which the renderer then reads, and
/// the condition that something is a group; `None` if it reads the rows.
fn from_rollup(
    query: &Bound,
    stage: &Grouping,
    renderer: &mut Renderer<'_>,
    scope: &Scope<'_>,
) -> Option<(Vec<String>, Option<String>)> {
    let rollup = scope.rollup?;
    // A condition for the rows that may be shown reads their other columns.
    if renderer.visible_root(query).is_some() {
        return None;
    }
    let source = rollup.source(stage, &renderer.root(), renderer)?;
    renderer.read_from(&source.rows);
    Some((source.aggregates, source.is_group))
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
fn group_by(stage: &Grouping, is_group: Option<String>) -> String {
    let places: Vec<String> = (1..=stage.keys.len())
        .map(|place| place.to_string())
        .collect();
    if places.is_empty() {
        String::new()
    } else {
        let having = is_group.map_or_else(String::new, |it| format!(" HAVING {it}"));
        format!(" GROUP BY {}{having}", places.join(", "))
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
