//! Reads through the read engine: prepare → run → send.
//!
//! Every error of a request is found by `prepare`, which needs no connection. `run` has a session and knows
//! no HTTP. Only `send` creates a response.

use std::borrow::Cow;
use std::ops::ControlFlow;
use std::sync::{Arc, LazyLock};

use bytes::Bytes;
use http::header::{ETAG, VARY};
use http::{HeaderName, HeaderValue, StatusCode};

use super::call::Call;
use super::gate::Gate;
use super::next_link;
use super::page_tags::{self, PageTags};
use crate::auth::scopes::Scopes;
use crate::http::answer_buffer::AnswerBuffer;
use crate::http::body::{Body, Response};
use crate::http::body_sender::{self, BodyReceiver, BodySender, Head};
use crate::http::extract::{PREFERENCE_APPLIED, max_page_size};
use crate::http::memory_budget::Reservation;
use crate::http::problem::Problem;
use crate::spec::Operation;
use obeya_read::{
    self as read, Cost, Prepared, ReadCaches, ReadError, ReadOutcome, ReadRequest, Sink,
};
use obeya_store::{Session, Store};

/// The version of the datasource that a page shows, for clients that combine pages.
const STATE: HeaderName = HeaderName::from_static("obeya-state");
/// Page size, page number and count of all values, for formats that do not include them.
const PAGE_SIZE: HeaderName = HeaderName::from_static("obeya-page-size");
const PAGE_NO: HeaderName = HeaderName::from_static("obeya-page-no");
const COUNT: HeaderName = HeaderName::from_static("obeya-count");
/// The largest page of v1 records that is first read as short work. Most larger ones are for copies of the
/// plant; they would only be read twice.
const SHORT_RECORDS: u32 = 1_000;
/// The most bytes of such a page that are kept before it turns out to be large.
const SHORT_BYTES: usize = 2 << 20;
const VARIES: HeaderValue = HeaderValue::from_static("accept");

/// The scopes with which a client reads users: those of the groups, whose members they are.
static READ_USERS: LazyLock<Scopes> =
    LazyLock::new(|| Scopes::accepted_by(Operation::ListGroupsV2));

/// The answer of a read.
enum ReadAnswer {
    /// A complete answer, the memory that was reserved for it, and its outcome.
    Complete(Vec<u8>, Reservation, ReadOutcome),
    /// A body that may still be read, and the head of its page of values.
    Streamed(StreamedAnswer, Option<ValuePageHead>),
}

struct StreamedAnswer {
    /// The whole body, if it is already complete.
    whole: Option<Bytes>,
    receiver: BodyReceiver,
}

/// The values for the head of a page of values.
struct ValuePageHead {
    datasource: i64,
    number: u32,
    size: u32,
    tags: PageTags,
}

/// The stages of a read.
pub(super) async fn read<P: Into<Prepared>>(
    call: Call,
    prepare: impl FnOnce(&ReadRequest<'_>) -> Result<P, ReadError>,
) -> Result<Response, Problem> {
    let store = call.store();
    // Parse, bind and plan, or take the plan from the cache.
    let prepared = {
        let base_url = || call.base_url();
        Arc::new(prepare(&request(&call, &store, &base_url))?.into())
    };
    // In one snapshot, write the rows as bytes.
    let answer = run(&call, store, prepared).await?;
    // Status, headers, tag and next link.
    send(&call, answer)
}

/// The input of the read engine from a request.
fn request<'r>(
    call: &'r Call,
    store: &'r Store,
    base_url: &'r dyn Fn() -> Cow<'r, str>,
) -> ReadRequest<'r> {
    let app = &call.app;
    ReadRequest {
        query: call.query(),
        now: call.now(),
        limits: app.config.limits.query,
        uri_bytes: app.config.limits.uri_bytes,
        page_records: app.config.limits.page_records,
        page_size: max_page_size(call.headers()).map(|(size, _)| size),
        media: call.media().to_str().unwrap_or_default(),
        base_url,
        wants_context: call.wants_context(),
        shows_user_names: call.caller.scopes.intersects(*READ_USERS),
        grants: call.grants(),
        caches: &app.caches,
        links: &app.links,
        store,
    }
}

