//! Functions of numbers.

use super::server::Server;
use super::{Random, Rows, Ty, in_rust, int, real};

/// Whole numbers at which something may change.
pub const INTEGERS: &[i64] = &[
    0,
    1,
    -1,
    2,
    -2,
    3,
    -3,
    7,
    -7,
    10,
    i64::MIN,
    i64::MIN + 1,
    i64::MAX,
    i64::MAX - 1,
    (1 << 53) - 1,
    1 << 53,
    (1 << 53) + 1,
    -(1 << 53) - 1,
    i32::MAX as i64,
    i32::MAX as i64 + 1,
    i32::MIN as i64,
    i32::MIN as i64 - 1,
];

/// Doubles at which something may change.
pub const DOUBLES: &[f64] = &[
    0.0,
    -0.0,
    0.5,
    -0.5,
    0.499_999_999_999_999_94,
    -0.499_999_999_999_999_94,
    0.1,
    -0.3,
    1.0,
    -1.0,
    1.5,
    2.5,
    -2.5,
    3.0,
    5.5,
    1e22,
    1e23,
    -1e23,
    9_007_199_254_740_991.0,
    9_007_199_254_740_992.0,
    4_503_599_627_370_497.5,
    2_147_483_647.0,
    2_147_483_647.5,
    -2_147_483_648.5,
    -2_147_483_649.0,
    9_223_372_036_854_775_807.0,
    -9_223_372_036_854_775_808.0,
    9_223_372_036_854_774_784.0,
    1e140,
    1e-140,
    1e300,
    1e-300,
    f64::MAX,
    f64::MIN,
    f64::MIN_POSITIVE,
    5e-324,
    -5e-324,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
];

pub fn integers(random: &mut Random, more: usize) -> Vec<i64> {
    let mut all = INTEGERS.to_vec();
    all.extend((0..more).map(|_| random.int()));
    all
}

pub fn doubles(random: &mut Random, more: usize) -> Vec<f64> {
    let mut all = DOUBLES.to_vec();
    all.extend((0..more).map(|_| random.real()));
    // Such as people write.
    all.extend((0..more).map(|_| (random.int() >> 20) as f64 / 1000.0));
    all
}

fn pairs(numbers: &[f64], random: &mut Random, more: usize) -> Rows {
    let edges = numbers.len().min(DOUBLES.len());
    let mut rows = Rows::new();
    for left in &numbers[..edges] {
        rows.extend(
            numbers[..edges]
                .iter()
                .map(|right| vec![real(*left), real(*right)]),
        );
    }
    rows.extend((0..more).map(|_| vec![real(*random.of(numbers)), real(*random.of(numbers))]));
    rows
}

#[test]
fn whole_numbers_divide_alike() {
    let mut server = Server::new();
    let mut random = Random(1);
    let mut rows = Rows::new();
    for left in INTEGERS {
        rows.extend(INTEGERS.iter().map(|right| vec![int(*left), int(*right)]));
    }
    rows.extend((0..3_000).map(|_| vec![int(random.int()), int(random.int())]));
    for name in ["odata_int_div", "odata_int_mod"] {
        let types = &[Ty::Int, Ty::Int];
        server.compare(
            &format!("{name}(a, b)"),
            types,
            Ty::Int,
            rows.clone(),
            |args| in_rust(name, args),
        );
    }
}

#[test]
fn doubles_divide_alike() {
    let mut server = Server::new();
    let mut random = Random(2);
    let numbers = doubles(&mut random, 2_000);
    let mut rows = pairs(&numbers, &mut random, 5_000);
    // Quotients just inside and outside of the range of a double, at both ends.
    for _ in 0..5_000 {
        let nudge = |random: &mut Random, number: f64| {
            f64::from_bits(
                number
                    .to_bits()
                    .wrapping_add_signed(random.below(9) as i64 - 4),
            )
        };
        let small = f64::from_bits(random.next() % 0x3FF0_0000_0000_0000);
        rows.push(vec![
            real(nudge(&mut random, f64::MAX * small)),
            real(small),
        ]);
        let large = f64::from_bits(0x3FF0_0000_0000_0000 + random.next() % 0x3FE0_0000_0000_0000);
        rows.push(vec![
            real(nudge(&mut random, large * 5e-324 / 2.0).max(5e-324)),
            real(large),
        ]);
        rows.push(vec![real(-(large * 2e-308)), real(large)]);
    }
    let types = &[Ty::Real, Ty::Real];
    server.compare("odata_real_div(a, b)", types, Ty::Real, rows, |args| {
        in_rust("odata_real_div", args)
    });
}

