//! What is tried again, when, and how often, with the clock in the test's hand.

use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::response::Response;
use axum::routing::{get, post, put};
use obeya::model::{CategoryInput, ImprovementUpdate, IncidentCreate, IncidentSeverity, Patch};
use obeya::{ClientBuilder, Error};
use tokio::io::AsyncReadExt as _;
use tokio::net::TcpListener;

use crate::support::{
    Clock, Counter, area, found, issuer_answering, json, serve, token, wait, watched,
    with_credentials, with_token,
};

/// Longer than the longest wait of our own.
const LONG: Duration = Duration::from_secs(8);

fn incident() -> IncidentCreate {
    IncidentCreate::new(
        3,
        IncidentSeverity::Low,
        "Leak",
        "2026-03-02".parse().unwrap(),
        vec![CategoryInput::new(1)],
    )
}

#[tokio::test]
async fn a_read_is_tried_three_times_in_all() {
    let clock = Clock::stop();
    for status in [429, 502, 503, 504] {
        let (routes, asked) = area(move |_| json(status, ""));
        let url = serve(routes).await;
        let (builder, mut tries) = watched(with_token(&url));
        let call = tokio::spawn(builder.build().unwrap().areas().get(1).send());
        for attempt in 1..=3 {
            assert_eq!(tries.recv().await, Some((attempt, Some(status))));
            clock.advance(LONG).await;
        }
        let error = call.await.unwrap().unwrap_err();
        assert_eq!((error.status(), error.is_retryable()), (Some(status), true));
        assert_eq!(asked.total(), 3);
    }
}

#[tokio::test]
async fn a_read_that_succeeds_later_succeeds() {
    let (routes, asked) = area(|asked| if asked < 3 { json(503, "") } else { found() });
    let url = serve(routes).await;
    let clock = Clock::stop();
    let (builder, mut tries) = watched(with_token(&url));
    let call = tokio::spawn(builder.build().unwrap().areas().get(1).send());
    for _ in 0..3 {
        tries.recv().await;
        clock.advance(LONG).await;
    }
    assert_eq!(call.await.unwrap().unwrap().name.as_deref(), Some("Line 2"));
    assert_eq!(asked.total(), 3);
}

#[tokio::test]
async fn other_answers_are_final_and_no_retries_means_none() {
    for (status, retries) in [(400, 2), (404, 2), (409, 2), (500, 2), (503, 0)] {
        let (routes, asked) = area(move |_| json(status, ""));
        let url = serve(routes).await;
        let client = with_token(&url).max_retries(retries).build().unwrap();
        let error = client.areas().get(1).await.unwrap_err();
        assert_eq!(error.status(), Some(status));
        assert_eq!(asked.total(), 1, "{status}");
    }
}

/// How often a create is sent when its answers have this status and body.
async fn creates(status: u16, body: &'static str) -> usize {
    let asked = Counter::default();
    let count = asked.clone();
    let answer = async move || {
        count.next();
        let (mut parts, _) = wait(status, "0").into_parts();
        parts.headers.remove("content-length");
        Response::from_parts(parts, Body::from(body))
    };
    let url = serve(Router::new().route("/v1/Incidents", post(answer))).await;
    let client = with_token(&url).build().unwrap();
    let error = client.incidents().create(&incident()).await.unwrap_err();
    assert_eq!(error.status(), Some(status));
    asked.total()
}

