//! `obeya serve` with TLS, and on a socket that its supervisor listens on.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use obeya_testkit::Serving;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

use crate::binary::{database, obeya, serve_new, signal};

const REQUEST: &[u8] = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

/// Writes a new certificate for `localhost` and its key; returns the certificate.
fn certify(folder: &Path) -> CertificateDer<'static> {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
    std::fs::write(folder.join("key.pem"), made.signing_key.serialize_pem()).expect("written");
    std::fs::write(folder.join("certificate.pem"), made.cert.pem()).expect("written");
    made.cert.der().clone()
}

/// The answer of a service whose certificate is this one.
fn answer_over_tls(
    address: &str,
    certificate: &CertificateDer<'static>,
) -> std::io::Result<String> {
    let mut roots = RootCertStore::empty();
    roots.add(certificate.clone()).expect("a certificate");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from("localhost").expect("a name");
    let connection = ClientConnection::new(Arc::new(config), name).expect("a connection");
    let mut stream = StreamOwned::new(connection, TcpStream::connect(address)?);
    stream.write_all(REQUEST)?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(answer)
}

fn hang_up(serving: &Serving) {
    signal(&serving.child, "-HUP");
}

#[test]
fn a_hangup_makes_it_read_its_certificate_again() {
    let (folder, db) = database();
    let first = certify(folder.path());
    let file = |name: &str| folder.path().join(name).display().to_string();
    let (certificate, key) = (file("certificate.pem"), file("key.pem"));
    let flags = ["--tls-certificate", &certificate, "--tls-key", &key];
    let mut serving = serve_new(&db, &flags);
    let address = serving
        .url
        .strip_prefix("https://")
        .expect("https")
        .to_owned();
    let answer = answer_over_tls(&address, &first).expect("trusted");
    assert!(answer.ends_with("ok\n"), "{answer}");

    // By itself the service logs a certificate that it cannot use once; after each hangup it tries again.
    let log = serving.child.stderr.take().expect("piped");
    let (sender, lines) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let mut lines = BufReader::new(log).lines().map_while(Result::ok);
        // Ends with the log, or with the test.
        while lines.next().is_some_and(|line| sender.send(line).is_ok()) {}
    });
    let find = |text: &str| loop {
        let line = lines.recv_timeout(Duration::from_secs(60));
        let line = line.expect("a line in time");
        if line.contains(text) {
            return line;
        }
    };
    std::fs::write(&certificate, "no certificate").expect("written");
    for _ in 0..3 {
        hang_up(&serving);
        let line = find("cannot use the certificate");
        assert!(line.contains("contains no certificate in PEM"), "{line}");
    }
    let answer = answer_over_tls(&address, &first).expect("the last one is in use");
    assert!(answer.ends_with("ok\n"), "{answer}");

    let second = certify(folder.path());
    hang_up(&serving);
    find("the certificate has changed");
    let answer = answer_over_tls(&address, &second).expect("trusted");
    assert!(answer.ends_with("ok\n"), "{answer}");
    assert!(answer_over_tls(&address, &first).is_err());
}

/// As systemd passes sockets: the first is file descriptor 3, and two variables say so.
fn activated(socket: &TcpListener) -> Command {
    let mut command = Command::new("sh");
    let script = "LISTEN_FDS=1 LISTEN_PID=$$ exec \"$@\" 3<&0 </dev/null";
    command
        .args(["-c", script, "sh"])
        .arg(obeya().get_program());
    let passed = OwnedFd::from(socket.try_clone().expect("a copy"));
    command.stdin(Stdio::from(passed));
    command
}

#[test]
fn a_socket_of_the_supervisor_stays_open_while_it_restarts() {
    let (_folder, db) = database();
    let socket = TcpListener::bind("127.0.0.1:0").expect("bound");
    let address = socket.local_addr().expect("an address");
    let serving = Serving::start(activated(&socket), &db, &["--create"]);
    assert_eq!(serving.url, format!("http://{address}"));
    drop(serving);
    // Nobody serves; the connection waits in the socket.
    let mut early = TcpStream::connect(address).expect("connected");
    early.write_all(REQUEST).expect("sent");
    let _serving = Serving::start(activated(&socket), &db, &[]);
    let mut answer = String::new();
    early.read_to_string(&mut answer).expect("an answer");
    assert!(answer.ends_with("ok\n"), "{answer}");
}
