//! The cost of a query option before the database sees it: `cargo bench -p obeya-odata --bench language`.
//!
//! Every text is different, so nothing can be cached. A figure is the median of several rounds. The floor
//! next to it is one pass over the bytes of the same texts that decodes them, which any reader must make.

use std::hint::black_box;
use std::time::Instant;

use obeya_odata::edm::{Cardinality, Column, EntityType, Navigation, Property, Type};
use obeya_odata::sql::{self, Scope, Sqlite};
use obeya_odata::{Context, Limits, OptionName, Options};

const ROUNDS: usize = 41;
const TEXTS: usize = 500;
/// Microseconds that parsing and binding of a typical filter may take.
const GOAL: f64 = 5.0;

const fn property(name: &'static str, ty: Type) -> Property {
    Property {
        name,
        ty,
        nullable: true,
        column: Column::Name(name),
    }
}

static GROUP: EntityType = EntityType {
    name: "Group",
    table: "groups",
    key: "id",
    properties: &[
        Property {
            nullable: false,
            ..property("id", Type::Int32)
        },
        property("type", Type::String),
        property("name", Type::String),
        property("description", Type::String),
        property("parentId", Type::Int32),
        property("level", Type::Int32),
        property("sortOrder", Type::Int32),
        property("isMember", Type::Boolean),
        property("lastModified", Type::DateTimeOffset),
    ],
    navigations: &[
        Navigation {
            name: "parent",
            target: &GROUP,
            cardinality: Cardinality::One,
            from: "parentId",
            to: "id",
        },
        Navigation {
            name: "children",
            target: &GROUP,
            cardinality: Cardinality::Many,
            from: "id",
            to: "parentId",
        },
    ],
    search: None,
};

/// `#` is another number in each text.
const QUERIES: [(&str, &str); 5] = [
    ("one comparison", "$filter=level ge #"),
    (
        "a typical filter",
        "$filter=contains(name,'Weld #') and level ge # and (parentId eq # or parentId eq null)",
    ),
    (
        "a list: filter, order, page, count",
        "$filter=parentId le #&$orderby=name,level desc&$top=50&$count=true",
    ),
    (
        "paths, functions and lambdas",
        "$filter=tolower(parent/name) eq 'weld #' and year(lastModified) ge 2020 and children/any(c:c/level gt # and not c/isMember)",
    ),
    (
        "fifty alternatives",
        "$filter=id in (#,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49)",
    ),
];

fn main() {
    let limits = Limits::default();
    let context = Context { now: 0, limits };
    println!(
        "{:<36} {:>9} {:>9} {:>9} {:>9}  target",
        "microseconds", "parse", "and bind", "and SQL", "floor"
    );
    for (name, query) in QUERIES {
        let texts: Vec<String> = (0..TEXTS)
            .map(|n| {
                query
                    .replace('#', &(n * 7919 % 10_000).to_string())
                    .replace(' ', "%20")
            })
            .collect();
        let parse = |text: &str| {
            let (options, _) =
                Options::parse(text, OptionName::ALL, &limits).expect("the text is right");
            options
        };
        let bind = |text: &str| {
            parse(text)
                .bind(&GROUP, &context)
                .expect("the names are there")
        };
        let parsed = median(&texts, |text| {
            black_box(parse(text));
        });
        let bound = median(&texts, |text| {
            black_box(bind(text));
        });
        let rendered = median(&texts, |text| {
            black_box(sql::select(&bind(text), &Sqlite, &Scope::default()));
        });
        let floor = median(&texts, |text| {
            black_box(text.replace("%20", " "));
        });
        let missed = if bound <= GOAL { "" } else { "  MISSED" };
        let target = match name {
            "a typical filter" => format!("bound <= {GOAL}{missed}"),
            _ => String::new(),
        };
        println!("{name:<36} {parsed:>9.2} {bound:>9.2} {rendered:>9.2} {floor:>9.2}  {target}");
    }
}

/// Microseconds for a text.
fn median(texts: &[String], work: impl Fn(&str)) -> f64 {
    let mut figures: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let started = Instant::now();
            for text in texts {
                work(black_box(text));
            }
            started.elapsed().as_secs_f64() * 1e6 / texts.len() as f64
        })
        .collect();
    figures.sort_by(f64::total_cmp);
    figures[ROUNDS / 2]
}
