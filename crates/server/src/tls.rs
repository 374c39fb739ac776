//! TLS of the listener: the certificate and its key, read from files and read again when they change.
//!
//! A connection keeps the certificate that it began with. Files that cannot be used leave the last ones in
//! use.

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::TlsAcceptor;

use crate::config::TlsFiles;

/// Why a certificate cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TlsError {
    /// A file cannot be read.
    #[error("cannot read {}", file.display())]
    Read {
        /// The file.
        file: PathBuf,
        /// The error of the operating system.
        #[source]
        source: std::io::Error,
    },
    /// A file does not contain what it should.
    #[error("{} contains no {expected} in PEM", file.display())]
    Pem {
        /// The file.
        file: PathBuf,
        /// What it should contain.
        expected: &'static str,
    },
    /// The certificate and the key do not belong together, or are of an unknown kind.
    #[error("the certificate in {} cannot be used with its key", file.display())]
    Certificate {
        /// The file of the certificate.
        file: PathBuf,
        /// The error of the TLS library.
        #[source]
        source: rustls::Error,
    },
}

/// The certificate in use.
pub(crate) struct Tls {
    files: TlsFiles,
    current: RwLock<Loaded>,
}

struct Loaded {
    /// The contents of both files, to see a change.
    contents: [Vec<u8>; 2],
    config: Arc<ServerConfig>,
}

impl Tls {
    /// Reads the files.
    pub(crate) fn open(files: &TlsFiles) -> Result<Self, TlsError> {
        let contents = read(files)?;
        Ok(Self {
            current: RwLock::new(Loaded {
                config: server_config(files, &contents)?,
                contents,
            }),
            files: files.clone(),
        })
    }

    /// Does the handshakes of new connections.
    pub(crate) fn acceptor(&self) -> TlsAcceptor {
        let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
        TlsAcceptor::from(Arc::clone(&current.config))
    }

    /// Reads the files again; returns whether they have changed. Blocks.
    pub(crate) fn reload(&self) -> Result<bool, TlsError> {
        let contents = read(&self.files)?;
        let is_known = |loaded: &Loaded| loaded.contents == contents;
        if is_known(&self.current.read().unwrap_or_else(PoisonError::into_inner)) {
            return Ok(false);
        }
        let loaded = Loaded {
            config: server_config(&self.files, &contents)?,
            contents,
        };
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = loaded;
        Ok(true)
    }
}

fn read(files: &TlsFiles) -> Result<[Vec<u8>; 2], TlsError> {
    let read = |file: &Path| {
        std::fs::read(file).map_err(|source| TlsError::Read {
            file: file.to_owned(),
            source,
        })
    };
    Ok([read(&files.certificate)?, read(&files.key)?])
}

fn server_config(
    files: &TlsFiles,
    [certificate, key]: &[Vec<u8>; 2],
) -> Result<Arc<ServerConfig>, TlsError> {
    let wrong = |file: &Path, expected| TlsError::Pem {
        file: file.to_owned(),
        expected,
    };
    let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(certificate).collect();
    let chain = chain.ok().filter(|chain| !chain.is_empty());
    let chain = chain.ok_or_else(|| wrong(&files.certificate, "certificate"))?;
    let key = PrivateKeyDer::from_pem_slice(key).map_err(|_| wrong(&files.key, "private key"))?;
    let unusable = |source| TlsError::Certificate {
        file: files.certificate.clone(),
        source,
    };
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(unusable)?
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .map_err(unusable)?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}
