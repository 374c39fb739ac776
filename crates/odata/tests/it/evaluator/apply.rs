//! `$apply` against a second reading of the specification: random transformations, evaluated row by row.
//!
//! The sum of doubles is that of Shewchuk's algorithm, which is Python's `math.fsum`; the service adds up
//! fixed-point numbers.

use std::cmp::Ordering;

use obeya_odata::ast::apply::{AggregateItem, AggregateMethod, Aggregated, Transformation};
use obeya_odata::ast::{Expr, OrderItem, Segment};
use obeya_odata::edm::EntityType;
use obeya_odata::sql::{self, Scope, Value};
use obeya_odata::{Context, Limits, OptionName, Options};
use obeya_testkit::{Rng, rng};

use super::value::{Val, of_json};
use super::{Env, Row, rows};
use crate::model::{BOARD, COMMENT, DATASOURCE_VALUE, GROUP, INCIDENT};
use crate::store::{Store, encode, on_each_engine};

/// A row of a result: the record it is, unless it is a group, and the values that were named.
#[derive(Clone)]
struct Line {
    record: Option<Row>,
    named: Vec<(String, Val)>,
}

impl Line {
    fn eval(&self, expr: &Expr, entity: &'static EntityType) -> Val {
        let it = self.record.or_else(|| rows(entity).next()).unwrap();
        let mut env = Env {
            it,
            variables: Vec::new(),
            named: self.named.clone(),
        };
        env.eval(expr)
    }

    fn get(&self, path: &str, entity: &'static EntityType) -> Val {
        let limits = Limits::default();
        let options = Options::of(OptionName::Filter, path, &limits).unwrap();
        self.eval(&options.filter.unwrap(), entity)
    }
}

/// Null first, then by value.
fn compare(a: &Val, b: &Val) -> Ordering {
    match (a, b) {
        (Val::Null, Val::Null) => Ordering::Equal,
        (Val::Null, _) => Ordering::Less,
        (_, Val::Null) => Ordering::Greater,
        (Val::Bool(a), Val::Bool(b)) => a.cmp(b),
        (Val::Int(a), Val::Int(b))
        | (Val::Date(a), Val::Date(b))
        | (Val::Instant(a), Val::Instant(b)) => a.cmp(b),
        (Val::Double(a), Val::Double(b)) => a.partial_cmp(b).unwrap(),
        (Val::Text(a), Val::Text(b)) => a.chars().cmp(b.chars()),
        other => panic!("{other:?} are not of one type"),
    }
}

/// The exact sum, rounded once: the partial sums do not overlap, and the last step rounds half to even.
fn fsum(values: &[f64]) -> f64 {
    let mut partials: Vec<f64> = Vec::new();
    for &value in values {
        let mut x = value;
        let mut kept = Vec::new();
        for &partial in &partials {
            let (large, small) = if x.abs() < partial.abs() {
                (partial, x)
            } else {
                (x, partial)
            };
            let high = large + small;
            let low = small - (high - large);
            if low != 0.0 {
                kept.push(low);
            }
            x = high;
        }
        kept.push(x);
        partials = kept;
    }
    let mut high = 0.0;
    while let Some(next) = partials.pop() {
        let sum = high + next;
        let low = next - (sum - high);
        high = sum;
        if low != 0.0 {
            let same_side = partials
                .last()
                .is_some_and(|last| (*last < 0.0) == (low < 0.0));
            let twice = low * 2.0;
            if same_side && (high + twice) - high == twice {
                high += twice;
            }
            break;
        }
    }
    high
}

