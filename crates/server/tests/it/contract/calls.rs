//! Every operation of the specification, called through the SDK.

use std::sync::atomic::{AtomicU32, Ordering};

use futures_util::future::BoxFuture;
use obeya::model::{
    CategoryInput, CauseInput, ConsequenceInput, CustomFieldInput, DataListItemCreate,
    DatasourceValueInput, Date, GroupCreate, GroupMemberCreate, GroupRole, ImprovementCreate,
    ImprovementUpdate, IncidentCreate, IncidentSeverity, IncidentStatus, IncidentUpdate, Patch,
    ProjectCreate, ProjectMilestoneCreate, ProjectMilestoneUpdate, TaskCommentCreate, TaskCreate,
    TaskInfoCreate, TaskInfoUpdate, TaskPatch, TaskStatus, TaskUpdate,
};
use obeya::{Client, Error};

/// The records in the calls.
#[derive(Clone, Copy)]
pub enum Ids {
    /// Those of the plant.
    Known,
    /// Ids that do not exist.
    Unknown,
}

impl Ids {
    pub fn pick(self, known: i32) -> i32 {
        match self {
            Self::Known => known,
            Self::Unknown => 999_999,
        }
    }

    /// The number of a project.
    fn number(self) -> &'static str {
        match self {
            Self::Known => "P-2026-02",
            Self::Unknown => "none",
        }
    }
}

/// Query options; what an operation does not offer is left out.
#[derive(Clone, Copy, Default)]
pub struct Ask {
    pub search: Option<&'static str>,
    pub filter: Option<&'static str>,
    pub select: Option<&'static str>,
    pub expand: Option<&'static str>,
    pub orderby: Option<&'static str>,
    pub top: Option<i32>,
    pub count: bool,
}

/// A request of the SDK with the v2 options set.
macro_rules! asked {
    ($request:expr, $ask:expr) => {{
        let mut request = $request;
        if let Some(search) = $ask.search {
            request = request.search(search);
        }
        if let Some(filter) = $ask.filter {
            request = request.filter(filter);
        }
        if let Some(select) = $ask.select {
            request = request.select(select);
        }
        if let Some(expand) = $ask.expand {
            request = request.expand(expand);
        }
        if let Some(orderby) = $ask.orderby {
            request = request.orderby(orderby);
        }
        if let Some(top) = $ask.top {
            request = request.top(top);
        }
        if $ask.count {
            request = request.count(true);
        }
        Box::pin(async move { request.send().await.map(drop) })
    }};
}

/// A request of the SDK with the options of v1 set.
macro_rules! narrowed {
    ($request:expr, $ask:expr) => {{
        let mut request = $request;
        if let Some(filter) = $ask.filter {
            request = request.filter(filter);
        }
        if let Some(orderby) = $ask.orderby {
            request = request.orderby(orderby);
        }
        Box::pin(async move { request.send().await.map(drop) })
    }};
}

pub(super) use {asked, narrowed};

