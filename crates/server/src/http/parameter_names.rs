//! Refuses query parameters that were probably mistyped: `pagesize` is the page size in another case, but
//! `pageSzie` would be ignored, and the answer would look like what was requested.
//!
//! Proxies and clients add parameters of their own, so that any other unknown name is ignored, and so is
//! every short one: it is easily one letter away from another short name.

use std::borrow::Cow;

use http::StatusCode;
use obeya_odata::{did_you_mean, is_one_edit};

use super::problem::Problem;

/// The fewest characters of a name that can be refused.
const MIN_CHARACTERS: usize = 6;

/// Checks the names in a raw query string against those that the operation has. 400 for an unknown name that
/// is one edit away from a known one: `odata.option` if that is a query option, otherwise `query.invalid`.
pub(crate) fn check(query: &str, known: &[&'static str]) -> Result<(), Problem> {
    for pair in pairs(query) {
        let name = pair_name(pair);
        if let Some(meant) = meant(&name, known) {
            let (code, title) = match meant.starts_with('$') {
                true => ("odata.option", "Invalid query option"),
                false => ("query.invalid", "Invalid query parameter"),
            };
            let text = format!(
                "is not a parameter of this operation{}",
                did_you_mean(Some(meant), "")
            );
            return Err(Problem::new(StatusCode::BAD_REQUEST, code, title, "").field(&name, text));
        }
    }
    Ok(())
}

/// The known name that is one edit away, if the name is long enough and not known itself. Not of an alias
/// (`@name`), nor of an option with its `$` where there are options: the parser of options refuses it.
fn meant(name: &str, known: &[&'static str]) -> Option<&'static str> {
    let has_options = || known.iter().any(|known| known.starts_with('$'));
    if name.chars().nth(MIN_CHARACTERS - 1).is_none()
        || name.starts_with('@')
        || (name.starts_with('$') && has_options())
    {
        return None;
    }
    // Options are also known without their `$`.
    let bare = |known: &'static str| known.strip_prefix('$').unwrap_or(known);
    let is = |known: &'static str| {
        name.eq_ignore_ascii_case(known) || name.eq_ignore_ascii_case(bare(known))
    };
    if known.iter().any(|known| is(known)) {
        return None;
    }
    let mut known = known.iter().copied();
    known.find(|known| is_one_edit(name, known) || is_one_edit(name, bare(known)))
}

/// The pairs of a raw query string. By bytes: the search of the standard library costs more for short texts.
pub(super) fn pairs(query: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(query);
    std::iter::from_fn(move || {
        let (pair, others) = cut(rest?, b'&');
        rest = others;
        Some(pair)
    })
}

/// The name of a pair, without its percent-encoding.
pub(super) fn pair_name(pair: &str) -> Cow<'_, str> {
    decoded(cut(pair, b'=').0)
}

/// A text before and after the first such ASCII character.
fn cut(text: &str, at: u8) -> (&str, Option<&str>) {
    match text.bytes().position(|byte| byte == at) {
        Some(end) => (&text[..end], Some(&text[end + 1..])),
        None => (text, None),
    }
}

fn decoded(name: &str) -> Cow<'_, str> {
    if !name.bytes().any(|byte| matches!(byte, b'%' | b'+')) {
        return Cow::Borrowed(name);
    }
    let pairs = serde_urlencoded::from_str::<Vec<(String, String)>>(name).unwrap_or_default();
    let name = pairs.into_iter().next().map(|(name, _)| name);
    Cow::Owned(name.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::check;

    const KNOWN: [&str; 6] = [
        "$filter", "$orderby", "page", "pageSize", "TypeId", "language",
    ];

    #[test]
    fn a_name_that_is_one_letter_away_from_a_known_one_is_refused() {
        for (query, refused) in [
            ("pageSiz=7", "query.invalid pageSiz"),
            ("page=1&pageSizes=7", "query.invalid pageSizes"),
            ("PAGESZIE=7", "query.invalid PAGESZIE"),
            ("page_size=7", "query.invalid page_size"),
            ("pagesixe", "query.invalid pagesixe"),
            ("typedId=1", "query.invalid typedId"),
            ("%70ageSiz=7", "query.invalid pageSiz"),
            ("filters=a", "odata.option filters"),
            ("filtre=a", "odata.option filtre"),
            ("order_by=a", "odata.option order_by"),
        ] {
            let problem = check(query, &KNOWN).expect_err(query);
            assert_eq!(problem.summary(), format!("400 {refused}"), "{query}");
        }
        let problem = check("pageSiz=7", &KNOWN).expect_err("refused");
        assert_eq!(
            problem.first_text(),
            "is not a parameter of this operation; did you mean `pageSize`?"
        );
        assert!(check("$language=nb", &["language"]).is_err());
        let problem = check("Filterr=7", &KNOWN).expect_err("refused");
        assert!(problem.first_text().ends_with("did you mean `$filter`?"));
    }

    #[test]
    fn known_short_and_strange_names_pass() {
        let long = format!("{}=1", "pageSize".repeat(10_000));
        for query in [
            "",
            "&&=&",
            "pagesize=7&PAGE=2&typeid=1&LANGUAGE=nb",
            "$filter=a&Filter=b&%24FILTER=c&orderby=d&$filte=e",
            // Short names: cache busters, and what proxies add.
            "_=1732406400000&cb=1&v=2&pages=3&pag=1&typId=1&fiter=a",
            // Two edits.
            "pagSiz=7&sizePage=7&filtrar=a",
            "utm_source=x&timestamp=1&@filter=a",
            "%zz=1&%ff%ff%ff%ff%ff%ff=1",
            &long,
        ] {
            let checked = check(query, &KNOWN);
            assert!(checked.is_ok(), "{query}: {checked:?}");
            assert!(check(query, &[]).is_ok(), "{query}");
        }
    }
}
