//! How many records a client may read. It asks for one record and the count, never for more.

use obeya::{Client, Error, Page};

/// The records by name, each with its count or why there is none; or why there are none at all.
pub(super) type Counts = Result<Vec<(&'static str, Result<i64, String>)>, String>;

/// Counts the records of each kind that has a count.
pub(super) async fn ask(client: &Client) -> Counts {
    // A service that is busy says so; the operator can ask again.
    let client = client.max_retries(0);
    if let Err(error) = client.authenticate().await {
        return Err(error.to_string());
    }
    let (incidents, areas) = (client.incidents(), client.areas());
    let (boards, groups, comments) = (client.boards(), client.groups(), client.comments());
    let (incidents, areas, boards, groups, comments) = tokio::join!(
        incidents.list_v2().top(1).count(true).into_future(),
        areas.list().top(1).count(true).into_future(),
        boards.list().top(1).count(true).into_future(),
        groups.list().top(1).count(true).into_future(),
        comments.list().top(1).count(true).into_future(),
    );
    Ok(vec![
        ("incidents", counted(incidents)),
        ("comments", counted(comments)),
        ("areas", counted(areas)),
        ("boards", counted(boards)),
        ("groups", counted(groups)),
    ])
}

fn counted<T>(page: Result<Page<T>, Error>) -> Result<i64, String> {
    match page {
        Ok(page) => page
            .count
            .ok_or_else(|| "the service gave no count".to_owned()),
        Err(error) if error.status() == Some(403) => {
            Err("this client may not read them".to_owned())
        }
        Err(error) => Err(error.to_string()),
    }
}
