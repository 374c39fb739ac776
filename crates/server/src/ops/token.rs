//! `POST /connect/token`: the client credentials grant (RFC 6749, 4.4), by form or HTTP Basic.
//!
//! Its errors are those of RFC 6749, 5.2, not problems. An unknown client, a wrong secret and a revoked
//! client get the same answer after the same work.

use std::net::IpAddr;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::header::{AUTHORIZATION, CACHE_CONTROL, CONTENT_TYPE, PRAGMA, WWW_AUTHENTICATE};
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use serde::Serialize;

use crate::app::App;
use crate::auth::refused::RefusedKind;
use crate::auth::scopes::Scopes;
use crate::auth::secrets::{self, MAX_SECRET_CHARACTERS, StoredHashes, Verdict};
use crate::auth::settings::ClientSettings;
use crate::auth::tokens::IssuedToken;
use crate::http::body::Response;
use crate::http::client_address::{self, ClientAddress};
use crate::http::connections::{Connection, client_is_known};
use crate::http::extract;
use crate::http::problem::Problem;
use crate::http::request_body::RequestBody;
use crate::telemetry::shortened;
use obeya_read::text::quoted;
use obeya_store::clients::{self, Client};
use obeya_store::engine::StoreError;

/// A form with our three or four fields has some 200 bytes.
const MAX_FORM_BYTES: usize = 16 << 10;
/// The client whose memory a form uses: its own is not known yet.
const UNKNOWN_CLIENT: &str = "";
/// The most bytes of a client id in a log line; ours have 18.
const LOGGED_ID_BYTES: usize = 64;

/// An error of RFC 6749: its name, and advice.
struct OAuthError {
    status: StatusCode,
    error: &'static str,
    description: String,
    headers: Vec<(HeaderName, HeaderValue)>,
}

impl OAuthError {
    fn request(description: impl Into<String>) -> Self {
        Self {
            status: StatusCode::BAD_REQUEST,
            error: "invalid_request",
            description: description.into(),
            headers: Vec::new(),
        }
    }

    /// A body that is too large, too slow or truncated, with its usual status and headers. RFC 6749 knows
    /// only 400 here, but a client that reads only the status can act on 408 and 413, and others find the
    /// error that they expect.
    fn body(problem: Problem) -> Self {
        let (status, description, headers) = problem.into_parts();
        Self {
            status,
            headers,
            ..Self::request(description)
        }
    }

    fn client(description: impl Into<String>) -> Self {
        Self {
            status: StatusCode::UNAUTHORIZED,
            error: "invalid_client",
            description: description.into(),
            headers: Vec::new(),
        }
    }

    fn scope(description: impl Into<String>) -> Self {
        Self {
            status: StatusCode::BAD_REQUEST,
            error: "invalid_scope",
            description: description.into(),
            headers: Vec::new(),
        }
    }
}

/// Either kind of failure; a [`Problem`] is the service's fault.
enum Failure {
    OAuth(OAuthError),
    Problem(Problem),
}

impl From<OAuthError> for Failure {
    fn from(error: OAuthError) -> Self {
        Self::OAuth(error)
    }
}

impl<E: Into<Problem>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::Problem(error.into())
    }
}

#[derive(Serialize)]
struct TokenResponse<'a> {
    access_token: &'a str,
    expires_in: i64,
    token_type: &'a str,
    scope: &'a str,
}

#[derive(Serialize)]
struct ErrorResponse<'a> {
    error: &'a str,
    error_description: &'a str,
}

/// The fields of a token request.
#[derive(Default)]
struct TokenForm {
    grant_type: Option<String>,
    client_id: Option<String>,
    client_secret: Option<String>,
    scope: Option<String>,
}

/// Answers a token request.
pub(crate) async fn token(
    app: &App,
    head: &Parts,
    mut body: RequestBody,
) -> Result<Response, Problem> {
    let mut client_id = None;
    let outcome = grant(app, head, &mut body, &mut client_id).await;
    let (status, extra, text) = match outcome {
        Ok((token, scopes)) => {
            app.metrics.tokens_issued.inc();
            let response = TokenResponse {
                access_token: &token.text,
                expires_in: token.lifetime,
                token_type: "Bearer",
                scope: &scopes.list(),
            };
            (StatusCode::OK, Vec::new(), serde_json::to_string(&response))
        }
        Err(Failure::OAuth(OAuthError {
            status,
            error,
            description,
            headers,
        })) => {
            app.metrics.tokens_refused.inc();
            app.refused
                .count(&app.clock, &head.extensions, RefusedKind::Request);
            if app.token_refusals.permit(status) {
                log_refusal(head, client_id.as_deref(), error);
            }
            (
                status,
                headers,
                serde_json::to_string(&ErrorResponse {
                    error,
                    error_description: &description,
                }),
            )
        }
        Err(Failure::Problem(problem)) => return Err(problem),
    };
    let mut response = Response::new(Bytes::from(text.map_err(Problem::internal)?).into());
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(PRAGMA, HeaderValue::from_static("no-cache"));
    headers.extend(extra);
    if status == StatusCode::UNAUTHORIZED {
        headers.insert(
            WWW_AUTHENTICATE,
            HeaderValue::from_static("Basic realm=\"obeya\", charset=\"UTF-8\""),
        );
        // Only failures count, after the secret was checked: nobody can keep a client with the right secret
        // out by sending wrong ones from the same address.
        let client = head.extensions.get::<ClientAddress>();
        let has_failed_too_often =
            client.is_some_and(|client| app.rates.count_token_failure(client.address, headers));
        if has_failed_too_often {
            *response.status_mut() = StatusCode::TOO_MANY_REQUESTS;
        }
    }
    Ok(response)
}

