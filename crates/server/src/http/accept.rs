//! `Accept` against the media types that an operation produces (RFC 9110, 12.5.1): q-values, wildcards, the
//! most specific range.
//!
//! Parameters of a range express a preference but never exclude: OData clients send
//! `application/json;odata.metadata=minimal` and read plain JSON. For OData operations minimal metadata is
//! offered in addition to the types of the spec. Full metadata is refused: a client that insists on it needs
//! its content.

use http::header::ACCEPT;
use http::{HeaderMap, HeaderValue, StatusCode};

use super::odata::ODATA_MAX_VERSION;
use super::problem::Problem;

/// The media type of an answer that begins with `@odata.context`.
pub(crate) const MINIMAL: HeaderValue =
    HeaderValue::from_static("application/json;odata.metadata=minimal");

/// The media types that an operation produces, prepared for negotiation.
#[derive(Debug)]
pub(crate) struct Offers(Vec<Offer>);

#[derive(Debug)]
struct Offer {
    essence: &'static str,
    parameters: &'static str,
    /// The `Content-Type` of the answer.
    content_type: HeaderValue,
}

impl Offers {
    /// Offers from the spec's list. Plain `application/json` is first: it is the answer without a preference.
    pub(crate) fn new(produces: &'static [&'static str]) -> Self {
        let mut offers = Self::in_order(produces);
        offers
            .0
            .sort_by_key(|offer| offer.content_type != "application/json");
        offers
    }

    /// The same with OData's minimal metadata, which is only chosen on request.
    pub(crate) fn with_metadata(produces: &'static [&'static str]) -> Self {
        let mut offers = Self::new(produces);
        offers.0.push(Offer {
            essence: "application/json",
            parameters: "odata.metadata=minimal",
            content_type: MINIMAL,
        });
        offers
    }

    /// Offers from a list whose first entry is the answer without a preference.
    pub(crate) fn in_order(produces: &'static [&'static str]) -> Self {
        let offers = produces
            .iter()
            .filter_map(|text| {
                let (essence, parameters) = text.split_once(';').unwrap_or((text, ""));
                // Without a charset, old clients would read `text/*` as ASCII.
                let charset = if essence.starts_with("text/") {
                    "; charset=utf-8"
                } else {
                    ""
                };
                let content_type = HeaderValue::try_from(format!("{text}{charset}")).ok()?;
                Some(Offer {
                    essence,
                    parameters,
                    content_type,
                })
            })
            .collect();
        Self(offers)
    }

    /// Whether the first offer is acceptable, even if others are preferred.
    pub(crate) fn takes_first(&self, headers: &HeaderMap) -> bool {
        if !headers.contains_key(ACCEPT) {
            return true;
        }
        let ranges = ranges(headers.get_all(ACCEPT).iter());
        let best = self.0.first().and_then(|first| best_match(&ranges, first));
        best.is_some_and(|(_, quality)| quality > 0)
    }

    /// The media type of the answer; 406 `media_type.not_acceptable` if no offer is acceptable.
    pub(crate) fn negotiate(&self, headers: &HeaderMap) -> Result<HeaderValue, Problem> {
        if self.0.is_empty() {
            // An answer without a body has no media type, so it is always acceptable.
            return Ok(HeaderValue::from_static(""));
        }
        let chosen = self.choose(headers)?;
        // A client that names a version is an OData client, and gets minimal metadata unless it requests a
        // level (OData JSON 4.01, 3.1).
        if headers.contains_key(ODATA_MAX_VERSION)
            && chosen == "application/json"
            && self.has_metadata()
            && !ranges(headers.get_all(ACCEPT).iter())
                .iter()
                .any(|range| range.metadata().is_some())
        {
            return Ok(MINIMAL);
        }
        Ok(chosen)
    }

    fn has_metadata(&self) -> bool {
        self.0.iter().any(Offer::has_metadata)
    }

    fn choose(&self, headers: &HeaderMap) -> Result<HeaderValue, Problem> {
        let mut accepts = headers.get_all(ACCEPT).iter();
        let first = match (accepts.next(), self.0.first()) {
            (None, Some(offer)) => return Ok(offer.content_type.clone()),
            // An empty field states no preference.
            (Some(value), Some(offer))
                if value == "*/*" || value.is_empty() || value == offer.content_type =>
            {
                return Ok(offer.content_type.clone());
            }
            (value, _) => value,
        };
        let mut ranges = ranges(first.into_iter().chain(accepts));
        if self.has_metadata() {
            ranges.retain(|range| {
                !range
                    .metadata()
                    .is_some_and(|level| level.eq_ignore_ascii_case("full"))
            });
        }
        let mut best: Option<(u16, u8, &Offer)> = None;
        for offer in &self.0 {
            let Some((specificity, quality)) = best_match(&ranges, offer) else {
                continue;
            };
            if quality > 0 && best.is_none_or(|(q, s, _)| (quality, specificity) > (q, s)) {
                best = Some((quality, specificity, offer));
            }
        }
        best.map(|(.., offer)| offer.content_type.clone())
            .ok_or_else(|| self.refusal())
    }

    fn refusal(&self) -> Problem {
        let offered: Vec<String> = self
            .0
            .iter()
            .map(|offer| match offer.parameters {
                "" => offer.essence.to_owned(),
                parameters => format!("{};{parameters}", offer.essence),
            })
            .collect();
        Problem::new(
            StatusCode::NOT_ACCEPTABLE,
            "media_type.not_acceptable",
            "Not acceptable",
            format!(
                "Accept allows none of what is offered here: {}.",
                offered.join(", ")
            ),
        )
    }
}

