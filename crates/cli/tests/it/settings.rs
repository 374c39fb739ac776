//! `obeya.toml`: every flag of `obeya serve` may stand in it, below flags and variables, and `obeya config
//! show` says where each value came from.

use std::path::Path;

use obeya_testkit::Serving;
use serde_json::Value;

use crate::binary::{database, done, obeya, run};

/// A flag of `serve`: its name, the name of its value or an empty text, and its default.
struct Flag {
    name: String,
    value: String,
    default: Option<String>,
}

/// The flags that the help of `serve` lists, without those that name the file and show the help.
fn flags() -> Vec<Flag> {
    let help = run(["serve", "--help"]).success();
    let mut flags: Vec<Flag> = Vec::new();
    for line in help.lines().map(str::trim) {
        let flag = line
            .split_once("--")
            .filter(|(before, _)| before.is_empty());
        if let Some((_, flag)) = flag {
            let (name, value) = flag.split_once(' ').unwrap_or((flag, ""));
            flags.push(Flag {
                name: name.to_owned(),
                value: value.trim_matches(['<', '>']).to_owned(),
                default: None,
            });
        } else if let Some(default) = line.strip_prefix("[default: ")
            && let Some(flag) = flags.last_mut()
        {
            flag.default = default.strip_suffix(']').map(str::to_owned);
        }
    }
    flags.retain(|flag| !["config", "help"].contains(&&*flag.name));
    flags
}

/// A value of the flag that is not its default, as TOML and as `config show` shows it.
fn example(flag: &Flag) -> (String, Value) {
    let number = |number: u64| (number.to_string(), number.to_string().into());
    let text = |text: &str| (format!("{text:?}"), text.into());
    match (&*flag.name, &*flag.value) {
        (_, "") => ("true".into(), "true".into()),
        ("db", _) => text("sqlite:/srv/plant.db"),
        ("forwarded-header", _) => text("forwarded"),
        ("log-format", _) => text("json"),
        (_, "ADDR") => text("127.0.0.1:9"),
        (_, "URL") => text("https://plant.example"),
        (_, "FILE") => text("/srv/plant.pem"),
        (_, "FILTER") => text("warn,obeya_store=debug"),
        (_, "RATE") => text("7/8"),
        (_, "NETWORK") => (
            r#"["10.0.0.0/8", "192.0.2.1"]"#.into(),
            vec!["10.0.0.0/8", "192.0.2.1"].into(),
        ),
        (_, "ORIGIN") => (
            r#"["https://app.example"]"#.into(),
            vec!["https://app.example"].into(),
        ),
        (_, "PERCENT" | "DAYS") => number(7),
        ("memory", _) => number(1_048_577),
        (_, "N" | "SECONDS" | "BYTES") => number(77),
        (name, value) => panic!("give an example of a value for --{name} <{value}>"),
    }
}

fn file_of(folder: &Path, text: &str) -> String {
    let file = folder.join("plant.toml");
    std::fs::write(&file, text).expect("written");
    file.display().to_string()
}

/// The settings that `config show` prints, by name.
fn shown(arguments: &[&str], variables: &[(&str, &str)]) -> impl Fn(&str) -> Value + use<> {
    let mut command = obeya();
    command.args(["config", "show", "--json"]).args(arguments);
    command.envs(variables.iter().copied());
    let all: Value = serde_json::from_str(&done(&mut command).success()).expect("JSON");
    move |name| {
        let settings = all["settings"].as_array().expect("settings");
        let found = settings.iter().find(|setting| setting["name"] == name);
        found.unwrap_or_else(|| panic!("{name} in {all}")).clone()
    }
}

#[test]
fn every_flag_of_serve_may_stand_in_the_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let flags = flags();
    assert!(flags.len() > 40, "{}", flags.len());
    // These two exclude each other.
    for left_out in ["keep-wal", "discard-wal"] {
        let listed = || flags.iter().filter(|flag| flag.name != left_out);
        let line = |flag: &Flag| format!("{} = {}\n", flag.name, example(flag).0);
        let file = file_of(folder.path(), &listed().map(line).collect::<String>());
        let shown = shown(&["--config", &file], &[]);
        for (flag, line) in listed().zip(1..) {
            let (setting, (text, expected)) = (shown(&flag.name), example(flag));
            let name = &flag.name;
            assert_eq!(setting["value"], expected, "{name}");
            assert_ne!(Some(&*text), flag.default.as_deref(), "{name}");
            assert_eq!(setting["from"], "file", "{name}");
            assert_eq!(setting["file"], *file, "{name}");
            assert_eq!(setting["line"], line, "{name}");
        }
    }
}

