//! A proxy that counts, rewrites, refuses and breaks connections.

mod faults;
mod http;
#[cfg(test)]
mod tests;

use std::io;
use std::net::{Ipv4Addr, SocketAddr, ToSocketAddrs};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Runtime};
use tokio_rustls::TlsAcceptor;

pub use faults::Fault;
use faults::Faults;
pub use http::Answer;
use http::Exchange;

/// `SSLRequest` of PostgreSQL's protocol: the length, and a code in place of the version.
const SSL_REQUEST: [u8; 8] = [0, 0, 0, 8, 4, 210, 22, 47];

/// A proxy on a free port of the loopback interface. It runs on separate threads and ends when this value is
/// dropped.
pub struct Proxy {
    address: SocketAddr,
    state: Arc<State>,
    runtime: Option<Runtime>,
}

/// The state that the connections share.
struct State {
    targets: Mutex<Targets>,
    mode: Mode,
    turns: AtomicU64,
    encrypted: AtomicU64,
}

/// How a connection is treated.
enum Mode {
    Bytes,
    Postgres(TlsAcceptor),
    Http(Exchange),
    Faults(Faults),
}

#[derive(Default)]
struct Targets {
    addresses: Vec<Option<SocketAddr>>,
    next: usize,
}

impl Targets {
    /// The targets that run, beginning with the one whose turn it is.
    fn turn(&mut self) -> Vec<SocketAddr> {
        self.next += 1;
        let count = self.addresses.len();
        let places = (0..count).map(|place| (self.next + place) % count);
        places.filter_map(|place| self.addresses[place]).collect()
    }
}

impl Proxy {
    /// Passes bytes on, each connection to the next of the targets that [`Proxy::set`] names.
    ///
    /// # Panics
    /// If there is no port or no thread, as the other constructors do.
    #[must_use]
    pub fn balancing() -> Self {
        Self::start(&[], Mode::Bytes)
    }

    /// Passes bytes on to one target: an address, or host and port.
    #[must_use]
    pub fn to(target: impl ToSocketAddrs) -> Self {
        let mut addresses = target.to_socket_addrs().expect("an address");
        Self::start(&[addresses.next().expect("an address")], Mode::Bytes)
    }

    /// Accepts TLS in front of a PostgreSQL that was built without it: it answers `SSLRequest` and passes
    /// everything else on. Certificate and key are PEM.
    ///
    /// # Panics
    /// If the certificate or the key is none.
    #[must_use]
    pub fn with_tls(target: SocketAddr, certificate: &str, key: &str) -> Self {
        let chain = CertificateDer::from_pem_slice(certificate.as_bytes()).expect("a certificate");
        let key = PrivateKeyDer::from_pem_slice(key.as_bytes()).expect("a key");
        let ring = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(ring)
            .with_safe_default_protocol_versions()
            .expect("versions")
            .with_no_client_auth()
            .with_single_cert(vec![chain], key)
            .expect("the key of the certificate");
        let acceptor = TlsAcceptor::from(Arc::new(config));
        Self::start(&[target], Mode::Postgres(acceptor))
    }

    /// Passes whole HTTP requests on to a service, one at a time, and whole answers back.
    ///
    /// `before` gets the first line of each request. If it returns an answer, the client gets that, and the
    /// service does not see the request. `replace` lists texts in answers and their replacements of the same
    /// length.
    ///
    /// # Panics
    /// If the URL is not `http://` with an IP address and a port, or a text is replaced by one of another
    /// length.
    #[must_use]
    pub fn http(
        service: &str,
        replace: &'static [(&'static str, &'static str)],
        before: impl FnMut(&str) -> Option<Answer> + Send + 'static,
    ) -> Self {
        let target = service.strip_prefix("http://").expect("plain HTTP");
        let target = target.parse().expect("an address");
        Self::start(&[target], Mode::Http(Exchange::new(replace, before)))
    }

    /// Passes HTTP requests on to the target that [`Proxy::set`] names, and breaks those for which `choose`
    /// returns a fault. It gets the first line and the headers of each. Connections of the caller stay open.
    ///
    /// # Panics
    /// In the thread of the proxy, if a token is to be spoiled in a request without one.
    #[must_use]
    pub fn faulty(choose: impl Fn(&str) -> Option<Fault> + Send + Sync + 'static) -> Self {
        Self::start(&[], Mode::Faults(Faults::new(choose)))
    }

