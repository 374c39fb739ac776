//! The main tasks, in the order a user would do them. Reads, writes and the copy are a file each.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context as _, Result};
use obeya::Client;
use obeya_demo::Written;
use obeya_server::Running;
use obeya_server::admin::NewClient;

use super::traffic::Traffic;
use super::{copy, heading, reads, writes};
use crate::table::format_duration;

/// Runs the story. Every request goes through the SDK, over HTTP.
pub(super) async fn run(
    out: &mut impl Write,
    running: &Running,
    credentials: &NewClient,
    built: &Written,
    scratch: &Path,
) -> Result<()> {
    let traffic = Arc::new(Traffic::default());
    let client = Client::builder()
        .base_url(running.base_url())
        .auth_url(running.auth_url())
        .client_id(&credentials.client_id)
        .client_secret(&credentials.client_secret)
        .user_agent("obeya-demo")
        .observe(traffic.clone())
        .build()?;

    heading(out, 1, "A token for the client made for the demo")?;
    let started = Instant::now();
    let access = client
        .authenticate()
        .await
        .context("no token")?
        .context("the client has no credentials")?;
    let hours = access
        .expires_in
        .map_or(0, |lifetime| lifetime.as_secs() / 3600);
    writeln!(
        out,
        "   good for {hours} hours, scopes {}, fetched in {}",
        access.scopes.join(" "),
        format_duration(started.elapsed())
    )?;

    reads::areas(out, &client).await?;
    let mechanics = reads::groups(out, &client).await?;
    reads::boards(out, &client).await?;
    reads::comments(out, &client).await?;
    writes::incident(out, &client, &mechanics).await?;
    writes::improvement(out, &client, built.implemented).await?;
    reads::trash(out, &client).await?;
    reads::values(out, &client, built.values).await?;

    let newest = copy::incidents(out, &client).await?;
    copy::copy_twice(out, &client, (running, credentials), scratch, newest).await?;

    heading(out, 12, "What went over the wire")?;
    traffic.print(out)?;
    Ok(())
}