fn aggregate(item: &AggregateItem, group: &[Line], entity: &'static EntityType) -> Val {
    let Aggregated::Of(expr, method) = &item.value else {
        return Val::Int(group.len() as i64);
    };
    // "… of the non-null values"
    let mut values: Vec<Val> = group
        .iter()
        .map(|line| line.eval(expr, entity))
        .filter(|value| *value != Val::Null)
        .collect();
    values.sort_by(compare);
    let reals: Vec<f64> = values
        .iter()
        .map(|value| match value {
            Val::Int(number) => *number as f64,
            Val::Double(number) => *number,
            _ => 0.0,
        })
        .collect();
    match method {
        AggregateMethod::CountDistinct => {
            values.dedup();
            Val::Int(values.len() as i64)
        }
        _ if values.is_empty() => Val::Null,
        AggregateMethod::Min => values[0].clone(),
        AggregateMethod::Max => values[values.len() - 1].clone(),
        AggregateMethod::Sum if matches!(values[0], Val::Int(_)) => {
            Val::Int(reals.iter().map(|real| *real as i64).sum())
        }
        AggregateMethod::Sum => Val::Double(fsum(&reals)),
        AggregateMethod::Average => Val::Double(fsum(&reals) / reals.len() as f64),
        other => panic!("the generator makes no {other:?}"),
    }
}

/// Groups, in the order of their keys.
fn grouped(
    lines: Vec<Line>,
    paths: &[String],
    items: &[AggregateItem],
    entity: &'static EntityType,
) -> Vec<Line> {
    let mut groups: Vec<(Vec<Val>, Vec<Line>)> = Vec::new();
    if paths.is_empty() {
        groups.push((Vec::new(), Vec::new()));
    }
    for line in lines {
        let key: Vec<Val> = paths.iter().map(|path| line.get(path, entity)).collect();
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, members)) => members.push(line),
            None => groups.push((key, vec![line])),
        }
    }
    groups.sort_by(|(a, _), (b, _)| {
        let each = a.iter().zip(b).map(|(a, b)| compare(a, b));
        each.fold(Ordering::Equal, Ordering::then)
    });
    let line = |(key, members): (Vec<Val>, Vec<Line>)| {
        let mut named: Vec<(String, Val)> = paths.iter().cloned().zip(key).collect();
        for item in items {
            named.push((item.alias.name.clone(), aggregate(item, &members, entity)));
        }
        Line {
            record: None,
            named,
        }
    };
    groups.into_iter().map(line).collect()
}

fn apply(lines: Vec<Line>, step: &Transformation, entity: &'static EntityType) -> Vec<Line> {
    match step {
        Transformation::Filter(condition) => lines
            .into_iter()
            .filter(|line| line.eval(condition, entity) == Val::Bool(true))
            .collect(),
        Transformation::Compute(items) => lines
            .into_iter()
            .map(|mut line| {
                let values: Vec<Val> = items
                    .iter()
                    .map(|item| line.eval(&item.expr, entity))
                    .collect();
                let names = items.iter().map(|item| item.alias.name.clone());
                line.named.extend(names.zip(values));
                line
            })
            .collect(),
        Transformation::Aggregate(items) => grouped(lines, &[], items, entity),
        Transformation::GroupBy { paths, aggregates } => {
            let paths: Vec<String> = paths.iter().map(|path| path_text(path)).collect();
            grouped(lines, &paths, aggregates, entity)
        }
        Transformation::Concat(sequences) => {
            let mut columns: Vec<(String, bool)> = Vec::new();
            for (name, is_key) in sequences.iter().flat_map(|sequence| names(sequence)) {
                match columns.iter_mut().find(|(known, _)| *known == name) {
                    Some((_, known)) => *known |= is_key,
                    None => columns.push((name, is_key)),
                }
            }
            let mut all = Vec::new();
            for sequence in sequences {
                let steps = sequence.iter();
                let mut lines = steps.fold(lines.clone(), |lines, step| apply(lines, step, entity));
                for line in &mut lines {
                    let value = |(name, _): &(String, bool)| {
                        let known = line.named.iter().find(|(known, _)| known == name);
                        let value = known.map_or(Val::Null, |(_, value)| value.clone());
                        (name.clone(), value)
                    };
                    line.named = columns.iter().map(value).collect();
                }
                lines.sort_by(|a, b| {
                    let both = a.named.iter().zip(&b.named).zip(&columns);
                    let keys = both.filter(|(_, (_, is_key))| *is_key);
                    keys.fold(Ordering::Equal, |before, ((a, b), _)| {
                        before.then_with(|| compare(&a.1, &b.1))
                    })
                });
                all.extend(lines);
            }
            all
        }
        other => panic!("the generator makes no {other:?}"),
    }
}