#[test]
fn a_flag_wins_over_a_variable_over_the_file_over_the_default() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = file_of(
        folder.path(),
        "# Limits\nconnections = 11\nno-docs = true\ntrusted-proxy = [\"10.0.0.1\"]\n",
    );
    let config = ["--config", &file];
    let variable = [
        ("OBEYA_CONNECTIONS", "12"),
        ("OBEYA_TRUSTED_PROXY", "10.0.0.2,10.0.0.3"),
        ("OBEYA_NO_DOCS", "false"),
    ];
    let flags = [
        &config[..],
        &["--connections", "13", "--trusted-proxy", "10.0.0.4"],
    ]
    .concat();
    for (arguments, variables, value, from, proxies) in [
        (&flags[..], &variable[..], "13", "flag", vec!["10.0.0.4"]),
        (
            &config[..],
            &variable[..],
            "12",
            "environment",
            vec!["10.0.0.2", "10.0.0.3"],
        ),
        (&config[..], &[], "11", "file", vec!["10.0.0.1"]),
        (&[], &[], "1024", "default", vec![]),
    ] {
        let shown = shown(arguments, variables);
        let setting = shown("connections");
        assert_eq!(
            (&setting["value"], &setting["from"]),
            (&value.into(), &from.into())
        );
        assert_eq!(shown("trusted-proxy")["value"], Value::from(proxies));
    }
    let setting = shown(&config, &variable)("no-docs");
    assert_eq!(setting["variable"], "OBEYA_NO_DOCS");
    assert_eq!(setting["value"], "false");
    assert_eq!(shown(&config, &[])("connections")["line"], 2);
    // A variable names the file too, and a flag another one.
    let setting = shown(&[], &[("OBEYA_CONFIG", &file)])("connections");
    assert_eq!(setting["value"], "11");
    let other = folder.path().join("other.toml");
    std::fs::write(&other, "").expect("written");
    let other = other.to_str().expect("UTF-8");
    let setting = shown(&["--config", other], &[("OBEYA_CONFIG", &file)])("connections");
    assert_eq!(setting["value"], "1024");
}

/// The variable is not looked at, as clap stops at the first wrong one.
#[test]
fn a_wrong_variable_is_not_replaced_by_the_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = file_of(
        folder.path(),
        "db = \"sqlite:x.db\"\nconnections = 11\nidle-timeout = 9\n",
    );
    let mut command = obeya();
    command.args(["serve", "--config", &file]);
    command.env("OBEYA_CONNECTIONS", "many");
    let err = done(&mut command).failure(2);
    assert!(
        err.contains("many") && err.contains("--connections"),
        "{err}"
    );
}

#[test]
fn a_password_is_not_shown() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = file_of(
        folder.path(),
        "db = \"postgres://obeya:hunter2@db.example/plant?password=hunter2\"\n",
    );
    let text = run(["config", "show", "--config", &file]).success();
    assert!(
        text.contains("postgres://obeya:***@db.example/plant?password=***"),
        "{text}"
    );
    assert!(text.contains(&format!("{file}:1")), "{text}");
    let json = run(["config", "show", "--json", "--config", &file]).success();
    for out in [text, json] {
        assert!(!out.contains("hunter2"), "{out}");
    }
    let file = file_of(
        folder.path(),
        "db = \"posgres://obeya:hunter2@db.example/plant\"\nmemory = 1\n",
    );
    let err = run(["serve", "--config", &file]).failure(2);
    assert_eq!(
        err,
        format!(
            "error: {file}:1: db: found an invalid address, expected sqlite: and a file name, such as sqlite:plant.db, \
             or postgres://USER:PASSWORD@HOST/NAME\nerror: {file}:2: memory: found 1, expected at least 1048576\n"
        )
    );
}

