//! Reads numbers as people write them: decimal comma or point, thousands separators, percent. The sign for
//! decimals is decided by a whole column, never by one cell.

use std::fmt;

use serde::Deserialize;

/// The sign before the decimals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Decimal {
    /// 1.234,5
    Comma,
    /// 1,234.5
    Point,
}

impl Decimal {
    fn sign(self) -> char {
        match self {
            Self::Comma => ',',
            Self::Point => '.',
        }
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Comma => "comma",
            Self::Point => "point",
        })
    }
}

/// What the texts of a column say about their decimals.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Found {
    /// Every text has one meaning only with this sign, or has no decimals.
    Sign(Decimal),
    /// Such as `1,234`: a thousand or a bit more than one.
    Ambiguous(String),
    /// One text needs a comma, another a point.
    Contradiction(String, String),
}

/// Judges the texts of a column.
pub(crate) fn find<'a>(texts: impl IntoIterator<Item = &'a str>) -> Found {
    let (mut comma, mut point, mut ambiguous) = (None, None, None);
    for text in texts {
        match meaning(text) {
            Meaning::Needs(Decimal::Comma) => comma = comma.or(Some(text)),
            Meaning::Needs(Decimal::Point) => point = point.or(Some(text)),
            Meaning::Either => ambiguous = ambiguous.or(Some(text)),
            Meaning::None => {}
        }
    }
    match (comma, point, ambiguous) {
        (Some(comma), Some(point), _) => Found::Contradiction(comma.to_owned(), point.to_owned()),
        (Some(_), None, _) => Found::Sign(Decimal::Comma),
        (None, None, Some(text)) => Found::Ambiguous(text.to_owned()),
        (None, _, _) => Found::Sign(Decimal::Point),
    }
}

enum Meaning {
    Needs(Decimal),
    Either,
    /// There is no such sign in it, or it is no number.
    None,
}

fn meaning(text: &str) -> Meaning {
    let text = without_unit(text).0;
    let as_comma = parse_plain(&text, Decimal::Comma);
    let as_point = parse_plain(&text, Decimal::Point);
    match (as_comma, as_point) {
        (Some(_), None) => Meaning::Needs(Decimal::Comma),
        (None, Some(_)) => Meaning::Needs(Decimal::Point),
        (Some(comma), Some(point)) if comma != point => Meaning::Either,
        _ => Meaning::None,
    }
}

/// A number; `None` if the text is none. A percentage is a fraction: `85 %` is 0.85, as in a workbook.
pub(crate) fn parse(text: &str, decimal: Decimal) -> Option<f64> {
    let (text, is_percent) = without_unit(text);
    let number = parse_plain(&text, decimal)?;
    if !is_percent {
        return Some(number);
    }
    // The nearest number to the fraction that is written: 0.07, not 7.0 / 100.0 with its error.
    format!("{number}e-2").parse().ok()
}

/// Whether the text is a percentage.
pub(crate) fn is_percent(text: &str) -> bool {
    text.ends_with('%')
}

/// The text with plain signs and without a percent sign, and whether it had one.
fn without_unit(text: &str) -> (String, bool) {
    let text = text.trim();
    let (text, is_percent) = match text.strip_suffix('%') {
        Some(text) => (text.trim_end(), true),
        None => (text, false),
    };
    (text.replace('\u{2212}', "-"), is_percent)
}

/// Reads digits in groups, decimals and an exponent.
fn parse_plain(text: &str, decimal: Decimal) -> Option<f64> {
    let (sign, text) = match text.strip_prefix(['-', '+']) {
        Some(rest) if text.starts_with('-') => ("-", rest),
        Some(rest) => ("", rest),
        None => ("", text),
    };
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent.parse::<i16>().ok()?)),
        None => (text, None),
    };
    let (whole, decimals) = match mantissa.split_once(decimal.sign()) {
        Some((whole, decimals)) => (whole, decimals),
        None => (mantissa, ""),
    };
    let whole = ungrouped(whole, decimal)?;
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_digits(decimals) || whole.is_empty() && decimals.is_empty() {
        return None;
    }
    let exponent = exponent.unwrap_or_default();
    let number: f64 = format!("{sign}0{whole}.{decimals}0e{exponent}")
        .parse()
        .ok()?;
    number.is_finite().then_some(number)
}

