//! Values, operators and functions as the specification defines them. The calendar is another library's.

use jiff::civil::Date;
use obeya_odata::ast::BinaryOp;
use obeya_odata::edm::Type;
use serde_json::Value as Json;

/// Ticks of 100 ns in a second, and in a day.
const TICKS: i64 = 10_000_000;
const DAY: i64 = 86_400 * TICKS;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Val {
    Null,
    Bool(bool),
    Int(i64),
    Double(f64),
    Text(String),
    Date(i64),
    Instant(i64),
    Time(i64),
    Duration(i64),
}

pub(super) fn of_json(ty: Type, json: &Json) -> Val {
    match (ty, json) {
        (_, Json::Null) => Val::Null,
        (_, Json::Bool(truth)) => Val::Bool(*truth),
        (Type::Double, Json::Number(number)) => Val::Double(number.as_f64().unwrap()),
        (_, Json::Number(number)) => Val::Int(number.as_i64().unwrap()),
        (Type::Date, Json::String(text)) => {
            let day: Date = text.parse().unwrap();
            Val::Date(
                jiff::civil::date(1970, 1, 1)
                    .until(day)
                    .unwrap()
                    .get_days()
                    .into(),
            )
        }
        (Type::DateTimeOffset, Json::String(text)) => {
            let instant: jiff::Timestamp = text.parse().unwrap();
            Val::Instant(i64::try_from(instant.as_nanosecond() / 100).unwrap())
        }
        (_, Json::String(text)) => Val::Text(text.clone()),
        (_, other) => panic!("the fixture holds no {other}"),
    }
}

impl Val {
    /// "Services SHOULD NOT require explicit cast operations between numeric types": a whole number is a
    /// number.
    fn number(&self) -> f64 {
        match self {
            Self::Int(number) => *number as f64,
            Self::Double(number) => *number,
            other => panic!("{other:?} is no number"),
        }
    }

    pub(super) fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Int(_), Self::Double(_)) | (Self::Double(_), Self::Int(_)) => {
                self.number() == other.number()
            }
            _ => self == other,
        }
    }

    /// The ticks since midnight.
    fn clock(&self) -> i64 {
        match self {
            Self::Instant(ticks) => ticks.rem_euclid(DAY),
            Self::Time(ticks) => *ticks,
            other => panic!("{other:?} has no time of day"),
        }
    }

    fn day(&self) -> Date {
        let days = match self {
            Self::Instant(ticks) => ticks.div_euclid(DAY),
            Self::Date(days) => *days,
            other => panic!("{other:?} has no day"),
        };
        let days = jiff::Span::new().days(days);
        jiff::civil::date(1970, 1, 1).checked_add(days).unwrap()
    }
}

pub(super) fn negate(value: &Val) -> Val {
    match value {
        Val::Int(number) => Val::Int(-number),
        Val::Double(number) => Val::Double(-number),
        Val::Duration(ticks) => Val::Duration(-ticks),
        _ => Val::Null,
    }
}

pub(super) fn binary(op: BinaryOp, left: Val, right: Val) -> Val {
    use Val::{Bool, Date, Double, Duration, Instant, Int, Text, Time};
    let ordering = match (&left, &right) {
        (Int(a), Int(b))
        | (Date(a), Date(b))
        | (Instant(a), Instant(b))
        | (Time(a), Time(b))
        | (Duration(a), Duration(b)) => Some(a.cmp(b)),
        (Int(_) | Double(_), Int(_) | Double(_)) => left.number().partial_cmp(&right.number()),
        (Text(a), Text(b)) => Some(a.chars().cmp(b.chars())),
        (Bool(a), Bool(b)) => Some(a.cmp(b)),
        _ => None,
    };
    match op {
        BinaryOp::Eq => return Bool(left.same(&right)),
        BinaryOp::Ne => return Bool(!left.same(&right)),
        // "If any operand is null, the operator returns false."
        BinaryOp::Gt => return Bool(ordering.is_some_and(std::cmp::Ordering::is_gt)),
        BinaryOp::Ge => return Bool(ordering.is_some_and(std::cmp::Ordering::is_ge)),
        BinaryOp::Lt => return Bool(ordering.is_some_and(std::cmp::Ordering::is_lt)),
        BinaryOp::Le => return Bool(ordering.is_some_and(std::cmp::Ordering::is_le)),
        _ => {}
    }
    // "services MUST support duration … literals with or without the type prefix"
    let right = match (&left, right) {
        (Date(_) | Instant(_) | Duration(_), Text(text)) => duration(&text),
        (_, right) => right,
    };
    match (op, left, right) {
        // "If an operand of an arithmetic operator is null, the result is null."
        (_, Val::Null, _) | (_, _, Val::Null) => Val::Null,
        (BinaryOp::Add, Int(a), Int(b)) => Int(a + b),
        (BinaryOp::Sub, Int(a), Int(b)) => Int(a - b),
        (BinaryOp::Mul, Int(a), Int(b)) => Int(a * b),
        (BinaryOp::Div, Int(a), Int(b)) => Int(a / b),
        (BinaryOp::Mod, Int(a), Int(b)) => Int(a % b),
        (BinaryOp::Add, Instant(a), Duration(b)) => Instant(a + b),
        (BinaryOp::Sub, Instant(a), Duration(b)) => Instant(a - b),
        (BinaryOp::Sub, Instant(a), Instant(b)) => Duration(a - b),
        (BinaryOp::Add, Duration(a), Duration(b)) => Duration(a + b),
        (BinaryOp::Sub, Duration(a), Duration(b)) => Duration(a - b),
        // "Convert date to datetime with a zero time component, add the duration, convert to date".
        (BinaryOp::Add, Date(a), Duration(b)) => Date((a * DAY + b).div_euclid(DAY)),
        (BinaryOp::Sub, Date(a), Duration(b)) => Date((a * DAY - b).div_euclid(DAY)),
        (BinaryOp::Sub, Date(a), Date(b)) => Duration((a - b) * DAY),
        (BinaryOp::Mul, Duration(a), Int(b)) | (BinaryOp::Mul, Int(b), Duration(a)) => {
            Duration(a * b)
        }
        (BinaryOp::Add, a, b) => Double(a.number() + b.number()),
        (BinaryOp::Sub, a, b) => Double(a.number() - b.number()),
        (BinaryOp::Mul, a, b) => Double(a.number() * b.number()),
        (BinaryOp::Div | BinaryOp::DivBy, a, b) => Double(a.number() / b.number()),
        (BinaryOp::Mod, a, b) => Double(a.number() % b.number()),
        (op, a, b) => panic!("the generator makes no {a:?} {op:?} {b:?}"),
    }
}

