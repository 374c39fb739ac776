//! Operation → handler. The match is exhaustive over the operations generated from the spec, so a described
//! operation without a handler does not compile. Outside the spec, only the addresses that OData defines
//! itself are served under /v1 and /v2: those in [`ServiceEndpoint`], and those that [`insert_set`] derives
//! from the operations on sets. No rules and no parsing here.
//!
//! A handler is a `pub(crate) async fn name(call: Call) -> Result<Response, Problem>`. Before it runs, the
//! request was matched, the client authenticated, the scope checked, `Accept` negotiated and the names of
//! the query parameters checked. From [`Call`] it takes
//! - `call.id()?` (the int32 path id; anything else is 400 `path.invalid`), `call.query()` (the raw query
//!   string, `""` if none),
//! - `call.app` (`store`, `config`, …), `call.now()` (ticks, from the injected clock),
//!
//! and answers by `reading::read` (prepare → run → send), by `writing::write` (decode → decide → commit →
//! send, the only way to a body), or with `call.reply_json(&value)?` (200, the negotiated media type) or an
//! `Err(Problem)`.

use std::sync::Arc;

use http::header::ACCEPT;
use http::request::Parts;
use http::{HeaderValue, Method};
use obeya_odata::edm::Cardinality;

use crate::app::App;
use crate::auth::refused::RefusedKind;
use crate::auth::scopes::Scopes;
use crate::auth::{self, Caller, Refusal};
use crate::http::accept::Offers;
use crate::http::body::Response;
use crate::http::client_address;
use crate::http::connections::client_is_known;
use crate::http::extract;
use crate::http::format_option;
use crate::http::odata::{self, is_odata};
use crate::http::parameter_names;
use crate::http::path::{Captures, Node};
use crate::http::problem::Problem;
use crate::http::query_in_body;
use crate::http::request_body::RequestBody;
use crate::ops;
use crate::ops::call::Call;
use crate::ops::odata::Computed;
use crate::spec::Operation;
use obeya_store::entity_sets::{self, ROOT};

/// The target of a path and a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Route {
    /// An operation of the spec.
    Operation(Operation),
    /// An address that OData tools derive from that of an operation; under its rules.
    Computed(Operation, Computed),
    /// An endpoint outside the API.
    Endpoint(ServiceEndpoint),
}

/// Endpoints outside the API, without authentication.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ServiceEndpoint {
    /// The token endpoint.
    Token,
    /// The issuer's metadata.
    Discovery,
    /// The issuer's public keys.
    Jwks,
    /// Liveness.
    Live,
    /// Readiness.
    Ready,
    /// The metrics.
    Metrics,
    /// The spec as JSON.
    SpecJson,
    /// The spec as YAML.
    SpecYaml,
    /// OData's service document.
    ServiceDocument,
    /// OData's metadata document.
    Metadata,
    /// The front page.
    FrontPage,
    /// Its style.
    PageStyle,
    /// The icon of the pages.
    PageIcon,
    /// The explorer.
    Explorer,
    /// A file that the explorer loads.
    ExplorerFile,
    /// A page of the guide, or a file that it loads.
    GuideFile,
}

impl ServiceEndpoint {
    /// Whether it is for those who watch the service. These endpoints have no rate limit, and the admin
    /// listener serves only them.
    pub(crate) fn is_monitoring(self) -> bool {
        matches!(self, Self::Live | Self::Ready | Self::Metrics)
    }

    /// Whether it is part of the explorer or the guide, which can be switched off.
    fn is_documentation(self) -> bool {
        matches!(self, Self::Explorer | Self::ExplorerFile | Self::GuideFile)
    }

    const ALL: [(Self, Method, &str, &str); 16] = [
        (Self::Token, Method::POST, "/connect/token", "token"),
        (
            Self::Discovery,
            Method::GET,
            "/.well-known/openid-configuration",
            "discovery",
        ),
        (Self::Jwks, Method::GET, "/.well-known/jwks.json", "jwks"),
        (Self::Live, Method::GET, "/healthz", "healthz"),
        (Self::Ready, Method::GET, "/readyz", "readyz"),
        (Self::Metrics, Method::GET, "/metrics", "metrics"),
        (Self::SpecJson, Method::GET, "/openapi.json", "openapi.json"),
        (Self::SpecYaml, Method::GET, "/openapi.yaml", "openapi.yaml"),
        (Self::ServiceDocument, Method::GET, ROOT, "odata-service"),
        (
            Self::Metadata,
            Method::GET,
            "/v2/$metadata",
            "odata-metadata",
        ),
        (Self::FrontPage, Method::GET, "/", "front-page"),
        (Self::PageStyle, Method::GET, "/page.css", "page-style"),
        (Self::PageIcon, Method::GET, "/favicon.svg", "page-icon"),
        (Self::Explorer, Method::GET, "/docs", "explorer"),
        (
            Self::ExplorerFile,
            Method::GET,
            "/docs/{file}",
            "explorer-file",
        ),
        (Self::GuideFile, Method::GET, "/guide", "guide-file"),
    ];

