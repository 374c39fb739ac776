//! TLS to the database: which certificates are trusted, and how the server's is checked. The modes are those
//! of libpq.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::verify_server_cert_signed_by_trust_anchor;
use rustls::crypto::{CryptoProvider, WebPkiSupportedAlgorithms, ring};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
use tokio_postgres::config::SslMode;
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::StoreError;

/// How the server's certificate is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Check {
    /// Not verified: protects against eavesdropping, not against a man in the middle.
    Nothing,
    /// The chain is verified: a trusted authority signed it.
    Chain,
    /// The chain and the host name are verified.
    ChainAndName,
}

impl Check {
    /// The meaning of a value of `sslmode`; `has_root` is whether the address has `sslrootcert`.
    ///
    /// # Errors
    /// The message for an unknown value.
    pub(super) fn of(mode: Option<&str>, has_root: bool) -> Result<(SslMode, Self), String> {
        Ok(match mode {
            Some("disable") => (SslMode::Disable, Check::Nothing),
            None | Some("prefer") => (SslMode::Prefer, Check::Nothing),
            // As in libpq, `sslrootcert` implies verify-ca.
            Some("require") if !has_root => (SslMode::Require, Check::Nothing),
            Some("require" | "verify-ca") => (SslMode::Require, Check::Chain),
            Some("verify-full") => (SslMode::Require, Check::ChainAndName),
            Some(other) => {
                return Err(format!(
                    "found sslmode `{other}`, expected disable, prefer, require, verify-ca or verify-full"
                ));
            }
        })
    }
}

/// The files that an address names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct TlsFiles {
    /// Trusted authorities; those of the system if `None`.
    pub(super) root: Option<PathBuf>,
    /// The client certificate and its key.
    pub(super) certificate: Option<PathBuf>,
    pub(super) key: Option<PathBuf>,
}

/// The TLS connector of the connections.
///
/// # Errors
/// [`StoreError::Schema`] when a file cannot be used.
pub(super) fn connector(check: Check, files: &TlsFiles) -> Result<MakeRustlsConnect, StoreError> {
    let provider = Arc::new(ring::default_provider());
    let verifier = Verifier {
        check,
        // Roots are not loaded if the certificate is not verified.
        roots: match check {
            Check::Nothing => RootCertStore::empty(),
            Check::Chain | Check::ChainAndName => roots(files.root.as_deref())?,
        },
        algorithms: provider.signature_verification_algorithms,
    };
    let builder = builder(provider)?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier));
    let config = match (&files.certificate, &files.key) {
        (None, None) => builder.with_no_client_auth(),
        (Some(certificate), Some(key)) => {
            let chain = certificates(certificate)?;
            let secret =
                PrivateKeyDer::from_pem_file(key).map_err(|error| unusable(key, &error))?;
            builder
                .with_client_auth_cert(chain, secret)
                .map_err(|error| unusable(certificate, &error))?
        }
        _ => {
            return Err(StoreError::Schema(
                "the database address names one of sslcert and sslkey, expected both or neither"
                    .into(),
            ));
        }
    };
    Ok(MakeRustlsConnect::new(config))
}

fn builder(
    provider: Arc<CryptoProvider>,
) -> Result<rustls::ConfigBuilder<ClientConfig, rustls::WantsVerifier>, StoreError> {
    ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| StoreError::Engine(Box::new(error)))
}

fn roots(file: Option<&Path>) -> Result<RootCertStore, StoreError> {
    let mut roots = RootCertStore::empty();
    let Some(file) = file else {
        // Unreadable certificates are skipped: nothing is trusted through them.
        let (_, _) =
            roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        if roots.is_empty() {
            return Err(StoreError::Schema(
                "this system has no list of trusted authorities: name a file with them as sslrootcert in the database address".into(),
            ));
        }
        return Ok(roots);
    };
    for certificate in certificates(file)? {
        roots
            .add(certificate)
            .map_err(|error| unusable(file, &error))?;
    }
    Ok(roots)
}

fn certificates(file: &Path) -> Result<Vec<CertificateDer<'static>>, StoreError> {
    let found = CertificateDer::pem_file_iter(file)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|error| unusable(file, &error))?;
    if found.is_empty() {
        return Err(unusable(file, &"it holds no certificate in PEM form"));
    }
    Ok(found)
}

fn unusable(file: &Path, reason: &dyn std::fmt::Display) -> StoreError {
    StoreError::Schema(format!(
        "{}, which the database address names, cannot be used: {reason}",
        file.display()
    ))
}

/// Verifies what the mode requires. It always verifies that the server has the certificate's key.
#[derive(Debug)]
struct Verifier {
    check: Check,
    roots: RootCertStore,
    algorithms: WebPkiSupportedAlgorithms,
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        if self.check != Check::Nothing {
            let certificate = ParsedCertificate::try_from(end_entity)?;
            verify_server_cert_signed_by_trust_anchor(
                &certificate,
                &self.roots,
                intermediates,
                now,
                self.algorithms.all,
            )?;
            if self.check == Check::ChainAndName {
                rustls::client::verify_server_name(&certificate, server_name)?;
            }
        }
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        rustls::crypto::verify_tls12_signature(message, cert, dss, &self.algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        rustls::crypto::verify_tls13_signature(message, cert, dss, &self.algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}
