//! The checks of a fuzz target for one text. The ordinary tests make the same checks for every text of the
//! corpus, so that earlier findings of the targets stay covered.
//!
//! They check the promises that apply to every text: no panic, a refusal that names its option and points
//! into it, the same tree after printing and parsing again, a statement that binds what it names and contains
//! nothing of the request.

use std::fmt::Write as _;

use obeya_odata::edm::EntityType;
use obeya_odata::sql::{self, Dialect, Postgres, Scope, Sqlite, Statement, Value};
use obeya_odata::{Bound, Context, Error, Limits, OptionName, Options};

use crate::model::{COMMENT, DATASOURCE_VALUE, GROUP, INCIDENT};

/// Between them they have every type, links to one and to many, and a search index.
const ENTITIES: [&EntityType; 4] = [&GROUP, &DATASOURCE_VALUE, &INCIDENT, &COMMENT];

/// Every dialect, by the name of its database.
pub const DIALECTS: [&dyn Dialect; 2] = [&Sqlite, &Postgres];

/// A statement, and which database it is for.
pub struct Written {
    pub dialect: &'static dyn Dialect,
    pub statement: Statement,
}

/// One option whose value is `text`: all statements that come of it.
pub fn option(name: OptionName, text: &str) -> Vec<Written> {
    let mut raw = format!("{}=", name.as_str());
    for byte in text.bytes() {
        // Writing to a string can't fail.
        let _ = write!(raw, "%{byte:02X}");
    }
    run(&raw, &|error| {
        assert_eq!(error.option, name.as_str());
        if let Some(at) = error.position {
            assert!(
                text.is_char_boundary(at),
                "the position {at} is none of {text:?}: {error}"
            );
        }
    })
}

/// A whole query string as it arrives.
pub fn query(raw: &str) -> Vec<Written> {
    run(raw, &|_| {})
}

fn run(raw: &str, check: &dyn Fn(&Error)) -> Vec<Written> {
    let refused = |error: &Error| {
        check(error);
        let text = error.to_string();
        assert!(text.len() < 1_000, "the message is too long: {text}");
        assert!(!text.contains(char::is_control), "{text:?}");
    };
    let limits = Limits::default();
    let (options, _) = match Options::parse(raw, OptionName::PAGED, &limits) {
        Ok(parsed) => parsed,
        Err(error) => {
            refused(&error);
            return Vec::new();
        }
    };
    same_when_printed(&options);
    let context = Context { now: 0, limits };
    let mut written = Vec::new();
    for entity in ENTITIES {
        match options.bind(entity, &context) {
            Ok(bound) => {
                for dialect in DIALECTS {
                    let mut statements = Vec::new();
                    all(&bound, dialect, &mut statements);
                    written.extend(
                        statements
                            .into_iter()
                            .map(|statement| Written { dialect, statement }),
                    );
                }
            }
            Err(error) => refused(&error),
        }
    }
    for Written { statement, .. } in &written {
        sound(statement, raw.len());
    }
    written
}

/// Parentheses that only the printed text needs may pass the limits of the first.
fn same_when_printed(options: &Options) {
    let mut wide = Limits::default();
    wide.nodes = 1_000_000;
    wide.depth = 200;
    wide.option_bytes = 1 << 24;
    let printed = options.to_query();
    let again = Options::parse(&printed, OptionName::PAGED, &wide);
    let (again, others) = again.unwrap_or_else(|error| panic!("{printed}: {error}"));
    assert!(others.is_empty(), "{printed}: {others:?}");
    assert_eq!(again.to_query(), printed);
    // NaN differs from itself, also in trees.
    assert!(again == *options || printed.contains("NaN"), "{printed}");
}

/// The statements for the rows, their number, and the expanded records.
fn all(bound: &Bound, dialect: &dyn Dialect, statements: &mut Vec<Statement>) {
    let scope = Scope {
        limit: Some(10),
        ..Scope::default()
    };
    let page = sql::page(bound, dialect, &scope);
    following(bound, dialect, &scope, page.keys.len(), statements);
    statements.extend(page.statements);
    statements.push(sql::count(bound, dialect, &scope));
    for expand in bound.expands() {
        let parents = [Value::Int(1), Value::Int(2)];
        statements.push(sql::expand(expand, dialect, &parents, &scope));
        statements.push(sql::expand_count(expand, dialect, &parents, &scope));
        assert!(expand.link < bound.columns().len());
        inner(&expand.query, dialect, statements);
    }
}

/// The pages after every kind of keyset position: a row's keys may be null or any value, and the first, which
/// decides how the order continues, each of them.
///
/// A position is signed, so no key is compared with a value of another type. SQLite would accept it; for a
/// database with types, only nulls fit every key.
fn following(
    bound: &Bound,
    dialect: &dyn Dialect,
    scope: &Scope<'_>,
    keys: usize,
    statements: &mut Vec<Statement>,
) {
    let kinds = [
        Value::Null,
        Value::Int(3),
        Value::Real(0.5),
        Value::Text("a".to_owned()),
    ];
    let kinds = if dialect.name() == Sqlite.name() {
        &kinds[..]
    } else {
        &kinds[..1]
    };
    for first in 0..kinds.len() {
        let place: Vec<Value> = kinds
            .iter()
            .cycle()
            .skip(first)
            .take(keys)
            .cloned()
            .collect();
        let page = sql::page_after(bound, dialect, scope, &place).expect("a value for each key");
        // All rows as one group have no order.
        if place.is_empty() {
            continue;
        }
        // A key that is never null has no null position.
        assert!(place[0] == Value::Null || !page.statements.is_empty());
        statements.extend(page.statements);
        assert_eq!(
            sql::page_after(bound, dialect, scope, &place[1..]),
            None,
            "a key has no value"
        );
    }
}

fn inner(bound: &Bound, dialect: &dyn Dialect, statements: &mut Vec<Statement>) {
    for expand in bound.expands() {
        let scope = Scope::default();
        statements.push(sql::expand(expand, dialect, &[Value::Int(1)], &scope));
        inner(&expand.query, dialect, statements);
    }
}

fn sound(statement: &Statement, bytes: usize) {
    let Statement { sql, binds } = statement;
    // The longest that a part can become: a function of many arguments that names its table twice.
    assert!(
        sql.len() < 4_000 + 400 * bytes,
        "{} bytes of SQL from {bytes}",
        sql.len()
    );
    assert!(!sql.contains(';') && !sql.contains("--"), "{sql}");
    let mut named: Vec<usize> = sql
        .split('?')
        .skip(1)
        .map(|rest| {
            let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
            digits.parse().expect("every ? has a number")
        })
        .collect();
    named.sort_unstable();
    named.dedup();
    assert!(
        named.iter().copied().eq(1..=binds.len()),
        "{sql} with {} values",
        binds.len()
    );
}
