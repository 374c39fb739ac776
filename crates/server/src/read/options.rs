//! A request's query string as a bound query: what it may ask for, of which entity.

use obeya_odata::edm::EntityType;
use obeya_odata::{Bound, Context, Limits, OptionName, Options, Parameters};

use crate::http::call::Call;
use crate::http::problem::Problem;

/// The query of a v2 list: every option, bound to the entity. Parameters that are no options are ignored, as OData's custom options are.
pub(crate) fn query(call: &Call, entity: &'static EntityType) -> Result<Bound, Problem> {
    let (query, _) = parameters(call, entity, OptionName::ALL)?;
    Ok(query)
}

/// The query of one v2 record. Every option is accepted and must be right, but only `$select` and `$expand` mean something for a single record; the others
/// are left out of what is returned.
pub(super) fn record_query(call: &Call, entity: &'static EntityType) -> Result<Bound, Problem> {
    let (options, _) = Options::parse(call.query(), OptionName::ALL, &Limits::default())?;
    let context = context(call);
    options.bind(entity, &context)?;
    let meant = Options {
        search: None,
        filter: None,
        top: None,
        skip: None,
        count: None,
        orderby: None,
        ..options
    };
    Ok(meant.bind(entity, &context)?)
}

/// The query made of the allowed options, and the parameters that are none, decoded.
pub(crate) fn parameters(
    call: &Call,
    entity: &'static EntityType,
    allowed: &[OptionName],
) -> Result<(Bound, Parameters), Problem> {
    let (_, query, parameters) = parsed(call, entity, allowed)?;
    Ok((query, parameters))
}

/// The same, with the options as they were written.
pub(super) fn parsed(
    call: &Call,
    entity: &'static EntityType,
    allowed: &[OptionName],
) -> Result<(Options, Bound, Parameters), Problem> {
    let (options, parameters) = Options::parse(call.query(), allowed, &Limits::default())?;
    let query = options.bind(entity, &context(call))?;
    Ok((options, query, parameters))
}

fn context(call: &Call) -> Context {
    Context {
        now: call.now(),
        limits: Limits::default(),
    }
}
