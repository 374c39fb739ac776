//! `$apply` on every engine: the examples of OData Data Aggregation 4.0, sums at the ends of their ranges,
//! pages of groups, rows that may not be shown.

use obeya_odata::edm::{Cardinality, Column, EntityType, Navigation, Property, Type};
use obeya_odata::sql::{self, Predicate, Scope, Statement, Value};
use obeya_odata::{Context, Limits, OptionName, Options, RowConditions, Visibility};
use obeya_testkit::rng;

use crate::model::{BOARD, COMMENT, DATASOURCE_VALUE, GROUP, INCIDENT};
use crate::paging::walk_rows;
use crate::store::{Store, bind_paged, encode, int, on_each_engine};

const fn property(name: &'static str, ty: Type) -> Property {
    Property {
        name,
        ty,
        nullable: true,
        column: Column::Name(name),
    }
}

const fn to_one(name: &'static str, target: &'static EntityType, from: &'static str) -> Navigation {
    Navigation {
        name,
        target,
        cardinality: Cardinality::One,
        from,
        to: "ID",
    }
}

/// The model of the specification's examples (2.2), without the currencies and the time dimension.
static SALES: EntityType = EntityType {
    name: "Sale",
    table: "Sales",
    key: "ID",
    properties: &[
        property("ID", Type::Int32),
        property("Amount", Type::Double),
    ],
    navigations: &[
        to_one("Customer", &CUSTOMERS, "CustomerID"),
        to_one("Product", &PRODUCTS, "ProductID"),
    ],
    search: None,
};

static CUSTOMERS: EntityType = EntityType {
    name: "Customer",
    table: "Customers",
    key: "ID",
    properties: &[
        property("ID", Type::String),
        property("Name", Type::String),
        property("Country", Type::String),
    ],
    navigations: &[],
    search: None,
};

static PRODUCTS: EntityType = EntityType {
    name: "Product",
    table: "Products",
    key: "ID",
    properties: &[
        property("ID", Type::String),
        property("Name", Type::String),
        property("TaxRate", Type::Double),
    ],
    navigations: &[],
    search: None,
};

/// The data of the specification's examples (2.3).
fn sales(store: &Store) {
    let (text, real) = match store.dialect().name() {
        "sqlite" => ("TEXT", "REAL"),
        _ => ("text COLLATE \"C\"", "double precision"),
    };
    store.execute(&format!(
        "CREATE TABLE \"Sales\" (\"ID\" bigint, \"CustomerID\" {text}, \"ProductID\" {text}, \"Amount\" {real})"
    ));
    store.execute(&format!(
        "CREATE TABLE \"Customers\" (\"ID\" {text}, \"Name\" {text}, \"Country\" {text})"
    ));
    store.execute(&format!(
        "CREATE TABLE \"Products\" (\"ID\" {text}, \"Name\" {text}, \"TaxRate\" {real})"
    ));
    store.execute(
        "INSERT INTO \"Sales\" VALUES (1, 'C1', 'P3', 1), (2, 'C1', 'P1', 2), (3, 'C1', 'P2', 4), (4, 'C2', 'P2', 8), \
         (5, 'C2', 'P3', 4), (6, 'C3', 'P1', 2), (7, 'C3', 'P3', 1), (8, 'C3', 'P3', 2)",
    );
    store.execute(
        "INSERT INTO \"Customers\" VALUES ('C1', 'Joe', 'USA'), ('C2', 'Sue', 'USA'), ('C3', 'Joe', 'Netherlands'), \
         ('C4', 'Luc', 'France')",
    );
    store.execute(
        "INSERT INTO \"Products\" VALUES ('P1', 'Sugar', 0.06), ('P2', 'Coffee', 0.06), ('P3', 'Paper', 0.14), \
         ('P4', 'Pencil', 0.14)",
    );
}

fn rows(
    store: &Store,
    entity: &'static EntityType,
    apply: &str,
) -> Result<Vec<Vec<Value>>, String> {
    let query = format!("$apply={}", encode(apply));
    let bound = bind_paged(entity, &query).unwrap_or_else(|error| panic!("{apply}: {error}"));
    let statement = sql::select(&bound, store.dialect(), &Scope::default());
    store.rows(&statement)
}

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

