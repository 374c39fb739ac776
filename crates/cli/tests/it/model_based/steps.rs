//! The steps: requests with random contents, and the comparison of each answer with the plant in memory.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use fastrand::Rng;
use obeya_testkit::{Proxy, Serving};
use serde_json::{Value, json};

use super::model::{Effect, Fields, Incident, Keyed, Measured, Model};
use crate::binary::{done, obeya, run, serve_existing};
use crate::credentials::{ALL, Credentials};
use crate::import::write_lines;
use crate::sync::copy::Copy;

const SEVERITIES: [&str; 3] = ["Low", "Medium", "High"];
const DAY: &str = "2025-06-01";

/// A service, and the plant that it should show.
pub struct Run {
    db: String,
    copy: PathBuf,
    credentials: Credentials,
    serving: Option<Serving>,
    /// In front of the service, so that its URL stays after a kill.
    proxy: Proxy,
    token: String,
    agent: ureq::Agent,
    random: Rng,
    model: Model,
    /// What was done, for the report of a failure.
    log: Vec<String>,
    /// How often each answer was met.
    met: BTreeMap<String, usize>,
    names: usize,
}

/// An answer.
struct Reply {
    status: u16,
    tag: String,
    is_replayed: bool,
    text: String,
}

impl Reply {
    fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or(Value::Null)
    }

    #[track_caller]
    fn is(&self, status: u16, code: &str) {
        assert_eq!(
            (self.status, self.json()["code"].as_str()),
            (status, Some(code)),
            "{}",
            self.text
        );
    }
}

/// A write that is about to be sent.
struct Write {
    method: &'static str,
    path: String,
    body: Option<Value>,
    if_match: Option<String>,
}

/// Asserts that two maps are equal; shows the first difference only.
#[track_caller]
fn assert_same<K: Ord + std::fmt::Debug, V: PartialEq + std::fmt::Debug>(
    mut copy: BTreeMap<K, V>,
    expected: BTreeMap<K, V>,
) {
    for (key, value) in expected {
        assert_eq!(copy.remove(&key), Some(value), "{key:?}");
    }
    assert!(copy.is_empty(), "only in the copy: {:?}", copy.keys());
}

/// Without connections of before.
fn agent() -> ureq::Agent {
    let config = ureq::Agent::config_builder().http_status_as_error(false);
    config.build().into()
}

impl Drop for Run {
    fn drop(&mut self) {
        if std::thread::panicking() {
            println!("the steps:\n{}", self.log.join("\n"));
        }
    }
}

