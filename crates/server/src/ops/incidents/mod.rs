//! Handlers of incidents.

pub(crate) mod causes;
pub(crate) mod consequences;
pub(crate) mod create;
pub(crate) mod external_id;
pub(crate) mod trash;
pub(crate) mod type_detail;
pub(crate) mod update;
