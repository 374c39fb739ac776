//! Whether a value fits the type of its custom field. The list of types is open; a type that is unknown here
//! accepts any text.

use obeya_model::Timestamp;

/// What a field of this type accepts, if the text does not fit it. An empty text is a field that was not
/// filled in.
pub fn misfit(kind: &str, text: &str) -> Option<&'static str> {
    if text.is_empty() {
        return None;
    }
    let (fits, expected) = match kind {
        "number" => (is_number(text), "a number such as 12.5"),
        "bool" => (is_bool(text), "true or false"),
        "date" => (text.parse::<Timestamp>().is_ok(), Timestamp::FORMS),
        // The entries of a data list are not known here.
        _ => return None,
    };
    (!fits).then_some(expected)
}

fn is_number(text: &str) -> bool {
    text.parse::<f64>().is_ok_and(f64::is_finite)
}

fn is_bool(text: &str) -> bool {
    text.eq_ignore_ascii_case("true") || text.eq_ignore_ascii_case("false")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_that_is_known_takes_its_own_values_alone() {
        let cases: [(&str, &[&str], &[&str]); 3] = [
            (
                "number",
                &["0", "-12.5", "+3", "1e6", ".5"],
                &["abc", "3,5", "NaN", "inf", "1e999", "1 000", "0x1F", " 1"],
            ),
            (
                "bool",
                &["true", "false", "True"],
                &["1", "yes", "tru", "null"],
            ),
            (
                "date",
                &["2026-03-02", "2026-03-02T06:12:00Z", "2026-03-02 06:12"],
                &["02.03.2026", "2026-02-30", "tomorrow", "2026"],
            ),
        ];
        for (kind, own, other) in cases {
            for text in own {
                assert_eq!(misfit(kind, text), None, "{kind} {text}");
            }
            for text in other {
                assert!(misfit(kind, text).is_some(), "{kind} {text}");
            }
            assert_eq!(misfit(kind, ""), None, "{kind}");
        }
    }

    #[test]
    fn any_text_fits_where_nothing_is_known_of_the_kind() {
        for kind in ["text", "list", "colour", "Number"] {
            assert_eq!(misfit(kind, "abc"), None, "{kind}");
        }
    }
}
