//! Calls through the SDK that must be refused, each for a different reason.

use obeya::model::{
    CategoryInput, CauseInput, ConsequenceInput, CustomFieldInput, DataListItemCreate,
    DatasourceValueInput, EvaluationStatusV1, GroupCreate, GroupMemberCreate, GroupRole,
    ImprovementCreate, ImprovementStatus, ImprovementUpdate, IncidentCreate, IncidentSeverity,
    IncidentStatus, IncidentUpdate, Patch, ProjectCreate, TaskCommentCreate, TaskCreate,
    TaskDeletionMode, TaskInfoCreate, TaskInfoUpdate, TaskPatch, TaskStatus, TaskUpdate,
};
use obeya::{Client, Datasources, Error};
use obeya_server::store::StoreError;

use super::calls::{improvement_body, incident_body, update_body, value_body};
use crate::support::Service;

pub async fn parameters(all: &Client) {
    let values = all.datasources().values(12);
    is(values.clone().page(0).await, "query.invalid");
    is(values.page_size(10_001).page(1).await, "query.invalid");
    let incidents = all.incidents().list();
    is(incidents.page(0).await, "query.invalid");
    let improvements = all.improvements().list();
    is(improvements.page_size(10_001).await, "query.invalid");
    let tasks = all.boards().tasks(7);
    is(tasks.page_size(10_001).await, "query.invalid");
    let in_no_language = all.incidents().types().language("!");
    is(in_no_language.await, "query.invalid");
    let in_no_language = all.incidents().type_detail(3).language("!");
    is(in_no_language.send().await, "query.invalid");
    let somehow = TaskDeletionMode::from("cascade");
    is(all.tasks().delete_v2(501, somehow).await, "query.invalid");
}

pub async fn incidents(all: &Client) {
    let incidents = all.incidents();
    // Of the incident type 6, not 3, or of none.
    let wrong = [
        (60, 43, 53, "reference.other_type"),
        (99, 99, 99, "reference.unknown"),
    ];
    for (category, cause, consequence, code) in wrong {
        let body = IncidentCreate {
            categories: vec![CategoryInput::new(category)],
            ..incident_body()
        };
        is(incidents.create(&body).await, code);
        is(
            incidents.set_causes(1204, &[CauseInput::new(cause)]).await,
            code,
        );
        let consequences = [ConsequenceInput::new(consequence)];
        is(incidents.set_consequences(1204, &consequences).await, code);
        let categories = [CategoryInput::new(category)];
        is(incidents.set_categories(1204, &categories).await, code);
        // Of the type 6 as well.
        let field = if category == 99 { 99 } else { 63 };
        is(incidents.set_custom_field(1204, field, "7").await, code);
    }
    let twice = [CategoryInput::new(31), CategoryInput::new(31)];
    let body = IncidentCreate {
        categories: twice.to_vec(),
        ..incident_body()
    };
    is(incidents.create(&body).await, "reference.duplicate");
    let twice = [CauseInput::new(41), CauseInput::new(41)];
    is(
        incidents.set_causes(1204, &twice).await,
        "reference.duplicate",
    );
    let twice = [ConsequenceInput::new(51), ConsequenceInput::new(51)];
    is(
        incidents.set_consequences(1204, &twice).await,
        "reference.duplicate",
    );
    let twice = [CategoryInput::new(31), CategoryInput::new(31)];
    is(
        incidents.set_categories(1204, &twice).await,
        "reference.duplicate",
    );
    let body = IncidentCreate {
        evaluation_status: Some(EvaluationStatusV1::Good),
        ..incident_body()
    };
    is(incidents.create(&body).await, "incident.evaluation");
    // A user of group 5.
    let body = IncidentCreate {
        follow_up_group_id: Some(4),
        responsible_user_id: Some("u-117".to_owned()),
        ..incident_body()
    };
    is(incidents.create(&body).await, "responsible.not_member");

    type Change = fn(&mut IncidentUpdate);
    let of_update = |change: Change| {
        let mut body = update_body();
        change(&mut body);
        body
    };
    let cases: [(&str, i32, Change); 4] = [
        ("reference.unknown", 1204, |body| body.area_id = 99.into()),
        ("responsible.not_member", 1204, |body| {
            body.responsible_user_id = "u-117".to_owned().into();
        }),
        ("incident.evaluation", 1204, |body| {
            body.evaluation_status = EvaluationStatusV1::Good.into();
        }),
        // Rejected, then resolved.
        ("incident.transition", 1205, |body| {
            body.incident_type_id = 6;
            body.status = Some(IncidentStatus::Resolved);
        }),
    ];
    let rejected = of_update(|body| {
        body.incident_type_id = 6;
        body.status = Some(IncidentStatus::Rejected);
    });
    incidents.update(1205, &rejected).await.expect("rejected");
    for (code, id, change) in cases {
        is(incidents.update(id, &of_update(change)).await, code);
    }
    let resolved = incidents.set_status(1205, IncidentStatus::Resolved).await;
    is(resolved, "incident.transition");
    // The height of a near miss is a number.
    let in_words = incidents.set_custom_field(1205, 63, "high").await;
    is(in_words, "custom_field.value");
    let body = IncidentCreate {
        custom_fields: Some(vec![CustomFieldInput {
            value: Some("high".to_owned()),
            ..CustomFieldInput::new(63)
        }]),
        ..IncidentCreate::new(
            6,
            IncidentSeverity::Low,
            "Something fell",
            incident_body().incident_date,
            vec![CategoryInput::new(60)],
        )
    };
    is(incidents.create(&body).await, "custom_field.value");
    let of_nobody = incidents.set_responsible(1204, 4, "u-999").await;
    is(of_nobody, "reference.unknown");
    let elsewhere = incidents.set_responsible(1204, 4, "u-117").await;
    is(elsewhere, "responsible.not_member");
}