    fn start(targets: &[SocketAddr], mode: Mode) -> Self {
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .expect("a runtime");
        let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        listener.set_nonblocking(true).expect("an option");
        let address = listener.local_addr().expect("an address");
        let state = Arc::new(State {
            targets: Mutex::new(Targets {
                addresses: targets.iter().copied().map(Some).collect(),
                next: 0,
            }),
            mode,
            turns: AtomicU64::new(0),
            encrypted: AtomicU64::new(0),
        });
        let shared = Arc::clone(&state);
        runtime.spawn(async move {
            let listener = TcpListener::from_std(listener).expect("a listener");
            while let Ok((caller, _)) = listener.accept().await {
                let state = Arc::clone(&shared);
                // Either end may break the connection; the other end sees that.
                tokio::spawn(async move { drop(state.pass_on(caller).await) });
            }
        });
        Self {
            address,
            state,
            runtime: Some(runtime),
        }
    }

    /// Its address.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The same as the URL of a service.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Sets the address of a target; `None` while there is none.
    ///
    /// # Panics
    /// If a thread of the proxy panicked.
    pub fn set(&self, target: usize, address: Option<SocketAddr>) {
        let mut targets = self.state.targets.lock().expect("no panic");
        if targets.addresses.len() <= target {
            targets.addresses.resize(target + 1, None);
        }
        targets.addresses[target] = address;
    }

    /// How often a caller sent bytes after the server did: each time it may have had to wait before.
    #[must_use]
    pub fn turns(&self) -> u64 {
        self.state.turns.load(Ordering::SeqCst)
    }

    /// How many connections were encrypted.
    #[must_use]
    pub fn encrypted(&self) -> u64 {
        self.state.encrypted.load(Ordering::SeqCst)
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            // A test may drop the proxy inside its runtime, which must not be blocked.
            runtime.shutdown_background();
        }
    }
}

impl State {
    /// One connection.
    async fn pass_on(&self, mut caller: TcpStream) -> io::Result<()> {
        caller.set_nodelay(true)?;
        match &self.mode {
            Mode::Bytes => self.copy(caller, self.connect().await?).await,
            Mode::Http(exchange) => exchange.pass_on(caller, self.connect()).await,
            Mode::Faults(faults) => faults.pass_on(caller, || self.connect()).await,
            Mode::Postgres(acceptor) => {
                let mut server = self.connect().await?;
                let mut first = [0; 8];
                caller.read_exact(&mut first).await?;
                if first == SSL_REQUEST {
                    caller.write_all(b"S").await?;
                    let caller = acceptor.accept(caller).await?;
                    self.encrypted.fetch_add(1, Ordering::SeqCst);
                    self.copy(caller, server).await
                } else {
                    server.write_all(&first).await?;
                    self.copy(caller, server).await
                }
            }
        }
    }

    /// Connects to the first target that answers.
    async fn connect(&self) -> io::Result<TcpStream> {
        let turn = self.targets.lock().expect("no panic").turn();
        for target in turn {
            if let Ok(server) = TcpStream::connect(target).await {
                server.set_nodelay(true)?;
                return Ok(server);
            }
        }
        Err(io::ErrorKind::ConnectionRefused.into())
    }

    /// Passes bytes both ways until both ends are closed or one breaks.
    async fn copy(&self, caller: impl AsyncRead + AsyncWrite, server: TcpStream) -> io::Result<()> {
        let (from_caller, to_caller) = tokio::io::split(caller);
        let (from_server, to_server) = server.into_split();
        let answered = AtomicBool::new(true);
        let ask = || {
            if answered.swap(false, Ordering::SeqCst) {
                self.turns.fetch_add(1, Ordering::SeqCst);
            }
        };
        let answer = || answered.store(true, Ordering::SeqCst);
        tokio::try_join!(
            pass(from_caller, to_server, ask),
            pass(from_server, to_caller, answer),
        )?;
        Ok(())
    }
}

/// Passes bytes one way until they end; `noted` is called before each piece is passed on.
async fn pass(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    noted: impl Fn(),
) -> io::Result<()> {
    let mut piece = vec![0; 1 << 16];
    loop {
        let length = from.read(&mut piece).await?;
        if length == 0 {
            return to.shutdown().await;
        }
        noted();
        to.write_all(&piece[..length]).await?;
        to.flush().await?;
    }
}
