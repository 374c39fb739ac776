//! Functions of dates, instants, times of day and durations.

use obeya_odata::calendar::{MAX_TICKS, MIN_TICKS, TICKS_PER_DAY};

use super::numbers::{INTEGERS, doubles, integers};
use super::server::Server;
use super::{Random, Rows, Ty, in_rust, int, real};

/// Instants of all years that have a text, around midnight, and other values of a bigint.
pub fn instants(random: &mut Random) -> Vec<i64> {
    let mut all = integers(random, 2_000);
    all.extend([MIN_TICKS, MAX_TICKS, MIN_TICKS - 1, MAX_TICKS + 1]);
    for _ in 0..2_000 {
        let day = random.below(3_652_425) as i64 - 719_528;
        let midnight = day * TICKS_PER_DAY;
        all.extend([
            midnight - 1,
            midnight,
            midnight + random.below(864_000_000_000) as i64,
        ]);
    }
    all
}

/// Each day of four centuries and a bit, years 0 and 9999, and distant days. Past the saturation of days at
/// 719,468 from the end, Rust's calendar does not advance.
pub fn days(random: &mut Random) -> Vec<i64> {
    let mut all: Vec<i64> = (-719_600..-719_000).chain(2_932_000..2_933_000).collect();
    all.extend((-80_000..80_000).step_by(1));
    all.extend(integers(random, 2_000));
    all.retain(|days| *days < i64::MAX - 719_468);
    all
}

fn rows(numbers: &[i64]) -> Rows {
    numbers.iter().map(|number| vec![int(*number)]).collect()
}

#[test]
fn parts_of_dates_and_instants_are_alike() {
    let mut server = Server::new();
    let mut random = Random(5);
    let instants = rows(&instants(&mut random));
    let days = rows(&days(&mut random));
    for name in ["odata_date_year", "odata_date_month", "odata_date_day"] {
        server.compare(
            &format!("{name}(a)"),
            &[Ty::Int],
            Ty::Int,
            days.clone(),
            |args| in_rust(name, args),
        );
    }
    for name in [
        "odata_year",
        "odata_month",
        "odata_day",
        "odata_hour",
        "odata_minute",
        "odata_second",
        "odata_date",
        "odata_time",
    ] {
        server.compare(
            &format!("{name}(a)"),
            &[Ty::Int],
            Ty::Int,
            instants.clone(),
            |args| in_rust(name, args),
        );
    }
    for name in ["odata_fraction", "odata_total_seconds"] {
        server.compare(
            &format!("{name}(a)"),
            &[Ty::Int],
            Ty::Real,
            instants.clone(),
            |args| in_rust(name, args),
        );
    }
}

#[test]
fn dates_and_durations_move_alike() {
    let mut server = Server::new();
    let mut random = Random(6);
    let mut whole = Rows::new();
    for left in INTEGERS {
        whole.extend(INTEGERS.iter().map(|right| vec![int(*left), int(*right)]));
    }
    whole.extend((0..1_000).map(|_| vec![int(random.int()), int(random.int())]));
    for name in ["odata_date_add", "odata_duration_mul"] {
        let types = &[Ty::Int, Ty::Int];
        server.compare(
            &format!("{name}(a, b)"),
            types,
            Ty::Int,
            whole.clone(),
            |args| in_rust(name, args),
        );
    }
    let numbers = doubles(&mut random, 40);
    let mut scaled = Rows::new();
    for left in INTEGERS {
        scaled.extend(numbers.iter().map(|right| vec![int(*left), real(*right)]));
    }
    scaled.extend((0..1_000).map(|_| {
        let half = random.below(2_001) as f64 / 2.0 - 500.0;
        vec![int(random.int()), real(half)]
    }));
    for name in ["odata_duration_mul", "odata_duration_div"] {
        let types = &[Ty::Int, Ty::Real];
        server.compare(
            &format!("{name}(a, b)"),
            types,
            Ty::Int,
            scaled.clone(),
            |args| in_rust(name, args),
        );
    }
    server.compare(
        "odata_duration_div(a, b)",
        &[Ty::Int, Ty::Int],
        Ty::Int,
        whole,
        |args| in_rust("odata_duration_div", args),
    );
}