/// Runs a read on the readers that fit its cost.
async fn run(call: &Call, store: Store, prepared: Arc<Prepared>) -> Result<ReadAnswer, Problem> {
    let app = &call.app;
    let gate = Gate::of(call);
    // The gate and the record must be of one snapshot: it may be moved in between.
    if !gate.is_restricted()
        && let Some(look_up) = prepared.look_up()
    {
        let (record, outcome) = look_up.run(&store).await?;
        return Ok(ReadAnswer::Complete(record, call.answer_memory(), outcome));
    }
    let cost = prepared.cost();
    match cost {
        Cost::LookUp | Cost::Small => {}
        Cost::Records(records) => {
            if records <= SHORT_RECORDS
                && let Some(whole) = read_if_short(&store, &gate, &prepared).await?
            {
                let memory = call.answer_memory();
                return Ok(ReadAnswer::Complete(whole, memory, ReadOutcome::Complete));
            }
            let buffer = call.answer_buffer(records);
            let streamed = start(call, store, prepared, buffer, None).await?;
            return Ok(ReadAnswer::Streamed(streamed, None));
        }
        Cost::Values(values) => {
            let buffer = call.answer_buffer(values);
            let head = ValuePageHead::of(call, &prepared);
            let tags = head.as_ref().map(|head| head.tags.clone());
            let streamed = start(call, store, prepared, buffer, tags).await?;
            return Ok(ReadAnswer::Streamed(streamed, head));
        }
    }
    // These reads do not use the caches: the plan has what a list caches.
    let (shared, client) = (Arc::clone(app), Arc::clone(&call.caller));
    let work = move |session: &mut dyn Session| {
        let mut sink = WholeSink {
            bytes: Vec::new(),
            memory: shared.memory.answer_to(&client.client_id),
        };
        let found = run_granted(session, &gate, &prepared, None, &mut sink)?;
        Ok::<_, ReadError>((sink, found))
    };
    let (WholeSink { bytes, memory }, found) = match cost {
        Cost::LookUp => store.look_up(work).await?,
        _ => store.read_inline(work).await?,
    };
    Ok(ReadAnswer::Complete(bytes, memory, found))
}

/// Runs a read in one snapshot, if the client is granted the record in the path.
fn run_granted(
    session: &mut dyn Session,
    gate: &Gate,
    prepared: &Prepared,
    caches: Option<&ReadCaches>,
    sink: &mut dyn Sink,
) -> Result<ReadOutcome, ReadError> {
    gate.check(session, ReadError::NotFound)?;
    read::run(session, prepared, caches, sink)
}

/// Collects an answer.
struct WholeSink {
    bytes: Vec<u8>,
    memory: Reservation,
}

impl Sink for WholeSink {
    fn piece(&mut self, bytes: Vec<u8>) -> ControlFlow<()> {
        self.bytes.piece(bytes)
    }

    fn last(&mut self, bytes: Vec<u8>) {
        self.bytes.last(bytes);
    }

    fn reserve(&mut self, bytes: usize) -> bool {
        self.memory.try_add(bytes).is_ok()
    }
}

/// Starts a read whose answer is sent while it is read, and waits for its head.
async fn start(
    call: &Call,
    store: Store,
    prepared: Arc<Prepared>,
    buffer: AnswerBuffer,
    tags: Option<PageTags>,
) -> Result<StreamedAnswer, Problem> {
    let app = Arc::clone(&call.app);
    let gate = Gate::of(call);
    let (sender, mut receiver) = body_sender::channel(buffer);
    // A separate task, because reading continues after the head of the answer is sent. It ends when
    // everything is read, or the client disconnects.
    tokio::spawn(async move {
        let sender = Arc::new(sender);
        let mut sink = BodySink {
            sender: Arc::clone(&sender),
            tags,
            version: 0,
        };
        let read = store.read(move |session| {
            run_granted(session, &gate, &prepared, Some(&app.caches), &mut sink)
        });
        tokio::select! {
            outcome = read => {
                sender.end(outcome.map(drop).map_err(Problem::from));
                sender.guard().await;
            }
            // Nobody waits for the rest: a read that has not begun gives up its place, and its statement is
            // stopped otherwise.
            () = sender.receiver_gone() => sender.end(Ok(())),
        }
    });
    let whole = receiver.start().await?;
    Ok(StreamedAnswer { whole, receiver })
}

/// The whole answer of a list of records, unless it takes long or is large.
async fn read_if_short(
    store: &Store,
    gate: &Gate,
    prepared: &Arc<Prepared>,
) -> Result<Option<Vec<u8>>, ReadError> {
    let (gate, prepared) = (gate.clone(), Arc::clone(prepared));
    let work = move |session: &mut dyn Session| {
        let mut sink = ShortSink {
            bytes: Vec::new(),
            is_full: false,
        };
        run_granted(session, &gate, &prepared, None, &mut sink)?;
        Ok::<_, ReadError>((!sink.is_full).then_some(sink.bytes))
    };
    Ok(store.read_if_short(work).await?.flatten())
}

/// Collects an answer as long as it is small.
struct ShortSink {
    bytes: Vec<u8>,
    is_full: bool,
}

