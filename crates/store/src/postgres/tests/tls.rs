//! TLS, certificates and passwords, with a server that has its own. A server built without TLS gets it from a
//! proxy, which does not authenticate clients: client certificates and channel binding need the server
//! itself.

use std::net::Ipv4Addr;

use obeya_testkit::Proxy;
use obeya_testkit::postgres::{Cluster, server};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};

use super::scratch::{PASSWORD, connect, one, options, url, url_of, with};
use crate::StoreError;
use crate::connect::Connection as _;
use crate::postgres::server::Role;

/// The rules of client authentication (`pg_hba.conf`).
const HBA: &str = "data/pg_hba.conf";

type Authority = CertifiedIssuer<'static, KeyPair>;

fn authority(name: &str) -> Authority {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.distinguished_name.push(DnType::CommonName, name);
    CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap()
}

/// A certificate for host names, or for a user, and its key.
fn certificate(by: &Authority, hosts: &[&str], user: &str) -> (String, String) {
    let hosts: Vec<String> = hosts.iter().map(ToString::to_string).collect();
    let mut params = CertificateParams::new(hosts).unwrap();
    params.distinguished_name.push(DnType::CommonName, user);
    let key = KeyPair::generate().unwrap();
    let certificate = params.signed_by(&key, by).unwrap();
    (certificate.pem(), key.serialize_pem())
}

/// Whether a connection to this address is encrypted.
fn is_encrypted(url: &str) -> Result<bool, StoreError> {
    let mut reader = connect(url, Role::Reader, &options())?;
    let sql = "SELECT ssl::int FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
    // Pipelined statements are encrypted as well.
    for _ in 0..3 {
        reader.begin_read()?;
        one(&mut reader, "SELECT 5", &[])?;
        reader.end_read()?;
    }
    Ok(one(&mut reader, sql, &[])? == Some(1))
}

fn refused(url: &str) -> String {
    match is_encrypted(url) {
        Err(StoreError::Unavailable(text)) => {
            assert!(!text.contains(PASSWORD), "{text}");
            text
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn each_mode_encrypts_and_checks_what_it_says() {
    let mut cluster = Cluster::new(PASSWORD);
    let (ours, others) = (authority("ours"), authority("another"));
    let (server, key) = certificate(&ours, &["localhost"], "server");
    cluster.write("server.crt", &server);
    cluster.write("server.key", &key);
    let root = cluster.write("root.crt", &ours.pem());
    let wrong = cluster.write("wrong.crt", &others.pem());
    let (user, user_key) = certificate(&ours, &[], "inspector");
    let user = cluster.write("user.crt", &user);
    let user_key = cluster.write("user.key", &user_key);
    let by_password = "host all postgres 127.0.0.1/32 scram-sha-256\n";
    let proxy = if cluster.has_tls() {
        let by_certificate = "hostssl all inspector 127.0.0.1/32 cert\n";
        cluster.write(HBA, &format!("{by_certificate}{by_password}"));
        cluster.start(&[
            "ssl=on",
            "ssl_cert_file=../server.crt",
            "ssl_key_file=../server.key",
            "ssl_ca_file=../root.crt",
        ]);
        None
    } else {
        cluster.write(HBA, by_password);
        cluster.start(&[]);
        let target = (Ipv4Addr::LOCALHOST, cluster.port).into();
        let proxy = Proxy::with_tls(target, &server, &key);
        cluster.port = proxy.address().port();
        Some(proxy)
    };
    let is_encrypted = |url: &str| match &proxy {
        None => is_encrypted(url),
        Some(proxy) => {
            let before = proxy.encrypted();
            is_encrypted(url).map(|_| proxy.encrypted() > before)
        }
    };
    let mut admin = connect(&url(&cluster, "sslmode=disable"), Role::Writer, &options()).unwrap();
    admin.control("CREATE ROLE inspector LOGIN").unwrap();

    for (parameters, encrypted) in [
        ("sslmode=disable".to_owned(), false),
        (String::new(), true),
        ("sslmode=prefer".to_owned(), true),
        ("sslmode=require".to_owned(), true),
        ("sslmode=require&channel_binding=require".to_owned(), true),
        (
            format!("sslmode=require&sslrootcert={}", root.display()),
            true,
        ),
        (
            format!("sslmode=verify-ca&sslrootcert={}", root.display()),
            true,
        ),
        (
            format!("sslmode=prefer&sslrootcert={}", wrong.display()),
            true,
        ),
    ] {
        if proxy.is_some() && parameters.contains("channel_binding") {
            continue;
        }
        let found = is_encrypted(&url(&cluster, &parameters));
        assert_eq!(found.unwrap(), encrypted, "{parameters}");
    }
    for parameters in [
        format!("sslmode=verify-full&sslrootcert={}", root.display()),
        format!("sslmode=verify-ca&sslrootcert={}", wrong.display()),
        format!("sslmode=require&sslrootcert={}", wrong.display()),
        "sslmode=verify-ca".to_owned(),
        "sslmode=disable&channel_binding=require".to_owned(),
    ] {
        refused(&url(&cluster, &parameters));
    }
    let by_name = |user: &str, parameters: &str| {
        let root = root.display();
        url_of(
            &cluster,
            "localhost",
            user,
            &format!("sslmode=verify-full&sslrootcert={root}{parameters}"),
        )
    };
    let password = "postgres:s3cret-%26-%40long";
    assert!(is_encrypted(&by_name(password, "")).unwrap());
    if proxy.is_none() {
        let shown = format!("&sslcert={}&sslkey={}", user.display(), user_key.display());
        assert!(is_encrypted(&by_name("inspector", &shown)).unwrap());
    }
    refused(&by_name("inspector", ""));

    let text = refused(&by_name("postgres:wr0ng", ""));
    assert!(text.contains("password authentication failed"), "{text}");
    assert!(
        text.contains("postgres://postgres@localhost:") && !text.contains("wr0ng"),
        "{text}"
    );
    let text = refused(&url(&cluster, "dbname=nowhere"));
    assert!(text.contains("\"nowhere\" does not exist"), "{text}");
}

#[test]
fn a_server_without_tls_is_refused_where_it_is_asked_for() {
    let url = with(&server(), "sslmode=require");
    let text = refused(&url);
    assert!(text.contains("TLS"), "{text}");
}

#[test]
fn files_that_cannot_be_used_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let empty = folder.path().join("empty.crt");
    std::fs::write(&empty, "nothing").unwrap();
    let missing = folder.path().join("missing.crt");
    for (parameters, expected) in [
        (
            format!("sslmode=verify-full&sslrootcert={}", empty.display()),
            "empty.crt",
        ),
        (
            format!("sslmode=verify-full&sslrootcert={}", missing.display()),
            "missing.crt",
        ),
        (format!("sslcert={}", empty.display()), "both or neither"),
        ("sslmode=sometimes".to_owned(), "`sometimes`"),
    ] {
        let failed = connect(
            &with("postgres://u@127.0.0.1:1/d", &parameters),
            Role::Reader,
            &options(),
        );
        let Err(StoreError::Schema(text)) = failed else {
            panic!("{parameters} was taken");
        };
        assert!(text.contains(expected), "{text}");
    }
}