/// The names of the values of a sequence that ends in groups, and whether it is grouped by them.
fn names(sequence: &[Transformation]) -> Vec<(String, bool)> {
    let mut names: Vec<(String, bool)> = Vec::new();
    for step in sequence {
        let (paths, items) = match step {
            Transformation::Compute(items) => {
                names.extend(items.iter().map(|item| (item.alias.name.clone(), false)));
                continue;
            }
            Transformation::Aggregate(items) => (&[][..], items),
            Transformation::GroupBy { paths, aggregates } => (&paths[..], aggregates),
            _ => continue,
        };
        let keys = paths.iter().map(|path| (path_text(path), true));
        let items = items.iter().map(|item| (item.alias.name.clone(), false));
        names = keys.chain(items).collect();
    }
    names
}

fn path_text(path: &[Segment]) -> String {
    let names: Vec<&str> = path.iter().map(|it| it.name.as_str()).collect();
    names.join("/")
}

fn sort(lines: &mut [Line], keys: &[OrderItem], entity: &'static EntityType) {
    // Stable: what is equal stays in the order of the groups.
    lines.sort_by(|a, b| {
        keys.iter().fold(Ordering::Equal, |before, key| {
            let here = compare(&a.eval(&key.expr, entity), &b.eval(&key.expr, entity));
            before.then(if key.descending { here.reverse() } else { here })
        })
    });
}

fn stored(value: &Val) -> Value {
    match value {
        Val::Null => Value::Null,
        Val::Bool(truth) => Value::Int((*truth).into()),
        Val::Int(number) | Val::Date(number) | Val::Instant(number) => Value::Int(*number),
        Val::Double(number) => Value::Real(*number),
        Val::Text(text) => Value::Text(text.clone()),
        other => panic!("no result has {other:?}"),
    }
}

/// The rows of the database and those of the evaluator.
fn both(store: &Store, entity: &'static EntityType, query: &str) -> [Vec<Vec<Value>>; 2] {
    let limits = Limits::default();
    let parts: Vec<String> = query
        .split('&')
        .map(|part| {
            let (name, value) = part.split_once('=').unwrap();
            format!("{name}={}", encode(value))
        })
        .collect();
    let (options, _) = Options::parse(&parts.join("&"), OptionName::PAGED, &limits)
        .unwrap_or_else(|error| panic!("{query}: {error}"));
    let bound = options
        .bind(entity, &Context { now: 0, limits })
        .unwrap_or_else(|error| panic!("{query}: {error}"));
    let statement = sql::select(&bound, store.dialect(), &Scope::default());
    let found = store.rows(&statement);
    let found = found.unwrap_or_else(|error| panic!("{error}\n{query}\n{}", statement.sql));

    let mut lines: Vec<Line> = rows(entity)
        .map(|record| Line {
            record: Some(record),
            named: Vec::new(),
        })
        .collect();
    for step in options.apply.iter().flatten() {
        lines = apply(lines, step, entity);
    }
    if let Some(items) = options.compute {
        lines = apply(lines, &Transformation::Compute(items), entity);
    }
    if let Some(filter) = options.filter {
        lines = apply(lines, &Transformation::Filter(filter), entity);
    }
    sort(
        &mut lines,
        options.orderby.as_deref().unwrap_or_default(),
        entity,
    );
    let skip = options.skip.unwrap_or(0) as usize;
    let top = options.top.map_or(usize::MAX, |top| top as usize);
    let line = |line: Line| {
        let mut values = Vec::new();
        if let Some(record) = line.record {
            for property in entity.properties {
                values.push(of_json(property.ty, &record.json[property.name]));
            }
        }
        values.extend(line.named.into_iter().map(|(_, value)| value));
        values.iter().map(stored).collect()
    };
    let expected = lines.into_iter().skip(skip).take(top).map(line).collect();
    [found, expected]
}

