//! Conditions at random: whatever is built parses to the same tree.

use std::time::Duration as StdDuration;

use proptest::prelude::*;

use super::super::{Filter, Instant, Int, Text, Value};
use super::model::binds;
use super::{Group, board, group, round_trip};

type Numbers = Value<Group, Int>;
type Texts = Value<Group, Text>;

fn numbers() -> impl Strategy<Value = Numbers> {
    let leaf = prop_oneof![
        Just(group().level().add(0)),
        any::<i64>().prop_map(|number| group().parent().level().sub(number)),
        Just(group().boards().count()),
        Just(group().boards().count_where(board().public())),
        any::<i64>().prop_map(|ticks| Value::<Group, Instant>::from_ticks(ticks).hour()),
    ];
    leaf.prop_recursive(4, 16, 2, |inner| {
        (inner.clone(), inner, 0..7).prop_map(|(left, right, which)| match which {
            0 => left.add(right),
            1 => left.sub(right),
            2 => left.mul(right),
            3 => left.div(right),
            4 => left.modulo(right),
            5 => left.to_text().index_of(right.to_text()),
            _ => left.negate(),
        })
    })
}

fn texts() -> impl Strategy<Value = Texts> {
    let leaf = prop_oneof![
        Just(group().name().trim()),
        any::<String>().prop_map(|text| group().name().concat(text)),
    ];
    leaf.prop_recursive(4, 16, 2, |inner| {
        (inner.clone(), inner, any::<i64>(), 0..4).prop_map(|(left, right, start, which)| {
            match which {
                0 => left.concat(right),
                1 => left.to_upper(),
                2 => left.substring(start),
                _ => left.substring_of(right.length(), start),
            }
        })
    })
}

fn filters() -> impl Strategy<Value = Filter<Group>> {
    let leaf = prop_oneof![
        (
            numbers(),
            any::<f64>().prop_filter("NaN differs from itself", |number| !number.is_nan())
        )
            .prop_map(|(left, right)| left.le(right)),
        (texts(), any::<String>()).prop_map(|(left, right)| left.gt(right)),
        (texts(), prop::collection::vec(any::<String>(), 0..4))
            .prop_map(|(left, right)| left.in_(right)),
        (numbers(), prop::collection::vec(any::<i64>(), 0..4))
            .prop_map(|(left, right)| left.in_(right)),
        (any::<i64>(), any::<u64>()).prop_map(|(ticks, nanos)| {
            group()
                .made()
                .add(StdDuration::from_nanos(nanos))
                .lt(Value::from_ticks(ticks))
        }),
        any::<u128>().prop_map(|bits| group().key().ne(bits)),
        Just(group().member().is_null()),
    ];
    leaf.prop_recursive(5, 32, 2, |inner| {
        (inner.clone(), inner, 0..8).prop_map(|(left, right, which)| match which {
            0 => left.and(right),
            1 => left.or(right),
            2 => left.not(),
            3 => left.eq(right),
            4 => group().boards().any(|board| board.public().and(left)),
            5 => group()
                .children()
                .all(|child| left.or(child.level().eq(1)).or(right)),
            6 => group().children().count_where(left).ge(1),
            _ => left.in_([right]),
        })
    })
}

proptest! {
    #[test]
    fn whatever_is_built_parses_to_the_same_tree_and_is_of_the_right_types(filter in filters()) {
        round_trip(&filter);
        binds(&filter);
    }
}
