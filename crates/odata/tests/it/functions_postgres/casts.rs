//! `cast` of numbers and times, to texts and to numbers.

use super::numbers::{doubles, integers};
use super::server::Server;
use super::times::{days, instants};
use super::{Random, Rows, Ty, in_rust, int, real, text};
use obeya_odata::sql::Value;

/// Compares a cast, which in Rust takes the names of the types as arguments.
pub fn compare(server: &mut Server, of: Ty, result: Ty, from: &str, to: &str, rows: Rows) {
    let name = match result {
        Ty::Int => "whole",
        Ty::Real => "real",
        Ty::Text => "text",
    };
    let call = format!("odata_cast_{name}(a, '{from}', '{to}')");
    server.compare(&call, &[of], result, rows, |args| {
        in_rust("odata_cast", &[args[0].clone(), text(from), text(to)])
    });
}

pub fn rows(values: impl IntoIterator<Item = Value>) -> Rows {
    values.into_iter().map(|value| vec![value]).collect()
}

#[test]
fn numbers_become_the_same_texts() {
    let mut server = Server::new();
    let mut random = Random(11);
    let mut numbers = doubles(&mut random, 20_000);
    // Whole numbers whose shortest digits are half-way to their neighbours, as 1e23 is: a power of five times
    // few digits.
    for _ in 0..20_000 {
        let digits = (random.next() >> (11 + random.below(40))) as f64;
        numbers.push(digits * 10_f64.powi(random.below(24) as i32));
        let text = format!("{}e{}", random.next() % 10_000, random.below(40));
        numbers.push(text.parse().unwrap());
    }
    numbers.extend((-1074..1024).map(|power| 2_f64.powi(power)));
    // A NaN is null before it gets here.
    numbers.retain(|number| !number.is_nan());
    let reals = rows(numbers.into_iter().map(real));
    compare(
        &mut server,
        Ty::Real,
        Ty::Text,
        "Edm.Double",
        "Edm.String",
        reals,
    );
    let ints = rows(integers(&mut random, 2_000).into_iter().map(int));
    for from in ["Edm.Int32", "Edm.Int64", "Edm.Boolean"] {
        compare(
            &mut server,
            Ty::Int,
            Ty::Text,
            from,
            "Edm.String",
            ints.clone(),
        );
    }
}

#[test]
fn times_become_the_same_texts() {
    let mut server = Server::new();
    let mut random = Random(12);
    let ticks = rows(instants(&mut random).into_iter().map(int));
    for from in ["Edm.DateTimeOffset", "Edm.TimeOfDay", "Edm.Duration"] {
        compare(
            &mut server,
            Ty::Int,
            Ty::Text,
            from,
            "Edm.String",
            ticks.clone(),
        );
    }
    let days = rows(days(&mut random).into_iter().step_by(7).map(int));
    compare(
        &mut server,
        Ty::Int,
        Ty::Text,
        "Edm.Date",
        "Edm.String",
        days,
    );
}

#[test]
fn numbers_become_the_same_numbers() {
    let mut server = Server::new();
    let mut random = Random(13);
    let ints = rows(integers(&mut random, 3_000).into_iter().map(int));
    let reals = rows(doubles(&mut random, 3_000).into_iter().map(real));
    for to in ["Edm.Int32", "Edm.Int64"] {
        compare(&mut server, Ty::Int, Ty::Int, "Edm.Int64", to, ints.clone());
        compare(
            &mut server,
            Ty::Real,
            Ty::Int,
            "Edm.Double",
            to,
            reals.clone(),
        );
    }
    compare(
        &mut server,
        Ty::Int,
        Ty::Real,
        "Edm.Int64",
        "Edm.Double",
        ints,
    );
    compare(
        &mut server,
        Ty::Real,
        Ty::Real,
        "Edm.Double",
        "Edm.Double",
        reals,
    );
}
