//! Tokens: shared by all calls, fetched once, cached while valid, and never printed.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::routing::{get, post};
use obeya::{Client, Error, Exchange};
use tokio::sync::Notify;

use crate::support::{
    Clock, Counter, area, found, issuer, issuer_answering, json, serve, token, wait,
    with_credentials, with_token,
};

/// `GET /v2/areas/1` for who holds the token of this number.
fn guarded(good: usize) -> Router {
    let answer = async move |headers: HeaderMap| {
        if headers["authorization"] == format!("Bearer token-{good}").as_str() {
            found()
        } else {
            json(401, "")
        }
    };
    Router::new().route("/v2/areas/1", get(answer))
}

#[tokio::test]
async fn fifty_refused_calls_fetch_one_token() {
    let fetches = Counter::default();
    // The first token is refused, the second is good.
    let url = serve(issuer(&fetches).merge(guarded(2))).await;
    let client = with_credentials(&url).build().unwrap();
    client.authenticate().await.unwrap();
    assert_eq!(fetches.total(), 1);
    let calls: Vec<_> = (0..50)
        .map(|_| tokio::spawn(client.areas().get(1).send()))
        .collect();
    for call in calls {
        assert_eq!(call.await.unwrap().unwrap().id, Some(1));
    }
    assert_eq!(fetches.total(), 2);
}

#[tokio::test]
async fn other_limits_share_the_token() {
    let fetches = Counter::default();
    let (areas, asked) = area(|_| json(503, ""));
    let silent = get(std::future::pending::<axum::response::Response>);
    let routes = areas.route("/v2/areas/2", silent);
    let url = serve(issuer(&fetches).merge(routes)).await;
    let client = with_credentials(&url).build().unwrap();
    client.authenticate().await.unwrap();
    let hasty = client.max_retries(0).timeout(Duration::from_secs(600));
    let error = hasty.areas().get(1).send().await.unwrap_err();
    assert_eq!(error.status(), Some(503));
    assert_eq!((asked.total(), fetches.total()), (1, 1));
    let hastier = hasty.timeout(Duration::from_millis(5));
    let late = hastier.areas().get(2).send().await;
    assert!(matches!(late, Err(Error::Timeout { .. })), "{late:?}");
}

#[tokio::test]
async fn other_limits_are_those_of_the_token_too() {
    let (busy, fetches) = issuer_answering(|asked| match asked {
        6 => token(6),
        _ => wait(503, "0"),
    });
    let client = with_credentials(&serve(busy).await).build().unwrap();
    let hasty = client.max_retries(0);
    hasty.authenticate().await.unwrap_err();
    assert_eq!(fetches.total(), 1);
    client.authenticate().await.unwrap_err();
    assert_eq!(fetches.total(), 4);
    // A call that waits for another's token, and may retry, does not get the other's error.
    let (one_try, more) = tokio::join!(hasty.authenticate(), client.authenticate());
    one_try.unwrap_err();
    assert!(more.unwrap().is_some());
    assert_eq!(fetches.total(), 6);
}

#[tokio::test]
async fn a_call_with_more_time_does_not_fail_with_one_that_has_less() {
    let (busy, fetches) = issuer_answering(|asked| match asked {
        1 => wait(503, "3"),
        _ => token(1),
    });
    let client = with_credentials(&serve(busy).await).build().unwrap();
    // The issuer asks for a longer wait than the first call has.
    let hasty = client.timeout(Duration::from_secs(1));
    let (less, more) = tokio::join!(hasty.authenticate(), client.authenticate());
    assert_eq!(less.unwrap_err().status(), Some(503));
    assert!(more.unwrap().is_some());
    assert_eq!(fetches.total(), 2);
}

