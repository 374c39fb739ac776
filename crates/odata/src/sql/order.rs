//! The order of a query's rows, and the rows after a keyset position in it.
//!
//! Both are made from the same keys, so that a page begins exactly where the one before it ended. Null is
//! less than everything: first in ascending, last in descending order.

use std::cell::OnceCell;

use crate::bind::node::{Node, NodeKind};
use crate::bind::{Bound, ResultColumn};
use crate::edm::{Column, Property, Type};
use crate::sql::render::Renderer;
use crate::sql::{Direction, Scope, SqlKind, Value};

/// One key of the order of one statement.
pub(super) struct SortKey<'q> {
    source: KeySource<'q>,
    /// Its SQL once it is rendered: it is used several times, and its values are bound once.
    text: OnceCell<String>,
    ty: Option<Type>,
    pub(super) descending: bool,
    nullable: bool,
    /// Whether it is the entity's key, which no two rows share.
    pub(super) unique: bool,
}

/// The value that a key sorts by.
enum KeySource<'q> {
    /// An expression of `$orderby`.
    Node(&'q Node),
    /// A column of the queried row.
    Column(Column),
}

/// The requested order, else the caller's, and always the entity's key, so that equal rows have the same
/// order on every page.
pub(super) fn keys<'q>(query: &'q Bound, scope: &Scope<'_>) -> Vec<SortKey<'q>> {
    let mut keys: Vec<SortKey<'q>> = Vec::new();
    let mut settled = false;
    for key in &query.order {
        let unique = own_property(&key.node).is_some_and(|name| name == query.entity.key);
        settled |= unique;
        keys.push(SortKey {
            descending: key.descending,
            unique,
            ..SortKey::of(&key.node)
        });
    }
    if let Some(last) = query.last_stage() {
        keys.extend(last.places().iter().map(SortKey::of));
        return keys;
    }
    let default = if query.order.is_empty() {
        scope.default_order
    } else {
        &[]
    };
    if let (true, Some((column, direction))) = (query.order.is_empty(), scope.default_column) {
        keys.push(SortKey {
            source: KeySource::Column(column),
            text: OnceCell::new(),
            ty: None,
            descending: direction == Direction::Descending,
            nullable: false,
            unique: false,
        });
    }
    let key = [(query.entity.key, Direction::Ascending)];
    for (name, direction) in default.iter().chain(&key) {
        let Some(property) = query.entity.property(name).filter(|_| !settled) else {
            continue;
        };
        let unique = property.name == query.entity.key;
        settled |= unique;
        keys.push(SortKey {
            source: KeySource::Column(property.column),
            text: OnceCell::new(),
            ty: Some(property.ty),
            descending: *direction == Direction::Descending,
            nullable: property.nullable,
            unique,
        });
    }
    keys
}

/// ` ORDER BY …`, or nothing without keys.
pub(super) fn clause(keys: &[SortKey<'_>], renderer: &mut Renderer<'_>) -> String {
    let texts: Vec<String> = keys.iter().map(|key| key.order_by(renderer)).collect();
    if texts.is_empty() {
        String::new()
    } else {
        format!(" ORDER BY {}", texts.join(", "))
    }
}

/// The parts of an order after a keyset position, in this order. Databases seek to `a = x AND b > y`, to `a >
/// x` and to `a IS NULL`, but not to any two of them in one condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeysetPart {
    /// The rows with the same first key as the position.
    Tie,
    /// The rows with another first key, on the same side of null as the position.
    Near,
    /// The rows whose first key is null in a falling order, or no longer null in a rising one.
    Far,
}

