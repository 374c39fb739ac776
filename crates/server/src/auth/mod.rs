//! Authentication and authorisation: clients and their secrets, tokens and the keys that sign them, scopes.
//!
//! A request is checked in memory. The store is used only to issue a token, for the first token of a client
//! that another process created, and periodically to read changes by other processes. This module knows of an
//! operation only the scopes that it accepts.

pub mod admin;
mod error;
mod jws;
pub(crate) mod keys;
pub(crate) mod refused;
pub(crate) mod scopes;
pub(crate) mod secrets;
pub(crate) mod settings;
mod token_cache;
pub(crate) mod tokens;

use std::net::IpAddr;
use std::sync::Arc;

use http::HeaderMap;
use http::header::AUTHORIZATION;

pub(crate) use error::Refusal;
use obeya_store::Store;
pub(crate) use token_cache::Grant;
pub(crate) use tokens::Tokens;

/// The client of a request, with its rights.
pub(crate) type Caller = Arc<Grant>;

/// Authenticates the client of a request by its bearer token and its address.
pub(crate) async fn authenticate(
    tokens: &Tokens,
    store: &Store,
    headers: &HeaderMap,
    address: Option<IpAddr>,
) -> Result<Caller, Refusal> {
    let caller = verify(tokens, store, headers).await?;
    if caller.client.allow(address) {
        Ok(caller)
    } else {
        Err(Refusal::Address)
    }
}

async fn verify(tokens: &Tokens, store: &Store, headers: &HeaderMap) -> Result<Caller, Refusal> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let value = values.next().ok_or(Refusal::Missing)?;
    if values.next().is_some() {
        return Err(Refusal::Invalid(
            "the request has more than one Authorization header",
        ));
    }
    let text = value
        .to_str()
        .map_err(|_| Refusal::Invalid("the token is malformed"))?;
    match text.split_once(' ') {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") => {
            tokens.verify(store, token.trim()).await
        }
        None if text.eq_ignore_ascii_case("bearer") => Err(Refusal::Invalid("the token is empty")),
        _ => Err(Refusal::Missing),
    }
}