#[test]
fn serve_runs_on_the_file_of_its_folder_and_says_so() {
    let (folder, _) = database();
    let text = "db = \"sqlite:plant.db\"\ncreate = true\nlisten = \"127.0.0.1:0\"\nlog-format = \"json\"\n";
    std::fs::write(folder.path().join("obeya.toml"), text).expect("written");
    let mut command = obeya();
    command.arg("serve").current_dir(folder.path());
    let mut serving = Serving::spawn(command);
    assert!(folder.path().join("plant.db").exists());
    let answer = ureq::get(format!("{}/readyz", serving.url)).call();
    assert_eq!(answer.expect("ready").status(), 200);
    serving.child.kill().expect("killed");
    let mut log = String::new();
    let mut err = serving.child.stderr.take().expect("piped");
    std::io::Read::read_to_string(&mut err, &mut log).expect("the log");
    let line: Value = serde_json::from_str(log.lines().next().expect("a line")).expect("JSON");
    let file = folder
        .path()
        .canonicalize()
        .expect("a path")
        .join("obeya.toml");
    assert_eq!(line["fields"]["file"], file.display().to_string(), "{log}");
}

#[cfg(unix)]
#[test]
fn a_password_that_everybody_may_read_is_warned_of() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().expect("a folder");
    // Nobody listens there.
    let text = "db = \"postgres://obeya:hunter2@127.0.0.1:1/plant\"\n";
    let file = file_of(folder.path(), text);
    for (mode, is_warned) in [(0o600, false), (0o640, false), (0o644, true)] {
        let permissions = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(&file, permissions).expect("a mode");
        let err = run(["serve", "--config", &file]).failure(1);
        let warning = "the file has a password, and everybody on this machine may read it";
        assert_eq!(err.contains(warning), is_warned, "{mode:o}: {err}");
        assert!(!err.contains("hunter2"), "{err}");
    }
}

/// A path means the same wherever the command starts.
#[test]
fn relative_paths_start_at_the_folder_of_the_file() {
    let (folder, _) = database();
    let file = file_of(
        folder.path(),
        "db = \"sqlite:data/plant.db\"\ntls-key = \"k.pem\"\ntls-certificate = \"c.pem\"",
    );
    let shown = shown(&["--config", &file], &[]);
    let folder = folder.path().display();
    assert_eq!(
        shown("db")["value"],
        format!("sqlite:{folder}/data/plant.db")
    );
    assert_eq!(shown("tls-key")["value"], format!("{folder}/k.pem"));
    let err = run(["serve", "--config", &file]).failure(1);
    assert!(
        err.contains(&format!("there is no database {folder}/data/plant.db")),
        "{err}"
    );
}

#[test]
fn mistakes_name_file_line_and_key() {
    let folder = tempfile::tempdir().expect("a folder");
    let err = |text: &str| {
        let file = file_of(folder.path(), text);
        let err = run(["serve", "--config", &file]).failure(2);
        err.replace(&file, "FILE")
    };
    let found = err(
        "admin_listen = \"127.0.0.1:9\"\nlisten = \"nowhere\"\nidle-timeout = 0\nlog = \"a=b=c\"\n",
    );
    let expected = "error: FILE:1: found the unknown key `admin_listen`, expected a flag of `obeya serve` without its hyphens; \
         did you mean `admin-listen`?\n\
         error: FILE:2: listen: found \"nowhere\": invalid socket address syntax\n\
         error: FILE:3: idle-timeout: found 0, expected 1 to 86400\n\
         error: FILE:4: log: found \"a=b=c\": ";
    assert!(found.starts_with(expected), "{found}");
    let both = err("db = \"sqlite:x.db\"\nkeep-wal = true\ndiscard-wal = true\n");
    assert!(both.contains("'--keep-wal' cannot be used with"), "{both}");
    assert!(both.contains("FILE:2: keep-wal is set here\n"), "{both}");
    let alone = err("db = \"sqlite:x.db\"\n\ntls-key = \"k.pem\"\n");
    assert!(alone.contains("--tls-certificate <FILE>"), "{alone}");
    assert!(alone.contains("FILE:3: tls-key is set here\n"), "{alone}");
    let missing = run(["serve", "--config", "/nowhere/obeya.toml"]).failure(2);
    assert!(
        missing.starts_with("error: /nowhere/obeya.toml: the file with settings cannot be read: "),
        "{missing}"
    );
}
