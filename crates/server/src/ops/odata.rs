//! OData's own endpoints: the service document, the metadata document, and the addresses that tools derive,
//! such as the number of entities in a set.
//!
//! The two documents need no authentication, like the description of the API: they contain only the model.

use std::sync::LazyLock;

use bytes::Bytes;
use http::HeaderValue;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, VARY};
use http::request::Parts;

use super::call::Call;
use super::reading;
use crate::app::App;
use crate::http::accept::{MINIMAL, Offers};
use crate::http::body::Response;
use crate::http::format_option;
use crate::http::odata::check_max_version;
use crate::http::problem::Problem;
use obeya_read::{List, Related};
use obeya_store::RecordId;
use obeya_store::entity_sets::{self, CONTAINER, ROOT};

/// What tools read at a derived address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Computed {
    /// `/v2/groups/$count`: the number of entities in a set, as text.
    Count,
    /// `/v2/groups(7)/boards`: the target of a navigation, by its index in the entity.
    Related(usize),
    /// `/v2/groups(7)/boards/$count`: the number of records there.
    RelatedCount(usize),
}

const XML: &str = "application/xml";
const JSON: &str = "application/json";

static METADATA_XML: LazyLock<Bytes> = LazyLock::new(|| CONTAINER.xml().into());
static METADATA_JSON: LazyLock<Bytes> = LazyLock::new(|| CONTAINER.json().into());
static METADATA_OFFERS: LazyLock<Offers> = LazyLock::new(|| Offers::in_order(&[XML, JSON]));

/// `/v2`: the sets and their URLs, always as JSON.
pub(crate) fn service_document(app: &App, head: &Parts) -> Result<Response, Problem> {
    check_max_version(&head.headers)?;
    let root = format!("{}{ROOT}", app.base_for(&head.headers));
    let mut response = Response::new(CONTAINER.service_document(&root).into());
    // The URLs in it depend on the host name of the request.
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, MINIMAL);
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    Ok(response)
}

/// `/v2/$metadata`: CSDL in XML, or in JSON on request.
pub(crate) fn metadata(head: &Parts) -> Result<Response, Problem> {
    check_max_version(&head.headers)?;
    let media = match chosen_format(head.uri.query().unwrap_or(""))? {
        Some(media) => media,
        // Tools send the `Accept` of their data here too, but read this document in XML: a client that
        // accepts XML at all gets it.
        None if METADATA_OFFERS.takes_first(&head.headers) => HeaderValue::from_static(XML),
        None => METADATA_OFFERS.negotiate(&head.headers)?,
    };
    let document = if media == JSON {
        &METADATA_JSON
    } else {
        &METADATA_XML
    };
    let mut response = Response::new(Bytes::clone(document).into());
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, media);
    headers.insert(VARY, HeaderValue::from_static("accept"));
    headers.insert(
        CACHE_CONTROL,
        HeaderValue::from_static("public, max-age=300"),
    );
    Ok(response)
}

/// The media type that `$format` names, if it is given; it takes precedence over `Accept`.
fn chosen_format(query: &str) -> Result<Option<HeaderValue>, Problem> {
    let Some(value) = format_option::value(query)? else {
        return Ok(None);
    };
    let essence = value.split(';').next().unwrap_or(&value).trim();
    if format_option::is_json(essence) {
        return Ok(Some(HeaderValue::from_static(JSON)));
    }
    if essence.eq_ignore_ascii_case("xml") || essence.eq_ignore_ascii_case(XML) {
        return Ok(Some(HeaderValue::from_static(XML)));
    }
    Err(format_option::refused(&value, "xml or json"))
}

/// Answers an address that is derived from that of a set or a record. The call has the operation that reads
/// the set or the record.
pub(crate) async fn computed(call: Call, what: Computed) -> Result<Response, Problem> {
    let Some((set, _)) = entity_sets::at(call.operation.path()) else {
        // The routes are derived from the sets.
        return Err(Problem::internal("an operation that reads no set"));
    };
    let related = |id: RecordId, at: usize| Related::new(set, &set.entity.navigations[at], id);
    match what {
        Computed::Count => {
            let list = List::of(set.entity);
            reading::read(call, |request| list.prepare_count(request)).await
        }
        Computed::Related(at) => {
            let related = related(call.record_id()?, at);
            reading::read(call, |request| related.prepare(request)).await
        }
        Computed::RelatedCount(at) => {
            let related = related(call.record_id()?, at);
            reading::read(call, |request| related.prepare_count(request)).await
        }
    }
}
