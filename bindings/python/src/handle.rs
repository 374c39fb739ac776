//! The state that every object of a client shares: the SDK's client, until it is closed, and the settings of
//! calls made through this object.

use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};

use obeya::{Client, Recorder, Tag};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::answer::{Answer, CallState, work};
use crate::call::Call;
use crate::log::Log;
use crate::runtime::ForkGuard;

/// A share of a client.
#[derive(Clone)]
pub(crate) struct Handle {
    client: Arc<ForkGuard<Mutex<Option<Client>>>>,
    if_match: Option<String>,
    idempotency_key: Option<String>,
    recorder: Option<Recorder>,
    call_state: Arc<CallState>,
}

/// The largest number of concurrent calls of a client when they are awaited. Calls from threads are limited
/// by the threads.
const MOST_AT_ONCE: usize = 100;

impl Handle {
    /// The first share.
    pub(crate) fn new(client: Client, log: Arc<Log>) -> Self {
        Self {
            client: Arc::new(ForkGuard::new(Mutex::new(Some(client)))),
            if_match: None,
            idempotency_key: None,
            recorder: None,
            call_state: Arc::new(CallState::new(MOST_AT_ONCE, log)),
        }
    }

    /// A share of another client that has the same connections.
    pub(crate) fn beside(&self, client: Client) -> Self {
        Self {
            client: Arc::new(ForkGuard::new(Mutex::new(Some(client)))),
            ..self.clone()
        }
    }

    /// The same, whose writes carry these.
    pub(crate) fn carrying(
        &self,
        if_match: Option<String>,
        idempotency_key: Option<String>,
    ) -> Self {
        Self {
            if_match,
            idempotency_key,
            ..self.clone()
        }
    }

    /// The same, whose answers the recorder receives.
    pub(crate) fn recording(&self, recorder: Recorder) -> Self {
        Self {
            recorder: Some(recorder),
            ..self.clone()
        }
    }

    /// What the calls of the client share.
    pub(crate) fn call_state(&self) -> &Arc<CallState> {
        &self.call_state
    }

    /// Closes the client for all objects that share it.
    pub(crate) fn close(&self) {
        // In a forked child it belongs to the parent, which continues to use it.
        if let Ok(client) = self.client.get("client") {
            let client = client.lock().unwrap_or_else(PoisonError::into_inner).take();
            // It is wrapped again, because dropping it must happen in the runtime of its tasks.
            drop(ForkGuard::new(client));
        }
    }

    /// The client, with the settings of its calls.
    pub(crate) fn client(&self) -> PyResult<Client> {
        let client = self.client.get("client")?;
        let client = client
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        let mut client = client.ok_or_else(|| PyRuntimeError::new_err("the client is closed"))?;
        if let Some(tag) = &self.if_match {
            client = client.if_match(Tag::new(tag));
        }
        if let Some(key) = &self.idempotency_key {
            client = client.idempotency_key(key);
        }
        if let Some(recorder) = &self.recorder {
            client = client.recording(recorder);
        }
        Ok(client)
    }

    /// The call that this client makes.
    pub(crate) fn call<T, F>(
        &self,
        ask: impl FnOnce(Client) -> F + Send + 'static,
    ) -> PyResult<Call>
    where
        T: Answer,
        F: Future<Output = obeya::Result<T>> + Send + 'static,
    {
        let client = self.client()?;
        Ok(Call::new(&self.call_state, work(ask(client))))
    }
}
