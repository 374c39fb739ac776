//! `cast` between primitive types, by the names of the types it is compiled with.

use super::{Arg, Out, ScalarError};
use crate::ast::Literal;
use crate::edm::Type;
use crate::literal;

/// `(value, from, to)`: the value as the other type, null if it has no such value.
pub(super) fn cast(args: &[Arg<'_>]) -> Result<Out, ScalarError> {
    let [value, Arg::Text(from), Arg::Text(to)] = args else {
        return Ok(Out::Null);
    };
    Ok(convert(*value, from, to).unwrap_or(Out::Null))
}

fn convert(value: Arg<'_>, from: &str, to: &str) -> Option<Out> {
    let is = |name: &str, ty: Type| name == ty.name();
    if is(to, Type::String) {
        return print(value, from).map(Out::Text);
    }
    match value {
        Arg::Text(text) => parse(text, to),
        Arg::Int(number) if is(to, Type::Double) => Some(Out::Real(number as f64)),
        Arg::Int(number) => whole(number, to),
        // Casting to a whole number rounds; a result beyond 64 bits is null.
        Arg::Real(number) if is(to, Type::Double) => Some(Out::Real(number)),
        Arg::Real(number) => {
            let fits =
                (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&number);
            if fits {
                whole(number.round() as i64, to)
            } else {
                None
            }
        }
        Arg::Null => None,
    }
}

fn whole(number: i64, to: &str) -> Option<Out> {
    let fits =
        to == Type::Int64.name() || to == Type::Int32.name() && i32::try_from(number).is_ok();
    fits.then_some(Out::Int(number))
}

/// A value in the form it has in a payload.
fn print(value: Arg<'_>, from: &str) -> Option<String> {
    Some(match value {
        Arg::Text(text) => text.to_owned(),
        Arg::Real(number) if number == f64::INFINITY => "INF".to_owned(),
        Arg::Real(number) if number == f64::NEG_INFINITY => "-INF".to_owned(),
        Arg::Real(number) => number.to_string(),
        Arg::Int(number) if from == Type::Boolean.name() => (number != 0).to_string(),
        Arg::Int(number) if from == Type::Date.name() => literal::print_date(number),
        Arg::Int(number) if from == Type::DateTimeOffset.name() => literal::print_instant(number),
        Arg::Int(number) if from == Type::TimeOfDay.name() => literal::print_time(number),
        Arg::Int(number) if from == Type::Duration.name() => literal::print_duration(number),
        Arg::Int(number) => number.to_string(),
        Arg::Null => return None,
    })
}

fn parse(text: &str, to: &str) -> Option<Out> {
    let is = |ty: Type| to == ty.name();
    let temporal = || literal::temporal(text).and_then(Result::ok);
    if is(Type::Boolean) {
        return match text {
            "true" => Some(Out::Int(1)),
            "false" => Some(Out::Int(0)),
            _ => None,
        };
    }
    if is(Type::Int32) || is(Type::Int64) {
        return whole(text.parse().ok()?, to);
    }
    if is(Type::Double) {
        return match text {
            "INF" => Some(Out::Real(f64::INFINITY)),
            "-INF" => Some(Out::Real(f64::NEG_INFINITY)),
            // Rust also parses `inf` and `nan`.
            _ if text
                .chars()
                .any(|c| c.is_alphabetic() && !matches!(c, 'e' | 'E')) =>
            {
                None
            }
            _ => text.parse().ok().map(Out::Real),
        };
    }
    if is(Type::Guid) {
        return (text.len() == 36 && literal::guid_prefix(text).is_some())
            .then(|| Out::Text(text.to_ascii_lowercase()));
    }
    if is(Type::Duration) {
        return literal::duration(text).map(Out::Int);
    }
    match temporal()? {
        Literal::Date(days) if is(Type::Date) => Some(Out::Int(days)),
        Literal::TimeOfDay(ticks) if is(Type::TimeOfDay) => Some(Out::Int(ticks)),
        Literal::DateTimeOffset { ticks, .. } if is(Type::DateTimeOffset) => Some(Out::Int(ticks)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn casts() {
        let text = |text: &str| Some(Out::Text(text.into()));
        for (value, from, to, expected) in [
            (Arg::Int(5), "Edm.Int32", "Edm.String", text("5")),
            (Arg::Int(1), "Edm.Boolean", "Edm.String", text("true")),
            (
                Arg::Int(19_723),
                "Edm.Date",
                "Edm.String",
                text("2024-01-01"),
            ),
            (Arg::Real(2.5), "Edm.Double", "Edm.Int32", Some(Out::Int(3))),
            (Arg::Real(1e10), "Edm.Double", "Edm.Int32", None),
            (Arg::Int(5), "Edm.Int32", "Edm.Double", Some(Out::Real(5.0))),
            (
                Arg::Text("42"),
                "Edm.String",
                "Edm.Int32",
                Some(Out::Int(42)),
            ),
            (Arg::Text("4.2"), "Edm.String", "Edm.Int32", None),
            (
                Arg::Text("4.2"),
                "Edm.String",
                "Edm.Double",
                Some(Out::Real(4.2)),
            ),
            (Arg::Text("nan"), "Edm.String", "Edm.Double", None),
            (
                Arg::Text("2024-01-01"),
                "Edm.String",
                "Edm.Date",
                Some(Out::Int(19_723)),
            ),
            (
                Arg::Text("2024-01-01T00:00:00"),
                "Edm.String",
                "Edm.DateTimeOffset",
                Some(Out::Int(17_040_672_000_000_000)),
            ),
            (Arg::Text("2024-02-30"), "Edm.String", "Edm.Date", None),
            (Arg::Null, "Edm.String", "Edm.Date", None),
        ] {
            assert_eq!(convert(value, from, to), expected, "{value:?} as {to}");
        }
    }
}