    /// Other spellings of the same endpoints: with a trailing slash, and with a percent-encoded dollar.
    const ALIASES: [(Self, &str); 4] = [
        (Self::ServiceDocument, "/v2/"),
        (Self::Metadata, "/v2/%24metadata"),
        (Self::ExplorerFile, "/docs/"),
        (Self::GuideFile, "/guide/"),
    ];
}

/// The route table, with the checks before each handler.
pub(crate) struct Routes {
    table: Node<Route>,
    /// Indexed by operation.
    guards: Vec<Guard>,
}

struct Guard {
    scopes: Scopes,
    offers: Offers,
    /// Whether it is an OData operation, whose headers are checked.
    odata: bool,
}

/// The path segment for the number of entities, in its two spellings.
const COUNT: [&str; 2] = ["$count", "%24count"];

/// The index of the label for requests without a route.
const UNMATCHED: usize = Operation::ALL.len() + ServiceEndpoint::ALL.len();

impl Route {
    /// The index of its metrics.
    pub(crate) fn label(route: Option<Self>) -> usize {
        match route {
            Some(Self::Operation(operation) | Self::Computed(operation, _)) => operation as usize,
            Some(Self::Endpoint(endpoint)) => Operation::ALL.len() + endpoint as usize,
            None => UNMATCHED,
        }
    }
}

/// The names under which requests are counted, by index.
pub(crate) fn labels() -> Vec<&'static str> {
    let operations = Operation::ALL.iter().map(|operation| operation.id());
    operations
        .chain(ServiceEndpoint::ALL.iter().map(|(.., label)| *label))
        .chain(["unmatched"])
        .collect()
}

impl Routes {
    /// The routes of the spec and of the list above, those of explorer and guide only if they are on.
    pub(crate) fn new(has_explorer: bool) -> Self {
        let mut table = Node::default();
        for operation in Operation::ALL {
            let route = Route::Operation(operation);
            insert(&mut table, method_of(operation), operation.path(), route);
        }
        // After all of them, so that a described operation takes precedence at such an address.
        for operation in Operation::ALL {
            insert_set(&mut table, operation);
        }
        let named =
            ServiceEndpoint::ALL.map(|(endpoint, method, path, _)| (endpoint, method, path));
        let aliases =
            ServiceEndpoint::ALIASES.map(|(endpoint, path)| (endpoint, Method::GET, path));
        for (endpoint, method, path) in named.into_iter().chain(aliases) {
            if has_explorer || !endpoint.is_documentation() {
                table.insert(method, path, Route::Endpoint(endpoint));
            }
        }
        if has_explorer {
            let guide = Route::Endpoint(ServiceEndpoint::GuideFile);
            for path in obeya_pages::guide_paths() {
                table.insert(Method::GET, &format!("/guide/{path}"), guide);
            }
        }
        let guard = |operation: Operation| {
            let odata = is_odata(operation.path());
            let produces = operation.produces();
            Guard {
                scopes: Scopes::accepted_by(operation),
                offers: if odata {
                    Offers::with_metadata(produces)
                } else {
                    Offers::new(produces)
                },
                odata,
            }
        };
        Self {
            table,
            guards: Operation::ALL.map(guard).into(),
        }
    }

    /// Only the endpoints that watch the service.
    pub(crate) fn admin() -> Self {
        let mut table = Node::default();
        for (endpoint, method, path, _) in ServiceEndpoint::ALL {
            if endpoint.is_monitoring() {
                table.insert(method, path, Route::Endpoint(endpoint));
            }
        }
        Self {
            table,
            // No route is that of an operation.
            guards: Vec::new(),
        }
    }