/// Digits without the separators of their groups of three; `None` if they are grouped otherwise.
fn ungrouped(text: &str, decimal: Decimal) -> Option<String> {
    let is_separator = |sign: char| {
        let other = matches!(sign, ',' | '.') && sign != decimal.sign();
        other || sign.is_whitespace() || matches!(sign, '\'' | '\u{2019}')
    };
    let mut groups = text.split(is_separator);
    let first = groups.next().unwrap_or_default();
    let mut digits = first.to_owned();
    let mut is_grouped = false;
    for group in groups {
        is_grouped = true;
        if group.len() != 3 {
            return None;
        }
        digits.push_str(group);
    }
    // No one writes 0,123 or ,123 for a hundred and twenty-three.
    let first_fits = !is_grouped || (1..=3).contains(&first.len()) && !first.starts_with('0');
    let separators: Vec<char> = text.chars().filter(|sign| is_separator(*sign)).collect();
    let one_kind = separators.windows(2).all(|pair| pair[0] == pair[1]);
    let digits_only = digits.bytes().all(|byte| byte.is_ascii_digit());
    (first_fits && one_kind && digits_only).then_some(digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_they_are_written_in_norway_germany_switzerland_and_england() {
        for (text, decimal, expected) in [
            ("1 234,5", Decimal::Comma, 1234.5),
            ("1\u{a0}234,5", Decimal::Comma, 1234.5),
            ("1\u{202f}234\u{202f}567", Decimal::Comma, 1_234_567.0),
            ("1.234,56", Decimal::Comma, 1234.56),
            ("1’234.5", Decimal::Point, 1234.5),
            ("1,234.56", Decimal::Point, 1234.56),
            ("1,234,567", Decimal::Point, 1_234_567.0),
            ("-0,5", Decimal::Comma, -0.5),
            ("\u{2212}3", Decimal::Comma, -3.0),
            (",5", Decimal::Comma, 0.5),
            ("1.5e3", Decimal::Point, 1500.0),
            ("85 %", Decimal::Comma, 0.85),
            ("7%", Decimal::Point, 0.07),
            ("12,5\u{a0}%", Decimal::Comma, 0.125),
        ] {
            assert_eq!(parse(text, decimal), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_is_no_number_is_none() {
        for text in [
            "",
            "-",
            ".",
            "1,2,3",
            "12,34.5",
            "1 23",
            "abc",
            "1.2.3",
            "0,123.4",
            "1e",
            "#N/A",
            "1 000,000.5",
            "1234,567",
            "1e999",
            "5 kg",
        ] {
            assert_eq!(parse(text, Decimal::Point), None, "{text}");
        }
    }

    #[test]
    fn a_column_decides_by_the_texts_that_have_one_meaning() {
        assert_eq!(find(["1,234", "1,5"]), Found::Sign(Decimal::Comma));
        assert_eq!(find(["1.234", "1.5"]), Found::Sign(Decimal::Point));
        assert_eq!(find(["1.234.567", "1.000"]), Found::Sign(Decimal::Comma));
        assert_eq!(find(["0,125"]), Found::Sign(Decimal::Comma));
        assert_eq!(find(["1", "2", "x"]), Found::Sign(Decimal::Point));
        assert_eq!(find(["7", "1,234"]), Found::Ambiguous("1,234".to_owned()));
        assert_eq!(
            find(["1,5", "2.5"]),
            Found::Contradiction("1,5".to_owned(), "2.5".to_owned())
        );
    }
}
