//! What a service answers to everybody: `/healthz`, `/readyz` and `/metrics`. No credentials are sent here.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use obeya::Client;
use reqwest::Url;
use serde_json::Value;

use super::samples::Samples;

const TIMEOUT: Duration = Duration::from_secs(10);
/// The most that is read of an answer. The metrics of the service have some 30 kB.
const MOST: usize = 4 << 20;

/// The three answers, or why there is none.
pub(super) struct Public {
    pub(super) health: Result<Health, String>,
    pub(super) readiness: Result<Health, String>,
    pub(super) metrics: Result<Samples, String>,
}

/// An answer to a probe.
pub(super) struct Health {
    /// Whether its status is 200.
    pub(super) is_well: bool,
    /// Why not: the detail of the problem, or the status.
    pub(super) reason: String,
    /// How long it took.
    pub(super) after: Duration,
}

struct Answer {
    status: u16,
    text: String,
    after: Duration,
}

/// Asks at both addresses.
///
/// # Errors
/// An address that is not one.
pub(super) async fn ask(url: &str, admin_url: Option<&str>) -> Result<Public> {
    let base = address(url)?;
    let admin = admin_url.map_or_else(|| Ok(base.clone()), address)?;
    // It installs the TLS provider for the requests below.
    Client::builder()
        .anonymous()
        .base_url(base.as_str())
        .build()?;
    let (health, readiness, metrics) = tokio::join!(
        get(&base, "/healthz"),
        get(&base, "/readyz"),
        get(&admin, "/metrics"),
    );
    let metrics = metrics.and_then(|answer| match answer.status {
        200 => Ok(Samples::read(&answer.text)),
        status => Err(format!("/metrics answers {status}")),
    });
    Ok(Public {
        health: health.map(Health::from),
        readiness: readiness.map(Health::from),
        metrics,
    })
}

impl From<Answer> for Health {
    fn from(answer: Answer) -> Self {
        let problem = serde_json::from_str::<Value>(&answer.text).ok();
        let detail = problem
            .as_ref()
            .and_then(|problem| problem["detail"].as_str());
        Self {
            is_well: answer.status == 200,
            reason: match detail {
                Some(detail) => format!("{detail} ({})", answer.status),
                None => format!("the answer is {}", answer.status),
            },
            after: answer.after,
        }
    }
}

fn address(text: &str) -> Result<Url> {
    let text = text.trim().trim_end_matches('/');
    let url = Url::parse(text).with_context(|| {
        format!("found the address `{text}`, expected one such as http://127.0.0.1:8080")
    })?;
    if !["http", "https"].contains(&url.scheme()) || !url.has_host() {
        bail!("found the address `{text}`, expected one that begins with http:// or https://");
    }
    Ok(url)
}

/// Whether requests stay on this machine, and need no proxy.
fn is_local(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let ip = host.trim_matches(['[', ']']).parse::<std::net::IpAddr>();
    host == "localhost" || ip.is_ok_and(|ip| ip.is_loopback())
}

async fn get(base: &Url, path: &str) -> Result<Answer, String> {
    let asked = async {
        let settings = reqwest::Client::builder()
            .user_agent(concat!("obeya-cli/", env!("CARGO_PKG_VERSION")))
            .timeout(TIMEOUT)
            .redirect(reqwest::redirect::Policy::none());
        let settings = match is_local(base) {
            true => settings.no_proxy(),
            false => settings,
        };
        let begun = Instant::now();
        let url = format!("{}{path}", base.as_str().trim_end_matches('/'));
        let mut response = settings.build()?.get(url).send().await?;
        let mut bytes = Vec::new();
        while let Some(chunk) = response.chunk().await? {
            bytes.extend_from_slice(&chunk);
            if bytes.len() > MOST {
                bail!("{path} answers more than {MOST} bytes");
            }
        }
        Ok(Answer {
            status: response.status().as_u16(),
            text: String::from_utf8_lossy(&bytes).into_owned(),
            after: begun.elapsed(),
        })
    };
    asked
        .await
        .map_err(|error: anyhow::Error| format!("{error:#}"))
}