#[test]
fn remainders_of_doubles_are_exact() {
    let mut server = Server::new();
    let mut random = Random(3);
    let numbers = doubles(&mut random, 1_000);
    let mut rows = pairs(&numbers, &mut random, 2_000);
    let finite = |row: &Vec<_>| row[1] != real(0.0) || row[0] == real(1.0);
    rows.retain(finite);
    let types = &[Ty::Real, Ty::Real];
    server.compare("odata_real_mod(a, b)", types, Ty::Real, rows, |args| {
        in_rust("odata_real_mod", args)
    });
}

#[test]
fn numbers_are_rounded_alike() {
    let mut server = Server::new();
    let mut random = Random(4);
    let mut numbers = doubles(&mut random, 3_000);
    numbers.extend((0..3_000).map(|_| (random.int() >> 8) as f64 / 2.0));
    let reals: Rows = numbers
        .into_iter()
        .map(|number| vec![real(number)])
        .collect();
    let ints: Rows = INTEGERS.iter().map(|number| vec![int(*number)]).collect();
    for name in ["odata_round", "odata_floor", "odata_ceiling"] {
        let call = format!("{name}(a)");
        server.compare(&call, &[Ty::Real], Ty::Real, reals.clone(), |args| {
            in_rust(name, args)
        });
        server.compare(&call, &[Ty::Int], Ty::Int, ints.clone(), |args| {
            in_rust(name, args)
        });
    }
}

/// Against the decimals that Rust's formatter writes of doubles, with every digit there is.
#[test]
fn a_double_is_the_number_of_its_bits() {
    let mut server = Server::new();
    let mut random = Random(11);
    let mut numbers = doubles(&mut random, 1_000);
    // Around the bounds of the expression that is inlined.
    for bound in [2_f64.powi(-10), 1.0, 20.37, 9e15_f64] {
        let near = [bound.next_down(), bound, bound.next_up(), bound + 0.5];
        numbers.extend(near.iter().flat_map(|value| [*value, -value]));
    }
    numbers.extend([
        f64::EPSILON,
        2_f64.powi(-62),
        2_f64.powi(-63),
        3.0 * 2_f64.powi(-63),
    ]);
    numbers.retain(|value| value.is_finite());
    let decimals: Vec<String> = numbers
        .iter()
        .map(|value| format!("{value:.1074}"))
        .collect();
    const PARTS: &str = "odata_total(sum(odata_whole_part(number)), sum(odata_fraction(number)), sum(odata_remainder(number)))";
    let sql = "SELECT count(*) FILTER (WHERE odata_exact(number) <> decimal::numeric), count(*) \
        FROM unnest($1::double precision[], $2::text[]) AS given (number, decimal)";
    let row = server
        .client
        .query_one(sql, &[&numbers, &decimals])
        .unwrap();
    let (wrong, all): (i64, i64) = (row.get(0), row.get(1));
    assert_eq!((wrong, all), (0, i64::try_from(numbers.len()).unwrap()));
    assert!(all > 2_000);
    // The parts of each, and of groups of seven.
    for size in [1, 7] {
        let sql = format!(
            "SELECT count(*) FILTER (WHERE parts IS DISTINCT FROM exact), count(*) FROM (
                SELECT {PARTS} AS parts, sum(decimal::numeric) AS exact
                FROM unnest($1::double precision[], $2::text[]) WITH ORDINALITY AS given (number, decimal, n) GROUP BY n / {size}) AS groups"
        );
        let row = server.client.query_one(&sql, &[&numbers, &decimals]);
        let row = row.unwrap();
        let (wrong, groups): (i64, i64) = (row.get(0), row.get(1));
        assert_eq!(wrong, 0, "of {groups} groups of {size}");
    }
    let sql = format!(
        "SELECT {PARTS} IS NULL FROM unnest(ARRAY[NULL, NULL]::double precision[]) AS given (number)"
    );
    assert!(
        server
            .client
            .query_one(&sql, &[])
            .unwrap()
            .get::<_, bool>(0)
    );
    let null = "SELECT odata_exact(NULL) IS NULL";
    assert!(
        server
            .client
            .query_one(null, &[])
            .unwrap()
            .get::<_, bool>(0)
    );
    for refused in ["Infinity", "-Infinity", "NaN"] {
        for function in ["odata_exact", "odata_remainder"] {
            let sql = format!("SELECT {function}('{refused}')");
            let error = server.client.query_one(&sql, &[]).unwrap_err();
            assert_eq!(
                error.code().unwrap().code(),
                "22003",
                "{function} of {refused}"
            );
        }
    }
}
