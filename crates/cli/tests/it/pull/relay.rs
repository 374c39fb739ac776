//! A relay before a service, which knows when a page of values is asked for: what changes between two pages changes at no moment by chance.

use std::io::{self, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// A relay under way; it ends with the test.
pub struct Relay {
    pub url: String,
    asked: Arc<AtomicUsize>,
}

/// What is done before a page is asked for; it is told how many were before.
type Before = Box<dyn FnMut(usize) + Send>;

/// What the connections of a relay share.
struct Shared {
    service: String,
    /// Whether the service shall seem to name no state.
    hides_state: bool,
    asked: Arc<AtomicUsize>,
    before: Mutex<Before>,
}

impl Relay {
    /// Before each request for a page, `before` is done; others wait meanwhile.
    pub fn start(service: &str, before: impl FnMut(usize) + Send + 'static) -> Self {
        Self::between(service, false, Box::new(before))
    }

    /// The same before a service that names no state.
    pub fn without_state(service: &str, before: impl FnMut(usize) + Send + 'static) -> Self {
        Self::between(service, true, Box::new(before))
    }

    fn between(service: &str, hides_state: bool, before: Before) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("bound");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let asked = Arc::<AtomicUsize>::default();
        let shared = Arc::new(Shared {
            service: service.strip_prefix("http://").expect("plain").to_owned(),
            hides_state,
            asked: Arc::clone(&asked),
            before: Mutex::new(before),
        });
        std::thread::spawn(move || {
            for caller in listener.incoming().map_while(Result::ok) {
                let shared = Arc::clone(&shared);
                // A caller may go before its answer is there.
                std::thread::spawn(move || drop(shared.pass_on(caller)));
            }
        });
        Self { url, asked }
    }

    /// How many pages were asked for.
    pub fn asked(&self) -> usize {
        self.asked.load(Ordering::Relaxed)
    }
}

impl Shared {
    /// One request and its answer.
    fn pass_on(&self, mut caller: TcpStream) -> io::Result<()> {
        let mut request = Vec::new();
        let body = loop {
            let mut bytes = [0; 4096];
            let read = caller.read(&mut bytes)?;
            if read == 0 {
                return Ok(());
            }
            request.extend_from_slice(&bytes[..read]);
            if let Some(end) = request.windows(4).position(|bytes| bytes == b"\r\n\r\n") {
                break end + 4;
            }
        };
        let head = String::from_utf8(request[..body].to_vec()).expect("UTF-8");
        let length = head.lines().find_map(|line| {
            let (name, value) = line.split_once(": ")?;
            let is_length = name.eq_ignore_ascii_case("content-length");
            is_length.then(|| value.parse().expect("a number"))
        });
        let rest = length.unwrap_or(0) - (request.len() - body);
        let mut bytes = vec![0; rest];
        caller.read_exact(&mut bytes)?;
        request.extend(bytes);
        // One request to a connection, so that the answer ends where it ends.
        request.splice(body - 2..body - 2, *b"connection: close\r\n");
        if head
            .lines()
            .next()
            .is_some_and(|line| line.contains("/values?"))
        {
            let mut before = self.before.lock().expect("no panic");
            before(self.asked.fetch_add(1, Ordering::Relaxed));
        }
        let mut service = TcpStream::connect(&self.service)?;
        service.write_all(&request)?;
        let mut answer = Vec::new();
        service.read_to_end(&mut answer)?;
        if self.hides_state {
            let name = b"\r\nobeya-state: ";
            let place = answer.windows(name.len()).position(|bytes| bytes == name);
            if let Some(place) = place {
                answer[place + 2] = b'x';
            }
        }
        caller.write_all(&answer)
    }
}
