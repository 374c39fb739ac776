//! Clients of the service, and the plant of the specification.

use obeya::{Client, ClientBuilder};
use serde_json::Value;

use crate::binary::run;

/// The folder of the specification's plant, in the import format.
pub const PLANT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../spec/plant");

/// All that a client may do.
pub const ALL: [&str; 2] = ["public.api.read", "public.api.write"];

/// Imports the specification's plant into a database, and adds a client that may do everything.
pub fn import_plant(db: &str) -> Credentials {
    run(["import", PLANT, "--db", db]).success();
    Credentials::add(db, &ALL)
}

/// The credentials of a client of the service.
pub struct Credentials {
    pub id: String,
    pub secret: String,
}

impl Credentials {
    /// Adds a client with these scopes to a database.
    pub fn add(db: &str, scopes: &[&str]) -> Self {
        let mut arguments = vec!["client", "add", "test", "--db", db, "--json"];
        for scope in scopes {
            arguments.extend(["--scope", scope]);
        }
        Self::of(&run(arguments).success())
    }

    /// Those that `client add --json` printed.
    pub fn of(json: &str) -> Self {
        let added: Value = serde_json::from_str(json).expect("JSON");
        let text = |name: &str| added[name].as_str().expect("a text").to_owned();
        Self {
            id: text("client_id"),
            secret: text("client_secret"),
        }
    }

    /// The settings of a client of the SDK.
    pub fn builder(&self, url: &str) -> ClientBuilder {
        Client::builder()
            .base_url(url)
            .client_id(&self.id)
            .client_secret(&self.secret)
    }

    /// A client of the SDK.
    pub fn client(&self, url: &str) -> Client {
        self.builder(url).build().expect("a client")
    }

    /// A token.
    pub fn token(&self, url: &str) -> String {
        let form = [
            ("grant_type", "client_credentials"),
            ("client_id", &self.id),
            ("client_secret", &self.secret),
        ];
        let answer = ureq::post(format!("{url}/connect/token")).send_form(form);
        let text = answer.expect("a token").into_body().read_to_string();
        let grant: Value = serde_json::from_str(&text.expect("text")).expect("JSON");
        grant["access_token"].as_str().expect("a token").to_owned()
    }
}

/// The JSON that the service answers to a GET with this token and `Prefer` header.
pub fn get(url: &str, token: &str, path: &str, prefer: &str) -> Value {
    let answer = ureq::get(format!("{url}{path}"))
        .header("authorization", format!("Bearer {token}"))
        .header("prefer", prefer)
        .call();
    let answer = answer.unwrap_or_else(|error| panic!("{path}: {error}"));
    let body = answer.into_body().into_with_config().limit(64 << 20);
    serde_json::from_reader(body.reader()).expect("JSON")
}