pub async fn improvements(all: &Client) {
    let improvements = all.improvements();
    let open = ImprovementUpdate {
        status: Some(ImprovementStatus::Open),
        ..ImprovementUpdate::default()
    };
    is(
        improvements.update(318, &open).await,
        "improvement.transition",
    );
    let activated = ImprovementCreate {
        status: Some(ImprovementStatus::Activated),
        ..improvement_body()
    };
    is(
        improvements.create(&activated).await,
        "improvement.transition",
    );
    let of_nobody = ImprovementCreate::new("Light", "u-999");
    is(improvements.create(&of_nobody).await, "reference.unknown");
    let nowhere = ImprovementUpdate {
        group_id: Patch::Value(99),
        ..ImprovementUpdate::default()
    };
    is(
        improvements.update(317, &nowhere).await,
        "reference.unknown",
    );
}

pub async fn catalogue(all: &Client, service: &Service) {
    let lists = all.data_lists();
    let there = DataListItemCreate::new("M-20417");
    is(
        lists.create_item(9, &there).await,
        "data_list.identifier_exists",
    );
    let groups = all.groups();
    let below = GroupCreate {
        parent_id: Some(99),
        ..GroupCreate::new("Nowhere")
    };
    is(groups.create(&below).await, "reference.unknown");
    is(groups.delete(4).await, "group.in_use");
    let nobody = GroupMemberCreate {
        group_role: GroupRole::Member,
        user_id: "nobody".to_owned(),
    };
    is(groups.put_member(4, &nobody).await, "reference.unknown");
    let projects = all.projects();
    let there = ProjectCreate::new("P-2026-02", "Another");
    is(projects.create(&there).await, "project.number_exists");
    is(projects.delete("P-2026-02").await, "project.in_use");
    let of_nobody = ProjectCreate {
        owner_email: Some("nobody@nordvik.example".to_owned()),
        ..ProjectCreate::new("P-9", "Of nobody")
    };
    is(projects.create(&of_nobody).await, "reference.unknown");
    let is_system = async |value: i64| {
        let sql = "UPDATE groups SET is_system_group = ?1 WHERE id = 6";
        let set = service
            .store()
            .write(move |session| session.execute(sql, &[value.into()]));
        set.await.expect("a group");
    };
    is_system(1).await;
    is(all.groups().delete(6).await, "group.system");
    is_system(0).await;
}