    /// The route of a request: 404 `not_found` or 405 `method.not_allowed` when there is none.
    pub(crate) fn find(&self, method: &Method, path: &str) -> Result<(Route, Captures), Problem> {
        // No id has parentheses, so they always denote a key, also where the name before them could be an id.
        let found = self.table.find_by_key(path);
        let Some((node, captures)) = found.or_else(|| self.table.find(path)) else {
            return Err(Problem::unserved_path());
        };
        match node.route(method) {
            Some(route) => Ok((route, captures)),
            None => Err(Problem::method_not_allowed(method, &node.allow())),
        }
    }
}

fn method_of(operation: Operation) -> Method {
    // Every method in the spec is a standard one, so it always parses.
    Method::from_bytes(operation.method().as_bytes()).unwrap_or(Method::GET)
}

/// Adds a route. A GET below OData's root may also be a POST, to its path with the segment of
/// [`query_in_body`].
fn insert(table: &mut Node<Route>, method: Method, path: &str, route: Route) {
    if method == Method::GET && is_odata(path) {
        for segment in query_in_body::SEGMENTS {
            table.insert(Method::POST, &format!("{path}/{segment}"), route);
        }
    }
    table.insert(method, path, route);
}

/// The addresses that OData tools derive for an operation on a set: under the name of its set, the number of
/// its entities, and the navigations of a record.
fn insert_set(table: &mut Node<Route>, operation: Operation) {
    let Some((set, rest)) = entity_sets::at(operation.path()) else {
        return;
    };
    let mut addresses = vec![format!("{ROOT}/{}{rest}", set.url)];
    if set.name != set.url {
        let path = format!("{ROOT}/{}{rest}", set.name);
        let route = Route::Operation(operation);
        insert(table, method_of(operation), &path, route);
        addresses.push(path);
    }
    if operation.method() != "GET" {
        return;
    }
    for address in addresses {
        let mut derive = |path: &str, what: Computed| {
            let route = Route::Computed(operation, what);
            insert(table, Method::GET, &format!("{address}/{path}"), route);
        };
        if rest.is_empty() {
            for count in COUNT {
                derive(count, Computed::Count);
            }
            continue;
        }
        for (at, navigation) in set.entity.navigations.iter().enumerate() {
            derive(navigation.name, Computed::Related(at));
            if navigation.cardinality == Cardinality::Many {
                for count in COUNT {
                    let path = format!("{}/{count}", navigation.name);
                    derive(&path, Computed::RelatedCount(at));
                }
            }
        }
    }
}

/// Answers a matched request: checks token, scope, `$format` or `Accept`, and the names of query parameters
/// for an operation, and nothing for a service endpoint. Stores the authenticated client in `caller`.
pub(crate) async fn answer(
    app: Arc<App>,
    routes: &Routes,
    route: Route,
    captures: Captures,
    mut head: Box<Parts>,
    mut body: RequestBody,
    caller: &mut Option<Caller>,
) -> Result<Response, Problem> {
    let (operation, computed) = match route {
        Route::Operation(operation) => (operation, None),
        Route::Computed(operation, what) => (operation, Some(what)),
        // Boxed: its future is large, and would be part of that of every request.
        Route::Endpoint(endpoint) => {
            return Box::pin(answer_endpoint(&app, endpoint, &head, body)).await;
        }
    };
    let guard = &routes.guards[operation as usize];
    let caller = authorise(&app, guard, &head, caller).await?;
    if guard.odata {
        odata::check_max_version(&head.headers)?;
    }
    if head.method == Method::POST && operation.method() == "GET" {
        read_query(&app, &mut head, &mut body, &caller).await?;
    }
    if operation.method() == "GET"
        && let Some(accept) = format_option::accept(head.uri.query().unwrap_or(""))?
    {
        head.headers.insert(ACCEPT, accept);
    }
    let media = match computed {
        // A count is always text, although clients that request one still accept JSON only.
        Some(Computed::Count | Computed::RelatedCount(_)) => HeaderValue::from_static("text/plain"),
        _ => guard.offers.negotiate(&head.headers)?,
    };
    if let Some(query) = head.uri.query() {
        parameter_names::check(query, operation.query())?;
    }
    let call = Call::new(app, operation, caller, (head, body), captures, media);
    match computed {
        Some(what) => ops::odata::computed(call, what).await,
        None => dispatch(call).await,
    }
}

