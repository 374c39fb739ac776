//! SQL against a second reading of the specification: filters are made up at random, and the rows the
//! database selects must be those a direct evaluation of the syntax tree selects. The evaluator is written
//! from the specification's text and shares nothing with the stages it checks but the parser.

mod apply;
mod groups;
mod times;
mod value;

use obeya_odata::ast::{Expr, ExprKind, LambdaOp, Literal, LogicOp, Segment};
use obeya_odata::edm::{Cardinality, EntityType};
use obeya_odata::sql::{self, Scope};
use obeya_odata::{Context, Limits, OptionName, Options};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use serde_json::Value as Json;

use self::value::{Val, binary, call, negate, of_json};
use crate::store::{Store, cases, encode, int};

#[derive(Clone, Copy)]
struct Row {
    entity: &'static EntityType,
    json: &'static Json,
}

fn rows(entity: &'static EntityType) -> impl Iterator<Item = Row> {
    cases()["fixture"][entity.table]
        .as_array()
        .unwrap()
        .iter()
        .map(move |json| Row { entity, json })
}

/// The rows in scope: the one evaluated, and the range variables.
struct Env {
    it: Row,
    variables: Vec<(String, Row)>,
    /// Values that transformations have named, by path. Where the rows are groups, nothing else is named.
    named: Vec<(String, Val)>,
}

impl Env {
    /// The row that all but the last name of a path leads to, if there is one, and the last name.
    fn walk<'p>(&self, path: &'p [Segment]) -> (Option<Row>, &'p str) {
        let (last, steps) = path.split_last().unwrap();
        let bound = steps.first().and_then(|first| {
            self.variables
                .iter()
                .rev()
                .find(|(name, _)| *name == first.name)
        });
        let (mut row, steps) = match bound {
            Some((_, row)) => (Some(*row), &steps[1..]),
            None => (Some(self.it), steps),
        };
        for step in steps {
            row = row.and_then(|row| related(row, &step.name).into_iter().next());
        }
        (row, &last.name)
    }

    fn truth(&mut self, expr: &Expr) -> Option<bool> {
        match self.eval(expr) {
            Val::Bool(truth) => Some(truth),
            Val::Null => None,
            other => panic!("{expr} is {other:?}, no condition"),
        }
    }

    fn eval(&mut self, expr: &Expr) -> Val {
        match &expr.kind {
            ExprKind::Literal(Literal::Null) => Val::Null,
            ExprKind::Literal(Literal::Boolean(truth)) => Val::Bool(*truth),
            ExprKind::Literal(Literal::Int(number)) => Val::Int(*number),
            ExprKind::Literal(Literal::String(text)) => Val::Text(text.clone()),
            ExprKind::Literal(Literal::Double(number)) => Val::Double(*number),
            ExprKind::Literal(Literal::Date(days)) => Val::Date(*days),
            ExprKind::Literal(Literal::DateTimeOffset { ticks, .. }) => Val::Instant(*ticks),
            ExprKind::Literal(Literal::TimeOfDay(ticks)) => Val::Time(*ticks),
            ExprKind::Literal(Literal::Duration(ticks)) => Val::Duration(*ticks),
            ExprKind::Path(path) => {
                let names: Vec<&str> = path.iter().map(|it| it.name.as_str()).collect();
                let written = names.join("/");
                if let Some((_, value)) = self.named.iter().find(|(name, _)| *name == written) {
                    return value.clone();
                }
                let (row, name) = self.walk(path);
                row.map_or(Val::Null, |row| {
                    let property = row.entity.property(name).unwrap();
                    of_json(property.ty, &row.json[name])
                })
            }
            // "The null value is treated as unknown, so not null returns null."
            ExprKind::Not(operand) => self
                .truth(operand)
                .map_or(Val::Null, |truth| Val::Bool(!truth)),
            ExprKind::Negate(operand) => negate(&self.eval(operand)),
            ExprKind::Logic(op, operands) => {
                // One operand decides: false for `and`, true for `or`; else null spreads.
                let deciding = *op == LogicOp::Or;
                let truths: Vec<_> = operands.iter().map(|operand| self.truth(operand)).collect();
                if truths.contains(&Some(deciding)) {
                    Val::Bool(deciding)
                } else if truths.contains(&None) {
                    Val::Null
                } else {
                    Val::Bool(!deciding)
                }
            }
            ExprKind::Binary(op, left, right) => binary(*op, self.eval(left), self.eval(right)),
            ExprKind::In(left, list) => {
                let left = self.eval(left);
                Val::Bool(list.iter().any(|member| self.eval(member).same(&left)))
            }
            // "It … stops as soon as a condition evaluates to true … It returns null if none of the
            // conditions … evaluates to true."
            ExprKind::Case(pairs) => {
                for (condition, value) in pairs {
                    if self.truth(condition) == Some(true) {
                        return self.eval(value);
                    }
                }
                Val::Null
            }
            ExprKind::Call(name, args) => {
                let args: Vec<Val> = args.iter().map(|arg| self.eval(arg)).collect();
                call(name, &args)
            }
            ExprKind::Lambda { path, op, body } => {
                let members = self.members(path);
                let mut holds = |row: Row| {
                    let Some((name, body)) = body else {
                        return true;
                    };
                    self.variables.push((name.clone(), row));
                    let truth = self.truth(body) == Some(true);
                    self.variables.pop();
                    truth
                };
                Val::Bool(match op {
                    LambdaOp::Any => members.into_iter().any(&mut holds),
                    LambdaOp::All => members.into_iter().all(&mut holds),
                })
            }
            ExprKind::Count { path, filter: None } => Val::Int(self.members(path).len() as i64),
            other => panic!("the generator makes no {other:?}"),
        }
    }

    fn members(&self, path: &[Segment]) -> Vec<Row> {
        let (row, name) = self.walk(path);
        row.map_or_else(Vec::new, |row| related(row, name))
    }
}

