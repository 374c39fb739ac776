//! Unknown words of enumerations in options built from types: refused before a request is sent.

use axum::Router;
use obeya::fields::{
    all_of, board, board_summary, group_v2, incident_comment_v2, incident_v1, incident_v2,
    trashed_incident,
};
use obeya::model::{BoardType, IncidentSeverity, IncidentStatus};
use obeya::{Client, Error};

use crate::support::{Counter, json, serve, with_token};

/// A client of a server that counts requests and answers each with no record.
async fn counted() -> (Client, Counter) {
    let asked = Counter::default();
    let count = asked.clone();
    let answer = async move || {
        count.next();
        json(
            200,
            r#"{"value":[],"values":[],"total":0,"page":1,"pageSize":1000}"#,
        )
    };
    let url = serve(Router::new().fallback(answer)).await;
    (with_token(&url).build().unwrap(), asked)
}

#[track_caller]
fn refused<T: std::fmt::Debug>(outcome: obeya::Result<T>, operation: &str, message: &str) {
    let error = outcome.unwrap_err();
    assert_eq!(error.operation(), Some(operation));
    assert!(matches!(error, Error::Request { .. }), "{error:?}");
    assert!(error.to_string().ends_with(message), "{error}");
}

#[tokio::test]
async fn no_way_to_read_a_list_sends_an_unknown_word() {
    let (client, asked) = counted().await;
    let high = || incident_v1::severity().eq(IncidentSeverity::from("high"));
    let message = "$filter at byte 12: found 'high', which is no member of IncidentSeverity; did you mean `High`?";
    let records = || client.incidents().list().filter(high());
    refused(records().await, "listIncidentsV1", message);
    refused(records().stream().all().await, "listIncidentsV1", message);
    refused(
        records().orderby("title").pages().all().await,
        "listIncidentsV1",
        message,
    );
    let incidents = || {
        let high = incident_v2::severity().eq(IncidentSeverity::from("high"));
        client.incidents().list_v2().filter(high)
    };
    refused(incidents().await, "listIncidentsV2", message);
    refused(incidents().stream().all().await, "listIncidentsV2", message);
    refused(incidents().pages().all().await, "listIncidentsV2", message);
    let trash = trashed_incident::severity().eq(IncidentSeverity::from("high"));
    refused(
        client.incidents().trash().filter(trash).await,
        "listTrashedIncidents",
        message,
    );
    let weekly = board_summary::board_type().eq(BoardType::from("weekly"));
    refused(
        client.boards().list_v1().filter(weekly).await,
        "listBoardsV1",
        "$filter at byte 13: found 'weekly', which is no member of BoardType; did you mean `Weekly`?",
    );
    let parts = all_of([high(), incident_v1::title().is_null()]);
    refused(
        client.incidents().list().filter(parts).await,
        "listIncidentsV1",
        message,
    );
    assert_eq!(asked.total(), 0);
}

#[tokio::test]
async fn words_are_checked_wherever_the_service_checks_them() {
    let (client, asked) = counted().await;
    let daily = || BoardType::from("Daily");
    let among = board::board_type().in_([BoardType::Weekly, daily()]);
    let expected = "; expected one of `Weekly`, `Kanban`, `SmartActionList`, `Yearly`";
    let message =
        |at: &str| format!("{at}: found 'Daily', which is no member of BoardType{expected}");
    let boards = client.boards().list();
    refused(
        boards.clone().filter(among).await,
        "listBoardsV2",
        &message("$filter at byte 23"),
    );
    let some = group_v2::boards().any(|board| board.board_type().ne(daily()));
    refused(
        client.groups().list().filter(some).await,
        "listGroupsV2",
        &message("$filter at byte 28"),
    );
    let order = board::board_type().eq(daily()).desc();
    let keys = (order, board::name().asc());
    refused(
        boards.orderby(keys).await,
        "listBoardsV2",
        &message("$orderby at byte 13"),
    );
    let links = group_v2::boards()
        .expand()
        .filter(board::board_type().eq(daily()));
    let message = message("$expand at byte 28: $filter of `boards`");
    refused(
        client.groups().list().expand(links.clone()).await,
        "listGroupsV2",
        &message,
    );
    refused(
        client
            .groups()
            .get(1)
            .expand((links, group_v2::parent()))
            .await,
        "getGroup",
        &message,
    );
    let linked = incident_comment_v2::incident()
        .status()
        .eq(IncidentStatus::from("new"));
    refused(
        client.comments().list().filter(linked).await,
        "listIncidentComments",
        "$filter at byte 19: found 'new', which is no member of IncidentStatus; did you mean `New`?",
    );
    assert_eq!(asked.total(), 0);
}

#[tokio::test]
async fn everything_else_is_left_to_the_service() {
    let (client, asked) = counted().await;
    let list = || client.boards().list();
    let daily = || board::board_type().eq(BoardType::from("Daily"));
    // The words of this version, functions of them, and more members than a service of this version takes.
    list()
        .filter(board::board_type().ne(BoardType::Kanban))
        .await
        .unwrap();
    list()
        .filter(board::board_type().to_text().eq("Daily"))
        .await
        .unwrap();
    let many = vec![BoardType::from("Daily"); 2_000];
    list().filter(board::board_type().in_(many)).await.unwrap();
    // Texts, alone, as a part of an option and in an expansion.
    list().filter("boardType eq 'Daily'").await.unwrap();
    list().orderby(vec!["boardType eq 'Daily'"]).await.unwrap();
    let expanded = group_v2::boards().expand().filter("boardType eq 'Daily'");
    client.groups().list().expand(expanded).await.unwrap();
    // What was given last counts.
    list()
        .filter(daily())
        .filter(board::is_public())
        .await
        .unwrap();
    list()
        .filter(daily())
        .filter("boardType eq 'Daily'")
        .await
        .unwrap();
    assert_eq!(asked.total(), 8);
}

/// A property of a newer service is not known here; its words are not either.
#[test]
fn a_condition_on_a_newer_property_is_left_to_the_service() {
    use obeya::fields::check_words;
    use obeya::model::Board;

    for condition in [
        "shape eq 'Round'",
        "group/shape eq 'Round'",
        "boardType eq",
        "boardType gt 'Daily'",
        "boardType eq name",
    ] {
        assert!(check_words::<Board>(condition).is_ok(), "{condition}");
    }
    for condition in [
        "boardType eq X.BoardType'Daily'",
        "not ('Daily' ne boardType)",
    ] {
        assert!(check_words::<Board>(condition).is_err(), "{condition}");
    }
}