/// Logs a refused request, so that attempts to guess secrets can be found.
fn log_refusal(head: &Parts, client_id: Option<&str>, error: &'static str) {
    let connection = head.extensions.get::<Arc<Connection>>();
    let client = head.extensions.get::<ClientAddress>();
    // The id is arbitrary input: it is shortened, and `Debug` escapes it.
    let client_id = client_id.map(|id| shortened(id, LOGGED_ID_BYTES));
    tracing::warn!(
        peer = connection.map(|connection| tracing::field::display(connection.peer())),
        address = client.map(|client| tracing::field::display(client.address)),
        client_id = client_id.as_ref().map(tracing::field::debug),
        error,
        "refused a token request"
    );
}

/// Issues a token; returns it and its scopes. Stores the client id of the request in `client_id`.
async fn grant(
    app: &App,
    head: &Parts,
    body: &mut RequestBody,
    client_id: &mut Option<String>,
) -> Result<(IssuedToken, Scopes), Failure> {
    let headers = &head.headers;
    let form = read_form(app, headers, body).await?;
    client_id.clone_from(&form.client_id);
    match form.grant_type.as_deref() {
        Some("client_credentials") => {}
        Some(_) => {
            return Err(Failure::OAuth(OAuthError {
                status: StatusCode::BAD_REQUEST,
                error: "unsupported_grant_type",
                description: "The only grant_type is client_credentials.".to_owned(),
                headers: Vec::new(),
            }));
        }
        None => {
            return Err(OAuthError::request(
                "The field grant_type is missing; expected client_credentials.",
            )
            .into());
        }
    }
    let requested = form.scope.clone();
    let (id, secret) = credentials(headers, form)?;
    *client_id = Some(id.clone());
    let client = authenticate(app, id, secret, client_address::of(head)).await?;
    client_is_known(head).await;
    let granted = Scopes::parse_known(&client.scopes);
    let scopes = requested_scopes(granted, requested.as_deref())?;
    let tokens = Arc::clone(&app.tokens);
    let token = tokio::task::spawn_blocking(move || tokens.issue(&client, scopes))
        .await
        .map_err(Problem::internal)??;
    Ok((token, scopes))
}

async fn read_form(
    app: &App,
    headers: &HeaderMap,
    body: &mut RequestBody,
) -> Result<TokenForm, Failure> {
    let content_type = headers
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .unwrap_or("");
    let essence = content_type.split(';').next().unwrap_or("").trim();
    if !essence.eq_ignore_ascii_case("application/x-www-form-urlencoded") {
        return Err(
            OAuthError::request("The body must be application/x-www-form-urlencoded.").into(),
        );
    }
    let limits = &app.config.limits;
    let bytes = extract::bytes(
        body,
        headers,
        MAX_FORM_BYTES.min(limits.body_bytes),
        limits,
        &mut app.memory.body_of(UNKNOWN_CLIENT),
    )
    .await
    .map_err(OAuthError::body)?;
    let pairs: Vec<(String, String)> = serde_urlencoded::from_bytes(&bytes)
        .map_err(|_| OAuthError::request("The body is not a form in UTF-8."))?;
    let mut form = TokenForm::default();
    for (name, value) in pairs {
        let field = match name.as_str() {
            "grant_type" => &mut form.grant_type,
            "client_id" => &mut form.client_id,
            "client_secret" => &mut form.client_secret,
            "scope" => &mut form.scope,
            // RFC 6749, 3.2: unknown parameters are ignored.
            _ => continue,
        };
        if field.is_some() {
            return Err(
                OAuthError::request(format!("The field {name} is given more than once.")).into(),
            );
        }
        // RFC 6749, 3.2: a parameter without a value counts as absent.
        if !value.is_empty() {
            *field = Some(value);
        }
    }
    Ok(form)
}

