//! Query options built from types, sent by the SDK: the service knows every generated property under its name
//! and type, and the options have the meaning of the semantic cases.

use std::collections::BTreeSet;
use std::time::Duration;

use obeya::Error;
use obeya::fields::{
    self, area, board, board_summary, datasource_value, group_v1, group_v2, improvement,
    improvement_v2, incident_comment_v2, incident_v1, incident_v2, task, trashed_incident, user_v2,
};
use obeya::model::{
    BoardType, Date, EvaluationStatusV1, EvaluationStatusV2, GroupRole, GroupType, GroupV2,
    ImprovementPriorityStatus, ImprovementStatus, IncidentSeverity, IncidentStatus, TaskStatus,
    Timestamp, UserType,
};
use obeya_testkit::UnknownWord;

use crate::reads_plant::{Plant, cases};

/// A path that lists an entity, with `{}` for an expression.
fn place(entity: &str) -> (&'static str, &'static str) {
    match entity {
        "Area" => ("/v2/areas", "{}"),
        "Board" => ("/v2/boards", "{}"),
        "GroupV2" => ("/v2/groups", "{}"),
        "UserGroup" => ("/v2/groups", "users/any(u:{})"),
        "IncidentCommentV2" => ("/v2/incidents/comments", "{}"),
        "IncidentType" => ("/v2/incidents/types", "{}"),
        "IncidentV2" => ("/v2/incidents/comments", "{}"),
        "IncidentV1" => ("/v1/Incidents", "{}"),
        "IncidentConsequence" => ("/v1/Incidents", "consequences/any(p:{})"),
        "CategoryReference" => ("/v1/Incidents", "categories/any(p:{})"),
        "CauseReference" => ("/v1/Incidents", "causes/any(p:{})"),
        "IncidentCustomField" => ("/v1/Incidents", "customFields/any(p:{})"),
        "Datasource" => ("/v1/Datasources", "{}"),
        "BoardSummary" => ("/v1/Boards", "{}"),
        "DataList" => ("/v1/Datalists", "{}"),
        "Project" => ("/v1/Projects", "{}"),
        "Task" => ("/v2/tasks", "{}"),
        "TaskComment" => ("/v2/tasks/comments", "{}"),
        "IncidentAttachment" => ("/v2/incidents", "attachments/any(p:{})"),
        "TaskAttachment" => ("/v2/tasks", "attachments/any(p:{})"),
        "UserV2" => ("/v2/users", "{}"),
        "UserMembership" => ("/v2/users", "groups/any(m:{})"),
        "UserV1" => ("/v1/Users", "{}"),
        "GroupV1" => ("/v1/Groups", "{}"),
        "Improvement" => ("/v1/Improvements", "{}"),
        "ImprovementV2" => ("/v2/improvements", "{}"),
        "TrashedIncident" => ("/v1/Incidents/trash", "{}"),
        "DatasourceV2" => ("/v2/datasources", "{}"),
        "DatasourceValueV2" => ("/v2/datasources/1/values", "{}"),
        "DatasourceValue" => ("/v1/Datasources/1/values", "{}"),
        other => panic!("{other} is new: say where its properties can be filtered by"),
    }
}

/// The name of a property in the expression.
fn named(entity: &str, property: &str) -> String {
    match entity {
        "UserGroup" => format!("u/{property}"),
        "UserMembership" => format!("m/{property}"),
        "IncidentV2" => format!("incident/{property}"),
        "IncidentConsequence"
        | "CategoryReference"
        | "CauseReference"
        | "IncidentCustomField"
        | "IncidentAttachment"
        | "TaskAttachment" => {
            format!("p/{property}")
        }
        _ => property.to_owned(),
    }
}