/// What the transformations of an entity are made of.
struct Words {
    entity: &'static EntityType,
    conditions: &'static [&'static str],
    numbers: &'static [&'static str],
    others: &'static [&'static str],
    keys: &'static [&'static str],
}

static WORDS: [Words; 5] = [
    Words {
        entity: &INCIDENT,
        conditions: &[
            "numberOfComments gt 0",
            "area/name ne 'Assembly'",
            "comments/any()",
            "not (dueDate lt resolvedDate)",
        ],
        numbers: &[
            "numberOfComments",
            "comments/$count",
            "year(incidentDate)",
            "hour(resolvedDate)",
            "area/id",
            "length(title) divby 3",
            "totalseconds(resolvedDate sub dueDate)",
        ],
        others: &["title", "incidentDate", "dueDate", "area/description"],
        keys: &[
            "status",
            "severity",
            "isAnonymous",
            "areaId",
            "area/name",
            "incidentDate",
            "dueDate",
        ],
    },
    Words {
        entity: &DATASOURCE_VALUE,
        conditions: &[
            "value gt 3",
            "dimension ne null",
            "valueDate gt 2020-01-01T00:00:00Z",
        ],
        numbers: &[
            "value",
            "value mul 0.1",
            "value divby 3",
            "-value",
            "id",
            "assetId",
        ],
        others: &["valueDate", "dimension", "description"],
        keys: &["dimension", "dimension2", "areaId", "value", "dataSourceId"],
    },
    Words {
        entity: &GROUP,
        conditions: &["isMember", "level gt 1", "parent/level ne 2"],
        numbers: &[
            "level",
            "sortOrder",
            "boards/$count",
            "parent/sortOrder",
            "level divby 7",
        ],
        others: &["name", "externalId", "tolower(externalName)"],
        keys: &[
            "type",
            "isMember",
            "level",
            "parentId",
            "parent/name",
            "parent/parent/id",
        ],
    },
    Words {
        entity: &BOARD,
        conditions: &["isPublic", "group/level ge 1"],
        numbers: &["group/level", "id mul 3", "projectId"],
        others: &["name", "group/name"],
        keys: &[
            "boardType",
            "isPublic",
            "group/type",
            "group/parent/name",
            "groupId",
        ],
    },
    Words {
        entity: &COMMENT,
        conditions: &["level gt 0", "incident/area/name ne null"],
        numbers: &["level", "parent/level", "length(text)"],
        others: &["text", "commentDate", "incident/title"],
        keys: &[
            "commentedBy",
            "level",
            "parent/commentedBy",
            "incident/status",
        ],
    },
];

/// A random choice of some, in their order.
fn some<'a>(random: &mut Rng, all: &[&'a str], least: usize) -> Vec<&'a str> {
    let mut chosen = all.to_vec();
    random.shuffle(&mut chosen);
    chosen.truncate(random.usize(least..=all.len().min(3)));
    chosen
}

fn items(random: &mut Rng, words: &Words) -> String {
    let mut items = vec!["$count as n".to_owned()];
    for number in some(random, words.numbers, 1) {
        let method = ["sum", "average", "min", "max", "countdistinct"][random.usize(..5)];
        items.push(format!("{number} with {method} as a{}", items.len()));
    }
    for other in some(random, words.others, 0) {
        let method = ["min", "max", "countdistinct"][random.usize(..3)];
        items.push(format!("{other} with {method} as a{}", items.len()));
    }
    items.join(",")
}

