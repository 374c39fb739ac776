//! SQL against a second reading of the specification: filters are made up at random, and the rows the database selects must be
//! those a direct evaluation of the syntax tree selects. The evaluator is written from the specification's text and shares
//! nothing with the stages it checks but the parser.

use obeya_odata::ast::{BinaryOp, Expr, ExprKind, LambdaOp, Literal, LogicOp, Segment};
use obeya_odata::edm::{Cardinality, EntityType};
use obeya_odata::sql::{self, Scope, Sqlite};
use obeya_odata::{Context, Limits, OptionName, Options};
use proptest::prelude::*;
use serde_json::Value as Json;

use crate::model::GROUP;
use crate::store::{Store, cases, encode, int};

#[derive(Debug, Clone, PartialEq)]
enum Val {
    Null,
    Bool(bool),
    Int(i64),
    Text(String),
}

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

fn of_json(json: &Json) -> Val {
    match json {
        Json::Null => Val::Null,
        Json::Bool(truth) => Val::Bool(*truth),
        Json::Number(number) => Val::Int(number.as_i64().unwrap()),
        Json::String(text) => Val::Text(text.clone()),
        other => panic!("the fixture holds no {other}"),
    }
}

/// The rows in scope: the one evaluated, and the range variables.
struct Env {
    it: Row,
    variables: Vec<(String, Row)>,
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
            ExprKind::Path(path) => {
                let (row, name) = self.walk(path);
                row.map_or(Val::Null, |row| of_json(&row.json[name]))
            }
            // "The null value is treated as unknown, so not null returns null."
            ExprKind::Not(operand) => self
                .truth(operand)
                .map_or(Val::Null, |truth| Val::Bool(!truth)),
            ExprKind::Negate(operand) => match self.eval(operand) {
                Val::Int(number) => Val::Int(-number),
                _ => Val::Null,
            },
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
                Val::Bool(list.iter().any(|member| self.eval(member) == left))
            }
            // "It … stops as soon as a condition evaluates to true … It returns null if none of the conditions … evaluates to true."
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

fn binary(op: BinaryOp, left: Val, right: Val) -> Val {
    let ordering = match (&left, &right) {
        (Val::Int(a), Val::Int(b)) => Some(a.cmp(b)),
        (Val::Text(a), Val::Text(b)) => Some(a.chars().cmp(b.chars())),
        (Val::Bool(a), Val::Bool(b)) => Some(a.cmp(b)),
        _ => None,
    };
    match op {
        BinaryOp::Eq => return Val::Bool(left == right),
        BinaryOp::Ne => return Val::Bool(left != right),
        // "If any operand is null, the operator returns false."
        BinaryOp::Gt => return Val::Bool(ordering.is_some_and(std::cmp::Ordering::is_gt)),
        BinaryOp::Ge => return Val::Bool(ordering.is_some_and(std::cmp::Ordering::is_ge)),
        BinaryOp::Lt => return Val::Bool(ordering.is_some_and(std::cmp::Ordering::is_lt)),
        BinaryOp::Le => return Val::Bool(ordering.is_some_and(std::cmp::Ordering::is_le)),
        _ => {}
    }
    let (Val::Int(left), Val::Int(right)) = (left, right) else {
        return Val::Null;
    };
    Val::Int(match op {
        BinaryOp::Add => left + right,
        BinaryOp::Sub => left - right,
        BinaryOp::Mul => left * right,
        BinaryOp::Div => left / right,
        BinaryOp::Mod => left % right,
        other => panic!("the generator makes no {other:?}"),
    })
}

fn call(name: &str, args: &[Val]) -> Val {
    let characters = |text: &str| text.chars().collect::<Vec<_>>();
    match (name, args) {
        (_, args) if args.contains(&Val::Null) => Val::Null,
        ("contains", [Val::Text(a), Val::Text(b)]) => Val::Bool(a.contains(b)),
        ("startswith", [Val::Text(a), Val::Text(b)]) => Val::Bool(a.starts_with(b)),
        ("endswith", [Val::Text(a), Val::Text(b)]) => Val::Bool(a.ends_with(b)),
        ("length", [Val::Text(a)]) => Val::Int(a.chars().count() as i64),
        ("indexof", [Val::Text(a), Val::Text(b)]) => Val::Int(
            a.find(b.as_str())
                .map_or(-1, |bytes| a[..bytes].chars().count() as i64),
        ),
        ("concat", [Val::Text(a), Val::Text(b)]) => Val::Text(format!("{a}{b}")),
        ("tolower", [Val::Text(a)]) => Val::Text(a.to_lowercase()),
        ("substring", [Val::Text(a), Val::Int(start)]) => {
            let all = characters(a);
            let from = if *start < 0 {
                all.len().saturating_sub(start.unsigned_abs() as usize)
            } else {
                *start as usize
            };
            Val::Text(all.get(from..).unwrap_or_default().iter().collect())
        }
        other => panic!("the generator makes no {other:?}"),
    }
}

