//! Memberships of `users.jsonl` that are refused, with the place of the fault.

use crate::import_faults::spoilt;
use crate::import_folder::Target;

#[tokio::test]
async fn a_membership_that_is_none() {
    let target = Target::new();
    for (groups, expected) in [
        (
            "[1,{\"id\":2,\"role\":\"viewer\"}]",
            "1, field groups[1].role: found \"viewer\", expected one of Member | Viewer | Owner",
        ),
        (
            "[1,{\"id\":2}]",
            "1, field groups[1].role: found nothing, expected a value",
        ),
        (
            "[1,\"2\"]",
            "1, field groups[1]: found \"2\", expected the id of a group, or an object of its id and a role",
        ),
        (
            "[1,2,{\"id\":2,\"role\":\"Viewer\"}]",
            "1, field groups[2]: found group 2 as Member and Viewer, expected one role in each group",
        ),
    ] {
        spoilt(&target, "users.jsonl", "[1,2]", groups, expected).await;
    }
}