impl Offer {
    fn has_metadata(&self) -> bool {
        self.content_type == MINIMAL
    }
}

/// The specificity and quality of the most specific range that matches an offer.
fn best_match(ranges: &[Range<'_>], offer: &Offer) -> Option<(u8, u16)> {
    ranges
        .iter()
        .filter_map(|range| range.matches(offer))
        .max_by_key(|(specificity, _)| *specificity)
}

/// The media ranges of the `Accept` fields.
fn ranges<'a>(accepts: impl Iterator<Item = &'a HeaderValue>) -> Vec<Range<'a>> {
    let texts = accepts.filter_map(|value| value.to_str().ok());
    texts
        .flat_map(|text| text.split(','))
        .filter_map(Range::parse)
        .collect()
}

/// One element of `Accept`.
struct Range<'a> {
    kind: &'a str,
    subtype: &'a str,
    parameters: Vec<&'a str>,
    /// Thousandths.
    quality: u16,
}

impl<'a> Range<'a> {
    /// `None` for an element that is no media range, which is ignored.
    fn parse(text: &'a str) -> Option<Self> {
        let mut parts = text.split(';').map(str::trim);
        let (kind, subtype) = parts.next()?.split_once('/')?;
        let mut range = Range {
            kind,
            subtype,
            parameters: Vec::new(),
            quality: 1000,
        };
        for part in parts {
            match part.split_once('=') {
                Some((name, value)) if name.trim().eq_ignore_ascii_case("q") => {
                    range.quality = quality(value.trim())?;
                    // The parameters after q are extensions of Accept, which are not in use.
                    break;
                }
                _ if part.is_empty() => {}
                _ => range.parameters.push(part),
            }
        }
        Some(range)
    }

    /// The requested metadata level, by the parameter name of 4.01 or of 4.0.
    fn metadata(&self) -> Option<&'a str> {
        self.parameters.iter().find_map(|parameter| {
            let (name, value) = parameter.split_once('=')?;
            let name = name.trim_end().to_ascii_lowercase();
            let name = name.strip_prefix("odata.").unwrap_or(&name);
            (name == "metadata").then(|| value.trim().trim_matches('"'))
        })
    }

    /// The specificity and quality with which this range matches an offer.
    fn matches(&self, offer: &Offer) -> Option<(u8, u16)> {
        let (kind, subtype) = offer.essence.split_once('/')?;
        let specificity = match (self.kind, self.subtype) {
            ("*", "*") => 0,
            (range, "*") if range.eq_ignore_ascii_case(kind) => 1,
            (range, sub)
                if range.eq_ignore_ascii_case(kind) && sub.eq_ignore_ascii_case(subtype) =>
            {
                let offered = offer.parameters.split(';').filter(|part| !part.is_empty());
                let same = self.parameters.len() == offered.clone().count()
                    && offered.into_iter().all(|part| {
                        self.parameters
                            .iter()
                            .any(|mine| mine.eq_ignore_ascii_case(part))
                    });
                // Clients add parameters for number formats and streaming, which have no effect here.
                let minimal = offer.has_metadata()
                    && self
                        .metadata()
                        .is_some_and(|level| level.eq_ignore_ascii_case("minimal"));
                if same || minimal { 3 } else { 2 }
            }
            _ => return None,
        };
        Some((specificity, self.quality))
    }
}

