//! Why a client is refused, and the answers that RFC 6750 prescribes.

use http::header::WWW_AUTHENTICATE;
use http::{HeaderValue, StatusCode};

use super::scopes::Scopes;
use super::tokens::RevocationsUnknown;
use crate::http::problem::Problem;

/// Why a request is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// It carries no bearer token.
    Missing,
    /// Its token is malformed, signed by an unknown key or another algorithm, or for another audience. The
    /// text says which.
    Invalid(&'static str),
    /// Its token has expired.
    Expired,
    /// The client of its token was revoked.
    Revoked,
    /// Its token has none of these scopes.
    Scope(Scopes),
    /// The client may not call from the address of the request.
    Address,
    /// The client of its token may have been revoked.
    RevocationsUnknown(RevocationsUnknown),
}

impl Refusal {
    /// No key in use signed the token.
    pub(crate) const UNKNOWN_KEY: Self = Self::Invalid("the token is signed with an unknown key");
}

impl From<RevocationsUnknown> for Refusal {
    fn from(unknown: RevocationsUnknown) -> Self {
        Self::RevocationsUnknown(unknown)
    }
}

impl From<RevocationsUnknown> for Problem {
    fn from(unknown: RevocationsUnknown) -> Self {
        Problem::unavailable(unknown)
    }
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        let (code, title, text) = match refusal {
            Refusal::Missing => {
                let problem = Problem::new(
                    StatusCode::UNAUTHORIZED,
                    "token.missing",
                    "No access token",
                    "Send a token of the token endpoint as `Authorization: Bearer …`.",
                );
                return problem.header(
                    WWW_AUTHENTICATE,
                    HeaderValue::from_static("Bearer realm=\"obeya\""),
                );
            }
            Refusal::Scope(accepted) => return missing_scope(accepted),
            Refusal::Address => {
                return Problem::new(
                    StatusCode::FORBIDDEN,
                    "address.refused",
                    "Address refused",
                    "The client may not call from this address.",
                );
            }
            Refusal::RevocationsUnknown(unknown) => return unknown.into(),
            Refusal::Invalid(text) => ("token.invalid", "The access token is not accepted", text),
            Refusal::Expired => (
                "token.expired",
                "The access token has expired",
                "the token has expired",
            ),
            Refusal::Revoked => (
                "token.revoked",
                "The access token was revoked",
                "the client of the token was revoked",
            ),
        };
        let challenge = format!(
            "Bearer realm=\"obeya\", error=\"invalid_token\", error_description=\"{text}\""
        );
        let problem = Problem::new(
            StatusCode::UNAUTHORIZED,
            code,
            title,
            format!("Not authenticated: {text}."),
        );
        challenged(problem, &challenge)
    }
}

fn missing_scope(accepted: Scopes) -> Problem {
    let names = accepted.names();
    let detail = format!(
        "The token has none of the scopes that this operation accepts: {}.",
        names.join(", ")
    );
    let problem = Problem::new(
        StatusCode::FORBIDDEN,
        "scope.missing",
        "Scope missing",
        detail,
    );
    let challenge = format!(
        "Bearer realm=\"obeya\", error=\"insufficient_scope\", scope=\"{}\"",
        names.join(" ")
    );
    challenged(problem, &challenge)
}

fn challenged(problem: Problem, challenge: &str) -> Problem {
    match HeaderValue::from_str(challenge) {
        Ok(value) => problem.header(WWW_AUTHENTICATE, value),
        Err(_) => problem,
    }
}
