//! The query option `$format`, which takes precedence over `Accept` (OData Protocol 4.01, 11.2.12). Like all
//! options it has its name with or without `$`, in any case. It does not negotiate: see `accept`.

use http::{HeaderValue, StatusCode};

use super::parameter_names::{pair_name, pairs};
use super::problem::Problem;
use obeya_read::text::quoted;

const JSON: &str = "application/json";

/// The `Accept` that stands for `$format` in the query string of an operation. All operations have JSON, and
/// a parameter of it selects the metadata; 400 `odata.option` for any other format.
pub(crate) fn accept(query: &str) -> Result<Option<HeaderValue>, Problem> {
    let Some(value) = value(query)? else {
        return Ok(None);
    };
    let (essence, parameters) = value.split_at(value.find(';').unwrap_or(value.len()));
    if !is_json(essence) {
        let expected = "json; other media types are chosen by the header `Accept`";
        return Err(refused(&value, expected));
    }
    match HeaderValue::try_from(format!("{JSON}{parameters}")) {
        Ok(accept) => Ok(Some(accept)),
        Err(_) => Err(refused(&value, "json")),
    }
}

/// Whether a format is JSON, by its media type or its short name.
pub(crate) fn is_json(essence: &str) -> bool {
    let essence = essence.trim();
    essence.eq_ignore_ascii_case("json") || essence.eq_ignore_ascii_case(JSON)
}

/// The decoded value of the option in a raw query string; 400 `odata.option` if it is given more than once.
pub(crate) fn value(query: &str) -> Result<Option<String>, Problem> {
    let mut given = pairs(query).filter(|pair| {
        let name = pair_name(pair);
        let bare = name.strip_prefix('$').unwrap_or(&name);
        bare.eq_ignore_ascii_case("format")
    });
    let Some(pair) = given.next() else {
        return Ok(None);
    };
    if given.next().is_some() {
        return Err(problem("it is given more than once".to_owned()));
    }
    let pairs: Vec<(String, String)> =
        serde_urlencoded::from_str(pair).map_err(|error| problem(error.to_string()))?;
    Ok(pairs.into_iter().next().map(|(_, value)| value))
}

/// 400 `odata.option` for a format that is not offered.
pub(crate) fn refused(found: &str, expected: &str) -> Problem {
    problem(format!("expected {expected}, found {}", quoted(found)))
}

fn problem(text: String) -> Problem {
    Problem::new(
        StatusCode::BAD_REQUEST,
        "odata.option",
        "Invalid query option",
        "",
    )
    .field("$format", text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_accepted_in_each_spelling() {
        for (query, expected) in [
            ("", None),
            ("$filter=a&formats=xml&f=xml", None),
            ("$format=json", Some("application/json")),
            ("a=1&FORMAT=JSON&b=2", Some("application/json")),
            ("%24Format=application%2Fjson", Some("application/json")),
            (
                "$format=application/json;odata.metadata=minimal",
                Some("application/json;odata.metadata=minimal"),
            ),
            (
                "$format=json;metadata=none",
                Some("application/json;metadata=none"),
            ),
        ] {
            let accept = accept(query).unwrap_or_else(|_| panic!("{query}"));
            let accept = accept.as_ref().map(|value| value.to_str().unwrap());
            assert_eq!(accept, expected, "{query}");
        }
    }

    #[test]
    fn other_formats_are_refused() {
        for query in [
            "$format=xml",
            "$format=atom",
            "$format",
            "format=text/csv",
            "$format=application/jsonp",
            "$format=json;%0a",
            "$format=json&format=json",
        ] {
            let problem = accept(query).expect_err(query);
            assert_eq!(problem.summary(), "400 odata.option $format", "{query}");
        }
        assert_eq!(
            accept("$format=xml").expect_err("refused").first_text(),
            "expected json; other media types are chosen by the header `Accept`, found `xml`"
        );
    }
}