fn duration(text: &str) -> Val {
    let span: jiff::Span = text.parse().unwrap();
    let exact = span.to_duration(jiff::SpanRelativeTo::days_are_24_hours());
    Val::Duration(i64::try_from(exact.unwrap().as_nanos() / 100).unwrap())
}

/// The start of a day, or the time rounded down to minutes, as jiff computes them.
fn bin(ticks: i64, size: i64, zone: &str) -> i64 {
    let zone = jiff::tz::TimeZoneDatabase::bundled().get(zone).unwrap();
    let at = jiff::Timestamp::from_nanosecond(i128::from(ticks) * 100).unwrap();
    let at = at.to_zoned(zone);
    let start = if size == DAY {
        at.start_of_day().unwrap()
    } else {
        let (unit, increment) = match size / TICKS / 60 {
            minutes if minutes % 60 == 0 => (jiff::Unit::Hour, minutes / 60),
            minutes => (jiff::Unit::Minute, minutes),
        };
        let round = jiff::ZonedRound::new()
            .smallest(unit)
            .increment(increment)
            .mode(jiff::RoundMode::Floor);
        at.round(round).unwrap()
    };
    i64::try_from(start.timestamp().as_nanosecond() / 100).unwrap()
}

pub(super) fn call(name: &str, args: &[Val]) -> Val {
    let characters = |text: &str| text.chars().collect::<Vec<_>>();
    match (name, args) {
        (_, args) if args.contains(&Val::Null) => Val::Null,
        ("round", [a]) => Val::Double(a.number().round()),
        ("floor", [a]) => Val::Double(a.number().floor()),
        ("ceiling", [a]) => Val::Double(a.number().ceil()),
        ("totalseconds", [Val::Duration(a)]) => Val::Double(*a as f64 / TICKS as f64),
        ("bin", [Val::Instant(a), Val::Duration(size)]) => Val::Instant(a - a.rem_euclid(*size)),
        ("bin", [Val::Instant(a), Val::Duration(size), Val::Text(zone)]) => {
            Val::Instant(bin(*a, *size, zone))
        }
        ("date", [Val::Instant(a)]) => Val::Date(a.div_euclid(DAY)),
        ("time", [Val::Instant(a)]) => Val::Time(a.rem_euclid(DAY)),
        ("fractionalseconds", [a]) => Val::Double((a.clock() % TICKS) as f64 / TICKS as f64),
        ("second", [a]) => Val::Int(a.clock() / TICKS % 60),
        ("minute", [a]) => Val::Int(a.clock() / TICKS / 60 % 60),
        ("hour", [a]) => Val::Int(a.clock() / TICKS / 3600),
        ("year", [a]) => Val::Int(a.day().year().into()),
        ("month", [a]) => Val::Int(a.day().month().into()),
        ("day", [a]) => Val::Int(a.day().day().into()),
        ("contains", [Val::Text(a), Val::Text(b)]) => Val::Bool(a.contains(b)),
        ("startswith", [Val::Text(a), Val::Text(b)]) => Val::Bool(a.starts_with(b)),
        ("endswith", [Val::Text(a), Val::Text(b)]) => Val::Bool(a.ends_with(b)),
        ("length", [Val::Text(a)]) => Val::Int(a.chars().count() as i64),
        ("indexof", [Val::Text(a), Val::Text(b)]) => Val::Int(
            a.find(b.as_str())
                .map_or(-1, |bytes| a[..bytes].chars().count() as i64),
        ),
        ("concat", [Val::Text(a), Val::Text(b)]) => Val::Text(format!("{a}{b}")),
        ("tolower", [Val::Text(a)]) => Val::Text(a.to_lowercase()),
        ("substring", [Val::Text(a), Val::Int(start)]) => {
            let all = characters(a);
            let from = if *start < 0 {
                all.len().saturating_sub(start.unsigned_abs() as usize)
            } else {
                *start as usize
            };
            Val::Text(all.get(from..).unwrap_or_default().iter().collect())
        }
        other => panic!("the generator makes no {other:?}"),
    }
}