/// The id and secret, from the header or the form but not from both.
fn credentials(headers: &HeaderMap, form: TokenForm) -> Result<(String, String), OAuthError> {
    let Some(header) = headers.get(AUTHORIZATION) else {
        let id = form
            .client_id
            .ok_or_else(|| OAuthError::client("The field client_id is missing."))?;
        let secret = form
            .client_secret
            .ok_or_else(|| OAuthError::client("The field client_secret is missing."))?;
        return Ok((id, secret));
    };
    let (id, secret) = basic(header)
        .ok_or_else(|| OAuthError::client("The Authorization header is not HTTP Basic."))?;
    if form.client_secret.is_some() {
        return Err(OAuthError::request(
            "The secret is given both in the Authorization header and in the form.",
        ));
    }
    if form.client_id.is_some_and(|other| other != id) {
        return Err(OAuthError::request(
            "The client_id differs between the Authorization header and the form.",
        ));
    }
    Ok((id, secret))
}

/// RFC 6749, 2.3.1: both halves are form-encoded before they are joined.
fn basic(header: &HeaderValue) -> Option<(String, String)> {
    let (scheme, encoded) = header.to_str().ok()?.split_once(' ')?;
    if !scheme.eq_ignore_ascii_case("basic") {
        return None;
    }
    let joined = String::from_utf8(STANDARD.decode(encoded.trim()).ok()?).ok()?;
    let (id, secret) = joined.split_once(':')?;
    Some((form_decode(id)?, form_decode(secret)?))
}

fn form_decode(text: &str) -> Option<String> {
    let pairs: Vec<(String, String)> =
        serde_urlencoded::from_str(&format!("v={}", text.replace('&', "%26"))).ok()?;
    pairs.into_iter().next().map(|(_, value)| value)
}

/// The client, if it may call and the secret is correct.
async fn authenticate(
    app: &App,
    id: String,
    secret: String,
    address: Option<IpAddr>,
) -> Result<Client, Failure> {
    // The store cannot look up a text with NUL, and no id has one; it is handled like any unknown client.
    let key = if id.contains('\0') { String::new() } else { id };
    let found = app
        .store
        .control(move |session| clients::find(session, &key))
        .await?;
    // One that may not call at all is handled like an unknown one too.
    let client = found.filter(|client| may_call(client, app.clock.seconds(), address));
    let hashes = client
        .as_ref()
        .map(|client| StoredHashes::of(client, app.clock.ticks()));
    // Cut, so that a megabyte is not hashed. A secret that was cut never matches, because ours are shorter.
    let secret: String = secret.chars().take(MAX_SECRET_CHARACTERS).collect();
    let remains = app.tokens.argon2id_remains();
    let checked = app.secrets.check(
        secret.clone(),
        hashes.unwrap_or_default(),
        remains,
        &app.metrics,
    );
    match (client, checked.await?) {
        (None, _) | (_, Verdict::Wrong) => {
            Err(OAuthError::client("The client is unknown or its secret is wrong.").into())
        }
        (Some(client), Verdict::Right) => Ok(client),
        (Some(client), Verdict::RightToRehash) => {
            rehash(app, client.clone(), &secret)?;
            Ok(client)
        }
    }
}

/// Whether a client is neither revoked nor expired, and the address is one of its own.
fn may_call(client: &Client, now: i64, address: Option<IpAddr>) -> bool {
    let settings = ClientSettings::read(client).ok().flatten();
    settings.is_some_and(|settings| {
        settings.expires.is_none_or(|end| now < end) && settings.allow(address)
    })
}

/// Replaces the argon2id hash of a secret. The token does not wait for the writer, and needs no database that
/// can be written.
fn rehash(app: &App, client: Client, secret: &str) -> Result<(), Problem> {
    let new = secrets::hash(secret).map_err(|error| Problem::internal(error.to_string()))?;
    let store = app.store.clone();
    tokio::spawn(async move {
        let replaced = store.write(move |session| {
            clients::replace_hash(session, &client.id, &client.secret_hash, &new)
        });
        if let Err::<(), StoreError>(error) = replaced.await {
            tracing::warn!(%error, "cannot replace the argon2id hash of a secret");
        }
    });
    Ok(())
}

/// The scopes of the token: the requested ones, else all.
fn requested_scopes(granted: Scopes, requested: Option<&str>) -> Result<Scopes, OAuthError> {
    let names: Vec<&str> = requested
        .unwrap_or("")
        .split(' ')
        .filter(|name| !name.is_empty())
        .collect();
    if names.is_empty() {
        return Ok(granted);
    }
    let scopes = Scopes::from_names(names)
        .map_err(|name| OAuthError::scope(format!("There is no scope {}.", quoted(name))))?;
    if granted.covers(scopes) {
        Ok(scopes)
    } else {
        Err(OAuthError::scope(format!(
            "The client is granted {} only.",
            granted.names().join(", ")
        )))
    }
}