#[tokio::test]
async fn a_create_is_repeated_only_when_it_was_not_taken() {
    assert_eq!(creates(429, "").await, 3);
    assert_eq!(creates(503, r#"{"code":"unavailable"}"#).await, 3);
    // A service that may still commit it, and a proxy that does not say.
    assert_eq!(creates(503, r#"{"code":"timeout"}"#).await, 1);
    assert_eq!(creates(503, "").await, 1);
    assert_eq!(creates(502, "").await, 1);
    assert_eq!(creates(504, "").await, 1);
}

#[tokio::test]
async fn a_conflict_after_a_broken_try_says_that_there_was_one() {
    let updates = Counter::default();
    let count = updates.clone();
    let answer = async move || match count.next() {
        1 => cut(),
        _ => json(
            409,
            r#"{"title":"No way there","code":"improvement.transition"}"#,
        ),
    };
    let url = serve(Router::new().route("/v1/Improvements/1", put(answer))).await;
    let clock = Clock::stop();
    let (builder, mut tries) = watched(with_token(&url));
    let improvements = builder.build().unwrap().improvements();
    let update = async move || {
        improvements
            .update(1, &ImprovementUpdate::default())
            .await
            .unwrap_err()
    };
    let first = tokio::spawn({
        let update = update.clone();
        async move { update().await }
    });
    assert_eq!(tries.recv().await, Some((1, None)));
    clock.advance(LONG).await;
    let error = first.await.unwrap();
    assert_eq!(error.code(), Some("improvement.transition"));
    assert_eq!(
        error.to_string(),
        "updateImprovement: 409 No way there (improvement.transition); \
         an earlier attempt broke off and may have been applied"
    );
    let earlier = std::error::Error::source(&error).unwrap().to_string();
    assert!(
        earlier.starts_with("updateImprovement: the connection broke: "),
        "{earlier}"
    );

    // The same answer to a first try is about the caller's own request.
    let error = update().await;
    assert_eq!(
        error.to_string(),
        "updateImprovement: 409 No way there (improvement.transition)"
    );
    assert!(std::error::Error::source(&error).is_none());
}

#[tokio::test]
async fn no_limit_is_too_long_for_the_clock() {
    let (routes, asked) = area(|asked| {
        if asked == 1 {
            wait(503, "99999999999999999999999")
        } else {
            found()
        }
    });
    let url = serve(routes).await;
    let settings = || {
        with_token(&url)
            .timeout(Duration::MAX)
            .connect_timeout(Duration::MAX)
    };
    let refused = settings().build().unwrap().areas().get(1).await;
    assert_eq!(
        refused.unwrap_err().retry_after(),
        Some(Duration::from_secs(u64::MAX))
    );
    // A wait beyond every clock is no reason to panic either where the deadline is an ordinary one.
    let (routes, _) = area(|_| wait(503, "99999999999999999999999"));
    let patient = with_token(&serve(routes).await).max_retry_after(Duration::MAX);
    let refused = patient.build().unwrap().areas().get(1).await;
    assert_eq!(refused.unwrap_err().status(), Some(503));
    settings().build().unwrap().areas().get(1).await.unwrap();
    assert_eq!(asked.total(), 2);
}

/// The error of an update that fails in this many attempts.
async fn failed_update(clock: &Clock, settings: ClientBuilder, attempts: u32) -> Error {
    let (builder, mut tries) = watched(settings);
    let improvements = builder.build().unwrap().improvements();
    let call =
        tokio::spawn(async move { improvements.update(1, &ImprovementUpdate::default()).await });
    for attempt in 1..=attempts {
        assert_eq!(tries.recv().await, Some((attempt, None)));
        clock.advance(LONG).await;
    }
    call.await.unwrap().unwrap_err()
}

/// Whether an earlier attempt was applied is unknown, whatever the last one failed with.
#[tokio::test]
async fn an_undecided_attempt_is_named_by_every_later_error() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let stopped = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        stream.read_buf(&mut Vec::new()).await.unwrap();
    });
    let clock = Clock::stop();
    let error = failed_update(&clock, with_token(&url), 3).await;
    stopped.await.unwrap();
    let text = error.to_string();
    let Error::Connection {
        connecting,
        earlier,
        ..
    } = error
    else {
        panic!("{error:?}");
    };
    assert!(!connecting);
    let earlier = earlier.unwrap().to_string();
    assert!(earlier.contains("the connection broke"), "{earlier}");
    let start = "updateImprovement: no connection: ";
    assert!(text.starts_with(start), "{text}");
    let end = "broke off and may have been applied";
    assert!(text.ends_with(end), "{text}");

    // A last attempt that was sent says so itself.
    let broken = Router::new().route("/v1/Improvements/1", put(async || cut()));
    let settings = with_token(&serve(broken).await);
    let text = failed_update(&clock, settings, 3).await.to_string();
    let start = "updateImprovement: the connection broke: ";
    assert!(text.starts_with(start), "{text}");

    let (issuer, _) = issuer_answering(|asked| match asked {
        1 => token(1),
        _ => json(400, r#"{"error":"invalid_client"}"#),
    });
    let updates = Counter::default();
    let answer = async move || match updates.next() {
        1 => cut(),
        _ => json(401, ""),
    };
    let url = serve(issuer.route("/v1/Improvements/1", put(answer))).await;
    let error = failed_update(&clock, with_credentials(&url), 1).await;
    assert_eq!(
        error.to_string(),
        "no access token: invalid_client; an earlier attempt broke off and may have been applied"
    );
}

/// `serde_json` writes NaN as null, and null clears a property.
#[tokio::test]
async fn a_number_that_json_has_no_form_for_is_not_sent() {
    let client = with_token("http://127.0.0.1:9").build().unwrap();
    let cost = Patch::Value(f64::INFINITY);
    let update = ImprovementUpdate {
        cost_of_investment: cost,
        ..Default::default()
    };
    let updated = client.improvements().update(1, &update).await;
    let edited = client
        .improvements()
        .edit(1)
        .cost_of_investment(f64::NAN)
        .await;
    for (outcome, found) in [(updated, "inf"), (edited, "NaN")] {
        let reason = format!("costOfInvestment: found {found}, expected a finite number");
        let error = outcome.unwrap_err();
        assert!(matches!(error, Error::Request { .. }), "{error:?}");
        assert!(error.to_string().ends_with(&reason), "{error}");
    }
}

/// A body that breaks off.
fn cut() -> Response {
    let parts = [
        Ok(Bytes::from_static(b"{\"id\":")),
        Err(std::io::Error::other("cut")),
    ];
    Response::new(Body::from_stream(futures_util::stream::iter(parts)))
}

#[tokio::test]
async fn a_cut_answer_is_read_again_but_not_created_again() {
    let (routes, asked) = area(|asked| if asked == 1 { cut() } else { found() });
    let creates = Counter::default();
    let updates = Counter::default();
    let (create, update) = (creates.clone(), updates.clone());
    let routes = routes
        .route(
            "/v1/Incidents",
            post(async move || {
                create.next();
                cut()
            }),
        )
        .route(
            "/v1/Improvements/1",
            put(async move || {
                update.next();
                cut()
            }),
        );
    let url = serve(routes).await;
    let clock = Clock::stop();
    let (builder, mut tries) = watched(with_token(&url));
    let client = builder.build().unwrap();

    let read = tokio::spawn(client.areas().get(1).send());
    assert_eq!(tries.recv().await, Some((1, None)));
    clock.advance(LONG).await;
    assert_eq!(read.await.unwrap().unwrap().id, Some(1));
    assert_eq!(asked.total(), 2);

    let error = client.incidents().create(&incident()).await.unwrap_err();
    assert!(
        matches!(
            error,
            Error::Connection {
                connecting: false,
                ..
            }
        ),
        "{error:?}"
    );
    assert_eq!(creates.total(), 1);

    tries.recv().await;
    tries.recv().await;
    let improvements = client.improvements();
    let call =
        tokio::spawn(async move { improvements.update(1, &ImprovementUpdate::default()).await });
    for attempt in 1..=3 {
        assert_eq!(tries.recv().await, Some((attempt, None)));
        clock.advance(LONG).await;
    }
    call.await.unwrap().unwrap_err();
    assert_eq!(updates.total(), 3);
}

#[tokio::test]
async fn no_connection_is_tried_again_for_every_method() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let clock = Clock::stop();
    let (builder, mut tries) = watched(with_token(&url));
    let incidents = builder.build().unwrap().incidents();
    let call = tokio::spawn(async move { incidents.create(&incident()).await });
    for attempt in 1..=3 {
        assert_eq!(tries.recv().await, Some((attempt, None)));
        clock.advance(LONG).await;
    }
    let error = call.await.unwrap().unwrap_err();
    assert!(
        matches!(
            error,
            Error::Connection {
                connecting: true,
                ..
            }
        ),
        "{error:?}"
    );
    assert!(
        error
            .to_string()
            .starts_with("createIncident: no connection: "),
        "{error}"
    );
}

#[tokio::test]
async fn retry_after_is_waited_out_to_the_second() {
    let (routes, asked) = area(|asked| if asked == 1 { wait(429, "7") } else { found() });
    let url = serve(routes.route("/ping", get(async || "pong"))).await;
    let clock = Clock::stop();
    let (builder, mut tries) = watched(with_token(&url));
    let call = tokio::spawn(builder.build().unwrap().areas().get(1).send());
    tries.recv().await;
    clock.advance(Duration::from_millis(6_990)).await;
    // Another connection made and answered meanwhile: a second try would have been seen by now.
    tokio::net::TcpStream::connect(url.trim_start_matches("http://"))
        .await
        .unwrap();
    assert_eq!(asked.total(), 1);
    // Timers count whole milliseconds.
    clock.advance(Duration::from_millis(20)).await;
    tries.recv().await;
    call.await.unwrap().unwrap();
    assert_eq!(asked.total(), 2);
}

#[tokio::test]
async fn a_longer_retry_after_than_allowed_ends_the_call_at_once() {
    let (routes, asked) = area(|_| wait(503, "11"));
    let url = serve(routes).await;
    let client = with_token(&url)
        .max_retry_after(Duration::from_secs(10))
        .build()
        .unwrap();
    let error = client.areas().get(1).await.unwrap_err();
    assert_eq!(error.retry_after(), Some(Duration::from_secs(11)));
    assert_eq!(asked.total(), 1);
}

#[tokio::test]
async fn the_deadline_covers_the_whole_call() {
    // A wait that would end after the deadline is not begun: what happened says more than "timeout".
    let (routes, asked) = area(|_| wait(503, "5"));
    let seen = std::sync::Arc::new(tokio::sync::Notify::new());
    let notify = seen.clone();
    let never = get(async move || {
        notify.notify_one();
        std::future::pending::<()>().await;
    });
    let url = serve(routes.route("/v2/areas/2", never)).await;
    let clock = Clock::stop();
    let client = with_token(&url)
        .timeout(Duration::from_secs(5))
        .build()
        .unwrap();
    let error = client.areas().get(1).await.unwrap_err();
    assert_eq!((error.status(), asked.total()), (Some(503), 1));

    // An answer that never comes is given up when the time is over.
    let call = tokio::spawn(client.areas().get(2).send());
    seen.notified().await;
    clock.advance(Duration::from_millis(5_010)).await;
    let error = call.await.unwrap().unwrap_err();
    assert!(matches!(error, Error::Timeout { .. }), "{error:?}");
    assert_eq!(error.to_string(), "getArea: no response within 5s");
}

#[tokio::test]
async fn the_issuer_is_tried_again_too() {
    let fetches = Counter::default();
    let count = fetches.clone();
    let answer = async move || match count.next() {
        1 => wait(503, "0"),
        number => token(number),
    };
    let (routes, _) = area(|_| found());
    let url = serve(routes.route("/connect/token", post(answer))).await;
    let client = with_credentials(&url).build().unwrap();
    client.areas().get(1).await.unwrap();
    assert_eq!(fetches.total(), 2);
}

#[tokio::test]
async fn an_issuer_that_asks_to_wait_beyond_the_deadline_ends_the_call_at_once() {
    let fetches = Counter::default();
    let count = fetches.clone();
    let answer = async move || {
        count.next();
        wait(429, "9")
    };
    let (routes, asked) = area(|_| found());
    let url = serve(routes.route("/connect/token", post(answer))).await;
    let client = with_credentials(&url)
        .timeout(Duration::from_secs(9))
        .build()
        .unwrap();
    let error = client.areas().get(1).await.unwrap_err();
    assert!(matches!(error, Error::Auth { .. }), "{error:?}");
    assert_eq!(
        (error.status(), error.retry_after()),
        (Some(429), Some(Duration::from_secs(9)))
    );
    assert_eq!((fetches.total(), asked.total()), (1, 0));
}