/// The results are those that the specification prints, in our order of groups.
fn the_examples_of_the_specification(store: &Store) {
    use Value::{Int, Real};
    sales(store);
    let cases: [(&str, Vec<Vec<Value>>); 11] = [
        (
            "aggregate(Amount with sum as Total,Amount with max as MxA)",
            vec![vec![Real(24.0), Real(8.0)]],
        ),
        (
            "aggregate(Amount mul Product/TaxRate with sum as Tax)",
            vec![vec![Real(2.08)]],
        ),
        (
            "aggregate(Amount with min as MinAmount)",
            vec![vec![Real(1.0)]],
        ),
        (
            "aggregate(Amount with average as AverageAmount)",
            vec![vec![Real(3.0)]],
        ),
        (
            "aggregate(Product/ID with countdistinct as DistinctProducts)",
            vec![vec![Int(3)]],
        ),
        ("aggregate($count as SalesCount)", vec![vec![Int(8)]]),
        (
            "groupby((Customer/Country,Product/Name),aggregate(Amount with sum as Total))",
            [
                ("Netherlands", "Paper", 3.0),
                ("Netherlands", "Sugar", 2.0),
                ("USA", "Coffee", 12.0),
                ("USA", "Paper", 5.0),
                ("USA", "Sugar", 2.0),
            ]
            .into_iter()
            .map(|(country, name, total)| vec![text(country), text(name), Real(total)])
            .collect(),
        ),
        (
            "groupby((Product/Name,Amount))",
            [
                ("Coffee", 4.0),
                ("Coffee", 8.0),
                ("Paper", 1.0),
                ("Paper", 2.0),
                ("Paper", 4.0),
                ("Sugar", 2.0),
            ]
            .into_iter()
            .map(|(name, amount)| vec![text(name), Real(amount)])
            .collect(),
        ),
        (
            "filter(Amount le 2)/groupby((Product/Name),aggregate(Amount with sum as Total))/filter(Total ge 4)",
            vec![
                vec![text("Paper"), Real(4.0)],
                vec![text("Sugar"), Real(4.0)],
            ],
        ),
        (
            "concat(groupby((Customer/Country),aggregate(Amount with sum as Total)),aggregate(Amount with sum as Total,$count as n))",
            vec![
                vec![text("Netherlands"), Real(5.0), Value::Null],
                vec![text("USA"), Real(19.0), Value::Null],
                vec![Value::Null, Real(24.0), Int(8)],
            ],
        ),
        // The same of the records that a filter leaves, without the sequence that has none.
        (
            "filter(Amount gt 4)/concat(groupby((Product/Name))/filter(Product/Name eq 'Tea'),aggregate(Amount with sum as Total))",
            vec![vec![Value::Null, Real(8.0)]],
        ),
    ];
    for (apply, expected) in cases {
        assert_eq!(rows(store, &SALES, apply).unwrap(), expected, "{apply}");
    }
}

fn no_rows_are_one_group_or_none(store: &Store) {
    sales(store);
    let aggregates = "aggregate($count as n,Amount with sum as s,ID with sum as i,Amount with average as a,Customer/Name with max as m,ID with countdistinct as d)";
    let none = vec![
        Value::Int(0),
        Value::Null,
        Value::Null,
        Value::Null,
        Value::Null,
        Value::Int(0),
    ];
    let found = rows(store, &SALES, &format!("filter(ID gt 99)/{aggregates}"));
    assert_eq!(found.unwrap(), [none]);
    let grouped = format!("filter(ID gt 99)/groupby((Amount),{aggregates})");
    assert_eq!(
        rows(store, &SALES, &grouped).unwrap(),
        Vec::<Vec<Value>>::new()
    );
}