/// An expression that the service takes for a property of that type, and refuses for one of another.
fn only_for(ty: &str, property: &str) -> String {
    match ty {
        "Edm.Int32" | "Edm.Int64" => format!("{property} add 1 gt 2 and {property} in (1,2)"),
        "Edm.Double" => format!("round({property}) gt 2.5"),
        "Edm.Boolean" => format!("not {property}"),
        "Edm.String" => format!("contains({property},'a')"),
        "Edm.DateTimeOffset" => format!("hour({property}) eq 6 and {property} lt now()"),
        "Edm.Date" => format!("{property} ge date(now())"),
        _ if ty.starts_with("Collection(") => format!("{property}/$count ge 0"),
        _ if fields::ENTITIES.iter().any(|(entity, _)| *entity == ty) => {
            format!("{property}/id ne null or {property} eq null")
        }
        _ => format!("{property} has 'a'"),
    }
}

#[tokio::test]
async fn the_service_knows_every_generated_property_by_its_type() {
    let plant = Plant::new().await;
    let mut refused = Vec::new();
    for (entity, properties) in fields::ENTITIES {
        let (path, frame) = place(entity);
        for (property, ty) in *properties {
            let (option, text) = match *ty {
                // No condition takes it, and lists of v1 have no other option.
                "Collection(Edm.String)" if path.starts_with("/v1/") => continue,
                "Collection(Edm.String)" => ("$select", (*property).to_owned()),
                ty => {
                    let condition = only_for(ty, &named(entity, property));
                    ("$filter", frame.replace("{}", &condition))
                }
            };
            let request = plant
                .service()
                .request(reqwest::Method::GET, path)
                .query(&[(option, &text)]);
            let answer = crate::support::Answer::of(request).await;
            if answer.status != 200 {
                refused.push(format!("{entity}: {text}: {}", answer.text()));
            }
        }
    }
    assert!(refused.is_empty(), "{refused:#?}");
}

/// Compares the result with that of the semantic case with this filter.
fn same_as_case(entity: &str, filter: &str, found: impl IntoIterator<Item = Option<i32>>) {
    let cases = cases();
    let case = cases["cases"]
        .as_array()
        .expect("cases")
        .iter()
        .find(|case| case["entity"] == entity && case["filter"] == filter)
        .unwrap_or_else(|| panic!("no case says {filter} of {entity}"));
    let ids = case["expected_ids"].as_array().expect("ids").iter();
    let expected: BTreeSet<i64> = ids.filter_map(serde_json::Value::as_i64).collect();
    let found: BTreeSet<i64> = found.into_iter().flatten().map(i64::from).collect();
    assert_eq!(found, expected, "{entity}: {filter}");
}

fn at(text: &str) -> Timestamp {
    text.parse().expect("a timestamp")
}

