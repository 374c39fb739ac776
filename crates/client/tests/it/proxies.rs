//! The proxies of the environment: used for other machines, never for this one.
//!
//! A process has one environment, so each client runs in a process of its own: this test again.

use std::process::Command;
use std::sync::{Arc, Mutex};

use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use obeya::Client;

use crate::support::{Counter, area, found, issuer, serve};

const CLIENT_PROCESS: &str = "OBEYA_TEST_CLIENT_PROCESS";

type Seen = Arc<Mutex<Vec<String>>>;

/// An issuer and a service at one address, and the requests that they got. A request to a proxy has an
/// absolute URL.
async fn noted() -> (String, Seen) {
    let seen = Seen::default();
    let note = async |State(seen): State<Seen>, request: Request, next: Next| -> Response {
        let line = format!("{} {}", request.method(), request.uri());
        seen.lock().unwrap().push(line);
        next.run(request).await
    };
    let (areas, _) = area(|_| found());
    let routes = issuer(&Counter::default()).merge(areas);
    let url = serve(routes.layer(from_fn_with_state(seen.clone(), note))).await;
    (url, seen)
}

#[tokio::test]
async fn requests_to_this_machine_pass_no_proxy() {
    if std::env::var_os(CLIENT_PROCESS).is_some() {
        let client = Client::from_env().unwrap();
        let area = client.areas().get(1).send().await.unwrap();
        assert_eq!(area.id, Some(1));
        return;
    }
    let (proxy, proxied) = noted().await;
    let (here, direct) = noted().await;
    let (plant, sso) = ("http://plant.example", "http://sso.example");
    let discovery = "/.well-known/openid-configuration";
    let (token, read) = ("/connect/token", "/v2/areas/1");
    let here = here.as_str();
    let named = format!("{here}{token}");
    let cases = [
        // The access token stays here, while the issuer is reached by the proxy.
        (
            vec![("OBEYA_BASE_URL", here), ("OBEYA_AUTH_URL", sso)],
            vec![
                format!("GET {sso}{discovery}"),
                format!("POST {sso}{token}"),
            ],
            vec![format!("GET {read}")],
        ),
        // The secret stays here.
        (
            vec![("OBEYA_BASE_URL", plant), ("OBEYA_AUTH_URL", here)],
            vec![format!("GET {plant}{read}")],
            vec![format!("GET {discovery}"), format!("POST {token}")],
        ),
        (
            vec![
                ("OBEYA_BASE_URL", plant),
                ("OBEYA_AUTH_URL", sso),
                ("OBEYA_TOKEN_URL", &named),
            ],
            vec![
                format!("GET {sso}{discovery}"),
                format!("GET {plant}{read}"),
            ],
            vec![format!("POST {token}")],
        ),
    ];
    for (addresses, by_proxy, without) in cases {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command
            .args(["--exact", "proxies::requests_to_this_machine_pass_no_proxy"])
            .env_clear()
            .env(CLIENT_PROCESS, "1")
            .env("HTTP_PROXY", &proxy)
            .env("OBEYA_CLIENT_ID", "plant")
            .env("OBEYA_CLIENT_SECRET", "hunter2")
            .env("OBEYA_ALLOW_PLAIN_HTTP", "1")
            .envs(addresses.iter().copied());
        let ended = tokio::task::spawn_blocking(move || command.output());
        let ended = ended.await.unwrap().unwrap();
        assert!(ended.status.success(), "{addresses:?}: {ended:?}");
        let take = |seen: &Seen| std::mem::take(&mut *seen.lock().unwrap());
        assert_eq!(take(&proxied), by_proxy, "{addresses:?}");
        assert_eq!(take(&direct), without, "{addresses:?}");
    }
}