/// The first stage of every operation: authenticates the client, by its token and its address, and checks its
/// rate, then its scopes: a refusal for a scope must not be free of the rate. Stores the client in `found`
/// even if it is refused for one of these.
async fn authorise(
    app: &App,
    guard: &Guard,
    head: &Parts,
    found: &mut Option<Caller>,
) -> Result<Caller, Problem> {
    let address = client_address::of(head);
    let authenticated = auth::authenticate(&app.tokens, &app.store, &head.headers, address).await;
    if let Err(Refusal::Invalid(_) | Refusal::Expired | Refusal::Revoked | Refusal::Address) =
        authenticated
    {
        app.refused
            .count(&app.clock, &head.extensions, RefusedKind::Token);
    }
    let caller = found.insert(authenticated?);
    client_is_known(head).await;
    app.rates
        .check_client(&caller.client_id, caller.client.rate)?;
    if caller.scopes.intersects(guard.scopes) {
        Ok(Arc::clone(caller))
    } else {
        Err(Refusal::Scope(guard.scopes).into())
    }
}

/// Makes a POST to `…/$query` the GET that it stands for.
async fn read_query(
    app: &App,
    head: &mut Parts,
    body: &mut RequestBody,
    caller: &Caller,
) -> Result<(), Problem> {
    query_in_body::check_content(&head.headers)?;
    let limits = &app.config.limits;
    let limit = query_in_body::body_limit(head, limits.uri_bytes);
    let mut memory = app.memory.body_of(&caller.client_id);
    let body = extract::bytes(body, &head.headers, limit, limits, &mut memory).await?;
    query_in_body::turn_into_get(head, &body)
}

async fn answer_endpoint(
    app: &App,
    endpoint: ServiceEndpoint,
    head: &Parts,
    body: RequestBody,
) -> Result<Response, Problem> {
    match endpoint {
        ServiceEndpoint::Token => ops::token::token(app, head, body).await,
        ServiceEndpoint::Discovery => Ok(ops::well_known::discovery(
            &app.tokens,
            &app.issuer_for(&head.headers),
        )),
        ServiceEndpoint::Jwks => Ok(ops::well_known::jwks(&app.tokens)),
        ServiceEndpoint::Live => Ok(ops::meta::live()),
        ServiceEndpoint::Ready => ops::meta::ready(app).await,
        ServiceEndpoint::Metrics => ops::meta::metrics(app, &head.headers),
        ServiceEndpoint::SpecJson => Ok(ops::meta::spec_json(app, &head.headers)),
        ServiceEndpoint::SpecYaml => Ok(ops::meta::spec_yaml(app, &head.headers)),
        ServiceEndpoint::ServiceDocument => ops::odata::service_document(app, head),
        ServiceEndpoint::Metadata => ops::odata::metadata(head),
        ServiceEndpoint::FrontPage => ops::pages::front(app, head).await,
        ServiceEndpoint::PageStyle => Ok(ops::pages::style(head)),
        ServiceEndpoint::PageIcon => Ok(ops::pages::icon(head)),
        ServiceEndpoint::Explorer => Ok(ops::pages::explorer(app, head)),
        ServiceEndpoint::ExplorerFile => ops::pages::explorer_file(head),
        ServiceEndpoint::GuideFile => ops::pages::guide_file(head),
    }
}

