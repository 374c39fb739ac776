//! `obeya keys`.

use serde_json::Value;

use crate::binary::{database, obeya, run};

const KEY: &str = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

fn list(db: &str) -> Vec<Value> {
    let list = run(["keys", "list", "--db", db, "--json"]).success();
    serde_json::from_str(&list).expect("JSON")
}

/// The id at the end of a line such as `created ID`.
fn id(line: &str, word: &str) -> String {
    let id = line
        .strip_prefix(word)
        .and_then(|rest| rest.strip_prefix(' '));
    id.unwrap_or_else(|| panic!("{line}")).trim_end().to_owned()
}

#[test]
fn keys_are_listed_rotated_and_retired() {
    let (_folder, db) = database();
    run(["client", "add", "x", "--db", &db, "--scope", "Data.Read"]).success();
    assert!(list(&db).is_empty(), "the service makes the first one");
    let first = id(&run(["keys", "rotate", "--db", &db]).success(), "created");
    let rotate = ["keys", "rotate", "--db", &db, "--token-lifetime", "3600"];
    let second = id(&run(rotate).success(), "created");
    let keys = list(&db);
    assert_eq!(
        (&keys[0]["kid"], &keys[1]["kid"]),
        (&first.as_str().into(), &second.as_str().into())
    );
    assert!(keys[0]["expires_at"].is_string() && keys[1]["expires_at"].is_null());
    let table = run(["keys", "list", "--db", &db]).success();
    assert!(
        table.contains(&first) && table.contains("Expires"),
        "{table}"
    );

    assert_eq!(
        run(["keys", "retire", &first, "--db", &db]).success(),
        format!("retired {first}\n")
    );
    // The last one is replaced.
    let out = run(["keys", "retire", &second, "--db", &db]).success();
    let (retired, created) = out.split_once('\n').expect("two lines");
    assert_eq!(id(retired, "retired"), second);
    let keys = list(&db);
    assert_eq!(
        (keys.len(), &keys[0]["kid"]),
        (1, &id(created, "created").into())
    );
    assert!(first.starts_with("k-"), "{first} looks like a flag");
    // Earlier versions made ids that can begin with a hyphen.
    for gone in [&second, "-Abc", "--Abc", "-hAb"] {
        let err = run(["keys", "retire", gone, "--db", &db]).failure(1);
        assert_eq!(
            err,
            format!(
                "error: the key was not retired\n  because: there is no signing key `{gone}`\n"
            )
        );
    }
}

#[test]
fn the_key_encryption_key_comes_from_a_file_or_the_environment() {
    let (folder, db) = database();
    run(["client", "add", "x", "--db", &db, "--scope", "Data.Read"]).success();
    let file = folder.path().join("key");
    std::fs::write(&file, format!("{KEY}\n")).expect("written");
    let file = file.to_str().expect("UTF-8");
    let rotate = ["keys", "rotate", "--db", &db];
    run([&rotate[..], &["--key-encryption-file", file]].concat()).success();
    assert_eq!(list(&db)[0]["encrypted"], true);
    let with = |name: &str, value: &str, options: &[&str]| {
        let output = obeya()
            .env(name, value)
            .args(rotate)
            .args(options)
            .output()
            .expect("started");
        (
            output.status.code(),
            String::from_utf8(output.stderr).expect("UTF-8"),
        )
    };
    assert_eq!(with("OBEYA_KEY_ENCRYPTION_KEY", KEY, &[]).0, Some(0));
    assert_eq!(with("OBEYA_KEY_ENCRYPTION_FILE", file, &[]).0, Some(0));
    assert_eq!(list(&db).len(), 3);
    for (value, options, said) in [
        ("", &[][..], "no key encryption key was given"),
        ("AAEC", &[], "32 random bytes in base64"),
        (
            KEY,
            &["--key-encryption-file", file],
            "expected one of them",
        ),
        (
            "",
            &["--key-encryption-file", "nowhere"],
            "cannot read the key encryption file nowhere",
        ),
    ] {
        let (code, err) = with("OBEYA_KEY_ENCRYPTION_KEY", value, options);
        assert_eq!(code, Some(1), "{err}");
        assert!(err.contains(said) && !err.contains(KEY), "{err}");
    }
    assert_eq!(list(&db).len(), 3);

    let serve = ["serve", "--db", &db, "--listen", "127.0.0.1:0"];
    let err = run(serve).failure(1);
    assert!(err.contains("no key encryption key was given"), "{err}");
}