pub async fn tasks(all: &Client) {
    let of_nobody = TaskInfoCreate {
        responsible_user_id: Some("u-999".to_owned()),
        ..TaskInfoCreate::new("Of nobody")
    };
    let unknown = "reference.unknown";
    is(all.tasks().create(&of_nobody).await, unknown);
    is(all.boards().create_task(7, &of_nobody).await, unknown);
    let projects = all.projects();
    let in_project = projects.create_task("P-2026-02", &of_nobody);
    is(in_project.await, unknown);
    is(all.tasks().create_sub_task(501, &of_nobody).await, unknown);
    let nowhere = TaskInfoUpdate {
        board_id: Patch::Value(99),
        ..TaskInfoUpdate::new("Order a second clamp")
    };
    is(all.tasks().update(501, &nowhere).await, unknown);
    let below_none = TaskCreate {
        parent_id: Some(999),
        ..TaskCreate::new("Below none", TaskStatus::Blocked)
    };
    is(all.tasks().create_v2(&below_none).await, unknown);
    let of_nobody = TaskUpdate {
        responsible_user_id: Some("u-999".to_owned()),
        ..TaskUpdate::new("Of nobody", TaskStatus::Blocked)
    };
    is(all.tasks().update_v2(501, &of_nobody).await, unknown);
    let nowhere = TaskPatch {
        board_id: Patch::Value(99),
        ..TaskPatch::default()
    };
    is(all.tasks().patch(501, &nowhere).await, unknown);
    let of_none = TaskCommentCreate::new(999, "Ordered");
    is(all.tasks().create_comment(&of_none).await, unknown);
}

pub async fn values(all: &Client, service: &Service) {
    let datasources = all.datasources();
    let (from, to) = (value_body().value_date, "2026-03-01T00:00:00Z");
    let to = to.parse().expect("a timestamp");
    let backwards = datasources.replace_values(12, from, to, &[]).await;
    is(backwards, "query.invalid");
    // Of the elements of 14: an area that is mandatory, and a number.
    let elements = service.store().write(|session| {
        for sql in [
            "INSERT INTO datasources (id, title) VALUES (14, 'Of areas')",
            "INSERT INTO datasource_elements (datasource_id, id, type, is_mandatory, source_column, number) VALUES
                (14, 'area', 'area', 1, NULL, 1), (14, 'count', 'number', 0, 'dimension', 2)",
        ] {
            session.execute(sql, &[])?;
        }
        Ok::<_, StoreError>(())
    });
    elements.await.expect("the rows fit the schema");
    let good = of_area(Some(2), "1");
    let known = datasources.create_value(14, &good).await;
    let known = known.expect("a value").id;
    for (body, code) in [
        (of_area(None, "1"), "element.missing"),
        (of_area(Some(2), "x"), "element.type"),
        (of_area(Some(99), "1"), "reference.unknown"),
    ] {
        refuses(&datasources, &body, code).await;
        is(datasources.update_value(14, known, &body).await, code);
    }
    let gone = datasources.delete_value(14, known).await;
    gone.expect("taken away");
    is(datasources.delete_value(14, known).await, "not_found");
    is(
        datasources.update_value(14, known, &good).await,
        "not_found",
    );
}

/// With no id left for values, as the counter says that assigns them: the only request that is refused after
/// it has changed something.
pub async fn exhausted(all: &Client, service: &Service) {
    let datasources = all.datasources();
    let counter = async |last: i64| {
        let sql = "UPDATE counters SET last = ?1 WHERE name = 'datasource_values'";
        let set = service
            .store()
            .write(move |session| session.execute(sql, &[last.into()]));
        set.await.expect("a counter");
    };
    counter(i32::MAX.into()).await;
    refuses(&datasources, &of_area(Some(2), "1"), "value.ids_exhausted").await;
    // Above those of the plant.
    counter(1_000_000).await;
}

/// A value of the datasource 14.
fn of_area(area_id: Option<i32>, dimension: &str) -> DatasourceValueInput {
    DatasourceValueInput {
        area_id,
        dimension: Some(dimension.to_owned()),
        ..value_body()
    }
}

/// In each of the ways in which a value is added.
async fn refuses(datasources: &Datasources, body: &DatasourceValueInput, code: &str) {
    let (at, batch) = (body.value_date, [body.clone()]);
    is(datasources.create_value(14, body).await, code);
    is(datasources.create_values(14, &batch).await, code);
    is(datasources.replace_values(14, at, at, &batch).await, code);
}

#[track_caller]
pub fn is<T: std::fmt::Debug>(outcome: Result<T, Error>, code: &str) {
    let error = outcome.expect_err(code);
    assert_eq!(error.code(), Some(code), "{error}");
}
