//! Filters over incidents and values: doubles, dates, instants that may be missing, times of day and
//! durations.

use obeya_odata::edm::EntityType;
use proptest::prelude::*;

use super::agree;
use crate::model::{DATASOURCE_VALUE, INCIDENT};
use crate::store::{Store, on_each_engine};

/// The properties of an entity by their types.
#[derive(Clone, Copy)]
struct Names {
    entity: &'static EntityType,
    instants: &'static [&'static str],
    dates: &'static [&'static str],
    numbers: &'static [&'static str],
}

const INCIDENTS: Names = Names {
    entity: &INCIDENT,
    instants: &["dueDate", "resolvedDate"],
    dates: &["incidentDate"],
    numbers: &[
        "id",
        "areaId",
        "numberOfComments",
        "comments/$count",
        "area/id",
    ],
};

const VALUES: Names = Names {
    entity: &DATASOURCE_VALUE,
    instants: &["valueDate", "registrationDate"],
    dates: &["date(valueDate)", "date(registrationDate)"],
    numbers: &["value", "id", "areaId", "assetId"],
};

/// Zones as a further argument of `bin`: UTC, two that change their clocks on other days, one that is half an
/// hour off, one that changes by half an hour,
/// and one whose midnight is repeated.
const ZONES: &[&str] = &[
    "",
    ",'Europe/Oslo'",
    ",'America/New_York'",
    ",'Asia/Kolkata'",
    ",'Australia/Lord_Howe'",
    ",'Atlantic/Azores'",
];

fn one_of(names: &'static [&'static str]) -> impl Strategy<Value = String> {
    prop::sample::select(names).prop_map(str::to_owned)
}

fn duration() -> impl Strategy<Value = String> {
    one_of(&[
        "duration'PT0S'",
        "duration'PT1.5S'",
        "duration'PT90M'",
        "'P1DT2H'",
        "duration'-P3D'",
        "'PT23H59M59.9999999S'",
        "null",
    ])
}

impl Names {
    fn instant(self) -> BoxedStrategy<String> {
        let leaf = prop_oneof![
            4 => one_of(self.instants),
            2 => (one_of(self.instants), one_of(&["PT15M", "PT1H", "PT6H", "P1D"]), one_of(ZONES))
                .prop_map(|(at, size, zone)| format!("bin({at},duration'{size}'{zone})")),
            2 => one_of(&[
                "2024-02-29T23:30:00Z",
                "2024-07-16T11:00:00+02:00",
                "2024-12-31T23:59:59.9999999Z",
                "1969-12-31T23:59:59Z",
                "null",
            ]),
        ];
        (
            leaf,
            prop::option::of((one_of(&["add", "sub"]), duration())),
        )
            .prop_map(|(instant, moved)| match moved {
                // A literal null has no type that determines how it is moved.
                Some((op, by)) if instant != "null" => format!("({instant} {op} {by})"),
                _ => instant,
            })
            .boxed()
    }

    /// An instant whose parts are defined: literals of another zone have none here.
    fn utc(self) -> impl Strategy<Value = String> {
        self.instant()
            .prop_map(|text| text.replace("2024-07-16T11:00:00+02:00", "2024-07-16T09:00:00Z"))
    }

    fn date(self) -> BoxedStrategy<String> {
        let leaf = prop_oneof![
            3 => one_of(self.dates),
            1 => self.utc().prop_map(|instant| format!("date({instant})")),
            1 => one_of(&["2024-02-29", "2023-12-31", "2024-07-16"]),
        ];
        (
            leaf,
            prop::option::of((one_of(&["add", "sub"]), duration())),
        )
            .prop_map(|(date, moved)| match moved {
                Some((op, by)) => format!("({date} {op} {by})"),
                None => date,
            })
            .boxed()
    }

    fn time(self) -> BoxedStrategy<String> {
        prop_oneof![
            self.utc().prop_map(|instant| format!("time({instant})")),
            one_of(&["00:00:00", "08:30", "23:59:59.9999999"]),
        ]
        .boxed()
    }

    fn span(self) -> BoxedStrategy<String> {
        prop_oneof![
            (one_of(self.instants), one_of(self.instants))
                .prop_map(|(a, b)| format!("({a} sub {b})")),
            (self.date(), self.date()).prop_map(|(a, b)| format!("({a} sub {b})")),
            (one_of(&["duration'PT90M'", "duration'-P3D'"]), -3..4_i64)
                .prop_map(|(a, times)| format!("({a} mul {times})")),
            one_of(&["duration'PT0S'", "duration'PT36H'", "-duration'P1D'"]),
        ]
        .boxed()
    }

    fn number(self) -> BoxedStrategy<String> {
        let leaf = prop_oneof![
            4 => one_of(self.numbers),
            2 => one_of(&["0", "1", "-2", "2.5", "-0.5", "1e3", "0.1", "null"]),
            1 => (one_of(&["year", "month", "day"]), self.date()).prop_map(|(name, a)| format!("{name}({a})")),
            1 => (one_of(&["year", "month", "day", "hour", "minute", "second", "fractionalseconds"]), self.utc())
                .prop_map(|(name, a)| format!("{name}({a})")),
            1 => (one_of(&["hour", "minute", "second", "fractionalseconds"]), self.time())
                .prop_map(|(name, a)| format!("{name}({a})")),
            1 => self.span().prop_map(|a| format!("totalseconds({a})")),
        ];
        leaf.prop_recursive(2, 6, 2, |inner| {
            prop_oneof![
                (inner.clone(), one_of(&["add", "sub", "mul"]), inner.clone())
                    .prop_map(|(a, op, b)| format!("({a} {op} {b})")),
                (
                    inner.clone(),
                    one_of(&["div 2", "div 2.0", "divby 4", "mod 3", "mod 1.5", "div -4"])
                )
                    .prop_map(|(a, op)| format!("({a} {op})")),
                inner.clone().prop_map(|a| format!("-({a})")),
                (one_of(&["round", "floor", "ceiling"]), inner)
                    .prop_map(|(name, a)| format!("{name}({a})")),
            ]
        })
        .boxed()
    }

    fn condition(self) -> BoxedStrategy<String> {
        let comparison = || one_of(&["eq", "ne", "gt", "ge", "lt", "le"]);
        let compared = |values: BoxedStrategy<String>| {
            (values.clone(), comparison(), values).prop_map(|(a, op, b)| format!("{a} {op} {b}"))
        };
        let leaf = prop_oneof![
            3 => compared(self.number()),
            2 => compared(self.instant()),
            1 => compared(self.date()),
            1 => compared(self.time()),
            1 => compared(self.span()),
            1 => (self.number(), prop::collection::vec(self.number(), 1..4))
                .prop_map(|(a, list)| format!("({a}) in ({})", list.join(","))),
            1 => (self.instant(), prop::collection::vec(self.instant(), 1..3))
                .prop_map(|(a, list)| format!("({a}) in ({})", list.join(","))),
        ];
        leaf.prop_recursive(2, 6, 2, |inner| {
            prop_oneof![
                inner.clone().prop_map(|a| format!("not ({a})")),
                (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a} and {b})")),
                (inner.clone(), inner).prop_map(|(a, b)| format!("({a} or {b})")),
            ]
        })
        .boxed()
    }
}

fn incidents_are_selected_as_the_specification_says(store: &Store) {
    agree(store, INCIDENTS.entity, INCIDENTS.condition());
}

fn values_are_selected_as_the_specification_says(store: &Store) {
    agree(store, VALUES.entity, VALUES.condition());
}

on_each_engine!(
    incidents_are_selected_as_the_specification_says,
    values_are_selected_as_the_specification_says,
);
