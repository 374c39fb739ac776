//! A relay that counts requests for pages of values.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use obeya_testkit::Proxy;

/// A running relay; it ends with the test.
pub struct Relay {
    proxy: Proxy,
    asked: Arc<AtomicUsize>,
}

impl Relay {
    /// Calls `before` before each request for a page, with the number of earlier ones.
    pub fn start(service: &str, before: impl FnMut(usize) + Send + 'static) -> Self {
        Self::between(service, &[], before)
    }

    /// The same, without the state header of the service.
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

    /// How many pages were requested.
    pub fn asked(&self) -> usize {
        self.asked.load(Ordering::Relaxed)
    }
}