impl Sink for ShortSink {
    fn piece(&mut self, bytes: Vec<u8>) -> ControlFlow<()> {
        self.is_full = self.bytes.len() + bytes.len() > SHORT_BYTES;
        if self.is_full {
            return ControlFlow::Break(());
        }
        self.bytes.piece(bytes)
    }

    fn last(&mut self, bytes: Vec<u8>) {
        self.bytes.last(bytes);
    }
}

/// Passes an answer to the client while it is read.
struct BodySink {
    sender: Arc<BodySender>,
    /// The tags of a page of values.
    tags: Option<PageTags>,
    version: i64,
}

impl Sink for BodySink {
    fn begin(&mut self, version: i64) -> ControlFlow<()> {
        self.version = version;
        let is_known = self
            .tags
            .as_ref()
            .is_some_and(|tags| tags.is_known(version));
        if !is_known {
            return ControlFlow::Continue(());
        }
        self.sender.head(Head {
            count: 0,
            version,
            is_known,
        });
        ControlFlow::Break(())
    }

    fn counted(&mut self, rows: u64) {
        self.sender.head(Head {
            count: rows,
            version: self.version,
            is_known: false,
        });
    }

    fn piece(&mut self, bytes: Vec<u8>) -> ControlFlow<()> {
        if self.sender.push(bytes) {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    }

    fn last(&mut self, bytes: Vec<u8>) {
        self.sender.push_last(bytes);
    }

    fn is_wanted(&self) -> bool {
        self.sender.is_wanted()
    }
}

impl ValuePageHead {
    fn of(call: &Call, prepared: &Prepared) -> Option<Self> {
        let Prepared::Values(page) = prepared else {
            return None;
        };
        Some(Self {
            datasource: page.datasource(),
            number: page.number(),
            size: page.size(),
            tags: PageTags::of_answers_to(call, page.asks_the_time()),
        })
    }
}

/// The response of a read. No other code creates one.
fn send(call: &Call, answer: ReadAnswer) -> Result<Response, Problem> {
    let (mut out, memory, outcome) = match answer {
        ReadAnswer::Complete(out, memory, outcome) => (out, memory, outcome),
        ReadAnswer::Streamed(streamed, None) => return Ok(streamed.send(call)),
        ReadAnswer::Streamed(streamed, Some(head)) => {
            return Ok(send_values(call, streamed, &head));
        }
    };
    if let ReadOutcome::OpenList(next) = &outcome {
        end_list(call, &mut out, next.as_ref());
    }
    Ok(match outcome {
        ReadOutcome::Record => call.reply_record(out, memory)?,
        ReadOutcome::Complete => call.reply(memory.of_whole(out)?),
        // OData Protocol, 11.2.7: a navigation to nothing is no error.
        ReadOutcome::NoContent => empty(StatusCode::NO_CONTENT),
        ReadOutcome::OpenList(_) => send_list(call, memory.of_whole(out)?),
    })
}

fn end_list(call: &Call, out: &mut Vec<u8>, next: Option<&read::NextPage>) {
    let next_link = next.map(|next| {
        let url = format!("{}{}", call.base_url(), call.path());
        next_link::after(&url, call.query(), &next.token(&call.app.links))
    });
    read::end_list(out, next_link.as_deref());
}

fn send_list(call: &Call, out: Bytes) -> Response {
    let mut response = call.reply(out);
    if let Some((_, applied)) = max_page_size(call.headers()) {
        response.headers_mut().insert(PREFERENCE_APPLIED, applied);
    }
    response
}

fn send_values(call: &Call, streamed: StreamedAnswer, page: &ValuePageHead) -> Response {
    let head = streamed.receiver.head();
    let is_known = head.is_some_and(|head| head.is_known);
    let mut response = if is_known {
        empty(StatusCode::NOT_MODIFIED)
    } else {
        streamed.send(call)
    };
    let headers = response.headers_mut();
    headers.insert(VARY, VARIES);
    if let Some(Head { version, count, .. }) = head {
        if let Some(tag) = page.tags.of(version) {
            headers.insert(ETAG, tag.header());
        }
        headers.insert(STATE, page_tags::state(page.datasource, version));
        if !is_known {
            headers.insert(PAGE_SIZE, page.size.into());
            headers.insert(PAGE_NO, page.number.into());
            headers.insert(COUNT, HeaderValue::from(count));
        }
    }
    response
}

impl StreamedAnswer {
    fn send(self, call: &Call) -> Response {
        match self.whole {
            Some(whole) => call.reply(whole),
            None => call.reply_stream(Body::stream(self.receiver)),
        }
    }
}

fn empty(status: StatusCode) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response
}
