//! The processes of the bench: the service, and a static reply as its ceiling.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{ChildStderr, Command, Stdio};

use obeya_server::admin::NewClient;
use obeya_server::{Config, Server};

use crate::load;
use crate::plant::Plant;
use crate::probe;

/// A process of this program in another role. It ends when it is dropped.
pub struct Child {
    process: std::process::Child,
    /// Host and port it listens on.
    pub address: String,
}

impl Child {
    /// The service on a database.
    pub fn service(db: &str) -> Self {
        Self::start(&["role:service", db], Stdio::inherit())
    }

    /// The service with its log, as lines of text.
    pub fn with_log(db: &str) -> (Self, ChildStderr) {
        let mut service = Self::start(&["role:service-with-log", db], Stdio::piped());
        let log = service.process.stderr.take().expect("a pipe");
        (service, log)
    }

    /// A static reply of the bytes of a file.
    pub fn static_reply(file: &Path) -> Self {
        let file = file.to_str().expect("a plain path");
        Self::start(&["role:static", file], Stdio::inherit())
    }

    fn start(arguments: &[&str], log: Stdio) -> Self {
        let program = std::env::current_exe().expect("this program");
        let mut process = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .expect("it starts");
        let mut address = String::new();
        let output = process.stdout.take().expect("a pipe");
        BufReader::new(output)
            .read_line(&mut address)
            .expect("it says where it listens");
        Self {
            process,
            address: address.trim().to_owned(),
        }
    }

    /// A token of the plant's client.
    pub fn token(&self, plant: &Plant) -> String {
        self.token_of(&plant.client)
    }

    /// A token of a client.
    pub fn token_of(&self, client: &NewClient) -> String {
        let request = probe::closing(&token_request(client));
        let request = std::str::from_utf8(&request).expect("UTF-8");
        let answer = load::exchange(&self.address, request);
        let answer: serde_json::Value = serde_json::from_str(&answer).expect("a token response");
        answer["access_token"].as_str().expect("a token").to_owned()
    }

    /// Memory resident now, in MiB.
    pub fn resident_mib(&self) -> f64 {
        self.status("VmRSS:")
    }

    /// Memory resident at most until now, in MiB.
    pub fn peak_mib(&self) -> f64 {
        self.status("VmHWM:")
    }

    /// Processor time taken until now, in milliseconds; a clock tick of Linux is 10.
    pub fn processor_ms(&self) -> f64 {
        Stat::of(self.process.id()).map_or(f64::NAN, |stat| stat.own_ms)
    }

    /// A figure of Linux's process table; NaN elsewhere.
    fn status(&self, name: &str) -> f64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.process.id()))
            .unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<f64>().ok())
            .map_or(f64::NAN, |kib| kib / 1024.0)
    }
}

/// The request for a token of a client.
pub fn token_request(client: &NewClient) -> Vec<u8> {
    let form = format!(
        "grant_type=client_credentials&client_id={}&client_secret={}",
        client.client_id, client.client_secret
    );
    let body = ("application/x-www-form-urlencoded", form.as_str());
    load::request_with("POST", "/connect/token", None, body)
}

/// A line of Linux's process table.
pub struct Stat {
    pub parent: u32,
    /// Processor time taken until now, in milliseconds.
    pub own_ms: f64,
    /// The processor time of ended children.
    pub ended_ms: f64,
}

impl Stat {
    /// `None` if there is no such process, and on systems other than Linux.
    pub fn of(process: u32) -> Option<Self> {
        let line = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
        // The second field is a name in parentheses and may contain spaces. The fourth is the parent; user
        // and system time are the 14th and 15th, those of children the next two.
        let fields: Vec<&str> = line.rsplit(')').next()?.split_whitespace().collect();
        let ticks = |field: usize| fields.get(field)?.parse::<f64>().ok();
        Some(Self {
            parent: fields.get(1)?.parse().ok()?,
            own_ms: (ticks(11)? + ticks(12)?) * 10.0,
            ended_ms: (ticks(13)? + ticks(14)?) * 10.0,
        })
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        // Closing its input makes it stop; killing it makes sure. It may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The role of the service with its log.
pub fn serve_with_log(db: &str) {
    tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_ansi(false)
        .init();
    serve(db);
}

/// The role of the service.
pub fn serve(db: &str) {
    runtime().block_on(async {
        // The bearer headers of the bench must not name the port, because the tokens of one process must be
        // valid in the next.
        let mut config = Config::new(db);
        config.auth_url = Some("http://bench".to_owned());
        let running = Server::start(config).await.expect("the service starts");
        println!("{}", running.address());
        until_input_ends().await;
        running.shutdown().await;
    });
}

/// The role of the ceiling: the least that axum can do.
pub fn serve_static(file: &str) {
    let body: &'static [u8] = std::fs::read(file).expect("the file is there").leak();
    runtime().block_on(async {
        let reply =
            move || async move { ([(http::header::CONTENT_TYPE, "application/json")], body) };
        let router = axum::Router::new().fallback(reply);
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0")
            .await
            .expect("a free port");
        println!("{}", listener.local_addr().expect("an address"));
        tokio::select! {
            served = async { axum::serve(listener, router).await } => served.expect("it serves"),
            () = until_input_ends() => {}
        }
    });
}

async fn until_input_ends() {
    let wait = tokio::task::spawn_blocking(|| std::io::stdin().read_to_end(&mut Vec::new()));
    let _ = wait.await;
}

pub fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .expect("a runtime")
}