/// The parts that follow a position with these values.
pub(super) fn parts(keys: &[SortKey<'_>], values: &[Value]) -> Vec<KeysetPart> {
    let Some((key, value)) = keys.first().zip(values.first()) else {
        return Vec::new();
    };
    let is_null = *value == Value::Null;
    let each = [
        (KeysetPart::Tie, keys.len() > 1),
        (KeysetPart::Near, !is_null),
        (KeysetPart::Far, key.nullable && key.descending != is_null),
    ];
    each.into_iter()
        .filter_map(|(part, is_there)| is_there.then_some(part))
        .collect()
}

/// A condition that is true exactly for the rows of one part after the position with these values.
///
/// Among ties the further keys decide: `b > y OR (b = y AND c > z)`, with the terms that null requires.
pub(super) fn after(
    keys: &[SortKey<'_>],
    values: &[Value],
    part: KeysetPart,
    renderer: &mut Renderer<'_>,
) -> Option<String> {
    let (first, rest) = keys.split_first()?;
    let (value, values) = values.split_first()?;
    match part {
        KeysetPart::Far => return Some(first.beyond_null(renderer)),
        KeysetPart::Near if first.descending => return Some(first.compare("<", value, renderer)),
        KeysetPart::Near => return Some(first.compare(">", value, renderer)),
        KeysetPart::Tie => {}
    }
    let mut text: Option<String> = None;
    for (key, value) in rest.iter().zip(values).rev() {
        let beyond = key.beyond(value, renderer);
        text = Some(match text {
            None => beyond,
            Some(rest) => format!("({beyond} OR ({} AND {rest}))", key.at(value, renderer)),
        });
    }
    let at = first.at(value, renderer);
    text.map(|text| format!("({at} AND {text})"))
}

impl<'q> SortKey<'q> {
    /// Ascending by a value.
    fn of(node: &'q Node) -> Self {
        Self {
            source: KeySource::Node(node),
            text: OnceCell::new(),
            ty: node.ty,
            descending: false,
            nullable: node.nullable(),
            unique: false,
        }
    }
}

impl SortKey<'_> {
    /// The index of the query's column with this key, if there is one.
    pub(super) fn selected(&self, query: &Bound) -> Option<usize> {
        if let (Some(result), KeySource::Node(node)) = (query.result(), &self.source)
            && let NodeKind::Column(place) = node.kind
        {
            let is_it = |column: &ResultColumn| matches!(column.node.kind, NodeKind::Column(other) if other == place);
            return result.iter().position(is_it);
        }
        let name = match &self.source {
            KeySource::Node(node) => own_property(node)?,
            KeySource::Column(column) => {
                let is_it = |property: &&Property| property.column.is(*column);
                query.entity.properties.iter().find(is_it)?.name
            }
        };
        if let Some(result) = query.result() {
            return result.iter().position(|column| column.path == [name]);
        }
        query
            .columns
            .iter()
            .position(|column| column.ty.is_some() && column.name == name)
    }

    /// Its SQL.
    pub(super) fn value(&self, renderer: &mut Renderer<'_>) -> String {
        let write = || match &self.source {
            KeySource::Node(node) => renderer.key(node),
            KeySource::Column(column) => renderer.column(&renderer.root(), *column),
        };
        self.text.get_or_init(write).clone()
    }

    /// Its SQL, for comparing and ordering.
    fn comparable(&self, renderer: &mut Renderer<'_>) -> String {
        if let Some(key) = renderer.index_key().filter(|_| self.unique) {
            return key;
        }
        let text = self.value(renderer);
        match self.ty {
            Some(Type::String | Type::Enum(_) | Type::Guid) => {
                renderer.dialect.by_code_point(&text)
            }
            _ => text,
        }
    }

    fn order_by(&self, renderer: &mut Renderer<'_>) -> String {
        let text = self.comparable(renderer);
        let direction = if self.descending { " DESC" } else { "" };
        let nulls = if self.nullable {
            renderer.dialect.nulls(self.descending)
        } else {
            ""
        };
        format!("{text}{direction}{nulls}")
    }

    /// The rows whose key comes after the value.
    fn beyond(&self, value: &Value, renderer: &mut Renderer<'_>) -> String {
        match (self.descending, value) {
            // Nothing is less than null.
            (true, Value::Null) => "FALSE".to_owned(),
            (false, Value::Null) => self.beyond_null(renderer),
            (true, value) if self.nullable => {
                let below = self.compare("<", value, renderer);
                format!("({below} OR {})", self.beyond_null(renderer))
            }
            (true, value) => self.compare("<", value, renderer),
            (false, value) => self.compare(">", value, renderer),
        }
    }

    /// The rows on the other side of null: null comes first in a rising order, and last in a falling one.
    fn beyond_null(&self, renderer: &mut Renderer<'_>) -> String {
        let not = if self.descending { "" } else { " NOT" };
        format!("({} IS{not} NULL)", self.value(renderer))
    }

    /// The rows whose key is the value.
    fn at(&self, value: &Value, renderer: &mut Renderer<'_>) -> String {
        match value {
            Value::Null => format!("({} IS NULL)", self.value(renderer)),
            value => self.compare("=", value, renderer),
        }
    }

    fn compare(&self, sign: &str, value: &Value, renderer: &mut Renderer<'_>) -> String {
        let text = self.comparable(renderer);
        let value = match self.kind() {
            Some(kind) => renderer.dialect.literal(value, kind),
            None => value.clone(),
        };
        format!("({text} {sign} {})", renderer.bind(value))
    }

    /// The kind of its SQL, if it is known.
    fn kind(&self) -> Option<SqlKind> {
        match self.source {
            KeySource::Node(node) => Some(Renderer::kind_of_key(node)),
            KeySource::Column(_) => self.ty.map(SqlKind::of_type),
        }
    }
}

/// The name of the property of the queried row that a node is, if it is one.
fn own_property(node: &Node) -> Option<&'static str> {
    match &node.kind {
        NodeKind::Property(source, property) if source.variable == 0 && source.path.is_empty() => {
            Some(property.name)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edm::EntityType;
    use crate::sql::{self, Sqlite};
    use crate::{Context, Limits, OptionName, Options};

    static PART: EntityType = EntityType {
        name: "Part",
        table: "parts",
        key: "id",
        properties: &[
            Property {
                name: "id",
                ty: Type::Int32,
                nullable: false,
                column: Column::Name("id"),
            },
            Property {
                name: "name",
                ty: Type::String,
                nullable: true,
                column: Column::Name("name"),
            },
            Property {
                name: "size",
                ty: Type::Int32,
                nullable: false,
                column: Column::Name("size"),
            },
        ],
        navigations: &[],
        search: None,
    };

    fn bound(query: &str) -> Bound {
        let limits = Limits::default();
        let (options, _) = Options::parse(query, OptionName::ALL, &limits).unwrap();
        options.bind(&PART, &Context { now: 0, limits }).unwrap()
    }

    fn plain_page(query: &str) -> sql::Page {
        sql::page(&bound(query), &Sqlite, &Scope::default())
    }

    fn page(query: &str, after: &[Value]) -> sql::Page {
        sql::page_after(&bound(query), &Sqlite, &Scope::default(), after).unwrap()
    }

    fn conditions(query: &str, after: &[Value]) -> Vec<String> {
        let condition = |statement: &sql::Statement| {
            let (_, text) = statement.sql.split_once(" WHERE ").unwrap();
            text.split_once(" ORDER BY ").unwrap().0.to_owned()
        };
        page(query, after)
            .statements
            .iter()
            .map(condition)
            .collect()
    }

    #[test]
    fn a_page_by_the_key_alone_is_one_bound() {
        assert_eq!(conditions("", &[Value::Int(7)]), [r#"(t0."id" > ?1)"#]);
        assert_eq!(
            conditions("$orderby=id desc", &[Value::Int(7)]),
            [r#"(t0."id" < ?1)"#]
        );
    }

    #[test]
    fn ties_go_on_by_the_key_and_then_come_the_others() {
        assert_eq!(
            conditions("$orderby=size", &[Value::Int(3), Value::Int(7)]),
            [
                r#"((t0."size" = ?2) AND (t0."id" > ?1))"#,
                r#"(t0."size" > ?1)"#
            ]
        );
        assert_eq!(
            conditions(
                "$orderby=size,name desc",
                &[Value::Int(3), Value::Text("b".into()), Value::Int(7)]
            )[0],
            r#"((t0."size" = ?4) AND (((t0."name" < ?2) OR (t0."name" IS NULL)) OR ((t0."name" = ?3) AND (t0."id" > ?1))))"#
        );
    }

    #[test]
    fn what_lies_beyond_null_is_a_statement_of_its_own() {
        let (null, seven) = (Value::Null, Value::Int(7));
        let text = Value::Text("b".into());
        let null_tie = r#"((t0."name" IS NULL) AND (t0."id" > ?1))"#;
        let tie = r#"((t0."name" = ?2) AND (t0."id" > ?1))"#;
        let cases = [
            (
                "$orderby=name",
                [null.clone(), seven.clone()],
                vec![null_tie, r#"(t0."name" IS NOT NULL)"#],
            ),
            (
                "$orderby=name",
                [text.clone(), seven.clone()],
                vec![tie, r#"(t0."name" > ?1)"#],
            ),
            (
                "$orderby=name desc",
                [text, seven.clone()],
                vec![tie, r#"(t0."name" < ?1)"#, r#"(t0."name" IS NULL)"#],
            ),
            ("$orderby=name desc", [null, seven], vec![null_tie]),
        ];
        for (query, values, expected) in cases {
            assert_eq!(conditions(query, &values), expected, "{query} {values:?}");
        }
    }

    #[test]
    fn a_key_is_written_once_and_its_values_bound_once() {
        let page = page(
            "$orderby=contains(name,'oil') desc",
            &[Value::Int(1), Value::Int(7)],
        );
        for statement in &page.statements {
            let oil = Value::Text("oil".into());
            let bound = statement.binds.iter().filter(|value| **value == oil);
            assert_eq!(bound.count(), 1, "{}", statement.sql);
        }
    }

    #[test]
    fn a_place_has_a_value_for_each_key() {
        let bound = bound("$orderby=name");
        for values in [vec![], vec![Value::Null], vec![Value::Null; 3]] {
            let page = sql::page_after(&bound, &Sqlite, &Scope::default(), &values);
            assert_eq!(page, None);
        }
    }

    #[test]
    fn keys_that_are_no_columns_of_the_row_come_behind_it() {
        let plain = plain_page("$select=name&$orderby=name");
        assert_eq!((plain.keys.as_slice(), plain.unique), (&[0, 1][..], 1));
        assert!(
            plain.statements[0]
                .sql
                .starts_with(r#"SELECT t0."name", t0."id" FROM"#)
        );
        let computed = plain_page("$orderby=length(name) desc");
        assert_eq!(
            (computed.keys.as_slice(), computed.unique),
            (&[3, 0][..], 1)
        );
        assert!(
            computed.statements[0]
                .sql
                .starts_with(r#"SELECT t0."id", t0."name", t0."size", length(t0."name") FROM"#),
            "{}",
            computed.statements[0].sql
        );
    }
}