#[tokio::test]
async fn a_lifetime_may_be_a_text_or_a_fraction() {
    let seconds = |life: &'static str| async move {
        let body = format!(r#"{{"access_token":"t","expires_in":{life}}}"#);
        let answer = async move || json(200, body);
        let url = serve(Router::new().route("/connect/token", post(answer))).await;
        let client = with_credentials(&url).build().unwrap();
        let access = client.authenticate().await.unwrap().unwrap();
        access.expires_in.map(|life| life.as_secs())
    };
    for (life, expected) in [
        ("3600", Some(3600)),
        (r#""3600""#, Some(3600)),
        ("3600.0", Some(3600)),
        ("null", None),
        (r#""soon""#, None),
        ("-1", None),
    ] {
        assert_eq!(seconds(life).await, expected, "{life}");
    }
}

#[tokio::test]
async fn a_late_refusal_does_not_cost_the_new_token() {
    let fetches = Counter::default();
    let sent = Arc::new(Notify::new());
    let go = Arc::new(Notify::new());
    let (arrived, released) = (sent.clone(), go.clone());
    // Refuses the first token only when notified.
    let slow = get(async move |headers: HeaderMap| {
        if headers["authorization"] == "Bearer token-2" {
            return found();
        }
        arrived.notify_one();
        released.notified().await;
        json(401, "")
    });
    let routes = issuer(&fetches)
        .merge(guarded(2))
        .route("/v2/areas/2", slow);
    let client = with_credentials(&serve(routes).await).build().unwrap();
    let late = tokio::spawn(client.areas().get(2).send());
    sent.notified().await;
    client.areas().get(1).await.unwrap();
    assert_eq!(fetches.total(), 2);
    go.notify_one();
    late.await.unwrap().unwrap();
    assert_eq!(fetches.total(), 2);
}

#[tokio::test]
async fn fifty_first_calls_fetch_one_token() {
    let fetches = Counter::default();
    let url = serve(issuer(&fetches).merge(guarded(1))).await;
    let client = with_credentials(&url).build().unwrap();
    let calls: Vec<_> = (0..50)
        .map(|_| tokio::spawn(client.clone().areas().get(1).send()))
        .collect();
    for call in calls {
        call.await.unwrap().unwrap();
    }
    assert_eq!(fetches.total(), 1);
}

#[tokio::test]
async fn waiting_calls_share_the_issuers_refusal() {
    let fetches = Counter::default();
    let count = fetches.clone();
    let refusal = async move || {
        count.next();
        // Long enough for all fifty to be waiting.
        tokio::task::yield_now().await;
        json(
            400,
            r#"{"error":"invalid_scope","error_description":"Data.Write is not granted"}"#,
        )
    };
    let url = serve(Router::new().route("/connect/token", post(refusal))).await;
    let client = with_credentials(&url).build().unwrap();
    let calls: Vec<_> = (0..50)
        .map(|_| tokio::spawn(client.areas().get(1).send()))
        .collect();
    for call in calls {
        let error = call.await.unwrap().unwrap_err();
        assert!(
            matches!(error, Error::Auth { status: 400, .. }),
            "{error:?}"
        );
        assert_eq!(error.code(), Some("invalid_scope"));
        assert_eq!(
            error.to_string(),
            "no access token: invalid_scope: Data.Write is not granted"
        );
    }
    assert_eq!(fetches.total(), 1);
    // A later call asks again: the refusal is not remembered.
    client.areas().get(1).await.unwrap_err();
    assert_eq!(fetches.total(), 2);
}

#[tokio::test]
async fn a_fresh_token_that_is_refused_is_an_answer() {
    let fetches = Counter::default();
    let url = serve(issuer(&fetches).merge(guarded(99))).await;
    let client = with_credentials(&url).build().unwrap();
    let error = client.areas().get(1).await.unwrap_err();
    assert_eq!(error.status(), Some(401));
    assert_eq!(fetches.total(), 2);
}

#[tokio::test]
async fn a_given_token_is_never_refreshed() {
    let (routes, asked) = area(|_| json(401, ""));
    let fetches = Counter::default();
    let url = serve(routes.merge(issuer(&fetches))).await;
    let error = with_token(&url)
        .build()
        .unwrap()
        .areas()
        .get(1)
        .await
        .unwrap_err();
    assert_eq!(error.status(), Some(401));
    assert_eq!((asked.total(), fetches.total()), (1, 0));
}

#[tokio::test]
async fn a_token_is_kept_until_shortly_before_it_expires() {
    let fetches = Counter::default();
    let url = serve(issuer(&fetches).merge(area(|_| found()).0)).await;
    let client = with_credentials(&url)
        .timeout(Duration::from_secs(1_000_000))
        .build()
        .unwrap();
    let clock = Clock::stop();
    client.areas().get(1).await.unwrap();
    // 86,400 s of life, less a minute.
    clock.advance(Duration::from_secs(86_400 - 61)).await;
    client.areas().get(1).await.unwrap();
    assert_eq!(fetches.total(), 1);
    clock.advance(Duration::from_secs(1)).await;
    client.areas().get(1).await.unwrap();
    assert_eq!(fetches.total(), 2);
}

/// The form that a token endpoint got.
type Form = Arc<Mutex<String>>;

/// A token endpoint at this path, that notes what it gets.
fn endpoint(path: &str, seen: &Form) -> Router {
    let note = async |State(seen): State<Form>, body: String| {
        *seen.lock().unwrap() = body;
        token(1)
    };
    Router::new()
        .route(path, post(note))
        .with_state(seen.clone())
}

/// A discovery document at the address that is asked, with this token endpoint.
fn discovery(
    asked: &Counter,
    endpoint: impl Fn(&str) -> String + Clone + Send + Sync + 'static,
) -> Router {
    let count = asked.clone();
    let document = async move |headers: HeaderMap| {
        count.next();
        let here = format!("http://{}", headers["host"].to_str().unwrap());
        let endpoint = endpoint(&here);
        json(
            200,
            format!(r#"{{"issuer":"{here}","token_endpoint":"{endpoint}"}}"#),
        )
    };
    Router::new().route("/.well-known/openid-configuration", get(document))
}

const SECRET: &str = "grant_type=client_credentials&client_id=plant&client_secret=hunter2";

#[tokio::test]
async fn the_discovery_document_says_where_tokens_are() {
    let (asked, seen) = (Counter::default(), Form::default());
    let routes = discovery(&asked, |here| format!("{here}/elsewhere"));
    let auth_url = serve(routes.merge(endpoint("/elsewhere", &seen))).await;
    let url = serve(guarded(1)).await;
    let client = with_credentials(&url)
        .auth_url(&auth_url)
        .scopes(["Data.Read", "Boards.Read"])
        .build()
        .unwrap();
    client.areas().get(1).await.unwrap();
    client.areas().get(1).await.unwrap();
    assert_eq!(asked.total(), 1);
    assert_eq!(
        *seen.lock().unwrap(),
        format!("{SECRET}&scope=Data.Read+Boards.Read")
    );
}

/// RFC 8414, section 3.3, and more: not even the issuer itself leads the secret to another origin.
#[tokio::test]
async fn a_discovery_document_leads_the_secret_to_no_other_origin() {
    let (elsewhere, usual) = (Form::default(), Form::default());
    let other = serve(endpoint("/token", &elsewhere)).await;
    let other_token = format!("{other}/token");
    let named = other_token.clone();
    let routes = discovery(&Counter::default(), move |_| named.clone());
    let url = serve(
        routes
            .merge(endpoint("/connect/token", &usual))
            .merge(guarded(1)),
    )
    .await;
    let client = with_credentials(&url).build().unwrap();
    client.areas().get(1).await.unwrap();
    assert_eq!(*elsewhere.lock().unwrap(), "");
    assert_eq!(*usual.lock().unwrap(), SECRET);

    let chosen = with_credentials(&url).token_url(&other_token);
    chosen.build().unwrap().areas().get(1).await.unwrap();
    assert_eq!(*elsewhere.lock().unwrap(), SECRET);

    // Where there is no usual place, the error says what to do.
    let named = other_token.clone();
    let url = serve(discovery(&Counter::default(), move |_| named.clone())).await;
    let error = with_credentials(&url).build().unwrap();
    let error = error.authenticate().await.unwrap_err().to_string();
    let expected = format!(
        "no access token: invalid_response: the issuer answered with status 404 Not Found; the issuer's \
         discovery document is not followed: its token endpoint is on {other}; set token_url to allow it"
    );
    assert_eq!(error, expected);
}

#[tokio::test]
async fn no_redirect_leads_the_secret_or_the_token_elsewhere() {
    for status in [301, 302, 303, 307, 308] {
        let met = Counter::default();
        let count = met.clone();
        let other = serve(Router::new().fallback(async move || {
            count.next();
            token(1)
        }))
        .await;
        let away = move || {
            let mut response = json(status, "");
            let location = format!("{other}/connect/token").parse().unwrap();
            response.headers_mut().insert("location", location);
            response
        };
        let token_away = away.clone();
        let redirecting = Router::new().route("/connect/token", post(async move || token_away()));
        let client = with_credentials(&serve(redirecting).await).build().unwrap();
        let error = client.authenticate().await.unwrap_err();
        assert_eq!(error.status(), Some(status));
        let url = serve(Router::new().route("/v2/areas/1", get(async move || away()))).await;
        let error = with_token(&url).build().unwrap().areas().get(1).await;
        assert_eq!(error.unwrap_err().status(), Some(status));
        assert_eq!(met.total(), 0, "{status}");
    }
}

#[tokio::test]
async fn an_answer_that_is_no_token_is_an_error_without_its_text() {
    for body in [
        "<html>",
        r#"{"access_token":7}"#,
        r#"{"access_token":""}"#,
        r#"{"access_token":"a"}more"#,
        r#"{"access_token":"a","token_type":"mac"}"#,
    ] {
        let answer = async move || json(200, body);
        let url = serve(Router::new().route("/connect/token", post(answer))).await;
        let client = with_credentials(&url).build().unwrap();
        let error = client.authenticate().await.unwrap_err();
        assert_eq!(error.code(), Some("invalid_response"));
        assert!(!error.to_string().contains(body), "{error}");
    }
}

#[tokio::test]
async fn access_tells_lifetime_and_scopes() {
    let url = serve(issuer(&Counter::default())).await;
    let client = with_credentials(&url).build().unwrap();
    let access = client.authenticate().await.unwrap().unwrap();
    assert_eq!(access.expires_in, Some(Duration::from_secs(86_400)));
    assert_eq!(access.scopes, ["Data.Read", "Data.ReadWrite"]);
    let anonymous = Client::builder()
        .base_url(&url)
        .anonymous()
        .build()
        .unwrap();
    assert!(anonymous.authenticate().await.unwrap().is_none());
}

#[tokio::test]
async fn secrets_and_tokens_are_shown_nowhere() {
    let shown = Arc::new(Mutex::new(String::new()));
    let log = Arc::clone(&shown);
    let url = serve(issuer(&Counter::default()).merge(area(|_| json(403, "")).0)).await;
    let builder = with_credentials(&url).observe(Arc::new(move |exchange: &Exchange<'_>| {
        log.lock().unwrap().push_str(&format!("{exchange:?}"));
    }));
    let mut text = format!("{builder:?}");
    let client = builder.build().unwrap();
    let error = client.areas().get(1).await.unwrap_err();
    text += &format!("{client:?}{:?}{error:?}{error}", client.areas());
    text += &format!("{:?}", with_token(&url).token("token-x").build().unwrap());
    text += &shown.lock().unwrap();
    assert!(text.contains("v2/areas/1"), "the observer saw the call");
    for secret in ["hunter2", "token-1", "token-x"] {
        assert!(!text.contains(secret), "{secret} in {text}");
    }
}
