//! Checks what the body of a new project requires beyond types.

use obeya_model::bounds::schemas::project_create::{
    customer_number, external_id, members_email, name, project_number, status,
};
use obeya_model::{ProjectCreate, Timestamp};

use obeya_rules::error::DomainError;
use obeya_rules::validate::Check;
use obeya_store::projects::unaddressable_number;

/// Refuses a body that its schema does not allow, and a period that ends before it begins.
pub(super) fn check(body: &ProjectCreate) -> Result<(), DomainError> {
    let mut check = Check::default();
    check.length(
        "projectNumber",
        &body.project_number,
        &project_number::LENGTH,
    );
    if let Some(expected) = unaddressable_number(&body.project_number) {
        check.refuse("projectNumber", format!("expected {expected}"));
    }
    check.length("name", &body.name, &name::LENGTH);
    for (field, text, allowed) in [
        ("status", &body.status, &status::LENGTH),
        (
            "customerNumber",
            &body.customer_number,
            &customer_number::LENGTH,
        ),
        ("externalId", &body.external_id, &external_id::LENGTH),
    ] {
        if let Some(text) = text {
            check.length(field, text, allowed);
        }
    }
    let members = body.members_email.as_ref().map_or(0, Vec::len);
    check.size(
        "membersEmail",
        members,
        &members_email::ITEMS,
        ["address", "addresses"],
    );
    for (fields, from, to) in [
        (["startDate", "endDate"], body.start_date, body.end_date),
        (
            ["estimatedStartDate", "estimatedEndDate"],
            body.estimated_start_date,
            body.estimated_end_date,
        ),
    ] {
        period(&mut check, fields, from, to);
    }
    check.finish(Some(()))
}

fn period(
    check: &mut Check,
    [first, last]: [&str; 2],
    from: Option<Timestamp>,
    to: Option<Timestamp>,
) {
    if let (Some(from), Some(to)) = (from, to)
        && to < from
    {
        check.refuse(
            last,
            format!("expected {first} ({from}) or later, found {to}"),
        );
    }
}