/// The rows a navigation leads to, found by comparing every row.
fn related(row: Row, name: &str) -> Vec<Row> {
    let navigation = row.entity.navigation(name).unwrap();
    let link = &row.json[navigation.from];
    let found: Vec<Row> = rows(navigation.target)
        .filter(|other| !link.is_null() && other.json[navigation.to] == *link)
        .collect();
    assert!(navigation.cardinality == Cardinality::Many || found.len() <= 1);
    found
}

/// Compares the database with the evaluator for random filters.
fn agree(store: &Store, entity: &'static EntityType, filters: impl Strategy<Value = String>) {
    let config = ProptestConfig {
        cases: 400,
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let outcome = TestRunner::new(config).run(&filters, |filter| {
        let (found, expected, sql) = both(store, entity, &filter);
        prop_assert_eq!(found, expected, "{}\n{}", filter, sql);
        Ok(())
    });
    outcome.unwrap_or_else(|fault| panic!("{fault}"));
}

/// Selects with the database and with the evaluator: the rows of each, and the statement.
fn both(store: &Store, entity: &'static EntityType, filter: &str) -> (Vec<i64>, Vec<i64>, String) {
    let mut limits = Limits::default();
    limits.nodes = 5_000;
    limits.depth = 200;
    limits.option_bytes = 1 << 20;
    let query = format!("$filter={}", encode(filter));
    let (options, _) = Options::parse(&query, OptionName::ALL, &limits)
        .unwrap_or_else(|error| panic!("{filter}: {error}"));
    let bound = options
        .bind(entity, &Context { now: 0, limits })
        .unwrap_or_else(|error| panic!("{filter}: {error}"));
    let statement = sql::select(&bound, store.dialect(), &Scope::default());
    let found = store.rows(&statement);
    let found = found.unwrap_or_else(|error| panic!("{error}\n{filter}\n{}", statement.sql));
    let tree = options.filter.unwrap();
    let expected = rows(entity)
        .filter(|row| {
            let mut env = Env {
                it: *row,
                variables: Vec::new(),
                named: Vec::new(),
            };
            env.truth(&tree) == Some(true)
        })
        .map(|row| row.json["id"].as_i64().unwrap())
        .collect();
    let found = found.iter().map(|row| int(&row[0])).collect();
    (found, expected, statement.sql)
}