/// Runs the handler of the matched operation.
async fn dispatch(call: Call) -> Result<Response, Problem> {
    match call.operation {
        Operation::ListAreas => ops::areas::list(call).await,
        Operation::GetArea => ops::areas::get(call).await,
        Operation::ListBoardsV2 => ops::boards::list(call).await,
        Operation::GetBoardV2 => ops::boards::get(call).await,
        Operation::GetBoardV1 => ops::boards::get_detail(call).await,
        Operation::ListGroupsV2 => ops::groups::list(call).await,
        Operation::GetGroup => ops::groups::get(call).await,
        Operation::ListUsersV2 => ops::users::reads::list(call).await,
        Operation::CreateUserV2 => ops::users::writes::create(call).await,
        Operation::GetUserV2 => ops::users::reads::get(call).await,
        Operation::UpdateUserV2 => ops::users::writes::update(call).await,
        Operation::PatchUser => ops::users::writes::patch(call).await,
        Operation::DeleteUserV2 => ops::users::delete::delete(call).await,
        Operation::ListUsersV1 => ops::users::reads::list_v1(call).await,
        Operation::CreateUserV1 => ops::users::writes::create_v1(call).await,
        Operation::UpdateUserByUserName => ops::users::writes::update_by_user_name(call).await,
        Operation::GetUserV1 => ops::users::reads::get_v1(call).await,
        Operation::UpdateUserV1 => ops::users::writes::update_v1(call).await,
        Operation::DeleteUserV1 => ops::users::delete::delete_v1(call).await,
        Operation::ListGroupsOfUser => ops::users::reads::list_groups(call).await,
        Operation::ListUsersOfRole => ops::users::reads::list_of_role(call).await,
        Operation::AddUserRole => ops::users::roles::add(call).await,
        Operation::RemoveUserRole => ops::users::roles::remove(call).await,
        Operation::ListIncidentComments => ops::comments::list(call).await,
        Operation::ListCommentsOfIncidentV2 => ops::comments::list_of_incident(call).await,
        Operation::GetIncidentComment => ops::comments::get(call).await,
        Operation::GetCommentOfIncident => ops::comments::get_of_incident(call).await,
        Operation::ListTypesOfIncident => ops::incident_types::list_of_incident(call).await,
        Operation::GetTypeOfIncident => ops::incident_types::get_of_incident(call).await,
        Operation::ListDatasourceValuesV1 => ops::datasources::reads::list_values(call).await,
        Operation::CreateDatasourceValue => ops::datasources::values::create(call).await,
        Operation::UpdateDatasourceValue => ops::datasources::values::update(call).await,
        Operation::DeleteDatasourceValue => ops::datasources::values::delete(call).await,
        Operation::CreateDatasourceValues => ops::datasources::batches::create(call).await,
        Operation::DeleteDatasourceValues => ops::datasources::batches::delete(call).await,
        Operation::ReplaceDatasourceValues => ops::datasources::batches::replace(call).await,
        Operation::ListIncidentsV1 => ops::incidents::reads::list(call).await,
        Operation::GetIncidentV1 => ops::incidents::reads::get(call).await,
        Operation::ListIncidentTypesV1 => ops::incident_types::list(call).await,
        Operation::ListCommentsOfIncidentV1 => ops::comments::list_of_incident_v1(call).await,
        Operation::ListBoardsV1 => ops::boards::list_v1(call).await,
        Operation::ListGroupsV1 => ops::groups::list_v1(call).await,
        Operation::ListDatasourcesV1 => ops::datasources::reads::list(call).await,
        Operation::GetDatasourceV1 => ops::datasources::reads::get(call).await,
        Operation::ListDatasourcesV2 => ops::datasources::reads::list_v2(call).await,
        Operation::GetDatasourceV2 => ops::datasources::reads::get_v2(call).await,
        Operation::ListDatasourceValuesV2 => ops::datasources::reads::list_values_v2(call).await,
        Operation::ListImprovementsV1 => ops::improvements::reads::list(call).await,
        Operation::GetImprovementV1 => ops::improvements::reads::get(call).await,
        Operation::ListImprovementsV2 => ops::improvements::reads::list_v2(call).await,
        Operation::GetImprovementV2 => ops::improvements::reads::get_v2(call).await,
        Operation::CreateIncident => ops::incidents::create::create(call).await,
        Operation::UpdateIncident => ops::incidents::update::update(call).await,
        Operation::UpdateIncidentConsequences => {
            ops::incidents::parts::update_consequences(call).await
        }
        Operation::UpdateIncidentCauses => ops::incidents::parts::update_causes(call).await,
        Operation::UpdateIncidentExternalId => {
            ops::incidents::properties::update_external_id(call).await
        }
        Operation::GetIncidentTypeV1 => ops::incident_types::get(call).await,
        Operation::ListTrashedIncidents => ops::incidents::trash::list(call).await,
        Operation::DeleteIncident => ops::incidents::trash::delete(call).await,
        Operation::RestoreIncident => ops::incidents::trash::restore(call).await,
        Operation::ListIncidentsV2 => ops::incidents::reads::list_v2(call).await,
        Operation::GetIncidentV2 => ops::incidents::reads::get_v2(call).await,
        Operation::ListIncidentTypesV2 => ops::incident_types::list_v2(call).await,
        Operation::GetIncidentTypeV2 => ops::incident_types::get_v2(call).await,
        Operation::ListDataLists => ops::data_lists::list(call).await,
        Operation::ListDataListItems => ops::data_lists::items(call).await,
        Operation::CreateDataListItem => ops::data_lists::create_item(call).await,
        Operation::CreateGroup => ops::groups::writes::create(call).await,
        Operation::DeleteGroup => ops::groups::writes::delete(call).await,
        Operation::ListGroupMembers => ops::groups::members::list(call).await,
        Operation::PutGroupMember => ops::groups::members::put(call).await,
        Operation::RemoveGroupMember => ops::groups::members::remove(call).await,
        Operation::ListProjects => ops::projects::reads::list(call).await,
        Operation::CreateProject => ops::projects::writes::create(call).await,
        Operation::GetProject => ops::projects::reads::get(call).await,
        Operation::DeleteProject => ops::projects::writes::delete(call).await,
        Operation::ListProjectMilestones => ops::projects::milestones::list(call).await,
        Operation::CreateProjectMilestone => ops::projects::milestones::create(call).await,
        Operation::UpdateProjectMilestone => ops::projects::milestones::update(call).await,
        Operation::DeleteProjectMilestone => ops::projects::milestones::delete(call).await,
        Operation::ListTasksOfBoard => ops::tasks::reads::list_of_board(call).await,
        Operation::CreateTaskOfBoard => ops::tasks::writes::create_of_board(call).await,
        Operation::ListTasksOfIncident => ops::tasks::reads::list_of_incident(call).await,
        Operation::ListAttachmentsOfIncident => {
            ops::attachments::reads::list_of_incident(call).await
        }
        Operation::GetIncidentAttachmentContent => {
            ops::attachments::reads::content_of_incident(call).await
        }
        Operation::CreateIncidentAttachment => {
            ops::attachments::writes::create_of_incident(call).await
        }
        Operation::DeleteIncidentAttachment => {
            ops::attachments::writes::delete_of_incident(call).await
        }
        Operation::GetTaskAttachmentContent => ops::attachments::reads::content_of_task(call).await,
        Operation::CreateTaskAttachment => ops::attachments::writes::create_of_task(call).await,
        Operation::DeleteTaskAttachment => ops::attachments::writes::delete_of_task(call).await,
        Operation::ListTasksOfProject => ops::tasks::reads::list_of_project(call).await,
        Operation::CreateTaskOfProject => ops::tasks::writes::create_of_project(call).await,
        Operation::CreateTaskV1 => ops::tasks::writes::create(call).await,
        Operation::CreateTaskV2 => ops::tasks::v2::create(call).await,
        Operation::GetTaskV1 => ops::tasks::reads::get(call).await,
        Operation::ListTasks => ops::tasks::reads::list(call).await,
        Operation::GetTaskV2 => ops::tasks::reads::get_v2(call).await,
        Operation::UpdateTaskV1 => ops::tasks::writes::update(call).await,
        Operation::UpdateTaskV2 => ops::tasks::v2::update(call).await,
        Operation::PatchTask => ops::tasks::v2::patch(call).await,
        Operation::DeleteTaskV1 => ops::tasks::writes::delete(call).await,
        Operation::DeleteTaskV2 => ops::tasks::v2::delete(call).await,
        Operation::ListTaskComments => ops::task_comments::list(call).await,
        Operation::GetTaskComment => ops::task_comments::get(call).await,
        Operation::CreateTaskComment => ops::task_comments::create(call).await,
        Operation::DeleteTaskComment => ops::task_comments::delete(call).await,
        Operation::ListCommentsOfTask => ops::task_comments::list_of_task(call).await,
        Operation::GetCommentOfTask => ops::task_comments::get_of_task(call).await,
        Operation::DeleteCommentOfTask => ops::task_comments::delete_of_task(call).await,
        Operation::CreateSubTask => ops::tasks::writes::create_sub_task(call).await,
        Operation::Ping => ops::ping::ping(call).await,
        Operation::UpdateIncidentStatus => ops::incidents::properties::update_status(call).await,
        Operation::UpdateIncidentSeverity => {
            ops::incidents::properties::update_severity(call).await
        }
        Operation::UpdateIncidentResponsible => {
            ops::incidents::properties::update_responsible(call).await
        }
        Operation::UpdateIncidentCategories => ops::incidents::parts::update_categories(call).await,
        Operation::UpdateIncidentCustomField => {
            ops::incidents::properties::update_custom_field(call).await
        }
        Operation::CreateImprovement => ops::improvements::writes::create(call).await,
        Operation::DeleteImprovement => ops::improvements::writes::delete(call).await,
        Operation::UpdateImprovement => ops::improvements::writes::update(call).await,
    }
}