/// Calls an operation by its id as it succeeds on the plant; an operation that is not in this table fails the
/// test.
pub fn call<'a>(
    client: &'a Client,
    operation: &str,
    ids: Ids,
    ask: Ask,
) -> BoxFuture<'a, Result<(), Error>> {
    let incident = ids.pick(1204);
    match operation {
        "listAreas" => asked!(client.areas().list(), ask),
        "getArea" => asked!(client.areas().get(ids.pick(2)), ask),
        "listBoardsV2" => asked!(client.boards().list(), ask),
        "getBoardV2" => asked!(client.boards().get(ids.pick(7)), ask),
        "listGroupsV2" => asked!(client.groups().list(), ask),
        "getGroup" => asked!(client.groups().get(ids.pick(4)), ask),
        "listIncidentComments" => asked!(client.comments().list(), ask),
        "listCommentsOfIncidentV2" => asked!(client.comments().of_incident(incident), ask),
        "getCommentOfIncident" => {
            let comment = ids.pick(8801);
            asked!(client.comments().get_of_incident(incident, comment), ask)
        }
        "listTypesOfIncident" => asked!(client.incidents().types_of_incident(incident), ask),
        "getTypeOfIncident" => {
            let kind = ids.pick(3);
            asked!(client.incidents().type_of_incident(incident, kind), ask)
        }
        "getIncidentComment" => asked!(client.comments().get(ids.pick(8801)), ask),
        "listIncidentsV1" => narrowed!(client.incidents().list(), ask),
        "getIncidentV1" => {
            Box::pin(async move { client.incidents().get(incident).await.map(drop) })
        }
        "listImprovementsV1" => narrowed!(client.improvements().list(), ask),
        "getImprovementV1" => Box::pin(async move {
            let improvement = client.improvements().get(ids.pick(317)).await;
            improvement.map(drop)
        }),
        "listIncidentTypesV1" => Box::pin(async move {
            let request = client.incidents().types();
            request.language("nb").await.map(drop)
        }),
        "listCommentsOfIncidentV1" => Box::pin(async move {
            let comments = client.comments().of_incident_v1(incident).await;
            comments.map(drop)
        }),
        "listBoardsV1" => narrowed!(client.boards().list_v1(), ask),
        "listGroupsV1" => narrowed!(client.groups().list_v1(), ask),
        "listDatasourcesV1" => narrowed!(client.datasources().list(), ask),
        "getDatasourceV1" => Box::pin(async move {
            let datasource = client.datasources().get(ids.pick(12)).await;
            datasource.map(drop)
        }),
        "listImprovementsV2" => asked!(client.improvements().list_v2(), ask),
        "getImprovementV2" => asked!(client.improvements().get_v2(ids.pick(317)), ask),
        "listDatasourcesV2" => asked!(client.datasources().list_v2(), ask),
        "getDatasourceV2" => asked!(client.datasources().get_v2(ids.pick(12)), ask),
        "listDatasourceValuesV2" => asked!(client.datasources().values_v2(ids.pick(12)), ask),
        "listIncidentsV2" => asked!(client.incidents().list_v2(), ask),
        "getIncidentV2" => asked!(client.incidents().get_v2(incident), ask),
        "listIncidentTypesV2" => asked!(client.incidents().types_v2(), ask),
        "getIncidentTypeV2" => asked!(client.incidents().type_v2(ids.pick(3)), ask),
        "ping" => Box::pin(async move { client.ping().await.map(drop) }),
        "listTrashedIncidents" => Box::pin(async move {
            let mut request = client.incidents().trash();
            if let Some(filter) = ask.filter {
                request = request.filter(filter);
            }
            request.send().await.map(drop)
        }),
        "listDatasourceValuesV1" => Box::pin(async move {
            let mut request = client.datasources().values(ids.pick(12));
            if let Some(filter) = ask.filter {
                request = request.filter(filter);
            }
            if let Some(orderby) = ask.orderby {
                request = request.orderby(orderby);
            }
            request.page(1).await.map(drop)
        }),
        "createDatasourceValue" => Box::pin(async move {
            let datasources = client.datasources();
            let added = datasources.create_value(ids.pick(12), &value_body()).await;
            added.map(drop)
        }),
        "updateDatasourceValue" => Box::pin(async move {
            let datasources = client.datasources();
            let body = value_body();
            let value = datasources.update_value(ids.pick(12), 900_002, &body).await;
            value.map(drop)
        }),
        "deleteDatasourceValue" => Box::pin(async move {
            // One of this call alone, since the call takes it away.
            let datasources = client.datasources();
            let made = datasources.create_value(ids.pick(12), &value_body()).await;
            let id = made.map_or(900_002, |value| value.id);
            datasources.delete_value(ids.pick(12), id).await
        }),
        "createDatasourceValues" => Box::pin(async move {
            let datasources = client.datasources();
            let added = datasources
                .create_values(ids.pick(12), &[value_body()])
                .await;
            added.map(drop)
        }),
        "deleteDatasourceValues" => Box::pin(async move {
            let datasources = client.datasources();
            datasources
                .delete_values(ids.pick(12), &[1])
                .await
                .map(drop)
        }),
        "replaceDatasourceValues" => Box::pin(async move {
            let body = [value_body()];
            let at = body[0].value_date;
            let datasources = client.datasources();
            let replaced = datasources
                .replace_values(ids.pick(12), at, at, &body)
                .await;
            replaced.map(drop)
        }),
        "getIncidentTypeV1" => Box::pin(async move {
            let request = client.incidents().type_detail(ids.pick(3));
            request.language("nb").send().await.map(drop)
        }),
        "getBoardV1" => Box::pin(async move {
            let board = client.boards().detail(ids.pick(7)).await;
            board.map(drop)
        }),
        "createIncident" => {
            Box::pin(async move { client.incidents().create(&incident_body()).await.map(drop) })
        }
        "updateIncident" => Box::pin(async move {
            let incidents = client.incidents();
            incidents.update(incident, &update_body()).await.map(drop)
        }),
        "updateIncidentConsequences" => Box::pin(async move {
            let consequences = [ConsequenceInput {
                amount: Some(14.5),
                ..ConsequenceInput::new(51)
            }];
            let incidents = client.incidents();
            incidents
                .set_consequences(incident, &consequences)
                .await
                .map(drop)
        }),
        "updateIncidentCauses" => Box::pin(async move {
            let causes = [CauseInput::new(41)];
            client
                .incidents()
                .set_causes(incident, &causes)
                .await
                .map(drop)
        }),
        "updateIncidentExternalId" => Box::pin(async move {
            let incidents = client.incidents();
            incidents.set_external_id(incident, "c101").await.map(drop)
        }),
        "updateIncidentStatus" => Box::pin(async move {
            let incidents = client.incidents();
            let status = IncidentStatus::Resolved;
            // Valid in any current state.
            incidents.set_status(incident, status).await.map(drop)
        }),
        "updateIncidentSeverity" => Box::pin(async move {
            let incidents = client.incidents();
            let severity = IncidentSeverity::Medium;
            incidents.set_severity(incident, severity).await.map(drop)
        }),
        "updateIncidentResponsible" => Box::pin(async move {
            let incidents = client.incidents();
            let changed = incidents.set_responsible(incident, 4, "u-104").await;
            changed.map(drop)
        }),
        "updateIncidentCategories" => Box::pin(async move {
            let categories = [CategoryInput::new(31)];
            let incidents = client.incidents();
            let changed = incidents.set_categories(incident, &categories).await;
            changed.map(drop)
        }),
        "updateIncidentCustomField" => Box::pin(async move {
            let incidents = client.incidents();
            let changed = incidents.set_custom_field(incident, 61, "M-20417").await;
            changed.map(drop)
        }),
        "deleteIncident" => Box::pin(async move {
            let id = own_incident(client, ids, incident).await;
            client.incidents().delete(id).await
        }),
        "restoreIncident" => Box::pin(async move {
            let id = own_incident(client, ids, ids.pick(1187)).await;
            if id != ids.pick(1187) {
                client.incidents().delete(id).await?;
            }
            client.incidents().restore(id).await.map(drop)
        }),
        "createImprovement" => Box::pin(async move {
            let body = improvement_body();
            client.improvements().create(&body).await.map(drop)
        }),
        "deleteImprovement" => Box::pin(async move {
            let improvements = client.improvements();
            // A separate one, because the call deletes it.
            let made = match ids {
                Ids::Known => improvements.create(&improvement_body()).await.ok(),
                Ids::Unknown => None,
            };
            let id = made.map_or(ids.pick(317), |improvement| improvement.id);
            improvements.delete(id).await
        }),
        "updateImprovement" => Box::pin(async move {
            let id = ids.pick(317);
            let update = ImprovementUpdate::default();
            client.improvements().update(id, &update).await.map(drop)
        }),
        "listDataLists" => narrowed!(client.data_lists().list(), ask),
        "listDataListItems" => Box::pin(async move {
            let items = client.data_lists().items(ids.pick(9)).await;
            items.map(drop)
        }),
        "createDataListItem" => Box::pin(async move {
            let lists = client.data_lists();
            let body = DataListItemCreate::new(unique("M"));
            lists.create_item(ids.pick(9), &body).await.map(drop)
        }),
        "createGroup" => Box::pin(async move {
            let body = GroupCreate::new("Paint shop team");
            client.groups().create(&body).await.map(drop)
        }),
        "deleteGroup" => Box::pin(async move {
            let groups = client.groups();
            // A separate one, because the call deletes it.
            let made = match ids {
                Ids::Known => groups.create(&GroupCreate::new("For a day")).await.ok(),
                Ids::Unknown => None,
            };
            groups
                .delete(made.map_or(ids.pick(6), |group| group.id))
                .await
        }),
        "listGroupMembers" => Box::pin(async move {
            let members = client.groups().members(ids.pick(4)).await;
            members.map(drop)
        }),
        "putGroupMember" => Box::pin(async move {
            let body = GroupMemberCreate {
                group_role: GroupRole::Viewer,
                user_id: "u-117".to_owned(),
            };
            client.groups().put_member(ids.pick(4), &body).await
        }),
        "removeGroupMember" => Box::pin(async move {
            let groups = client.groups();
            let body = GroupMemberCreate {
                group_role: GroupRole::Member,
                user_id: "u-117".to_owned(),
            };
            if let Ids::Known = ids {
                let _ = groups.put_member(4, &body).await;
            }
            groups.remove_member(ids.pick(4), "u-117").await
        }),
        "listProjects" => narrowed!(client.projects().list(), ask),
        "getProject" => {
            Box::pin(async move { client.projects().get(ids.number()).await.map(drop) })
        }
        "deleteProject" => Box::pin(async move {
            let projects = client.projects();
            // A separate one, because the call deletes it.
            let made = match ids {
                Ids::Known => {
                    let body = ProjectCreate::new(unique("P"), "For a day");
                    projects.create(&body).await.ok()
                }
                Ids::Unknown => None,
            };
            let number = made.map_or(ids.number().to_owned(), |project| project.project_number);
            projects.delete(&number).await
        }),
        "listProjectMilestones" => Box::pin(async move {
            let milestones = client.projects().milestones(ids.number()).await;
            milestones.map(drop)
        }),
        "createProjectMilestone" => Box::pin(async move {
            let body = ProjectMilestoneCreate::new("Handover");
            let projects = client.projects();
            let made = projects.create_milestone(ids.number(), &body).await;
            made.map(drop)
        }),
        "updateProjectMilestone" => Box::pin(async move {
            let body = ProjectMilestoneUpdate {
                actual_date: Patch::Null,
                ..ProjectMilestoneUpdate::new("Full rate")
            };
            let projects = client.projects();
            let changed = projects.update_milestone(ids.number(), ids.pick(22), &body);
            changed.await.map(drop)
        }),
        "deleteProjectMilestone" => Box::pin(async move {
            let projects = client.projects();
            let made = match ids {
                Ids::Known => {
                    let body = ProjectMilestoneCreate::new("For a day");
                    let made = projects.create_milestone(ids.number(), &body).await;
                    made.ok()
                }
                Ids::Unknown => None,
            };
            let id = made.map_or(ids.pick(22), |milestone| milestone.id);
            projects.delete_milestone(ids.number(), id).await
        }),
        "createProject" => Box::pin(async move {
            let body = ProjectCreate::new(unique("P"), "Paint shop");
            client.projects().create(&body).await.map(drop)
        }),
        "listTasksOfBoard" => Box::pin(async move {
            let tasks = client.boards().tasks(ids.pick(7));
            tasks.await.map(drop)
        }),
        "createTaskOfBoard" => Box::pin(async move {
            let body = TaskInfoCreate::new("Clean the press table");
            let boards = client.boards();
            boards.create_task(ids.pick(7), &body).await.map(drop)
        }),
        "listAttachmentsOfIncident" => Box::pin(async move {
            client
                .incidents()
                .attachments(ids.pick(1204))
                .await
                .map(drop)
        }),
        "listTasksOfIncident" => {
            Box::pin(async move { client.incidents().tasks(incident).await.map(drop) })
        }
        "listTasksOfProject" => {
            Box::pin(async move { client.projects().tasks(ids.number()).await.map(drop) })
        }
        "createTaskOfProject" => Box::pin(async move {
            let body = TaskInfoCreate::new("Mark the walkways");
            let projects = client.projects();
            projects.create_task(ids.number(), &body).await.map(drop)
        }),
        "createTaskV1" => Box::pin(async move {
            let body = TaskInfoCreate::new("Read the new safety rules");
            client.tasks().create(&body).await.map(drop)
        }),
        "listTasks" => asked!(client.tasks().list(), ask),
        "getTaskV2" => asked!(client.tasks().get_v2(ids.pick(501)), ask),
        "getTaskV1" => Box::pin(async move { client.tasks().get(ids.pick(501)).await.map(drop) }),
        "updateTaskV1" => Box::pin(async move {
            let body = TaskInfoUpdate {
                due_date: Patch::Null,
                ..TaskInfoUpdate::new("Order a second clamp")
            };
            client.tasks().update(ids.pick(501), &body).await.map(drop)
        }),
        "deleteTaskV1" => Box::pin(async move {
            let id = own_task(client, ids).await;
            client.tasks().delete(id).await.map(drop)
        }),
        "createTaskV2" => Box::pin(async move {
            let body = TaskCreate::new("Measure the new clamp", TaskStatus::Blocked);
            client.tasks().create_v2(&body).await.map(drop)
        }),
        "updateTaskV2" => Box::pin(async move {
            let body = TaskUpdate::new("Order a second clamp", TaskStatus::Completed);
            let tasks = client.tasks();
            tasks.update_v2(ids.pick(501), &body).await.map(drop)
        }),
        "patchTask" => Box::pin(async move {
            let body = TaskPatch {
                due_date: Patch::Null,
                ..TaskPatch::default()
            };
            client.tasks().patch(ids.pick(501), &body).await.map(drop)
        }),
        "deleteTaskV2" => Box::pin(async move {
            let id = own_task(client, ids).await;
            client.tasks().delete_v2(id, None).await
        }),
        "listTaskComments" => asked!(client.tasks().comments(), ask),
        "getTaskComment" => asked!(client.tasks().comment(ids.pick(9001)), ask),
        "listCommentsOfTask" => asked!(client.tasks().comments_of(ids.pick(501)), ask),
        "getCommentOfTask" => asked!(
            client.tasks().comment_of(ids.pick(501), ids.pick(9001)),
            ask
        ),
        "createTaskComment" => Box::pin(async move {
            let body = TaskCommentCreate::new(501, "Ordered");
            client.tasks().create_comment(&body).await.map(drop)
        }),
        "deleteTaskComment" => Box::pin(async move {
            let id = own_comment(client, ids).await;
            client.tasks().delete_comment(id).await
        }),
        "deleteCommentOfTask" => Box::pin(async move {
            let id = own_comment(client, ids).await;
            client.tasks().delete_comment_of(ids.pick(501), id).await
        }),
        "getIncidentAttachmentContent" => Box::pin(async move {
            let incidents = client.incidents();
            let content = incidents.attachment_content(incident, ids.pick(601));
            content.await.map(drop)
        }),
        "createIncidentAttachment" => Box::pin(async move {
            let incidents = client.incidents();
            incidents
                .add_attachment(incident, "note.txt", b"Worn")
                .await
                .map(drop)
        }),
        "deleteIncidentAttachment" => Box::pin(async move {
            let incidents = client.incidents();
            // A separate one, because the call deletes it.
            let made = match ids {
                Ids::Known => incidents
                    .add_attachment(incident, "note.txt", b"Worn")
                    .await
                    .ok(),
                Ids::Unknown => None,
            };
            let id = made.and_then(|made| made.id).unwrap_or(ids.pick(601));
            incidents.delete_attachment(incident, id).await.map(drop)
        }),
        "getTaskAttachmentContent" => Box::pin(async move {
            let tasks = client.tasks();
            let content = tasks.attachment_content(ids.pick(501), ids.pick(602));
            content.await.map(drop)
        }),
        "createTaskAttachment" => Box::pin(async move {
            let tasks = client.tasks();
            tasks
                .add_attachment(ids.pick(501), "note.txt", b"Worn")
                .await
                .map(drop)
        }),
        "deleteTaskAttachment" => Box::pin(async move {
            let tasks = client.tasks();
            let made = match ids {
                Ids::Known => tasks.add_attachment(501, "note.txt", b"Worn").await.ok(),
                Ids::Unknown => None,
            };
            let id = made.and_then(|made| made.id).unwrap_or(ids.pick(602));
            tasks.delete_attachment(ids.pick(501), id).await.map(drop)
        }),
        "createSubTask" => Box::pin(async move {
            let body = TaskInfoCreate::new("Measure the old clamp");
            let tasks = client.tasks();
            tasks.create_sub_task(ids.pick(501), &body).await.map(drop)
        }),
        other => match super::users::call(client, other, ids, ask) {
            Some(called) => called,
            None => panic!("{other} is described, and no table calls it"),
        },
    }
}

