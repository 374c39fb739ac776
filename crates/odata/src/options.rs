//! The query string of a request: its options, each parsed into its syntax tree.
//!
//! It decodes percent-encoding exactly once, knows nothing of entities, and hands parameters that are not
//! OData's back to the caller untouched.

use crate::ast::options::{OptionName, Options, fill, given_twice};
use crate::error::{Error, ErrorKind, excerpt};
use crate::lex::is_word;
use crate::limits::Limits;
use crate::nearest::nearest;
use crate::parse::{Budget, Parser, expression};
use crate::{clauses, search};

/// Parameters of a query string that are not OData's, decoded, in the order they came.
pub type Parameters = Vec<(String, String)>;

impl Options {
    /// Reads a query string as it arrived (percent-encoded, without the `?`).
    ///
    /// Names of options match with or without `$` and in any case, as OData 4.01 defines it; only `allowed`
    /// ones are options. Other parameters are returned separately, and so is `$format`: the caller that
    /// negotiates the media type has checked it.
    ///
    /// # Errors
    /// A name beginning with `$` that is not in `allowed`, a duplicate option, bytes that are not UTF-8, or a
    /// value that violates the option's grammar or exceeds a limit.
    pub fn parse(
        raw: &str,
        allowed: &[OptionName],
        limits: &Limits,
    ) -> Result<(Self, Parameters), Error> {
        let mut options = Self::default();
        let mut others = Vec::new();
        let mut budget = Budget::default();
        for pair in raw.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let name = decode(name).map_err(|error| error.of(&excerpt(name)))?;
            let option = allowed.iter().find(|option| option.matches(&name));
            // An encoded byte has at most three characters: a longer text is too long whatever it contains,
            // and need not be decoded.
            if (option.is_some() || name.starts_with('@')) && value.len() / 3 > limits.option_bytes
            {
                let what = format!("the encoded value has {} bytes", value.len());
                return Err(Error::limit(None, &what, limits.option_bytes)
                    .of(option.map_or("@", |option| option.as_str())));
            }
            let value = decode(value).map_err(|error| error.of(&excerpt(&name)))?;
            // Databases and their functions take a NUL for the end of a text.
            if let Some(at) = value
                .find('\0')
                .filter(|_| option.is_some() || name.starts_with('@'))
            {
                let message = "found a NUL character, which is not allowed";
                return Err(Error::new(ErrorKind::Option, at, message).of(&excerpt(&name)));
            }
            if let Some(option) = option {
                options
                    .set(*option, &value, limits, &mut budget)
                    .map_err(|error| error.of(option.as_str()))?;
            } else if let Some(alias) = name.strip_prefix('@') {
                let option = excerpt(&name);
                if alias.is_empty() || !alias.chars().all(is_word) {
                    let message = "a parameter alias is `@` and a name of letters, digits and `_`";
                    return Err(Error::new(ErrorKind::Option, None, message).of(&option));
                }
                let expr =
                    expression(&value, limits, &mut budget).map_err(|error| error.of(&option))?;
                if options.aliases.insert(alias.to_owned(), expr).is_some() {
                    return Err(given_twice().of(&option));
                }
            } else if name.starts_with('$') && !name.eq_ignore_ascii_case("$format") {
                return Err(not_offered(&name, allowed));
            } else {
                others.push((name, value));
            }
        }
        Ok((options, others))
    }

    /// Reads one option by itself, its value already decoded.
    ///
    /// # Errors
    /// A value that violates the option's grammar or exceeds a limit.
    pub fn of(option: OptionName, value: &str, limits: &Limits) -> Result<Self, Error> {
        let mut options = Self::default();
        options
            .set(option, value, limits, &mut Budget::default())
            .map_err(|error| error.of(option.as_str()))?;
        Ok(options)
    }

    /// Reads one option's decoded value.
    fn set(
        &mut self,
        option: OptionName,
        value: &str,
        limits: &Limits,
        budget: &mut Budget,
    ) -> Result<(), Error> {
        let value = value.trim_ascii_end();
        if option == OptionName::Search {
            return fill(&mut self.search, search::parse(value, limits)?);
        }
        if option == OptionName::SkipToken {
            return fill(&mut self.skip_token, value.to_owned());
        }
        if option == OptionName::Filter {
            return fill(&mut self.filter, expression(value, limits, budget)?);
        }
        let mut parser = Parser::new(value, limits, budget)?;
        clauses::option(self, option, &mut parser)?;
        clauses::end(option, &mut parser)
    }
}

fn not_offered(name: &str, allowed: &[OptionName]) -> Error {
    // A `$skiptoken` is not written by hand: it comes from links.
    let names: Vec<_> = allowed
        .iter()
        .filter(|option| **option != OptionName::SkipToken)
        .map(|option| option.as_str())
        .collect();
    let meant = nearest(name, names.iter().copied())
        .map(|near| format!(" (did you mean `{near}`?)"))
        .unwrap_or_default();
    let supported = if names.is_empty() {
        "no option is".to_owned()
    } else {
        format!("the options are {}", names.join(", "))
    };
    let message = format!("this option is not supported here{meant}; {supported}");
    Error::new(ErrorKind::Option, None, message).of(&excerpt(name))
}