/// A q-value in thousandths: `0`, `1`, or up to three decimals.
fn quality(text: &str) -> Option<u16> {
    let value: f32 = text.parse().ok()?;
    // The check ensures the range, so the conversion neither truncates nor loses the sign.
    (0.0..=1.0)
        .contains(&value)
        .then(|| (value * 1000.0).round() as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ODATA: &str = "application/json;odata.metadata=none;odata.streaming=false";

    fn answer(accept: &'static str) -> String {
        let offers = Offers::new(&[ODATA, "text/plain", "application/json", "text/json"]);
        let headers = HeaderMap::from_iter([(ACCEPT, HeaderValue::from_static(accept))]);
        match offers.negotiate(&headers) {
            Ok(value) => value.to_str().expect("ASCII").to_owned(),
            Err(problem) => problem.summary(),
        }
    }

    #[test]
    fn whoever_does_not_care_gets_plain_json() {
        let offers = Offers::new(&[ODATA, "text/plain", "application/json", "text/json"]);
        assert_eq!(
            offers.negotiate(&HeaderMap::new()).expect("any"),
            "application/json"
        );
        for accept in [
            "",
            "*/*",
            "application/*",
            "application/json",
            "text/html, */*;q=0.1",
            "APPLICATION/JSON",
        ] {
            assert_eq!(answer(accept), "application/json", "{accept}");
        }
    }

    #[test]
    fn each_of_the_four_is_given_when_asked() {
        assert_eq!(answer(ODATA), ODATA);
        assert_eq!(
            answer("application/json; odata.streaming=false; odata.metadata=none"),
            ODATA
        );
        assert_eq!(answer("text/plain"), "text/plain; charset=utf-8");
        assert_eq!(answer("text/json"), "text/json; charset=utf-8");
        assert_eq!(
            answer("application/json;odata.metadata=minimal"),
            "application/json"
        );
    }

    /// The answer of an OData operation to a request with or without `OData-MaxVersion`.
    fn odata_answer(accept: &'static str, version: bool) -> String {
        let offers = Offers::with_metadata(&[ODATA, "text/plain", "application/json", "text/json"]);
        let mut headers = HeaderMap::from_iter([(ACCEPT, HeaderValue::from_static(accept))]);
        if version {
            headers.insert(ODATA_MAX_VERSION, HeaderValue::from_static("4.0"));
        }
        match offers.negotiate(&headers) {
            Ok(value) => value.to_str().expect("ASCII").to_owned(),
            Err(problem) => problem.summary(),
        }
    }

    #[test]
    fn minimal_metadata_is_for_who_asks_for_it() {
        for accept in [
            "application/json;odata.metadata=minimal",
            "application/json; metadata=Minimal",
            "application/json;odata.metadata=minimal;odata.streaming=true;IEEE754Compatible=false",
            // The header of Power Query.
            "application/json;odata.metadata=minimal;q=1.0,application/json;odata=minimalmetadata;q=0.9,\
             application/atomsvc+xml;q=0.8,application/atom+xml;q=0.8,application/xml;q=0.7,text/plain;q=0.7",
        ] {
            assert_eq!(odata_answer(accept, false), MINIMAL, "{accept}");
            assert_eq!(odata_answer(accept, true), MINIMAL, "{accept}");
        }
        for accept in [
            "",
            "*/*",
            "application/json",
            "application/json;charset=utf-8",
        ] {
            assert_eq!(odata_answer(accept, false), "application/json", "{accept}");
            assert_eq!(odata_answer(accept, true), MINIMAL, "{accept}");
        }
        for accept in [
            "application/json;odata.metadata=none",
            "application/json;metadata=none",
        ] {
            assert_eq!(odata_answer(accept, true), "application/json", "{accept}");
        }
        assert_eq!(odata_answer(ODATA, true), ODATA);
        assert_eq!(
            odata_answer("text/plain", true),
            "text/plain; charset=utf-8"
        );
    }

    #[test]
    fn full_metadata_is_refused_unless_something_else_is_taken_too() {
        let full = "application/json;odata.metadata=full";
        assert_eq!(odata_answer(full, true), "406 media_type.not_acceptable");
        assert_eq!(
            odata_answer(
                "application/json;odata.metadata=full, application/json",
                false
            ),
            "application/json"
        );
        // v1 is not OData: there the parameter has no meaning.
        assert_eq!(answer(full), "application/json");
    }

    #[test]
    fn whoever_takes_the_first_offer_at_all_can_be_given_it() {
        let offers = Offers::in_order(&["application/xml", "application/json"]);
        let takes = |accept| {
            let value = HeaderValue::from_static(accept);
            offers.takes_first(&HeaderMap::from_iter([(ACCEPT, value)]))
        };
        assert!(offers.takes_first(&HeaderMap::new()));
        for accept in [
            "*/*",
            "application/json, */*;q=0.1",
            "application/xml;q=0.7",
        ] {
            assert!(takes(accept), "{accept}");
        }
        for accept in ["application/json", "application/xml;q=0, */*", "text/html"] {
            assert!(!takes(accept), "{accept}");
        }
    }

    #[test]
    fn quality_and_specificity_decide() {
        assert_eq!(
            answer("application/json;q=0.2, text/json;q=0.9"),
            "text/json; charset=utf-8"
        );
        assert_eq!(
            answer("text/*;q=0.9, text/plain;q=0, application/json;q=0.1"),
            "text/json; charset=utf-8"
        );
        assert_eq!(
            answer("*/*, application/json;q=0, text/*;q=0"),
            "406 media_type.not_acceptable"
        );
    }

    #[test]
    fn an_answer_without_a_body_suits_everybody() {
        let offers = Offers::new(&[]);
        for accept in ["", "*/*", "image/png", "application/json;q=0"] {
            let value = HeaderValue::from_static(accept);
            let headers = HeaderMap::from_iter([(ACCEPT, value)]);
            assert!(offers.negotiate(&headers).is_ok(), "{accept}");
        }
    }

    #[test]
    fn nothing_acceptable_is_406() {
        for accept in ["application/xml", "image/*", "*/*;q=0", "json", ","] {
            assert_eq!(answer(accept), "406 media_type.not_acceptable", "{accept}");
        }
    }
}