#[tokio::test]
async fn conditions_on_v2_records_mean_what_the_cases_say() {
    let plant = Plant::new().await;
    let client = plant.client();

    for filter in [
        area::name().eq("O'Neil Wing"),
        area::name().eq("'; DROP TABLE areas; --"),
        area::description().contains("\\"),
        area::description().contains("\""),
        area::name().contains("Ø"),
        area::name().substring_of(0, 4).eq("Asse"),
        area::name().to_lower().index_of("assembly").ge(0),
        (area::description().ends_with("uptime")).or(area::description().starts_with("Main")),
    ] {
        let text = filter.to_string();
        let page = client.areas().list().filter(filter).await.expect("a page");
        same_as_case("areas", &text, page.items.iter().map(|area| area.id));
    }

    for filter in [
        group_v2::is_member().or(group_v2::is_system_group()),
        group_v2::name().is_null(),
        group_v2::name().ne("Plant"),
        group_v2::sort_order().le(2).not(),
        group_v2::business_unit_id().ne(group_v2::project_id()),
        group_v2::sort_order().add(group_v2::level()).is_null(),
        group_v2::is_system_group().or(group_v2::is_member().and(group_v2::level().eq(1))),
        group_v2::boards().exists().not(),
        group_v2::boards().all(|board| board.is_public()),
        group_v2::boards().any(|board| board.is_public().and(board.is_member())),
        group_v2::boards().all(|board| board.project_id().ne(77)),
        group_v2::boards().count().gt(1),
    ] {
        let text = filter.to_string();
        let page = client.groups().list().filter(filter).await.expect("a page");
        same_as_case("groups", &text, page.items.iter().map(|group| group.id));
    }

    for filter in [
        board::board_type().eq(BoardType::Kanban),
        board::board_type().is_null(),
        board::group().parent().name().eq("Plant"),
        board::group().is_member().and(board::is_public()),
        (board::group().level().gt(1)).or(board::is_public().eq(false)),
        board::group().name().length().eq(10),
    ] {
        let text = filter.to_string();
        let page = client.boards().list().filter(filter).await.expect("a page");
        same_as_case("boards", &text, page.items.iter().map(|board| board.id));
    }

    for filter in [
        incident_comment_v2::comment_date().gt(at("2024-03-01T08:15:30Z")),
        incident_comment_v2::incident().area().name().eq("Assembly"),
        incident_comment_v2::parent().parent().id().eq(1),
        (incident_comment_v2::incident()
            .status()
            .eq(IncidentStatus::Resolved))
        .and(incident_comment_v2::level().eq(0)),
        incident_comment_v2::text().eq("It's fixed"),
    ] {
        let text = filter.to_string();
        let list = client.comments().list().filter(filter);
        let page = list.await.expect("a page");
        same_as_case(
            "incidentComments",
            &text,
            page.items.iter().map(|comment| comment.id),
        );
    }
}

#[tokio::test]
async fn conditions_on_values_mean_what_the_cases_say() {
    let plant = Plant::new().await;
    let client = plant.client();
    for filter in [
        datasource_value::value().ge(2.5),
        datasource_value::value()
            .ge(-0.5)
            .and(datasource_value::value().le(0.1)),
        datasource_value::area_id().eq(datasource_value::data_source_id()),
        datasource_value::value().modulo(2).eq(0),
        datasource_value::id().div(3).eq(1),
        datasource_value::value().negate().eq(3.5),
        datasource_value::id().in_([1, 3, 5]),
        datasource_value::value_date().gt(at("2024-03-01T00:00:00Z")),
        datasource_value::value_date().gt(datasource_value::registration_date()),
        datasource_value::value_date().gt(fields::now()),
        datasource_value::value_date()
            .date()
            .gt("2024-12-31".parse::<Date>().expect("a day")),
        datasource_value::value_date().time().eq(Duration::ZERO),
        datasource_value::value_date().hour().in_([0, 12]),
    ] {
        let text = filter.to_string();
        let mut found = Vec::new();
        for datasource in [1, 2] {
            let values = client
                .datasources()
                .values(datasource)
                .filter(filter.clone());
            found.extend(values.stream().all().await.expect("values"));
        }
        same_as_case(
            "datasourceValues",
            &text,
            found.iter().map(|value| Some(value.id)),
        );
    }
}

/// Expected by hand: the groups of the fixture by level, and the public boards of each by name.
#[tokio::test]
async fn orders_selections_and_expansions_are_taken() {
    let plant = Plant::new().await;
    let client = plant.client();
    let boards = group_v2::boards()
        .expand()
        .filter(board::is_public())
        .orderby(board::name().desc())
        .select((board::id(), board::name()));
    let page = client
        .groups()
        .list()
        .filter(group_v2::level().ge(1))
        .orderby((group_v2::level().desc(), group_v2::name().asc()))
        .select((group_v2::id(), group_v2::name()))
        .expand((boards, group_v2::parent()))
        .top(4)
        .await
        .expect("a page");
    let ids: Vec<_> = page.items.iter().filter_map(|group| group.id).collect();
    assert_eq!(ids, [7, 4, 5, 3]);
    let maintenance = &page.items[3];
    assert_eq!(
        (maintenance.level, maintenance.name.as_deref()),
        (None, Some("Maintenance"))
    );
    let parent = maintenance.parent.as_ref().expect("it was expanded");
    assert_eq!(parent.id, Some(1));
    let boards: Vec<_> = maintenance
        .boards
        .iter()
        .flatten()
        .map(|board| (board.id, board.board_type.clone()))
        .collect();
    assert_eq!(boards, [(Some(7), None), (Some(3), None)]);
}

