//! A request's query string as a bound query: what it may ask for, of which entity.

use obeya_odata::edm::EntityType;
use obeya_odata::{Bound, Context, OptionName, Options, Parameters};

use crate::http::problem::Problem;
use crate::ops::call::Call;

/// The allowed options as they were written, and the parameters that are none, decoded.
pub(super) fn written(
    call: &Call,
    allowed: &[OptionName],
) -> Result<(Options, Parameters), Problem> {
    let limits = &call.app.config.limits.query;
    Ok(Options::parse(call.query(), allowed, limits)?)
}

/// Whether the options of v2 are well-formed, where there is no record that they could be about.
pub(crate) fn check(call: &Call) -> Result<(), Problem> {
    written(call, OptionName::ALL).map(drop)
}

/// The query that options make, of which entity and with `now()` as it is told.
pub(super) fn bind(
    call: &Call,
    options: &Options,
    entity: &'static EntityType,
    now: i64,
) -> Result<Bound, Problem> {
    let limits = call.app.config.limits.query;
    Ok(options.bind(entity, &Context { now, limits })?)
}

/// The query of one v2 record. Every option is accepted and must be right, but only `$select` and `$expand` mean something for a single record; the others
/// are left out of what is returned.
pub(super) fn record_query(call: &Call, entity: &'static EntityType) -> Result<Bound, Problem> {
    let (mut options, _) = written(call, OptionName::ALL)?;
    let now = call.now();
    bind(call, &options, entity, now)?;
    options.search = None;
    options.filter = None;
    options.top = None;
    options.skip = None;
    options.count = None;
    options.orderby = None;
    bind(call, &options, entity, now)
}