fn number() -> BoxedStrategy<String> {
    let leaf = prop_oneof![
        3 => prop::sample::select(vec!["id", "level", "sortOrder", "businessUnitId", "projectId", "parentId", "parent/level", "parent/parent/sortOrder"])
            .prop_map(str::to_owned),
        1 => (-2..12_i64).prop_map(|number| number.to_string()),
        1 => Just("boards/$count".to_owned()),
        1 => Just("null".to_owned()),
    ];
    leaf.prop_recursive(2, 6, 2, |inner| {
        prop_oneof![
            (
                inner.clone(),
                prop::sample::select(vec!["add", "sub", "mul"]),
                inner.clone()
            )
                .prop_map(|(a, op, b)| format!("({a} {op} {b})")),
            (
                inner.clone(),
                prop::sample::select(vec!["div 2", "mod 3", "div (0 sub 2)"])
            )
                .prop_map(|(a, op)| format!("({a} {op})")),
            inner.prop_map(|a| format!("-({a})")),
            text().prop_map(|a| format!("length({a})")),
            (text(), text()).prop_map(|(a, b)| format!("indexof({a},{b})")),
            (truth(), number_leaf(), truth(), number_leaf())
                .prop_map(|(p, a, q, b)| format!("case({p}:{a},not ({q}) :{b})")),
        ]
    })
    .boxed()
}

/// Conditions and numbers for `case`, which stays one level deep.
fn truth() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "isMember",
        "parent/isMember",
        "level gt 1",
        "sortOrder ne null",
        "contains(name,'a')",
        "null",
    ])
    .prop_map(str::to_owned)
}

fn number_leaf() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["level", "sortOrder", "parent/level", "7", "null"])
        .prop_map(str::to_owned)
}

fn text() -> BoxedStrategy<String> {
    let leaf = prop_oneof![
        3 => prop::sample::select(vec!["name", "description", "externalId", "externalName", "parent/name", "parent/externalId"]).prop_map(str::to_owned),
        2 => prop::sample::select(vec!["''", "'a'", "'e'", "'Plant'", "'EXT_7'", "'%'", "'_'", "'lean'", "null"]).prop_map(str::to_owned),
    ];
    leaf.prop_recursive(2, 4, 2, |inner| {
        prop_oneof![
            inner.clone().prop_map(|a| format!("tolower({a})")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("concat({a},{b})")),
            (inner, -3..6_i64).prop_map(|(a, start)| format!("substring({a},{start})")),
        ]
    })
    .boxed()
}

fn comparison() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["eq", "ne", "gt", "ge", "lt", "le"])
}

fn condition() -> BoxedStrategy<String> {
    let leaf = prop_oneof![
        prop::sample::select(vec![
            "isMember",
            "isSystemGroup",
            "parent/isMember",
            "true",
            "false",
            "null",
            "children/any()"
        ])
        .prop_map(str::to_owned),
        (number(), comparison(), number()).prop_map(|(a, op, b)| format!("{a} {op} {b}")),
        (text(), comparison(), text()).prop_map(|(a, op, b)| format!("{a} {op} {b}")),
        (
            prop::sample::select(vec!["contains", "startswith", "endswith"]),
            text(),
            text()
        )
            .prop_map(|(name, a, b)| format!("{name}({a},{b})")),
        (
            number(),
            prop::collection::vec(
                (-2..12_i64).prop_map(|number| number.to_string()).boxed(),
                1..3
            )
        )
            .prop_map(|(a, list)| format!("({a}) in ({},null)", list.join(","))),
        (number(), prop::collection::vec(number(), 1..4))
            .prop_map(|(a, list)| format!("({a}) in ({})", list.join(","))),
        (text(), prop::collection::vec(text(), 1..3))
            .prop_map(|(a, list)| format!("({a}) in ({})", list.join(","))),
        (comparison(), number())
            .prop_map(|(op, a)| format!("boards/any(b:b/projectId {op} {a} or b/isPublic)")),
        (comparison(), number()).prop_map(|(op, a)| format!(
            "boards/all(b:not (b/projectId {op} {a}) and b/group/isMember)"
        )),
        (comparison(), text()).prop_map(|(op, a)| format!(
            "children/all(c:contains(c/name,{a}) or c/boards/any(b:b/name {op} {a}))"
        )),
    ];
    leaf.prop_recursive(3, 10, 3, |inner| {
        prop_oneof![
            2 => inner.clone().prop_map(|a| format!("not ({a})")),
            2 => (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a} and {b})")),
            2 => (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a} or {b})")),
            1 => (inner.clone(), comparison(), inner).prop_map(|(a, op, b)| format!("(({a}) {op} ({b}))")),
        ]
    })
    .boxed()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_database_selects_what_the_specification_says(filter in condition()) {
        thread_local!(static STORE: Store = Store::new());
        let limits = Limits { nodes: 5_000, depth: 200, option_bytes: 1 << 20, ..Limits::default() };
        let (options, _) = Options::parse(&format!("$filter={}", encode(&filter)), OptionName::ALL, &limits).unwrap();
        let bound = options.bind(&GROUP, &Context { now: 0, limits }).unwrap();
        let statement = sql::select(&bound, &Sqlite, &Scope::default());
        let found: Vec<i64> = STORE.with(|store| store.rows(&statement)).unwrap().iter().map(|row| int(&row[0])).collect();
        let tree = options.filter.unwrap();
        let expected: Vec<i64> = rows(&GROUP)
            .filter(|row| Env { it: *row, variables: Vec::new() }.truth(&tree) == Some(true))
            .map(|row| row.json["id"].as_i64().unwrap())
            .collect();
        prop_assert_eq!(found, expected, "{}\n{}", filter, statement.sql);
    }
}
