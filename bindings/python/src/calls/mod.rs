//! The operations, a class and a file for each resource: what each is called with and what it asks the SDK. Their names for users, and
//! what is said of them, are in `obeya/_async` (from which `obeya/_sync` is made).

mod areas;
mod boards;
mod comments;
mod datasources;
mod groups;
mod improvements;
mod incidents;

pub(crate) use areas::AreaCalls;
pub(crate) use boards::BoardCalls;
pub(crate) use comments::CommentCalls;
pub(crate) use datasources::DatasourceCalls;
pub(crate) use groups::GroupCalls;
pub(crate) use improvements::ImprovementCalls;
pub(crate) use incidents::IncidentCalls;