/// Undoes percent-encoding once; `+` is a space, as forms have it. `%2527` becomes `%27` and stays that.
fn decode(text: &str) -> Result<String, Error> {
    if !text.contains(['%', '+']) {
        return Ok(text.to_owned());
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes().enumerate();
    while let Some((at, byte)) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => {
                let hex = |byte: Option<(usize, u8)>| byte.and_then(|(_, b)| char::from(b).to_digit(16));
                let (Some(high), Some(low)) = (hex(rest.next()), hex(rest.next())) else {
                    let message = format!("found a `%` at byte {at} of the encoded text without two hexadecimal digits; a plain % is written %25");
                    return Err(Error::new(ErrorKind::Option, None, message));
                };
                // Two hexadecimal digits are at most 255.
                (high * 16 + low) as u8
            }
            other => other,
        });
    }
    String::from_utf8(bytes)
        .map_err(|_| Error::new(ErrorKind::Option, None, "the decoded value is not UTF-8"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(raw: &str) -> Result<(Options, Parameters), Error> {
        Options::parse(raw, OptionName::PAGED, &Limits::default())
    }

    #[test]
    fn names_match_with_and_without_dollar_in_any_case() {
        for raw in [
            "$top=5&$count=true",
            "top=5&COUNT=TRUE",
            "%24Top=5&$count=True",
        ] {
            let (options, others) = parse(raw).unwrap();
            assert_eq!(
                (options.top, options.count, others.len()),
                (Some(5), Some(true), 0),
                "{raw}"
            );
        }
    }

    #[test]
    fn other_parameters_come_back_decoded_once() {
        let (_, others) = parse("page=2&q=a%20b+c%2527&empty&filters=1").unwrap();
        let pairs: Vec<_> = others
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect();
        assert_eq!(
            pairs,
            [
                ("page", "2"),
                ("q", "a b c%27"),
                ("empty", ""),
                ("filters", "1")
            ]
        );
    }

    #[test]
    fn a_listing_is_what_is_meant_and_not_how_it_is_spelled() {
        let listing = |raw| parse(raw).unwrap().0.listing();
        let first =
            listing("$filter=name%20eq%20'a'%20and%20(level%20gt%201)&$orderby=name&$top=5");
        assert_eq!(
            first,
            listing(
                "orderby=name+asc&$FILTER=name%20%20eq%20%27a%27+and+level+gt+1&$count=true&$skiptoken=x&$select=id"
            )
        );
        for other in [
            "$filter=name eq 'b' and level gt 1&$orderby=name",
            "$filter=name eq 'a' and level gt 1&$orderby=name desc",
            "$filter=name eq 'a' and level gt 1",
            "$search=a&$orderby=name",
            "$filter=name eq @p and level gt 1&@p='a'&$orderby=name",
        ] {
            assert_ne!(first, listing(other), "{other}");
        }
        assert_ne!(
            listing("$filter=a eq @p&@p=1"),
            listing("$filter=a eq @p&@p=2")
        );
    }

    /// Next links are bound to this text, and a client may follow one that another build wrote. Expected is
    /// what the build wrote that had neither folding nor `word*`.
    #[test]
    fn a_search_is_listed_as_earlier_builds_listed_it() {
        let listing = |raw| parse(raw).unwrap().0.listing();
        assert_eq!(
            listing("$search=Oil \"press 4\" leak-free 漏油&$orderby=name"),
            r#"(None, Some([["oil"], ["press", "4"], ["leak", "free"], ["漏油"]]), ["name"], [])"#
        );
        // These find something else now, so their links are refused.
        let old = |word| format!("(None, Some([[{word:?}]]), [], [])");
        assert_ne!(listing("$search=lea*"), old("lea"));
        assert_ne!(listing("$search=größe"), old("größe"));
    }

    #[test]
    fn the_format_is_left_to_who_chooses_the_media_type() {
        for raw in ["$format=json", "%24FORMAT=json", "format=json"] {
            let (options, others) = parse(raw).unwrap();
            assert_eq!(options, Options::default(), "{raw}");
            assert_eq!(others.len(), 1, "{raw}");
            assert_eq!(others[0].1, "json", "{raw}");
        }
    }

    /// A service without pages that accepted it would return the first page forever.
    #[test]
    fn who_offers_no_pages_refuses_the_place_of_one() {
        let error = Options::parse("$skiptoken=x", OptionName::ALL, &Limits::default());
        assert_eq!(error.unwrap_err().code(), "odata.option");
        let paged = Options::parse("$skiptoken=x", OptionName::PAGED, &Limits::default());
        assert_eq!(paged.unwrap().0.skip_token.as_deref(), Some("x"));
    }

    #[test]
    fn only_allowed_options_are_options() {
        let allowed = [OptionName::Filter];
        let error = Options::parse("$top=5", &allowed, &Limits::default()).unwrap_err();
        assert_eq!(
            (error.option.as_str(), error.code()),
            ("$top", "odata.option")
        );
        let (_, others) = Options::parse("top=5", &allowed, &Limits::default()).unwrap();
        assert_eq!(others, [("top".to_owned(), "5".to_owned())]);
    }

    #[test]
    fn faults_name_the_option() {
        for (raw, option, code) in [
            ("$flter=a", "$flter", "odata.option"),
            ("$filter=id eq 1&filter=id eq 1", "$filter", "odata.option"),
            ("$filter=%ff", "$filter", "odata.option"),
            ("$filter=%2", "$filter", "odata.option"),
            ("$filter=a%00", "$filter", "odata.option"),
            ("$filter=", "$filter", "odata.syntax"),
            ("$top=-1", "$top", "odata.value"),
            ("$top=2147483648", "$top", "odata.value"),
            ("$top=1.5", "$top", "odata.value"),
            ("$count=1", "$count", "odata.value"),
            ("$orderby=name up", "$orderby", "odata.syntax"),
            ("$select=", "$select", "odata.syntax"),
            ("$search=5", "$search", "odata.syntax"),
            ("@p=", "@p", "odata.syntax"),
            ("@p='%00'", "@p", "odata.option"),
        ] {
            let error = parse(raw).unwrap_err();
            assert_eq!(
                (error.option.as_str(), error.code()),
                (option, code),
                "{raw}: {error}"
            );
        }
    }
}
