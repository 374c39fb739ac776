//! The service as OData tools see it: which entities are listed under `/v2`, by which name and where.
//!
//! A set's name may differ from its address in the spec: tools compute addresses from the name, so the routes
//! answer under both.

use obeya_odata::csdl::{Container, EntitySet};

use crate::entities::{
    AREA, BOARD, DATASOURCE_V2, GROUP, IMPROVEMENT_V2, INCIDENT_COMMENT, INCIDENT_TYPE_V2,
    INCIDENT_V2, TASK, TASK_COMMENT, USER,
};

/// Where the service is, seen from its base URL.
pub const ROOT: &str = "/v2";

/// The sets, each with the path of the operation that lists it.
pub static CONTAINER: Container = Container {
    namespace: "Obeya",
    name: "Service",
    sets: &[
        EntitySet {
            name: "areas",
            entity: &AREA,
            url: "areas",
        },
        EntitySet {
            name: "boards",
            entity: &BOARD,
            url: "boards",
        },
        EntitySet {
            name: "datasources",
            entity: &DATASOURCE_V2,
            url: "datasources",
        },
        EntitySet {
            name: "groups",
            entity: &GROUP,
            url: "groups",
        },
        EntitySet {
            name: "improvements",
            entity: &IMPROVEMENT_V2,
            url: "improvements",
        },
        EntitySet {
            name: "comments",
            entity: &INCIDENT_COMMENT,
            url: "incidents/comments",
        },
        EntitySet {
            name: "incidents",
            entity: &INCIDENT_V2,
            url: "incidents",
        },
        EntitySet {
            name: "incidentTypes",
            entity: &INCIDENT_TYPE_V2,
            url: "incidents/types",
        },
        EntitySet {
            name: "tasks",
            entity: &TASK,
            url: "tasks",
        },
        EntitySet {
            name: "taskComments",
            entity: &TASK_COMMENT,
            url: "tasks/comments",
        },
        EntitySet {
            name: "users",
            entity: &USER,
            url: "users",
        },
    ],
};

/// The set whose list or record is at `path`, and what follows its address there; `path` is that of an
/// operation.
pub fn at(path: &str) -> Option<(&'static EntitySet, &str)> {
    let path = path.strip_prefix(ROOT)?.strip_prefix('/')?;
    CONTAINER.sets.iter().find_map(|set| {
        let rest = path.strip_prefix(set.url)?;
        let is_record = rest.starts_with("/{") && rest.ends_with('}') && !rest[1..].contains('/');
        (rest.is_empty() || is_record).then_some((set, rest))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_description_is_sound() {
        assert_eq!(CONTAINER.check(), Vec::<String>::new());
    }

    #[test]
    fn an_operation_belongs_to_the_set_at_its_address() {
        let found = |path| at(path).map(|(set, rest)| (set.name, rest.to_owned()));
        assert_eq!(found("/v2/areas"), Some(("areas", String::new())));
        assert_eq!(
            found("/v2/incidents/comments/{incidentCommentId}"),
            Some(("comments", "/{incidentCommentId}".to_owned()))
        );
        assert_eq!(
            found("/v2/incidents/{incidentId}"),
            Some(("incidents", "/{incidentId}".to_owned()))
        );
        assert_eq!(
            found("/v2/incidents/types"),
            Some(("incidentTypes", String::new()))
        );
        assert_eq!(found("/v2/incidents/{incidentId}/comments"), None);
        assert_eq!(found("/v1/Boards/{id}"), None);
    }
}
