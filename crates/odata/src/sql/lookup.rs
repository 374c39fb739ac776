//! Which index finds the rows of a query: the word index for `$search`, the trigram index for conditions on
//! texts, of the rows themselves or of the members of a semi-join.
//!
//! A trigram condition is added to the filter and never replaces it: it is true wherever the filter is, so it
//! cannot change the result.

use crate::ast::{LogicOp, SearchPhrase};
use crate::bind::Bound;
use crate::bind::node::{Collection, Comparison, Function, Node, NodeKind};
use crate::edm::{Column, EntityType, PartIndex};
use crate::search::PhraseTerms;
use crate::sql::render::{Mode, Renderer};
use crate::sql::trigrams;
use crate::sql::{Extent, IndexLookup, TextIndex, TrigramCondition, Value};

/// The condition by which an index finds the rows, if there is such an index. For an extent that the index
/// knows, it may come before the table, so that rows are read by their keys.
pub(super) fn condition(
    query: &Bound,
    filter: Option<&Node>,
    renderer: &mut Renderer<'_>,
    extent: Extent,
) -> Option<String> {
    if let (Some(search), Some(index)) = (&query.search, query.entity.search) {
        let index = TextIndex {
            table: index.table,
            column: index.column,
        };
        let extent = known(extent, is_key(query.entity, index.column));
        let phrases: Vec<PhraseTerms> = search.phrases.iter().map(SearchPhrase::terms).collect();
        return found(index, IndexLookup::Words(&phrases), &extent, renderer);
    }
    parts(filter?, 0, query.entity, extent, renderer)
}

/// The condition by which an index finds those of the innermost rows that meet another condition.
pub(super) fn condition_of_members(
    body: &Node,
    collection: &Collection,
    extent: Extent,
    renderer: &mut Renderer<'_>,
) -> Option<String> {
    let (variable, entity) = (collection.variable, collection.entity());
    parts(body, variable, entity, extent, renderer)
}

/// Whether an index finds the rows of a range variable that meet a condition.
pub(super) fn has_index(condition: &Node, variable: usize) -> bool {
    implied(condition, variable).is_some()
}

fn parts(
    filter: &Node,
    variable: usize,
    entity: &EntityType,
    extent: Extent,
    renderer: &mut Renderer<'_>,
) -> Option<String> {
    let implied = implied(filter, variable)?;
    let index = TextIndex {
        table: implied.index.table,
        column: implied.index.column,
    };
    let extent = known(extent, implied.whole && is_key(entity, index.column));
    let is_walked = renderer.dialect.walks(&extent) && trigrams::runs(&implied.parts).is_some();
    let condition = is_walked.then(|| renderer.condition(filter, Mode::Filter));
    let lookup = IndexLookup::Parts {
        parts: &implied.parts,
        condition: condition.as_deref(),
    };
    found(index, lookup, &extent, renderer)
}

/// The extent, if the index covers all its rows.
fn known(extent: Extent, is_known: bool) -> Extent {
    if is_known { extent } else { Extent::Other }
}

fn found(
    index: TextIndex,
    lookup: IndexLookup<'_>,
    extent: &Extent,
    renderer: &mut Renderer<'_>,
) -> Option<String> {
    let joined = match extent {
        Extent::All | Extent::Page(_) => renderer.index_join(index, lookup),
        Extent::Ordered(_) | Extent::Other => None,
    };
    joined.or_else(|| renderer.index_condition(index, lookup, extent))
}

fn is_key(entity: &EntityType, column: &str) -> bool {
    let key = entity.key_property().map(|key| key.column);
    matches!(key, Some(Column::Name(name)) if name == column)
}

/// What a condition implies for the texts of one column of a row.
struct Implied {
    index: PartIndex,
    parts: TrigramCondition,
    /// Whether the condition is no stronger than that, so that no other index can find its rows faster.
    whole: bool,
}

fn implied(node: &Node, variable: usize) -> Option<Implied> {
    match &node.kind {
        NodeKind::Logic(op, operands) => {
            let each: Vec<Option<Implied>> = operands
                .iter()
                .map(|operand| implied(operand, variable))
                .collect();
            let index = each.iter().flatten().next()?.index;
            let known: Vec<&Implied> = each
                .iter()
                .flatten()
                .filter(|implied| implied.index.table == index.table)
                .collect();
            let all = known.len() == operands.len();
            let parts = known.iter().map(|implied| implied.parts.clone()).collect();
            let parts = match op {
                LogicOp::And => TrigramCondition::All(parts),
                LogicOp::Or if all => TrigramCondition::Any(parts),
                LogicOp::Or => return None,
            };
            let whole = all && known.iter().all(|implied| implied.whole);
            Some(Implied {
                index,
                parts,
                whole,
            })
        }
        NodeKind::Call(
            Function::Contains | Function::StartsWith | Function::EndsWith,
            operands,
        ) => match operands.as_slice() {
            [text, part] => of_text(text, part, variable),
            _ => None,
        },
        NodeKind::Compare(Comparison::Eq, left, right) => {
            of_text(left, right, variable).or_else(|| of_text(right, left, variable))
        }
        _ => None,
    }
}

/// A column with an index, and a literal that its text must contain.
fn of_text(text: &Node, part: &Node, variable: usize) -> Option<Implied> {
    let (NodeKind::Property(source, property), NodeKind::Value(Value::Text(part))) =
        (&text.kind, &part.kind)
    else {
        return None;
    };
    match property.column {
        Column::Indexed(_, index) if source.variable == variable && source.path.is_empty() => {
            Some(Implied {
                index,
                parts: TrigramCondition::One(part.clone()),
                whole: true,
            })
        }
        _ => None,
    }
}