fn insert(store: &Store, id: usize, amount: f64) {
    let statement = Statement {
        sql: "INSERT INTO \"Sales\" (\"ID\", \"Amount\") VALUES (?1, ?2)".to_owned(),
        binds: vec![Value::Int(id as i64), Value::Real(amount)],
    };
    store.rows(&statement).unwrap();
}

/// The sums are those of Python's `math.fsum`.
fn sums_of_doubles_are_exact_in_any_order(store: &Store) {
    sales(store);
    let mut random = rng();
    let cases: [(&[f64], f64); 7] = [
        (&[0.1; 10], 1.0),
        (&[1e100, 1.0, -1e100, 1e-100, 1e50, -1.0, -1e50], 1e-100),
        (&[-1e308, 1e-320, 1e308], 1e-320),
        (&[5e-324, 5e-324, 5e-324], 1.5e-323),
        (
            &[9_007_199_254_740_992.0, 1.0, 5e-324],
            9_007_199_254_740_994.0,
        ),
        (&[1e308, 1e308, -1e308, 1.7e-300], 1e308),
        (&[-0.0, -0.0], 0.0),
    ];
    for (values, expected) in cases {
        let mut values = values.to_vec();
        random.shuffle(&mut values);
        store.execute("DELETE FROM \"Sales\"");
        for (id, value) in values.iter().enumerate() {
            insert(store, id, *value);
        }
        let apply = "aggregate(Amount with sum as s,Amount with average as a)";
        let found = rows(store, &SALES, apply).unwrap();
        let [Value::Real(sum), Value::Real(average)] = found[0][..] else {
            panic!("{found:?} are no doubles");
        };
        assert_eq!(sum.to_bits(), expected.to_bits(), "{values:?}: {sum:e}");
        let count = values.len() as f64;
        assert_eq!(
            average.to_bits(),
            (expected / count).to_bits(),
            "{values:?}"
        );
    }
}

fn a_sum_that_no_number_holds_is_an_error(store: &Store) {
    sales(store);
    store.execute("DELETE FROM \"Sales\"");
    for id in 0..2 {
        insert(store, id, 1.7e308);
    }
    for apply in [
        "aggregate(Amount with sum as s)",
        "aggregate(Amount with average as s)",
        "aggregate(Amount mul 2 with sum as s)",
        "aggregate(ID add 9223372036854775806 with sum as s)",
        "compute(ID add 9223372036854775807 as x)/groupby((x))",
    ] {
        let found = rows(store, &SALES, apply);
        assert!(found.is_err(), "{apply}: {found:?}");
    }
    // An average has no such end where the values are whole.
    let apply = "aggregate(ID add 9223372036854775806 with average as s)";
    assert_eq!(
        rows(store, &SALES, apply).unwrap(),
        [[Value::Real(2_f64.powi(63))]]
    );
}

/// Reads the rows of a result in pages of `size`.
fn walk(store: &Store, entity: &'static EntityType, query: &str, size: u64) -> Vec<Vec<Value>> {
    let bound = bind_paged(entity, query).unwrap();
    let width = bound.result().unwrap().len();
    let mut rows = walk_rows(store, &bound, size);
    rows.iter_mut().for_each(|row| row.truncate(width));
    rows
}