/// Texts are sent as they are, and an option without parts is not sent at all.
#[tokio::test]
async fn texts_and_empty_lists_are_taken_too() {
    let plant = Plant::new().await;
    let client = plant.client();
    let none: Vec<fields::Order<GroupV2>> = Vec::new();
    let list = client.groups().list().filter("level eq 1").orderby(none);
    let page = list.expand(String::from("parent")).await.expect("a page");
    let ids: Vec<_> = page.items.iter().filter_map(|group| group.id).collect();
    assert_eq!(ids, [2, 3]);
}

/// Sends a list with an unknown word as text, which the service refuses, and built from types, which the SDK
/// refuses.
macro_rules! refusals {
    ($client:ident.$($list:ident()).+, $property:expr, $enumeration:ident, $unknown:ident) => {{
        let list = || $client.$($list()).+;
        let typed = $property.eq($enumeration::from($unknown.word));
        assert_eq!(typed.to_string(), $unknown.condition());
        (
            list().filter($unknown.condition()).send().await.map(drop),
            list().filter(typed).send().await.map(drop),
        )
    }};
}

/// The table has a line for each property with an enumeration.
#[tokio::test]
async fn the_service_and_the_sdk_refuse_the_same_words_alike() {
    let plant = Plant::new().await;
    let client = plant.client();
    let mut ahead: BTreeSet<(&str, &str)> = fields::ENTITIES
        .iter()
        .flat_map(|(entity, properties)| properties.iter().map(move |one| (*entity, one)))
        // The words of a member stand in a condition on groups only: the next test.
        .filter(|(entity, _)| !["UserGroup", "UserMembership"].contains(entity))
        .filter(|(_, (_, ty))| {
            let is_record = |name: &str| fields::ENTITIES.iter().any(|(one, _)| *one == name);
            !ty.contains('.') && !ty.contains('(') && !is_record(ty)
        })
        .map(|(entity, (property, _))| (entity, *property))
        .collect();
    for unknown in UnknownWord::all() {
        let place = (unknown.record, unknown.property);
        let (by_service, by_sdk) = match place {
            ("Board", "boardType") => {
                refusals!(
                    client.boards().list(),
                    board::board_type(),
                    BoardType,
                    unknown
                )
            }
            ("GroupV2", "type") => {
                refusals!(
                    client.groups().list(),
                    group_v2::type_(),
                    GroupType,
                    unknown
                )
            }
            ("BoardSummary", "boardType") => {
                refusals!(
                    client.boards().list_v1(),
                    board_summary::board_type(),
                    BoardType,
                    unknown
                )
            }
            ("GroupV1", "type") => {
                refusals!(
                    client.groups().list_v1(),
                    group_v1::type_(),
                    GroupType,
                    unknown
                )
            }
            ("IncidentV2", "status") => {
                refusals!(
                    client.incidents().list_v2(),
                    incident_v2::status(),
                    IncidentStatus,
                    unknown
                )
            }
            ("IncidentV2", "severity") => {
                refusals!(
                    client.incidents().list_v2(),
                    incident_v2::severity(),
                    IncidentSeverity,
                    unknown
                )
            }
            ("IncidentV2", "evaluationStatus") => {
                refusals!(
                    client.incidents().list_v2(),
                    incident_v2::evaluation_status(),
                    EvaluationStatusV2,
                    unknown
                )
            }
            ("IncidentV1", "status") => {
                refusals!(
                    client.incidents().list(),
                    incident_v1::status(),
                    IncidentStatus,
                    unknown
                )
            }
            ("IncidentV1", "severity") => {
                refusals!(
                    client.incidents().list(),
                    incident_v1::severity(),
                    IncidentSeverity,
                    unknown
                )
            }
            ("IncidentV1", "evaluationStatus") => {
                refusals!(
                    client.incidents().list(),
                    incident_v1::evaluation_status(),
                    EvaluationStatusV1,
                    unknown
                )
            }
            ("TrashedIncident", "status") => {
                refusals!(
                    client.incidents().trash(),
                    trashed_incident::status(),
                    IncidentStatus,
                    unknown
                )
            }
            ("TrashedIncident", "severity") => {
                refusals!(
                    client.incidents().trash(),
                    trashed_incident::severity(),
                    IncidentSeverity,
                    unknown
                )
            }
            ("TrashedIncident", "evaluationStatus") => {
                refusals!(
                    client.incidents().trash(),
                    trashed_incident::evaluation_status(),
                    EvaluationStatusV1,
                    unknown
                )
            }
            ("Improvement", "status") => {
                refusals!(
                    client.improvements().list(),
                    improvement::status(),
                    ImprovementStatus,
                    unknown
                )
            }
            ("Improvement", "priorityStatus") => {
                refusals!(
                    client.improvements().list(),
                    improvement::priority_status(),
                    ImprovementPriorityStatus,
                    unknown
                )
            }
            ("Improvement", "evaluationStatus") => {
                refusals!(
                    client.improvements().list(),
                    improvement::evaluation_status(),
                    EvaluationStatusV1,
                    unknown
                )
            }
            ("ImprovementV2", "status") => {
                refusals!(
                    client.improvements().list_v2(),
                    improvement_v2::status(),
                    ImprovementStatus,
                    unknown
                )
            }
            ("ImprovementV2", "priorityStatus") => {
                refusals!(
                    client.improvements().list_v2(),
                    improvement_v2::priority_status(),
                    ImprovementPriorityStatus,
                    unknown
                )
            }
            ("ImprovementV2", "evaluationStatus") => {
                refusals!(
                    client.improvements().list_v2(),
                    improvement_v2::evaluation_status(),
                    EvaluationStatusV1,
                    unknown
                )
            }
            ("Task", "status") => {
                refusals!(client.tasks().list(), task::status(), TaskStatus, unknown)
            }
            ("UserV2", "type") => {
                refusals!(client.users().list(), user_v2::type_(), UserType, unknown)
            }
            other => panic!("{other:?} is new: say which list has it"),
        };
        assert!(
            ahead.remove(&place),
            "{place:?} is no property with an enumeration"
        );
        let by_service = by_service.expect_err("the service refuses it");
        assert_eq!(by_service.code(), Some("odata.value"));
        let detail = by_service
            .problem()
            .and_then(|problem| problem.detail.clone());
        assert_eq!(detail, Some(unknown.refusal()));
        let Err(Error::Request { reason, .. }) = by_sdk else {
            panic!("{place:?}: the SDK sent it: {by_sdk:?}");
        };
        assert_eq!(reason, unknown.refusal());
    }
    assert!(ahead.is_empty(), "the table lacks {ahead:?}");
}

#[tokio::test]
async fn an_unknown_role_of_a_member_is_refused_alike() {
    let plant = Plant::new().await;
    let client = plant.client();
    let condition = "users/any(u:u/role eq 'owner')";
    let by_service = client.groups().list().filter(condition).send().await;
    let by_service = by_service.expect_err("the service refuses it");
    assert_eq!(by_service.code(), Some("odata.value"));
    let typed = group_v2::users().any(|user| user.role().eq(GroupRole::from("owner")));
    let by_sdk = client.groups().list().filter(typed).send().await;
    let Err(Error::Request { reason, .. }) = by_sdk else {
        panic!("the SDK sent it: {by_sdk:?}");
    };
    let detail = by_service
        .problem()
        .and_then(|problem| problem.detail.clone());
    assert_eq!(detail, Some(reason));
}
