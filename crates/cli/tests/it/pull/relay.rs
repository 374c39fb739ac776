//! A relay that knows when a page of values is asked for.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use obeya_testkit::Proxy;

/// A relay under way; it ends with the test.
pub struct Relay {
    proxy: Proxy,
    asked: Arc<AtomicUsize>,
}

impl Relay {
    /// Before each request for a page, `before` is done; it is told how many were before.
    pub fn start(service: &str, before: impl FnMut(usize) + Send + 'static) -> Self {
        Self::between(service, &[], before)
    }

    /// The same before a service that names no state.
    pub fn without_state(service: &str, before: impl FnMut(usize) + Send + 'static) -> Self {
        Self::between(
            service,
            &[("\r\nobeya-state: ", "\r\nxbeya-state: ")],
            before,
        )
    }

    fn between(
        service: &str,
        replace: &'static [(&'static str, &'static str)],
        mut before: impl FnMut(usize) + Send + 'static,
    ) -> Self {
        let asked = Arc::<AtomicUsize>::default();
        let counter = Arc::clone(&asked);
        let proxy = Proxy::http(service, replace, move |line| {
            if line.contains("/values?") {
                before(counter.fetch_add(1, Ordering::Relaxed));
            }
            None
        });
        Self { proxy, asked }
    }

    /// Its URL.
    pub fn url(&self) -> String {
        self.proxy.url()
    }

    /// How many pages were asked for.
    pub fn asked(&self) -> usize {
        self.asked.load(Ordering::Relaxed)
    }
}
