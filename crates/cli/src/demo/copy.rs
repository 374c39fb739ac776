//! The end of the demo: the list of incidents, and a local copy that `obeya sync` updates.

use std::io::Write;
use std::path::Path;
use std::time::Instant;

use anyhow::{Context as _, Result};
use obeya::Client;
use obeya::model::IncidentSeverity;
use obeya_server::Running;
use obeya_server::admin::NewClient;

use super::{call_summary, heading};
use crate::sync;
use crate::table::table;

/// Shows the newest incidents with status New; returns the first, and a severity that it does not have.
pub(super) async fn incidents(
    out: &mut impl Write,
    client: &Client,
) -> Result<(i32, IncidentSeverity)> {
    heading(out, 10, "Incidents that are still new")?;
    let started = Instant::now();
    let filter = "status eq 'New'";
    let order = "lastModified desc";
    let list = client.incidents().list().filter(filter).orderby(order);
    let page = list.page_size(5).await?;
    call_summary(
        out,
        &format!("GET /v1/Incidents?$filter={filter}&$orderby={order}&pageSize=5"),
        page.values.len(),
        Some(page.total.into()),
        started.elapsed(),
    )?;
    let mut rows = table(&["Id", "Incident", "Type", "Severity", "Changed"], &[0]);
    for incident in &page.values {
        rows.add_row([
            incident.id.to_string(),
            incident.title.clone(),
            incident.incident_type.clone(),
            incident.severity.to_string(),
            incident.last_modified.date().to_string(),
        ]);
    }
    writeln!(out, "{rows}")?;
    let first = page.values.first();
    first
        .map(|incident| (incident.id, other_severity(&incident.severity)))
        .context("there is no new incident")
}

/// What changes an incident of this severity; the same value again would change nothing.
fn other_severity(found: &IncidentSeverity) -> IncidentSeverity {
    match found {
        IncidentSeverity::High => IncidentSeverity::Medium,
        _ => IncidentSeverity::High,
    }
}

/// Copies to a folder of Parquet files, changes the severity of an incident, and copies again.
pub(super) async fn copy_twice(
    out: &mut impl Write,
    client: &Client,
    (running, credentials): (&Running, &NewClient),
    scratch: &Path,
    (incident, severity): (i32, IncidentSeverity),
) -> Result<()> {
    heading(
        out,
        11,
        "A copy as Parquet files, and its update after a change",
    )?;
    let folder = scratch.join("copy");
    let source = (running.base_url(), credentials.client_id.as_str());
    let datasource = obeya_demo::ENERGY;
    for is_first in [true, false] {
        if !is_first {
            let changed = severity.clone();
            client.incidents().set_severity(incident, changed).await?;
            writeln!(out, "   PUT /v1/Incidents/{incident}/severity, and again:")?;
        }
        writeln!(out, "   obeya sync --to copy --datasource {datasource}")?;
        sync::sync_to_folder(out, client, source, &folder, datasource).await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The demo's plant depends on the date, and so does the incident that is changed.
    #[test]
    fn whatever_severity_an_incident_has_it_is_changed() {
        for word in IncidentSeverity::WORDS {
            let found: IncidentSeverity = serde_json::from_value(word.into()).unwrap();
            assert_ne!(other_severity(&found), found);
        }
    }
}
