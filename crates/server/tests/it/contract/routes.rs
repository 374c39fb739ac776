//! Addresses outside the description: OData's own endpoints, and nothing else under any method.

use std::collections::BTreeSet;

use reqwest::Method;

use super::plant;
use super::schema::{Described, operations};
use crate::support::Answer;

/// The companion operations of the same interface, and neighbours of those described: none may be served
/// before it is described.
#[tokio::test]
async fn nothing_is_served_that_is_not_described() {
    let service = plant::served().await;
    // A deleted record would be missing in later requests.
    let methods = ["GET", "POST", "PUT", "PATCH", "DELETE"];
    let mut paths: BTreeSet<String> = operations().iter().map(Described::example_path).collect();
    let described = paths.clone();
    for path in described {
        paths.insert(format!("{path}/x"));
        paths.insert(path.replace("/v1/", "/v3/").replace("/v2/", "/v3/"));
        paths.extend(path.rsplit_once('/').map(|(parent, _)| parent.to_owned()));
    }
    paths.extend(COMPANIONS.map(str::to_owned));
    paths.extend(DOORS.map(str::to_owned));
    for method in methods {
        for path in &paths {
            // A key stands in parentheses or in a segment.
            let path_of_key = path.replace("('u-104')", "/u-104");
            let is_literal = operations().iter().any(|operation| operation.path == *path);
            let is_described = operations().iter().any(|operation| {
                operation.method == method
                    && (operation.example_path() == path_of_key
                        || !is_literal && is_by_id(&operation.path, path))
            });
            let is_door = method == "GET" && DOORS.contains(&path.as_str());
            let parsed: Method = method.parse().expect("a method");
            let answer = Answer::of(service.request(parsed, path)).await;
            // `types` alone matches the id of an incident.
            let is_no_id = answer.status == 400 && answer.json()["code"] == "path.invalid";
            // Another operation has deleted the record, or any text may be the id of a user.
            let is_gone =
                is_described && answer.status == 404 && answer.text().contains("There is no ");
            let unserved = [404, 405].contains(&answer.status) && !is_gone || is_no_id;
            assert_eq!(
                unserved,
                !is_described && !is_door,
                "{method} {path}: {}",
                answer.text()
            );
        }
    }
}

/// Whether a path is that of an operation, with an integer for each parameter but those of users.
fn is_by_id(template: &str, path: &str) -> bool {
    let pairs = template.split('/').zip(path.split('/'));
    let matches = pairs.into_iter().all(|(expected, found)| {
        let is_text = ["{userId}", "{role}"].contains(&expected) && !found.starts_with(['$', '%']);
        expected == found || is_text || expected.starts_with('{') && found.parse::<i32>().is_ok()
    });
    matches && template.split('/').count() == path.split('/').count()
}

/// What OASIS describes and the specification therefore does not: DECISIONS.md, section 4.
const DOORS: [&str; 52] = [
    "/v2",
    "/v2/",
    "/v2/$metadata",
    "/v2/%24metadata",
    "/v2/areas/$count",
    "/v2/boards/$count",
    "/v2/groups/$count",
    "/v2/incidents/comments/$count",
    "/v2/comments/$count",
    "/v2/areas/%24count",
    "/v2/boards/%24count",
    "/v2/groups/%24count",
    "/v2/incidents/comments/%24count",
    "/v2/comments/%24count",
    "/v2/comments",
    "/v2/comments/8801",
    "/v2/comments(8801)",
    "/v2/areas(2)",
    "/v2/boards(7)",
    "/v2/groups(4)",
    "/v2/boards/7/group",
    "/v2/groups/4/parent",
    "/v2/groups/4/children",
    "/v2/groups/4/boards",
    "/v2/groups(4)/users",
    "/v2/groups/4/children/$count",
    "/v2/groups/4/boards/$count",
    "/v2/groups/4/users/$count",
    "/v2/incidents/comments/8801/parent",
    "/v2/incidents/comments/8801/incident",
    "/v2/comments(8801)/incident",
    "/v2/incidents/$count",
    "/v2/incidents/%24count",
    "/v2/incidents(1204)",
    "/v2/incidents/1204/area",
    "/v2/incidents/1204/group",
    "/v2/incidents/1204/followUpGroup",
    "/v2/incidents(1204)/type",
    "/v2/incidents(1204)/comments",
    "/v2/incidents/1204/comments/$count",
    "/v2/incidents/1204/attachments",
    "/v2/tasks/501/attachments",
    "/v2/incidents/types/$count",
    "/v2/incidents/types(3)",
    "/v2/incidentTypes",
    "/v2/incidentTypes/3",
    "/v2/incidentTypes(3)",
    "/v2/incidentTypes/$count",
    "/v2/users/$count",
    "/v2/users('u-104')",
    "/v2/users('u-104')/groups",
    "/v2/users/u-104/groups/$count",
];

const COMPANIONS: [&str; 17] = [
    "/v1/Incidents/1204/comments",
    "/v1/Incidents/1204/status",
    "/v1/Incidents/1204/severity",
    "/v1/Incidents/1204/responsible",
    "/v1/Incidents/1204/categories",
    "/v1/Incidents/1204/customfields/61",
    "/v1/Incidents/trash/1187/restore",
    "/v1/Groups",
    "/v2/incidents/types/3",
    "/v2/ping",
    "/v2/areas/2/$count",
    "/v2/areas/2/name",
    "/v2/boards/7/group/boards",
    "/v2/incidents/1204/name",
    "/v2/$batch",
    "/v2/$count",
    "/v1",
];