/// A task for this call alone, because the call deletes it.
async fn own_task(client: &Client, ids: Ids) -> i32 {
    let made = match ids {
        Ids::Known => {
            let body = TaskInfoCreate::new("For a day");
            client.tasks().create(&body).await.ok()
        }
        Ids::Unknown => None,
    };
    made.map_or(ids.pick(505), |task| task.id)
}

/// The same with a comment on a task.
async fn own_comment(client: &Client, ids: Ids) -> i32 {
    let made = match ids {
        Ids::Known => {
            let body = TaskCommentCreate::new(501, "For a day");
            client.tasks().create_comment(&body).await.ok()
        }
        Ids::Unknown => None,
    };
    made.and_then(|comment| comment.id)
        .unwrap_or(ids.pick(9002))
}

/// An incident for this call alone, because the call deletes it; `otherwise` for a client that may not create
/// one, or that requests an unknown one.
async fn own_incident(client: &Client, ids: Ids, otherwise: i32) -> i32 {
    match ids {
        Ids::Known => {
            let made = client.incidents().create(&incident_body()).await;
            made.map_or(otherwise, |incident| incident.id)
        }
        Ids::Unknown => otherwise,
    }
}

/// A new incident with something in each of its lists.
pub fn incident_body() -> IncidentCreate {
    IncidentCreate {
        consequences: Some(vec![ConsequenceInput::new(51)]),
        causes: Some(vec![CauseInput::new(41)]),
        custom_fields: Some(vec![CustomFieldInput {
            value: Some("M-20417".to_owned()),
            ..CustomFieldInput::new(61)
        }]),
        ..IncidentCreate::new(
            3,
            IncidentSeverity::Medium,
            "Housing cracked at station 4",
            day(),
            vec![CategoryInput::new(31)],
        )
    }
}

/// A value that fits the elements of its datasource.
pub fn value_body() -> DatasourceValueInput {
    let at = "2026-03-20T13:00:00Z".parse().expect("a timestamp");
    DatasourceValueInput {
        dimension: Some("early".to_owned()),
        ..DatasourceValueInput::new(91.2, at)
    }
}

/// Writes an incident back unchanged.
pub fn update_body() -> IncidentUpdate {
    IncidentUpdate::new(
        3,
        IncidentSeverity::Medium,
        "Housing cracked at station 4",
        day(),
    )
}

/// A new improvement with only the required properties.
pub fn improvement_body() -> ImprovementCreate {
    ImprovementCreate::new("Light above station 5", "u-117")
}

/// A text that no call had before.
pub fn unique(prefix: &str) -> String {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    format!("{prefix}-{}", NUMBER.fetch_add(1, Ordering::Relaxed))
}

fn day() -> Date {
    "2026-03-02".parse().expect("a date")
}