impl Run {
    pub fn new(db: &str, folder: &Path, random: Rng) -> Self {
        let plant = folder.join("import");
        std::fs::create_dir(&plant).expect("made");
        let types = [r#"{"id":1,"title":"Leak","categories":[{"id":11,"title":"Own process"}]}"#];
        write_lines(&plant, "incident_types.jsonl", types);
        write_lines(&plant, "datasources.jsonl", [r#"{"id":1}"#]);
        run(["import", plant.to_str().expect("UTF-8"), "--db", db]).success();
        let mut run = Run {
            db: db.to_owned(),
            copy: folder.join("copy"),
            credentials: Credentials::add(db, &ALL),
            serving: None,
            proxy: Proxy::balancing(),
            token: String::new(),
            agent: agent(),
            random,
            model: Model::default(),
            log: Vec::new(),
            met: BTreeMap::new(),
            names: 0,
        };
        run.start();
        run
    }

    /// Does one random thing.
    pub fn step(&mut self) {
        match self.random.u32(..1000) {
            0..170 => self.create(),
            170..330 => self.update(),
            330..450 => self.set_field(),
            450..540 => self.delete(),
            540..610 => self.restore(),
            610..730 => self.repeat(),
            730..820 => self.add_value(),
            820..880 => self.delete_values(),
            880..930 => self.add_values(),
            930..980 => self.look_at_one(),
            980..990 => self.look_at_everything(),
            990..995 => self.kill(),
            _ => self.sync(),
        }
    }

    /// Says how often each answer was met, and that none is missing.
    pub fn report(&self) {
        println!("{:?}", self.met);
        for met in ["200", "200 replayed", "404", "412", "422"] {
            assert!(
                self.met.contains_key(met),
                "no answer {met}: nothing was tested"
            );
        }
    }

    fn start(&mut self) {
        let url = self.proxy.url();
        let more = ["--log", "off", "--auth-url", &url, "--base-url", &url];
        let serving = serve_existing(&self.db, &more);
        let address = serving.url.trim_start_matches("http://").parse();
        self.proxy.set(0, Some(address.expect("an address")));
        self.serving = Some(serving);
        self.agent = agent();
        self.token = self.credentials.token(&url);
    }

    /// SIGKILL, and a new start.
    fn kill(&mut self) {
        self.log.push("kill".into());
        self.serving = None;
        self.start();
    }

    fn name(&mut self, of: &str) -> String {
        self.names += 1;
        format!("{of}-{}", self.names)
    }

    fn send(&mut self, write: &Write, key: Option<&str>) -> Reply {
        let url = format!("{}{}", self.proxy.url(), write.path);
        let mut request = ureq::http::Request::builder()
            .method(write.method)
            .uri(url)
            .header("authorization", format!("Bearer {}", self.token));
        if let Some(tag) = &write.if_match {
            request = request.header("if-match", tag);
        }
        if let Some(key) = key {
            request = request.header("idempotency-key", key);
        }
        let body = write
            .body
            .as_ref()
            .map(Value::to_string)
            .unwrap_or_default();
        if write.body.is_some() {
            request = request.header("content-type", "application/json");
        }
        let sent = request.body(body).expect("a request");
        let mut answer = self.agent.run(sent).expect("an answer");
        let header = |name: &str| {
            let value = answer.headers().get(name);
            value
                .map_or("", |value| value.to_str().expect("ASCII"))
                .to_owned()
        };
        let (tag, is_replayed) = (header("etag"), header("idempotency-replayed") == "true");
        let status = answer.status().as_u16();
        let replayed = if is_replayed { " replayed" } else { "" };
        *self.met.entry(format!("{status}{replayed}")).or_default() += 1;
        let text = answer.body_mut().read_to_string().expect("text");
        self.log.push(format!(
            "{} {} {} if-match {:?} key {key:?}: {status}{replayed} {tag}",
            write.method,
            write.path,
            write.body.as_ref().unwrap_or(&Value::Null),
            write.if_match
        ));
        Reply {
            status,
            tag,
            is_replayed,
            text,
        }
    }

    /// Sends a write, often with a new key, under which it may be repeated if it is accepted.
    fn send_new(&mut self, write: Write, effect: impl FnOnce(&Reply) -> Effect) -> Reply {
        let key = self.random.bool().then(|| self.name("key"));
        let reply = self.send(&write, key.as_deref());
        assert!(!reply.is_replayed, "{}", write.path);
        if let Some(key) = key
            && reply.status == 200
        {
            self.model.keyed.push(Keyed {
                key,
                method: write.method,
                path: write.path,
                body: write.body,
                effect: effect(&reply),
            });
        }
        reply
    }

    fn get(&mut self, path: &str) -> Reply {
        let read = Write {
            method: "GET",
            path: path.to_owned(),
            body: None,
            if_match: None,
        };
        self.send(&read, None)
    }

    fn text(&mut self) -> Option<String> {
        let texts = [
            None,
            Some("Oil under the press"),
            Some("Åpen ventil, 東京"),
            Some("x"),
        ];
        self.random.choice(texts).flatten().map(str::to_owned)
    }

    fn severity(&mut self) -> &'static str {
        self.random.choice(SEVERITIES).unwrap_or("Low")
    }

    /// An id: mostly of an incident, whether in the trash or not, sometimes of none.
    fn some_id(&mut self) -> i64 {
        let ids: Vec<i64> = self.model.incidents.keys().copied().collect();
        if self.random.u8(..20) == 0 {
            return 2_000_000_000;
        }
        self.random.choice(ids).unwrap_or(1)
    }

    /// A condition, and whether it holds for a record with this tag.
    fn condition(&mut self, tag: &str) -> (Option<String>, bool) {
        match self.random.u8(..8) {
            0..3 => (None, true),
            3 => (Some("*".into()), true),
            4 | 5 => (Some(tag.to_owned()), true),
            6 => (Some(format!("\"else\", {tag}")), true),
            _ => {
                let tags: Vec<&String> =
                    self.model.incidents.values().map(|one| &one.tag).collect();
                let other = self.random.choice(tags).filter(|other| *other != tag);
                (
                    Some(other.map_or("\"else\"", |other| other.as_str()).to_owned()),
                    false,
                )
            }
        }
    }

    fn create(&mut self) {
        let fields = Fields {
            title: self.name("incident"),
            severity: self.severity(),
            text: self.text(),
            external_id: self.random.bool().then(|| self.name("external")),
        };
        let body = json!({
            "incidentTypeId": 1, "severity": fields.severity, "title": fields.title, "incidentDate": DAY,
            "text": fields.text, "externalId": fields.external_id, "categories": [{"id": 11}],
        });
        let write = Write {
            method: "POST",
            path: "/v1/Incidents".into(),
            body: Some(body),
            if_match: None,
        };
        let id = |reply: &Reply| reply.json()["id"].as_i64().expect("an id");
        let reply = self.send_new(write, |reply| Effect::Incident(id(reply)));
        assert_eq!(reply.status, 200, "{}", reply.text);
        let id = id(&reply);
        assert!(
            !self.model.incidents.contains_key(&id),
            "no id is given twice"
        );
        self.model.written(id, fields, &reply.json(), &reply.tag);
    }

    /// Sends a change of an incident: 404 if it is none, 412 if the condition does not hold.
    fn change(
        &mut self,
        id: i64,
        method: &'static str,
        path: String,
        body: Option<Value>,
        set: impl FnOnce(&mut Fields),
    ) {
        let Some(incident) = self.model.live(id).cloned() else {
            let write = Write {
                method,
                path,
                body,
                if_match: None,
            };
            let reply = self.send_new(write, |_| Effect::Incident(id));
            return reply.is(404, "not_found");
        };
        let (if_match, holds) = self.condition(&incident.tag);
        let write = Write {
            method,
            path,
            body,
            if_match,
        };
        let reply = self.send_new(write, |_| Effect::Incident(id));
        if !holds {
            assert_eq!(reply.tag, incident.tag);
            return reply.is(412, "precondition.failed");
        }
        assert_eq!(reply.status, 200, "{}", reply.text);
        let mut fields = incident.fields;
        set(&mut fields);
        self.model.written(id, fields, &reply.json(), &reply.tag);
    }

    fn update(&mut self) {
        let id = self.some_id();
        let (title, severity, text) = (self.name("incident"), self.severity(), self.text());
        let body = json!({"incidentTypeId": 1, "severity": severity, "title": title, "incidentDate": DAY, "text": text});
        self.change(
            id,
            "PUT",
            format!("/v1/Incidents/{id}"),
            Some(body),
            |fields| {
                (fields.title, fields.severity, fields.text) = (title, severity, text);
            },
        );
    }

    fn set_field(&mut self) {
        let id = self.some_id();
        if self.random.bool() {
            let severity = self.severity();
            let path = format!("/v1/Incidents/{id}/severity");
            self.change(
                id,
                "PUT",
                path,
                Some(json!({"severity": severity})),
                |fields| fields.severity = severity,
            );
        } else {
            let external_id = self.name("external");
            let path = format!("/v1/Incidents/{id}/externalId");
            self.change(id, "PUT", path, Some(json!(external_id)), |fields| {
                fields.external_id = Some(external_id);
            });
        }
    }

    fn delete(&mut self) {
        let id = self.some_id();
        let incident = self.model.live(id).cloned();
        let (if_match, holds) = match &incident {
            Some(incident) => self.condition(&incident.tag),
            None => (None, true),
        };
        let write = Write {
            method: "DELETE",
            path: format!("/v1/Incidents/{id}"),
            body: None,
            if_match,
        };
        let reply = self.send_new(write, |reply| Effect::Fixed(reply.text.clone()));
        match incident {
            None => reply.is(404, "not_found"),
            Some(_) if !holds => reply.is(412, "precondition.failed"),
            Some(incident) => {
                assert_eq!((reply.status, reply.text.as_str()), (200, ""));
                let deleted = Incident {
                    is_deleted: true,
                    ..incident
                };
                self.model.incidents.insert(id, deleted);
            }
        }
    }

    fn restore(&mut self) {
        let deleted = self.model.ids(true);
        let id = match self.random.choice(deleted) {
            Some(id) if self.random.u8(..5) > 0 => id,
            _ => self.some_id(),
        };
        let write = Write {
            method: "PUT",
            path: format!("/v1/Incidents/trash/{id}/restore"),
            body: None,
            if_match: None,
        };
        let reply = self.send_new(write, |_| Effect::Incident(id));
        match self.model.incidents.get(&id).cloned() {
            Some(incident) if incident.is_deleted => {
                assert_eq!(reply.status, 200, "{}", reply.text);
                self.model
                    .written(id, incident.fields, &reply.json(), &reply.tag);
            }
            _ => reply.is(404, "not_found"),
        }
    }

    /// Sends an accepted request again under its key, or another one.
    fn repeat(&mut self) {
        let Some(keyed) = self.random.choice(0..self.model.keyed.len()) else {
            return;
        };
        let keyed = self.model.keyed[keyed].clone();
        let mut write = Write {
            method: keyed.method,
            path: keyed.path.clone(),
            body: keyed.body.clone(),
            // The condition is not checked again.
            if_match: None,
        };
        if let Some(body) = &mut write.body
            && self.random.u8(..4) == 0
        {
            match body {
                Value::Object(object) if object.contains_key("title") => {
                    object["title"] = json!("else");
                }
                Value::Object(object) if object.contains_key("severity") => {
                    let is_low = object["severity"] == "Low";
                    object["severity"] = json!(if is_low { "High" } else { "Low" });
                }
                Value::Object(object) => object["value"] = json!(-1.0),
                Value::Array(values) => values.extend(values.first().cloned()),
                other => *other = json!("else"),
            }
            let reply = self.send(&write, Some(&keyed.key));
            return reply.is(422, "idempotency.mismatch");
        }
        let reply = self.send(&write, Some(&keyed.key));
        assert!(reply.is_replayed, "{}", reply.text);
        match &keyed.effect {
            Effect::Incident(id) => self.assert_is_incident(&reply, *id),
            Effect::Measured(external_id) => match self.model.values.get(external_id) {
                Some(measured) => {
                    assert_eq!(reply.json()["value"], measured.value, "{}", reply.text);
                }
                None => reply.is(404, "not_found"),
            },
            Effect::Fixed(text) => assert_eq!((reply.status, &reply.text), (200, text)),
        }
    }

    /// The reply is the incident as it is now, or says that there is none.
    fn assert_is_incident(&self, reply: &Reply, id: i64) {
        match self.model.live(id) {
            Some(incident) => {
                assert_eq!(
                    (reply.status, &reply.tag),
                    (200, &incident.tag),
                    "{}",
                    reply.text
                );
                incident.fields.assert_shown(&reply.json());
            }
            None => reply.is(404, "not_found"),
        }
    }

    fn value(&mut self) -> (String, f64, Value) {
        let (external_id, value) = (self.name("value"), f64::from(self.random.u16(..)) / 8.0);
        let body =
            json!({"value": value, "valueDate": "2026-03-20T13:00:00Z", "externalId": external_id});
        (external_id, value, body)
    }

    fn add_value(&mut self) {
        let (external_id, value, body) = self.value();
        let write = Write {
            method: "POST",
            path: "/v1/Datasources/1/values".into(),
            body: Some(body),
            if_match: None,
        };
        let effect = Effect::Measured(external_id.clone());
        let reply = self.send_new(write, |_| effect);
        assert_eq!(reply.status, 200, "{}", reply.text);
        let id = reply.json()["id"].as_i64();
        assert!(id.is_some(), "{}", reply.text);
        self.model
            .values
            .insert(external_id, Measured { value, id });
    }

    fn add_values(&mut self) {
        let values: Vec<_> = (0..self.random.usize(1..40))
            .map(|_| self.value())
            .collect();
        let body = values.iter().map(|(_, _, body)| body.clone()).collect();
        let write = Write {
            method: "POST",
            path: "/v1/Datasources/1/values/batch".into(),
            body: Some(Value::Array(body)),
            if_match: None,
        };
        let reply = self.send_new(write, |reply| Effect::Fixed(reply.text.clone()));
        assert_eq!(reply.status, 200, "{}", reply.text);
        for (external_id, value, _) in values {
            self.model
                .values
                .insert(external_id, Measured { value, id: None });
        }
    }

    /// Deletes a value whose id is known, or one that is gone.
    fn delete_values(&mut self) {
        let known: Vec<(String, i64)> = self
            .model
            .values
            .iter()
            .filter_map(|(external_id, measured)| Some((external_id.clone(), measured.id?)))
            .collect();
        let chosen = self
            .random
            .choice(known)
            .filter(|_| self.random.u8(..8) > 0);
        let id = chosen.as_ref().map_or(2_000_000_000, |(_, id)| *id);
        let write = Write {
            method: "DELETE",
            path: format!("/v1/Datasources/1/values/{id}"),
            body: None,
            if_match: None,
        };
        let reply = self.send_new(write, |reply| Effect::Fixed(reply.text.clone()));
        match chosen {
            Some((external_id, _)) => {
                assert_eq!(reply.status, 200, "{}", reply.text);
                self.model.values.remove(&external_id);
            }
            None => reply.is(404, "not_found"),
        }
    }

    fn look_at_one(&mut self) {
        let id = self.some_id();
        let reply = self.get(&format!("/v1/Incidents/{id}"));
        self.assert_is_incident(&reply, id);
    }

    /// Compares every list.
    pub fn look_at_everything(&mut self) {
        let mut live = BTreeMap::new();
        let mut next = Some("/v2/incidents?$orderby=id".to_owned());
        while let Some(path) = next {
            let page = self.get(&path).json();
            for record in page["value"].as_array().expect("records") {
                live.insert(record["id"].as_i64().expect("an id"), record.clone());
            }
            let link = page["@odata.nextLink"].as_str();
            let path = link.and_then(|link| link.split_once("/v2/"));
            next = path.map(|(_, rest)| format!("/v2/{rest}"));
        }
        assert_eq!(
            live.keys().copied().collect::<Vec<_>>(),
            self.model.ids(false)
        );
        for (id, record) in &live {
            self.model.incidents[id].fields.assert_shown(record);
        }
        let trash = self.get("/v1/Incidents/trash").json();
        let trash = trash["values"].as_array().expect("records");
        let mut trash: Vec<_> = trash
            .iter()
            .map(|one| one["id"].as_i64().expect("an id"))
            .collect();
        trash.sort_unstable();
        assert_eq!(trash, self.model.ids(true));

        let mut listed = BTreeMap::new();
        for page in 1.. {
            let values = self.get(&format!(
                "/v1/Datasources/1/values?pageSize=10000&page={page}"
            ));
            let values = values.json()["values"].as_array().expect("values").clone();
            for value in &values {
                let external_id = value["externalId"].as_str().expect("an external id");
                let number = value["value"].as_f64().expect("a number");
                listed.insert(external_id.to_owned(), (number, value["id"].as_i64()));
            }
            if values.len() < 10_000 {
                break;
            }
        }
        assert_eq!(listed.len(), self.model.values.len());
        for (external_id, measured) in &mut self.model.values {
            let (value, id) = listed[external_id];
            assert_eq!(value, measured.value, "{external_id}");
            assert!(measured.id.is_none() || measured.id == id, "{external_id}");
            measured.id = id;
        }
    }

    /// Brings the copy up to date and compares it.
    pub fn sync(&mut self) {
        self.log.push("sync".into());
        let to = self.copy.to_str().expect("UTF-8");
        let url = &self.proxy.url();
        let mut command = obeya();
        command
            .args(["sync", "--to", to, "--url", url, "--auth-url", url])
            .args(["--client-id", &self.credentials.id])
            .env("OBEYA_CLIENT_SECRET", &self.credentials.secret);
        done(&mut command).success();
        let copy = Copy::Folder(self.copy.clone());
        let rows = |table: &str| {
            let runtime = tokio::runtime::Builder::new_current_thread().build();
            runtime.expect("a runtime").block_on(copy.rows(table))
        };
        let text = |row: &serde_json::Map<String, Value>, name: &str| {
            row[name].as_str().map(str::to_owned)
        };
        let incidents: BTreeMap<i64, _> = rows("incidents")
            .iter()
            .map(|row| {
                let shown =
                    ["title", "severity", "text", "external_id"].map(|name| text(row, name));
                (row["id"].as_i64().expect("an id"), shown)
            })
            .collect();
        let expected = self.model.ids(false).into_iter().map(|id| {
            let Fields {
                title,
                severity,
                text,
                external_id,
            } = self.model.incidents[&id].fields.clone();
            (
                id,
                [Some(title), Some(severity.to_owned()), text, external_id],
            )
        });
        assert_same(incidents, expected.collect());
        let values: BTreeMap<String, f64> = rows("datasource_values")
            .iter()
            .map(|row| {
                let value = row["value"].as_f64().expect("a number");
                (text(row, "external_id").expect("an external id"), value)
            })
            .collect();
        let expected = self.model.values.iter();
        let expected = expected.map(|(external_id, one)| (external_id.clone(), one.value));
        assert_same(values, expected.collect());
    }
}
