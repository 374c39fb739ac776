//! PostgreSQL's numbers where its own operators fail or round: the results must be those of the processor for
//! doubles, and SQLite's too.

use std::cmp::Ordering;

use obeya_odata::sql::{Statement, Value};

use crate::store::Store;

/// Doubles around everything with a special case: zeros, the ends of the range, the greatest double that a
/// sum may just exceed, factors whose product is just within the range or just beyond it.
fn reals() -> Vec<f64> {
    let edges = [
        0.0,
        1.0,
        1.5,
        0.1,
        3.0,
        f64::MAX,
        f64::MAX / 2.0,
        f64::MIN_POSITIVE,
        5e-324,
        f64::INFINITY,
        2_f64.powi(970),
        2_f64.powi(971),
        2_f64.powi(512),
        2_f64.powi(511),
        f64::MAX.sqrt(),
        2_f64.powi(-540),
        2_f64.powi(-1000),
        1e-150,
        1e150,
        9_007_199_254_740_992.0,
        9_223_372_036_854_775_808.0,
        1e300,
    ];
    let near = |number: f64| [number.next_down(), number, number.next_up()];
    // The product of neighbours of these may be too close to half of the least double to distinguish: it is
    // zero then, or that double.
    let alone = [2_f64.powi(-537), 2_f64.powi(-538)];
    let all = edges.into_iter().flat_map(near).chain(alone);
    all.filter(|number| !number.is_nan())
        .flat_map(|number| [number, -number])
        .collect()
}

fn bits(value: &Value) -> Option<u64> {
    match value {
        Value::Real(number) => Some(number.to_bits()),
        Value::Null => None,
        other => panic!("{other:?} is no double"),
    }
}

fn kept(number: f64) -> Option<u64> {
    (!number.is_nan()).then(|| number.to_bits())
}

/// An expression of literals alone is evaluated before any row is read, even if no row needs it: so each is
/// also tried with a column.
#[test]
fn postgres_sums_and_products_are_those_of_ieee_754() {
    let store = Store::postgres();
    let columns = "?1::double precision AS a, ?2::double precision AS b";
    let of = |name: &str| {
        let literal = ["?1::double precision", "?2::double precision"];
        [literal, ["a", literal[1]], [literal[0], "b"], ["a", "b"]]
            .map(|[a, b]| format!("{name}({a}, {b})"))
            .join(", ")
    };
    let sql = format!(
        "SELECT {}, {}, {} FROM (SELECT {columns} OFFSET 0) AS numbers",
        of("odata_add"),
        of("odata_sub"),
        of("odata_mul"),
    );
    for a in reals() {
        for b in reals() {
            let statement = Statement {
                sql: sql.clone(),
                binds: vec![Value::Real(a), Value::Real(b)],
            };
            let rows = store.rows(&statement);
            let rows = rows.unwrap_or_else(|error| panic!("{a:e} and {b:e}: {error}"));
            let found: Vec<_> = rows[0].iter().map(bits).collect();
            let expected: Vec<_> = [a + b, a - b, a * b]
                .into_iter()
                .flat_map(|number| [kept(number); 4])
                .collect();
            assert_eq!(found, expected, "{a:e} and {b:e}");
        }
    }
}

/// How a whole number compares with a double, none of the two rounded.
fn exact(whole: i64, real: f64) -> Ordering {
    const END: f64 = 9_223_372_036_854_775_808.0;
    if real >= END {
        return Ordering::Less;
    }
    if real < -END {
        return Ordering::Greater;
    }
    let floor = real.floor();
    let ordering = i128::from(whole).cmp(&(floor as i128));
    ordering.then(if real > floor {
        Ordering::Less
    } else {
        Ordering::Equal
    })
}

#[test]
fn postgres_compares_whole_numbers_with_doubles_exactly() {
    let store = Store::postgres();
    let sql = "SELECT odata_difference(?1::bigint, ?2::double precision), odata_difference(a, ?2::double precision),
                      odata_difference(?1::bigint, b), odata_difference_or_null(a, b)
               FROM (SELECT ?1::bigint AS a, ?2::double precision AS b OFFSET 0) AS numbers";
    let edges = [0, 1, 9_007_199_254_740_992, i64::MAX];
    let wholes = edges.into_iter().flat_map(|number| {
        let near = [number - 1, number, number.saturating_add(1)];
        near.into_iter()
            .flat_map(|number| [number, -number, -number - 1])
    });
    for whole in wholes.chain([i64::MIN]) {
        for real in reals() {
            let statement = Statement {
                sql: sql.to_owned(),
                binds: vec![Value::Int(whole), Value::Real(real)],
            };
            let rows = store.rows(&statement);
            let rows = rows.unwrap_or_else(|error| panic!("{whole} and {real:e}: {error}"));
            let expected = Value::Int(exact(whole, real) as i64);
            assert_eq!(rows, [vec![expected; 4]], "{whole} and {real:e}");
        }
    }
    let nulls = Statement {
        sql: "SELECT odata_difference(NULL, 1), odata_difference(1, NULL), odata_difference(NULL, NULL),
                     odata_difference_or_null(NULL, 1), odata_difference_or_null(1, NULL), odata_difference_or_null(NULL, NULL),
                     odata_difference(NULL, 1e300), odata_add(NULL, 1), odata_add(1e308, NULL), odata_sub(1, NULL),
                     odata_mul(NULL, 1e300), odata_mul(0.5, NULL), odata_mul(NULL, 0)".to_owned(),
        binds: Vec::new(),
    };
    let mut expected = vec![Value::Null; 13];
    expected[5] = Value::Int(0);
    assert_eq!(store.rows(&nulls), Ok(vec![expected]));
}
