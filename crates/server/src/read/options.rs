//! A request's query string as a bound query: what it may ask for, of which entity.

use obeya_odata::edm::EntityType;
use obeya_odata::{Bound, Context, OptionName, Options, Parameters};

use crate::http::call::Call;
use crate::http::problem::Problem;

/// The query of one v2 record. Every option is accepted and must be right, but only `$select` and `$expand` mean something for a single record; the others
/// are left out of what is returned.
pub(super) fn record_query(call: &Call, entity: &'static EntityType) -> Result<Bound, Problem> {
    let (mut options, _) =
        Options::parse(call.query(), OptionName::ALL, &call.app.config.limits.query)?;
    let context = context(call, call.now());
    options.bind(entity, &context)?;
    options.search = None;
    options.filter = None;
    options.top = None;
    options.skip = None;
    options.count = None;
    options.orderby = None;
    Ok(options.bind(entity, &context)?)
}

/// The allowed options as they were written and bound to the entity at an instant, and the parameters that are none, decoded.
pub(super) fn parsed(
    call: &Call,
    entity: &'static EntityType,
    allowed: &[OptionName],
    now: i64,
) -> Result<(Options, Bound, Parameters), Problem> {
    let (options, parameters) =
        Options::parse(call.query(), allowed, &call.app.config.limits.query)?;
    let query = options.bind(entity, &context(call, now))?;
    Ok((options, query, parameters))
}

/// What binding needs to know; `now()` is as it is told.
pub(super) fn context(call: &Call, now: i64) -> Context {
    Context {
        now,
        limits: call.app.config.limits.query,
    }
}
