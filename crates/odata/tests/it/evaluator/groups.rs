//! Filters over groups: whole numbers, strings, conditions, links to one and to many.

use proptest::prelude::*;

use super::agree;
use crate::model::GROUP;
use crate::store::{Store, on_each_engine};

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

fn the_database_selects_what_the_specification_says(store: &Store) {
    agree(store, &GROUP, condition());
}

on_each_engine!(the_database_selects_what_the_specification_says);
