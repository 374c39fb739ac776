//! `Accept` against what an operation produces (RFC 9110, 12.5.1): q-values, wildcards, the most specific range.
//!
//! A range's own parameters prefer but never exclude: `application/json;odata.metadata=minimal` is what OData clients send, and plain
//! JSON is what they read.

use http::header::ACCEPT;
use http::{HeaderMap, HeaderValue, StatusCode};

use super::problem::Problem;

/// The media types one operation produces, ready to be negotiated.
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
    /// From the spec's list. Plain `application/json` goes first: it is the answer to whoever does not care.
    pub(crate) fn new(produces: &'static [&'static str]) -> Self {
        let mut offers: Vec<Offer> = produces
            .iter()
            .filter_map(|text| {
                let (essence, parameters) = text.split_once(';').unwrap_or((text, ""));
                // Without a charset, `text/*` would be read as ASCII by old clients.
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
        offers.sort_by_key(|offer| offer.content_type != "application/json");
        Self(offers)
    }

    /// The media type to answer with; 406 `media_type.not_acceptable` when none will do.
    pub(crate) fn negotiate(&self, headers: &HeaderMap) -> Result<HeaderValue, Problem> {
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
        let texts = first
            .into_iter()
            .chain(accepts)
            .filter_map(|value| value.to_str().ok());
        let ranges: Vec<Range<'_>> = texts
            .flat_map(|text| text.split(','))
            .filter_map(Range::parse)
            .collect();
        let mut best: Option<(u16, u8, &Offer)> = None;
        for offer in &self.0 {
            // The most specific range that matches an offer decides its quality.
            let Some((specificity, quality)) = ranges
                .iter()
                .filter_map(|range| range.matches(offer))
                .max_by_key(|(specificity, _)| *specificity)
            else {
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

/// One element of `Accept`.
struct Range<'a> {
    kind: &'a str,
    subtype: &'a str,
    parameters: Vec<&'a str>,
    /// Thousandths.
    quality: u16,
}

impl<'a> Range<'a> {
    /// `None` for an element that is no media range; it then takes no part.
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
                    // What follows q are extensions of Accept, which nobody uses.
                    break;
                }
                _ if part.is_empty() => {}
                _ => range.parameters.push(part),
            }
        }
        Some(range)
    }

    /// How specifically this range matches an offer, and with which quality.
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
                if same { 3 } else { 2 }
            }
            _ => return None,
        };
        Some((specificity, self.quality))
    }
}

/// A q-value in thousandths: `0`, `1`, or up to three decimals.
fn quality(text: &str) -> Option<u16> {
    let value: f32 = text.parse().ok()?;
    // In range by the check, so the conversion neither truncates nor loses the sign.
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
    fn nothing_acceptable_is_406() {
        for accept in ["application/xml", "image/*", "*/*;q=0", "json", ","] {
            assert_eq!(answer(accept), "406 media_type.not_acceptable", "{accept}");
        }
    }
}
