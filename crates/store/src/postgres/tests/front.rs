//! TLS before a server that was built without it: it answers the question for TLS (PostgreSQL's protocol, "SSL Session Encryption") and passes everything on.

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Runtime};
use tokio_rustls::TlsAcceptor;

/// The length of the question and its number in place of a version.
const QUESTION: [u8; 8] = [0, 0, 0, 8, 4, 210, 22, 47];

/// It ends with this.
pub(super) struct Front {
    pub(super) port: u16,
    encrypted: Arc<AtomicUsize>,
    _runtime: Runtime,
}

impl Front {
    /// With a certificate and its key in PEM, before the server at a port.
    pub(super) fn new(certificate: &str, key: &str, server: u16) -> Self {
        let chain = vec![CertificateDer::from_pem_slice(certificate.as_bytes()).unwrap()];
        let key = PrivateKeyDer::from_pem_slice(key.as_bytes()).unwrap();
        let ring = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(ring)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .unwrap();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let listener = runtime
            .block_on(TcpListener::bind((Ipv4Addr::LOCALHOST, 0)))
            .unwrap();
        let port = listener.local_addr().unwrap().port();
        let encrypted = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&encrypted);
        runtime.spawn(async move {
            while let Ok((caller, _)) = listener.accept().await {
                let (acceptor, count) = (acceptor.clone(), Arc::clone(&count));
                // A caller that goes is no failure of the front.
                tokio::spawn(async move { drop(pass_on(caller, server, acceptor, &count).await) });
            }
        });
        Front {
            port,
            encrypted,
            _runtime: runtime,
        }
    }

    /// How many connections were encrypted so far.
    pub(super) fn encrypted(&self) -> usize {
        self.encrypted.load(Ordering::SeqCst)
    }
}

async fn pass_on(
    mut caller: TcpStream,
    server: u16,
    acceptor: TlsAcceptor,
    encrypted: &AtomicUsize,
) -> std::io::Result<()> {
    let mut server = TcpStream::connect((Ipv4Addr::LOCALHOST, server)).await?;
    let mut begin = [0; 8];
    caller.read_exact(&mut begin).await?;
    if begin == QUESTION {
        caller.write_all(b"S").await?;
        let mut caller = acceptor.accept(caller).await?;
        encrypted.fetch_add(1, Ordering::SeqCst);
        copy_bidirectional(&mut caller, &mut server).await?;
    } else {
        server.write_all(&begin).await?;
        copy_bidirectional(&mut caller, &mut server).await?;
    }
    Ok(())
}