fn pages_of_groups_follow_each_other(store: &Store) {
    for (entity, apply, orderby) in [
        (
            &INCIDENT,
            "groupby((status,area/name),aggregate($count as n))",
            "",
        ),
        (
            &INCIDENT,
            "groupby((dueDate),aggregate($count as n))",
            "n desc",
        ),
        (
            &INCIDENT,
            "groupby((incidentDate,severity))",
            "severity desc",
        ),
        (
            &GROUP,
            "groupby((parent/name,isMember),aggregate(level with sum as l))",
            "l,isMember desc",
        ),
        (
            &DATASOURCE_VALUE,
            "groupby((value),aggregate($count as n))",
            "n,value desc",
        ),
        (
            &DATASOURCE_VALUE,
            "groupby((dimension),aggregate(value with average as a))",
            "a mul 2 desc",
        ),
        (
            &BOARD,
            "groupby((boardType,groupId),aggregate(id with max as m))",
            "m desc&$select=m",
        ),
        (
            &INCIDENT,
            "concat(groupby((status),aggregate($count as n)),groupby((area/name),aggregate($count as n)),aggregate($count as n))",
            "",
        ),
        (
            &INCIDENT,
            "concat(groupby((status),aggregate($count as n)),groupby((area/name,status),aggregate($count as n)))",
            "n desc,status",
        ),
        (&BOARD, "compute(length(name) as l)", "l desc"),
        (&BOARD, "compute(length(name) as l)", ""),
        (&COMMENT, "aggregate($count as n)", ""),
    ] {
        let order = match orderby {
            "" => String::new(),
            _ => format!(
                "&$orderby={}",
                encode(orderby).replace("%26%24select%3D", "&$select=")
            ),
        };
        let query = format!("$apply={}{order}", encode(apply));
        let bound = bind_paged(entity, &query).unwrap();
        let statement = sql::select(&bound, store.dialect(), &Scope::default());
        let whole = store.rows(&statement).unwrap();
        assert!(whole.len() > 3 || apply.starts_with("aggregate"), "{apply}");
        for size in [1, 2, 3, 1000] {
            assert_eq!(
                walk(store, entity, &query, size),
                whole,
                "{query} in pages of {size}"
            );
        }
        for count in [sql::count, sql::count_joined] {
            let count = count(&bound, store.dialect(), &Scope::default());
            assert_eq!(
                int(&store.rows(&count).unwrap()[0][0]),
                whole.len() as i64,
                "{query}"
            );
        }
    }
}

/// The scope of a list and the rows that a caller sees bound what is grouped, whatever the path to it.
fn only_rows_that_are_shown_are_grouped(store: &Store) {
    let visible = RowConditions::new([
        (
            "Board",
            Some(Predicate::new("{t}.\"groupId\" = ?", [Value::Int(3)])),
        ),
        ("Group", Some(Predicate::new("{t}.id < ?", [Value::Int(2)]))),
    ]);
    let visibility = Visibility {
        rows: Some(visible.into()),
        ..Visibility::default()
    };
    let limits = Limits::default();
    let found = |apply: &str, scope: &Scope<'_>| {
        let query = format!("$apply={}", encode(apply));
        let (options, _) = Options::parse(&query, OptionName::PAGED, &limits).unwrap();
        let context = Context { now: 0, limits };
        let bound = options.bind_within(&BOARD, &context, &visibility).unwrap();
        store
            .rows(&sql::select(&bound, store.dialect(), scope))
            .unwrap()
    };
    let scope = Scope::default();
    let boards = store.filter(&BOARD, "groupId eq 3").unwrap();
    assert!(boards.len() > 1);
    let all = boards.len() as i64;
    assert_eq!(found("aggregate($count as n)", &scope), [[Value::Int(all)]]);
    // Group 3 is hidden, and a hidden record is none.
    let by_group = found(
        "groupby((group/id,group/name),aggregate($count as n))",
        &scope,
    );
    assert_eq!(by_group, [[Value::Null, Value::Null, Value::Int(all)]]);
    // In each sequence, with the joins of its own.
    let both = "concat(groupby((group/name),aggregate($count as n)),aggregate($count as n),groupby((group/id)))";
    assert_eq!(
        found(both, &scope),
        [
            [Value::Null, Value::Int(all), Value::Null],
            [Value::Null, Value::Int(all), Value::Null],
            [Value::Null, Value::Null, Value::Null],
        ]
    );
    let scope = Scope {
        predicates: vec![Predicate::new("{t}.id = ?", [Value::Int(boards[0])])],
        ..scope
    };
    assert_eq!(
        found("aggregate(id with sum as s)", &scope),
        [[Value::Int(boards[0])]]
    );
}

on_each_engine!(
    the_examples_of_the_specification,
    no_rows_are_one_group_or_none,
    sums_of_doubles_are_exact_in_any_order,
    a_sum_that_no_number_holds_is_an_error,
    pages_of_groups_follow_each_other,
    only_rows_that_are_shown_are_grouped,
);
