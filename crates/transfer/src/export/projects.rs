//! `projects.jsonl`.

use super::error::ExportError;
use super::folder::JsonlWriter;
use super::read::records;
use obeya_store::engine::{Row, Session, StoreError, present};
use obeya_store::projects::read_milestone;
use obeya_store::tables::projects::{MemberLine, ProjectLine, ProjectRow};
use obeya_store::variant::Variant;

const OWNER: &str = "project_id";
const MILESTONE: &str = "id, name, planned_date, actual_date FROM project_milestones";
const MEMBER: &str = "user_id, role FROM project_members";

/// Writes `projects.jsonl`.
pub(super) fn write(
    session: &mut dyn Session,
    out: &mut JsonlWriter<'_>,
) -> Result<(), ExportError> {
    let what = &ProjectRow::statements().columns_from;
    let project = |row: &dyn Row| ProjectRow::read(row).map(ProjectRow::into_line);
    records(session, what, project, |session, mut projects| {
        projects.parts(session, MILESTONE, OWNER, "id", milestone)?;
        projects.parts(session, MEMBER, OWNER, "user_id", member)?;
        projects
            .into_iter()
            .try_for_each(|(id, project)| out.write(id, &project))
    })
}

fn milestone(project: &mut ProjectLine, row: &dyn Row) -> Result<(), StoreError> {
    project.milestones.push(read_milestone(row, 1)?.into());
    Ok(())
}

fn member(project: &mut ProjectLine, row: &dyn Row) -> Result<(), StoreError> {
    project.members.push(MemberLine {
        user_id: present(row.string(1)?)?,
        role: Variant::from_column(present(row.text(2)?)?)?,
    });
    Ok(())
}
