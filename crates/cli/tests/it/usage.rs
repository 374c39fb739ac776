//! Wrong usage and failure have different exit codes.

use crate::binary::{database, obeya, run};

#[test]
fn wrong_usage_exits_with_2_and_says_what_is_wrong() {
    let (_folder, db) = database();
    for (arguments, said) in [
        (vec!["dance"], "dance"),
        (vec!["serve"], "--db"),
        (
            vec!["serve", "--db", "plant.db"],
            "found `plant.db`, expected sqlite: and a file name",
        ),
        (
            vec!["serve", "--db", &db, "--listen", "nowhere"],
            "--listen",
        ),
        (vec!["serve", "--db", &db, "--log", "a=b=c"], "--log"),
        (
            vec!["serve", "--db", &db, "--trusted-proxy", "plant.example"],
            "expected an IP address, or a network such as 10.0.0.0/8",
        ),
        (
            vec!["serve", "--db", &db, "--tls-key", "key.pem"],
            "--tls-certificate",
        ),
        (
            vec![
                "serve",
                "--db",
                &db,
                "--cors-origin",
                "https://app.example/",
            ],
            "expected an origin such as https://app.example",
        ),
        (
            vec!["serve", "--db", &db, "--base-url", "obeya.example"],
            "expected http or https and a host",
        ),
        (
            vec!["serve", "--db", &db, "--auth-url", "https://u:p@x.example/"],
            "expected http or https and a host",
        ),
        (
            vec![
                "serve",
                "--db",
                &db,
                "--base-url",
                "https://x.example/p?q=1",
            ],
            "expected http or https and a host",
        ),
        (
            vec!["serve", "--db", &db, "--client-rate", "fast"],
            "expected requests and seconds, such as 600/60",
        ),
        (
            vec!["serve", "--db", &db, "--connections", "0"],
            "--connections",
        ),
        (
            vec!["serve", "--db", &db, "--idempotency-keys", "0"],
            "--idempotency-keys",
        ),
        (
            vec!["serve", "--db", &db, "--audit-retention", "0"],
            "--audit-retention",
        ),
        (vec!["client", "add", "x", "--db", &db], "--scope"),
        (
            vec!["client", "add", "x", "--db", &db, "--scope", "Data.Reed"],
            "Data.Read",
        ),
        (vec!["client", "set", "x", "--db", &db], "--allow-from"),
        (
            vec!["client", "set", "x", "--db", &db, "--allow-from", "office"],
            "found `office`, expected an IP address, or a network such as 10.0.0.0/8; or `any`",
        ),
        (
            vec!["client", "set", "x", "--db", &db, "--rate", "100"],
            "found `100`, expected requests and seconds, such as 600/60 (at most 86400 seconds); or `none`",
        ),
        (
            vec!["client", "set", "x", "--db", &db, "--expires", "tomorrow"],
            "or `never`",
        ),
        (
            vec!["client", "rotate-secret", "x", "--db", &db, "--overlap=-1h"],
            "expected a duration from 0s",
        ),
        (vec!["import", "--db", &db], "<DIR>"),
        (
            vec!["import", ".", "--db", &db, "--on-conflict", "merge"],
            "replace",
        ),
    ] {
        let err = run(&arguments).failure(2);
        assert!(err.contains(said), "{arguments:?}: {err}");
    }
}

#[test]
fn an_address_that_is_wrong_gives_no_password_away() {
    for arguments in [
        vec!["serve", "--db", "postgres:/obeya:hunter2@db/obeya"],
        vec!["client", "list", "--db", "posgres://obeya:hunter2@db/obeya"],
    ] {
        let err = run(&arguments).failure(2);
        assert!(
            err.contains("'--db <URL>'") && err.contains("expected sqlite:"),
            "{err}"
        );
        assert!(!err.contains("hunter2"), "{err}");
    }
}

#[test]
fn help_and_version_are_no_errors() {
    for command in [
        vec!["--help"],
        vec!["serve", "--help"],
        vec!["import", "--help"],
        vec!["--version"],
    ] {
        assert!(!run(command).success().is_empty());
    }
}

#[test]
fn the_database_may_come_from_the_environment() {
    let (_folder, db) = database();
    let made = obeya()
        .env("OBEYA_DB", &db)
        .args(["client", "add", "x", "--scope", "Data.Read"])
        .output();
    assert!(made.expect("started").status.success());
    assert!(
        run(["client", "list", "--db", &db])
            .success()
            .contains("Data.Read")
    );
}

/// Texts of others reach a terminal through errors as well.
#[test]
fn an_error_shows_control_characters() {
    let mut pull = obeya();
    pull.args([
        "pull",
        "areas",
        "--url",
        "http://127.0.0.1:9",
        "--client-id",
        "plant",
    ]);
    pull.args(["--secret-file", "\u{1b}[2J\u{202e}secret"]);
    let done = pull.output().expect("started");
    let err = String::from_utf8(done.stderr).expect("text");
    assert!(err.contains(r"\u{1b}[2J\u{202e}secret"), "{err}");
    assert!(
        !err.contains('\u{1b}') && !err.contains('\u{202e}'),
        "{err}"
    );
}

/// RFC 6761, 6.4: a name below `invalid` is nobody's, so nothing is sent.
#[test]
fn a_secret_that_can_be_read_on_the_way_is_refused_and_where_allowed_warned_of() {
    let pull = |url: &str, allowed: &[&str], variable: &str| {
        let mut pull = obeya();
        pull.args(["pull", "areas", "--client-id", "plant", "--url", url]);
        pull.args(allowed);
        pull.env("OBEYA_CLIENT_SECRET", "hunter2");
        pull.env("OBEYA_ALLOW_PLAIN_HTTP", variable);
        let done = pull.output().expect("started");
        assert_eq!(done.status.code(), Some(1));
        String::from_utf8(done.stderr).expect("text")
    };
    let plain = "http://plant.invalid:8080";
    for variable in ["", "0", "no"] {
        assert_eq!(
            pull(plain, &[], variable),
            "error: the client secret would be sent to http://plant.invalid:8080 without TLS and could be read in transit: \
             use https, or allow it by allow_plain_http (OBEYA_ALLOW_PLAIN_HTTP=1)\n",
            "{variable}"
        );
    }
    let allowed = ["--allow-plain-http"];
    for err in [pull(plain, &allowed, ""), pull(plain, &[], "1")] {
        for what in ["the client secret", "the access token"] {
            let warning =
                format!("warning: {what} is sent to http://plant.invalid:8080 without TLS");
            assert!(err.contains(&warning), "{err}");
        }
        assert!(!err.contains("hunter2"), "{err}");
    }
    let private = pull("https://plant.invalid", &[], "");
    assert!(
        !private.contains("warning") && !private.contains("without TLS"),
        "{private}"
    );
}
