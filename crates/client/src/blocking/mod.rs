//! A synchronous client: the same methods as those of [`crate::Client`], without `async`.
//!
//! ```no_run
//! use obeya::blocking::Client;
//!
//! # fn main() -> obeya::Result<()> {
//! // OBEYA_BASE_URL, OBEYA_CLIENT_ID and OBEYA_CLIENT_SECRET
//! let client = Client::from_env()?;
//!
//! for area in client.areas().list().filter("startswith(name,'Line')").stream() {
//!     println!("{:?}", area?.name);
//! }
//! let board = client.boards().detail(7)?;
//! println!("{} rows", board.rows.len());
//! let latest = client.datasources().values(5).orderby("valueDate desc").top(10).stream().all()?;
//! println!("{} values", latest.len());
//! # Ok(())
//! # }
//! ```
//!
//! Where an asynchronous request is awaited, a blocking one ends with `send()`, and a stream is an iterator.
//! Everything else, such as retries, is as the [crate] describes it. Each client, with its clones and all
//! that is made of it, has one thread of its own, for connections and for pages that are prefetched.
//!
//! Within an asynchronous runtime, every call is [`Error::InsideRuntime`](crate::Error::InsideRuntime),
//! because it would stop the tasks of that runtime. That includes `tokio::task::spawn_blocking`, which looks
//! the same: use the asynchronous client there, or a thread of `std`.
//!
//! The methods are written when the crate is built, from the source of the asynchronous ones: each is the
//! asynchronous method and a wait.

mod runtime;

use runtime::Runtime;

use crate::builder::ClientBuilder;
use crate::conditions::{Tagged, unless_unchanged};
use crate::error::Result;
use crate::paged::Paged;
use crate::recorder::{Answered, Recorder};
use crate::tag::Tag;

#[allow(
    unused_imports,
    unused_qualifications,
    reason = "generated; each part names the types of its source"
)]
mod generated {
    include!(concat!(env!("OUT_DIR"), "/blocking.rs"));
}

/// The blocking form of a client, of a resource, or of a request: its methods are those of `T`, and wait.
#[derive(Clone, Debug)]
#[must_use = "a request does nothing until it is sent or iterated"]
pub struct Blocking<T> {
    inner: T,
    runtime: Runtime,
}

/// A blocking client of one service. Cheap to clone, and shared by threads: all clones share one connection
/// pool, one token and one thread.
pub type Client = Blocking<crate::Client>;

impl Client {
    /// A client that the environment configures; see [`ClientBuilder::environment`].
    ///
    /// # Errors
    /// Missing or invalid settings.
    pub fn from_env() -> Result<Self> {
        Self::build(
            crate::Client::builder()
                .environment()
                .require_environment()?,
        )
    }

    /// A client with these settings.
    ///
    /// ```no_run
    /// # fn main() -> obeya::Result<()> {
    /// let settings = obeya::Client::builder().base_url("https://plant.example").token("t");
    /// let client = obeya::blocking::Client::build(settings)?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Missing or invalid settings, or no thread can be started.
    pub fn build(settings: ClientBuilder) -> Result<Self> {
        let runtime = Runtime::new()?;
        let inner = runtime.enter(|| settings.build())?;
        Ok(Self { inner, runtime })
    }

    /// Makes a call and returns its response with its tag, for [`if_match`](Self::if_match). Make the call on
    /// the client that the closure receives; of several calls the last response counts.
    ///
    /// # Errors
    /// Those of the call.
    pub fn tagged<T>(&self, call: impl FnOnce(Self) -> Result<T>) -> Result<Tagged<T>> {
        let (value, recorder) = self.recorded(call)?;
        let tag = recorder.last().and_then(|last| Tag::of(last.headers()));
        Ok(Tagged { value, tag })
    }

    /// Makes a conditional call: `None` if the response would still have this tag; see
    /// [`tagged_unless`](crate::Client::tagged_unless) of the asynchronous client.
    ///
    /// # Errors
    /// Those of the call.
    pub fn tagged_unless<T>(
        &self,
        tag: Option<&Tag>,
        call: impl FnOnce(Self) -> Result<T>,
    ) -> Result<Option<Tagged<T>>> {
        let asking = self.clone().inner.if_none_match(tag.cloned());
        let asking = Self {
            inner: asking,
            runtime: self.runtime.clone(),
        };
        unless_unchanged(tag, asking.tagged(call))
    }

    /// Makes a call and returns its value with the response; see
    /// [`with_response`](crate::Client::with_response) of the asynchronous client.
    ///
    /// # Errors
    /// Those of the call.
    pub fn with_response<T>(&self, call: impl FnOnce(Self) -> Result<T>) -> Result<Answered<T>> {
        let (value, recorder) = self.recorded(call)?;
        let response = recorder.last();
        Ok(Answered { value, response })
    }

    fn recorded<T>(&self, call: impl FnOnce(Self) -> Result<T>) -> Result<(T, Recorder)> {
        let recorder = Recorder::default();
        let value = call(self.recording(&recorder))?;
        Ok((value, recorder))
    }
}

/// The items of a list, fetched on demand. It ends after an error. Dropping it cancels requests in progress.
#[derive(Debug)]
#[must_use = "nothing is fetched until it is iterated"]
pub struct Iter<T> {
    /// `None` after the last item.
    items: Option<Paged<T>>,
    runtime: Runtime,
}

impl<T: Send + 'static> Iter<T> {
    fn new(items: Paged<T>, runtime: Runtime) -> Self {
        Self {
            items: Some(items),
            runtime,
        }
    }

    /// Collects all items in memory.
    ///
    /// # Errors
    /// The first error; items before it are lost.
    pub fn all(self) -> Result<Vec<T>> {
        self.collect()
    }
}

impl<T: Send + 'static> Iterator for Iter<T> {
    type Item = Result<T>;

    fn next(&mut self) -> Option<Result<T>> {
        let items = self.items.as_mut()?;
        let next = self.runtime.wait_next(items.next());
        if !matches!(next, Some(Ok(_))) {
            self.items = None;
        }
        next
    }
}

impl<T: Send + 'static> std::iter::FusedIterator for Iter<T> {}

// A client is used by several threads at once.
const _: () = {
    const fn is_shared<T: Clone + Send + Sync + 'static>() {}
    is_shared::<Client>();
};
