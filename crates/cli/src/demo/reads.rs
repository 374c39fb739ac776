//! The story's reads: areas, groups, boards and comments with OData options, the trash, and all values of a
//! datasource.

use std::collections::BTreeMap;
use std::io::Write;
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use obeya::Client;
use obeya::model::{DatasourceValue, GroupV2};

use super::{call_summary, heading};
use crate::table::{format_duration, group_digits, table};

/// Areas, by name.
pub(super) async fn areas(out: &mut impl Write, client: &Client) -> Result<()> {
    heading(
        out,
        2,
        "Areas where something is machined, assembled or tested",
    )?;
    let started = Instant::now();
    let filter =
        "startswith(name,'Machining') or contains(description,'assembly') or name eq 'Test bench'";
    let page = client
        .areas()
        .list()
        .filter(filter)
        .orderby("name desc")
        .count(true)
        .await?;
    call_summary(
        out,
        &format!("GET /v2/areas?$filter={filter}&$orderby=name desc&$count=true"),
        page.items.len(),
        page.count,
        started.elapsed(),
    )?;
    let mut rows = table(&["Id", "Area", "What happens there"], &[0]);
    for area in &page.items {
        rows.add_row([number(area.id), text(&area.name), text(&area.description)]);
    }
    writeln!(out, "{rows}")?;
    Ok(())
}

/// Shows the maintenance groups with their members; returns the group of mechanics, which the story uses
/// later.
pub(super) async fn groups(out: &mut impl Write, client: &Client) -> Result<GroupV2> {
    heading(out, 3, "Groups below Maintenance, with their people")?;
    let started = Instant::now();
    let filter = "parent/name eq 'Maintenance'";
    let page = client
        .groups()
        .list()
        .filter(filter)
        .expand("users")
        .orderby("name")
        .await?;
    call_summary(
        out,
        &format!("GET /v2/groups?$filter={filter}&$expand=users"),
        page.items.len(),
        page.count,
        started.elapsed(),
    )?;
    let mut rows = table(&["Id", "Group", "People"], &[0]);
    for group in &page.items {
        let people: Vec<String> = group
            .users
            .iter()
            .flatten()
            .map(|user| text(&user.display_name))
            .collect();
        rows.add_row([number(group.id), text(&group.name), people.join(", ")]);
    }
    writeln!(out, "{rows}")?;
    page.items
        .into_iter()
        .find(|group| group.name.as_deref() == Some("Mechanical"))
        .context("the mechanics are missing")
}

/// Public boards of two kinds, with their group, and one of them in detail.
pub(super) async fn boards(out: &mut impl Write, client: &Client) -> Result<()> {
    heading(out, 4, "Public boards, and one of them in detail")?;
    let started = Instant::now();
    let filter = "boardType in ('Kanban','Yearly') and isPublic eq true";
    let page = client
        .boards()
        .list()
        .filter(filter)
        .expand("group")
        .orderby("boardType,name")
        .top(8)
        .count(true)
        .await?;
    call_summary(
        out,
        &format!("GET /v2/boards?$filter={filter}&$expand=group&$top=8&$count=true"),
        page.items.len(),
        page.count,
        started.elapsed(),
    )?;
    let mut rows = table(&["Id", "Board", "Type", "Group"], &[0]);
    for board in &page.items {
        let kind = board
            .board_type
            .as_ref()
            .map_or_else(String::new, ToString::to_string);
        let group = board
            .group
            .as_ref()
            .map_or_else(String::new, |group| text(&group.name));
        rows.add_row([number(board.id), text(&board.name), kind, group]);
    }
    writeln!(out, "{rows}")?;
    let first = page
        .items
        .first()
        .and_then(|board| board.id)
        .context("no board came back")?;
    let started = Instant::now();
    let detail = client.boards().detail(first).await?;
    let names = |lines: &[obeya::model::BoardLine]| {
        lines
            .iter()
            .map(|line| text(&line.name))
            .collect::<Vec<_>>()
            .join(" | ")
    };
    writeln!(
        out,
        "   GET /v1/Boards/{first} in {}",
        format_duration(started.elapsed())
    )?;
    writeln!(
        out,
        "   rows     {}\n   columns  {}",
        names(&detail.rows),
        names(&detail.columns)
    )?;
    Ok(())
}

/// Comments found by full-text search, newest first, with their incident.
pub(super) async fn comments(out: &mut impl Write, client: &Client) -> Result<()> {
    heading(
        out,
        5,
        "Comments that mention a leak or a root cause, newest first",
    )?;
    let started = Instant::now();
    let search = "leak \"root cause\"";
    let list = client
        .comments()
        .list()
        .search(search)
        .orderby("commentDate desc")
        .expand("incident")
        .top(6)
        .count(true);
    let page = list.await?;
    let call = format!(
        "GET /v2/incidents/comments?$search={search}&$orderby=commentDate desc&$expand=incident&$top=6&$count=true"
    );
    call_summary(out, &call, page.items.len(), page.count, started.elapsed())?;
    let mut rows = table(&["When", "Who", "Comment", "Incident"], &[]);
    for comment in &page.items {
        let when = comment
            .comment_date
            .map_or_else(String::new, |at| at.to_string());
        let incident = comment
            .incident
            .as_ref()
            .map_or_else(String::new, |incident| text(&incident.title));
        rows.add_row([
            when,
            text(&comment.commented_by),
            text(&comment.text),
            incident,
        ]);
    }
    writeln!(out, "{rows}")?;
    Ok(())
}