/// A query whose result has the value `n`, a whole number, unless it has no grouping.
fn query(random: &mut Rng, words: &Words) -> String {
    let mut steps = Vec::new();
    for condition in some(random, words.conditions, 0) {
        steps.push(format!("filter({condition})"));
    }
    let mut keys = some(random, words.keys, 0);
    if random.bool() {
        let number = words.numbers[random.usize(..words.numbers.len())];
        steps.push(format!("compute({number} as x,id mul 2 as twice)"));
        if random.bool() {
            steps.push("filter(x ne null and twice gt 3)".to_owned());
        }
        keys.push("x");
    }
    let is_distinct = random.usize(..8) == 0 && !keys.is_empty();
    if is_distinct {
        return format!("$apply={}/groupby(({}))", steps.join("/"), keys.join(","))
            .replace("=/", "=");
    }
    let grouping = |keys: &[&str], items: &str| match keys {
        [] => format!("aggregate({items})"),
        keys => format!("groupby(({}),aggregate({items}))", keys.join(",")),
    };
    let items = items(random, words);
    let whole = grouping(&keys, &items);
    if steps.len() <= 4 && random.usize(..3) == 0 {
        // The same values of other groups, and some of them alone.
        let others = some(random, words.keys, 0);
        let part = grouping(&others, &items);
        let distinct = format!(
            "aggregate({} as n)",
            ["$count", "id with max"][random.usize(..2)]
        );
        let sequences = [whole, format!("{part}/filter(n gt 1)"), distinct];
        steps.push(format!(
            "concat({})",
            sequences[..random.usize(2..=3)].join(",")
        ));
    } else {
        steps.push(whole);
    }
    match (random.usize(..6), keys.first()) {
        (0, _) => steps.push("filter(n gt 1)".to_owned()),
        (1, _) => steps.push("compute(n add 1 as more,n divby 3 as third)".to_owned()),
        (2, _) => steps.push("aggregate(n with sum as s,$count as n)".to_owned()),
        (3, Some(key)) => steps.push(format!(
            "groupby(({key}),aggregate(n with max as m,n with sum as n))"
        )),
        _ => {}
    }
    let mut query = format!("$apply={}", steps.join("/"));
    for option in [
        "$compute=n mul 3 as thrice",
        "$filter=n ge 1",
        "$orderby=n desc",
        "$skip=1",
        "$top=3",
    ] {
        if random.usize(..3) == 0 {
            query.push('&');
            query.push_str(option);
        }
    }
    query
}

fn groups_are_those_of_the_specification(store: &Store) {
    let mut random = rng();
    let mut lines = 0;
    for words in &WORDS {
        for _ in 0..150 {
            let query = query(&mut random, words);
            let [found, expected] = both(store, words.entity, &query);
            assert_eq!(found, expected, "{}: {query}", words.entity.name);
            lines += found.len();
        }
    }
    assert!(lines > 1_000, "the queries have {lines} rows");
}

fn computed_values_stand_beside_those_of_the_records(store: &Store) {
    for (entity, query) in [
        (
            &BOARD,
            "$apply=compute(length(name) as l,group/name as g)&$filter=l gt 5&$orderby=id",
        ),
        (
            &DATASOURCE_VALUE,
            "$apply=compute(value mul 2 as v)/filter(v gt 3)&$orderby=id",
        ),
        (
            &BOARD,
            "$compute=length(name) as l,group/name as g&$filter=l gt 5 and g ne null&$orderby=l desc,id",
        ),
        (
            &BOARD,
            "$apply=groupby((group/name),aggregate(id with max as m))&$compute=m mul 2 as twice&$filter=twice gt 4",
        ),
        (
            &INCIDENT,
            "$apply=compute(comments/$count as c)&$orderby=c desc,area/name,id desc&$top=5",
        ),
    ] {
        let [found, expected] = both(store, entity, query);
        assert_eq!(found, expected, "{query}");
        assert!(found.len() > 1, "{query}");
    }
}

on_each_engine!(
    groups_are_those_of_the_specification,
    computed_values_stand_beside_those_of_the_records,
);