/// Incidents deleted in the last 30 days.
pub(super) async fn trash(out: &mut impl Write, client: &Client) -> Result<()> {
    heading(
        out,
        8,
        "The trash: incidents of medium or high severity deleted in the last 30 days",
    )?;
    let started = Instant::now();
    let filter = "severity in ('Medium','High')";
    let page = client.incidents().trash().filter(filter).await?;
    let call = format!("GET /v1/Incidents/trash?$filter={filter}");
    call_summary(
        out,
        &call,
        page.values.len(),
        Some(page.total.into()),
        started.elapsed(),
    )?;
    let mut rows = table(
        &["Id", "Reported", "Severity", "Title", "Responsible"],
        &[0],
    );
    for incident in page.values.iter().take(8) {
        rows.add_row([
            incident.id.to_string(),
            incident.reported_date.date().to_string(),
            incident.severity.to_string(),
            incident.title.clone(),
            text(&incident.responsible_display_name),
        ]);
    }
    writeln!(out, "{rows}")?;
    Ok(())
}

/// Every value of the energy meters, and their monthly means.
pub(super) async fn values(out: &mut impl Write, client: &Client, made: u32) -> Result<()> {
    heading(out, 9, "All values of the energy meters")?;
    let started = Instant::now();
    let id = obeya_demo::ENERGY;
    let mut pages = client.datasources().values(id).pages();
    let (mut count, mut read) = (0, 0_usize);
    let mut months: BTreeMap<String, BTreeMap<String, Mean>> = BTreeMap::new();
    while let Some(page) = pages.next().await {
        let page = page?;
        (count, read) = (count + 1, read + page.values.len());
        for value in &page.values {
            let month = value.value_date.to_string()[..7].to_owned();
            months
                .entry(month)
                .or_default()
                .entry(text(&value.dimension))
                .or_default()
                .add(value);
        }
    }
    let elapsed = started.elapsed();
    ensure!(
        read > 50_000,
        "the service gave {read} of more than 50,000 values of the meters"
    );
    writeln!(
        out,
        "   GET /v1/Datasources/{id}/values, pages of 10\u{2009}000, four at a time"
    )?;
    writeln!(
        out,
        "   {} of the plant's {} values, {count} pages in {} ({} a second)",
        group_digits(read),
        group_digits(made),
        format_duration(elapsed),
        group_digits(
            (u128::try_from(read).unwrap_or_default() * 1_000_000) / elapsed.as_micros().max(1)
        )
    )?;
    print_months(out, &months)
}

#[derive(Default)]
struct Mean {
    sum: f64,
    count: u32,
}

impl Mean {
    fn add(&mut self, value: &DatasourceValue) {
        self.sum += value.value;
        self.count += 1;
    }

    fn get(&self) -> f64 {
        self.sum / f64::from(self.count.max(1))
    }
}

/// The mean load of each meter in the last twelve whole or begun months, and a bar for the foundry's.
fn print_months(
    out: &mut impl Write,
    months: &BTreeMap<String, BTreeMap<String, Mean>>,
) -> Result<()> {
    let meters: Vec<&String> = months
        .values()
        .next()
        .map(|month| month.keys().collect())
        .unwrap_or_default();
    let headings: Vec<String> = std::iter::once("Month".to_owned())
        .chain(meters.iter().map(|meter| format!("{meter}, kW")))
        .chain(std::iter::once("Sum".to_owned()))
        .collect();
    let headings: Vec<&str> = headings.iter().map(String::as_str).collect();
    let mut rows = table(&headings, &[1, 2, 3]);
    let shown: Vec<_> = months
        .iter()
        .skip(months.len().saturating_sub(12))
        .collect();
    let highest = shown
        .iter()
        .map(|(_, means)| total(means))
        .fold(0.0, f64::max);
    for (month, means) in shown {
        let mut row = vec![month.clone()];
        row.extend(means.values().map(|mean| format!("{:.0}", mean.get())));
        row.push(bar(total(means) / highest));
        rows.add_row(row);
    }
    writeln!(out, "{rows}")?;
    Ok(())
}

fn total(means: &BTreeMap<String, Mean>) -> f64 {
    means.values().map(Mean::get).sum()
}

/// A bar of up to 30 blocks.
fn bar(share: f64) -> String {
    "█".repeat(
        (0..30)
            .filter(|block| f64::from(*block) < share * 30.0)
            .count(),
    )
}

fn number(id: Option<i32>) -> String {
    id.map_or_else(String::new, |id| id.to_string())
}

fn text(text: &Option<String>) -> String {
    text.clone().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_as_long_as_its_share() {
        assert_eq!(bar(1.0).chars().count(), 30);
        assert_eq!(bar(0.5).chars().count(), 15);
        assert_eq!(bar(0.0), "");
    }
}
