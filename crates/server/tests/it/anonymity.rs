//! The reporter of an anonymous incident stays unknown.
//!
//! Two plants that differ only in the reporters of their anonymous incidents, where these were and who
//! changed the incidents last, get the same requests: every read of the specification, with every property in
//! every option. Their answers must be identical, headers included. So the test needs no list of possible
//! leaks: any leak makes the two differ.

use std::collections::BTreeSet;
use std::sync::Arc;

use obeya_server::store::StoreError;
use reqwest::Method;
use serde_json::{Value, json};

use crate::incidents_plant::{fill, least, least_update, with};
use crate::support::{Answer, Database, Service};

/// Everything that differs between the reporters. Neither occurs elsewhere in the plants.
const REPORTERS: [[&str; 3]; 2] = [
    ["u-aaaa", "aagot.aase", "Aagot Aase"],
    ["u-zzzz", "zeno.zorn", "Zeno Zorn"],
];

/// Where each of them was. Incident 100, which is not anonymous, was reported from between the two.
const PLACES: [[f64; 3]; 2] = [[11.125, 12.125, 13.125], [81.125, 82.125, 83.125]];
const BETWEEN: f64 = 50.0;

/// Parts of those names, as search terms.
const PARTS: [[&str; 2]; 2] = [["aagot", "u-a"], ["zeno", "u-z"]];

/// How far a filter goes from one record to the next.
const DEPTH: usize = 2;

/// Two plants that get the same requests.
struct Twins([Service; 2]);

impl Twins {
    async fn start() -> Self {
        Self([Self::one(0).await, Self::one(1).await])
    }

    async fn one(which: usize) -> Service {
        let (reporter, place) = (REPORTERS[which], PLACES[which]);
        let database = Arc::new(Database::new());
        let store = database.open().await;
        let written = store.write(move |session| {
            fill(session)?;
            for [id, user, name] in REPORTERS {
                let sql = "INSERT INTO users (id, user_name, display_name) VALUES (?1, ?2, ?3)";
                session.execute(sql, &[id.into(), user.into(), name.into()])?;
            }
            // Each plant signs its links with the same secret, so that they can be compared too.
            let secret = "A".repeat(43);
            let sql = "INSERT INTO secrets (name, value) VALUES ('next-links', ?1)";
            session.execute(sql, &[secret.as_str().into()])?;
            let sql = "INSERT INTO incidents (id, incident_type_id, reported_date, status, severity, title, incident_date, is_anonymous, last_modified, deleted_date)
                VALUES (103, 3, 10, 'New', 'Low', 'Theft again', 20000, 1, 11, 17488000000000000)";
            session.execute(sql, &[])?;
            let sql = "INSERT INTO attachments (id, incident_id, file_id, name, file_extension, content_type, file_size_in_bytes, sha256, created_date, created_by_user_id)
                VALUES (1, 101, 'f-1', 'a', 'txt', 'text/plain', 1, 'x', 1, ?1), (2, 103, 'f-2', 'a', 'txt', 'text/plain', 1, 'x', 1, ?1)";
            session.execute(sql, &[reporter[0].into()])?;
            let sql = "INSERT INTO incident_comments (id, incident_id, text, comment_date) VALUES (3, 101, 'Who was it?', 40)";
            session.execute(sql, &[])?;
            let sql = "UPDATE incidents SET latitude = ?1, longitude = ?1, accuracy_in_meters = ?1, last_modified_by_user_id = 'u-104' WHERE id = 100";
            session.execute(sql, &[BETWEEN.into()])?;
            let sql = "UPDATE incidents SET reported_by_user_id = ?1, reported_by = ?2, last_modified_by_user_id = ?1,
                latitude = ?3, longitude = ?4, accuracy_in_meters = ?5 WHERE is_anonymous = 1";
            let [latitude, longitude, accuracy] = place.map(Into::into);
            session.execute(sql, &[reporter[0].into(), reporter[2].into(), latitude, longitude, accuracy])
        });
        let written: Result<_, StoreError> = written.await;
        assert_eq!(written.expect("rows"), 2, "both anonymous incidents");
        store.close().await;
        Service::start_on(database, |config| {
            config.base_url = Some("http://plant.example".to_owned());
        })
        .await
    }

    /// The same request to both; the answer they have in common.
    async fn ask(&self, method: Method, path: &str, bodies: [Option<&Value>; 2]) -> Answer {
        let [mine, theirs] = &self.0;
        let ask = |service: &Service, body: Option<&Value>| {
            // Problems repeat the id.
            let request = service
                .request(method.clone(), path)
                .header("x-request-id", "r-1");
            Answer::of(match body {
                Some(body) => request.json(body),
                None => request,
            })
        };
        let (mut one, mut two) = tokio::join!(ask(mine, bodies[0]), ask(theirs, bodies[1]));
        for answer in [&mut one, &mut two] {
            // How a body is framed depends on how soon it was ready.
            for header in ["date", "content-length", "transfer-encoding"] {
                answer.headers.remove(header);
            }
        }
        assert_eq!(one.text(), two.text(), "{method} {path}");
        assert_eq!(one.headers, two.headers, "{method} {path}");
        assert_eq!(one.status, two.status, "{method} {path}");
        one
    }

    async fn get(&self, path: &str) -> Answer {
        let answer = self.ask(Method::GET, path, [None, None]).await;
        // Text of the request that a problem repeats reveals nothing.
        if answer.status == 200 {
            let text = answer.text();
            let places = PLACES.as_flattened().iter().map(ToString::to_string);
            // Who is a user says nothing about who reported what.
            let names: &[&str] = match path.to_lowercase().contains("/users") {
                true => &[],
                false => REPORTERS.as_flattened(),
            };
            let names = names.iter().map(ToString::to_string);
            for part in names.chain(places) {
                assert!(!text.contains(&part), "GET {path}: {text}");
            }
        }
        answer
    }
}

/// The description that the service serves.
struct Spec(Value);

/// A property that an expression can be about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    /// `incident/createdByUserId`, `c0/text`.
    path: String,
    /// The navigations to many on the way: `comments/any(c0: …)`.
    through: Vec<(String, String)>,
    is_text: bool,
    is_number: bool,
}

impl Place {
    /// The condition, within everything that it goes through.
    fn filter(&self, condition: &str) -> String {
        let through = self.through.iter().rev();
        through.fold(condition.to_owned(), |inner, (many, name)| {
            format!("{many}/any({name}:{inner})")
        })
    }
}

impl Spec {
    fn resolve<'s>(&'s self, schema: &'s Value) -> &'s Value {
        let one = schema.get("anyOf").and_then(|all| all.get(0));
        let schema = one.unwrap_or(schema);
        match schema.get("$ref").and_then(Value::as_str) {
            Some(name) => {
                let pointer = name
                    .strip_prefix('#')
                    .expect("a reference into the document");
                self.0.pointer(pointer).expect("what is referred to")
            }
            None => schema,
        }
    }

    /// Every read: its address with the examples of its parameters, its query parameters, and the schema of
    /// its record.
    fn reads(&self) -> Vec<(String, BTreeSet<String>, &Value)> {
        let paths = self.0["paths"].as_object().expect("paths");
        let reads = paths.iter().filter_map(|(path, item)| {
            let operation = item.get("get")?;
            let mut path = path.clone();
            let mut query = BTreeSet::new();
            for parameter in operation["parameters"].as_array().into_iter().flatten() {
                let parameter = self.resolve(parameter);
                let name = parameter["name"].as_str().expect("a name");
                if parameter["in"] == "path" {
                    path = path.replace(&format!("{{{name}}}"), &example(name).to_string());
                } else {
                    query.insert(name.to_owned());
                }
            }
            let content = operation["responses"]["200"]["content"].as_object();
            let schema = content.and_then(|content| content.values().next());
            let schema = schema.map_or(&Value::Null, |content| self.resolve(&content["schema"]));
            Some((path, query, self.record(schema)))
        });
        reads.collect()
    }

    /// The schema of the records of a page or a list, or the schema itself.
    fn record<'s>(&'s self, schema: &'s Value) -> &'s Value {
        let within = ["value", "values"].iter().find_map(|name| {
            let list = &schema["properties"][name];
            (list["type"] == "array").then_some(list)
        });
        let list = within.unwrap_or(schema);
        if list["type"] == "array" {
            self.resolve(&list["items"])
        } else {
            schema
        }
    }

    /// Every property of a record and of those it leads to.
    fn places(&self, record: &Value, before: &Place, depth: usize, found: &mut Vec<Place>) {
        let properties = record["properties"].as_object();
        for (name, property) in properties.into_iter().flatten() {
            let path = if before.path.is_empty() {
                name.clone()
            } else {
                format!("{}/{name}", before.path)
            };
            let target = self.resolve(property);
            let items = self.resolve(&target["items"]);
            let many = target["type"] == "array" && items["type"] == "object";
            if many && depth < DEPTH {
                let variable = format!("v{}", before.through.len());
                let mut through = before.through.clone();
                through.push((path, variable.clone()));
                let inside = Place {
                    path: variable,
                    through,
                    is_text: false,
                    is_number: false,
                };
                self.places(items, &inside, depth + 1, found);
            } else if target["type"] == "object" && depth < DEPTH {
                let inside = Place {
                    path,
                    ..before.clone()
                };
                self.places(target, &inside, depth + 1, found);
            } else if !many && target["type"] != "object" {
                found.push(Place {
                    path,
                    through: before.through.clone(),
                    is_text: target["type"] == "string"
                        && target.get("format").is_none()
                        && target.get("enum").is_none(),
                    is_number: target["type"] == "number",
                });
            }
        }
    }

    /// The names of the navigations of a record.
    fn navigations(&self, record: &Value) -> Vec<String> {
        let properties = record["properties"].as_object();
        let navigations = properties.into_iter().flatten().filter(|(_, property)| {
            let target = self.resolve(property);
            target["type"] == "object" || self.resolve(&target["items"])["type"] == "object"
        });
        navigations.map(|(name, _)| name.clone()).collect()
    }
}

/// An id of the plant, of the anonymous incident where it can be.
fn example(parameter: &str) -> i32 {
    match parameter {
        "areaId" => 2,
        "boardId" => 7,
        "groupId" => 4,
        "improvementId" => 317,
        "incidentCommentId" => 3,
        "incidentTypeId" => 3,
        // Also of a type, a board or a datasource, which has none of that number: a problem, which is
        // compared too.
        _ => 101,
    }
}

/// Requests with a property, starting with one that matches the first reporter and not the second.
fn questions(place: &Place, query: &BTreeSet<String>) -> Vec<String> {
    let mut asked = Vec::new();
    let path = &place.path;
    if query.contains("$filter") {
        let [id, user, name] = REPORTERS[0];
        let [part, start] = PARTS[0];
        let condition = if place.is_text {
            format!(
                "{path} eq '{id}' or {path} eq '{user}' or {path} eq '{name}' or contains(tolower({path}),'{part}') or startswith({path},'{start}') \
                 or {path} lt 'u-b' or {path} in ('{id}','{name}')"
            )
        } else if place.is_number {
            format!("{path} lt {BETWEEN}")
        } else {
            format!("{path} ne null")
        };
        asked.push(format!("$filter={}", place.filter(&condition)));
        if place.is_text {
            asked.push(format!(
                "$filter={}",
                place.filter(&format!("length({path}) gt 0"))
            ));
        }
        if place.is_number {
            asked.push(format!(
                "$filter={}",
                place.filter(&format!("{path} ne null"))
            ));
        }
    }
    if query.contains("$orderby") && place.through.is_empty() {
        asked.push(format!("$orderby={path} desc,id"));
    }
    if query.contains("$apply") && place.through.is_empty() {
        asked.push(format!(
            "$apply=groupby(({path}),aggregate({path} with countdistinct as different))"
        ));
        if place.is_text || place.is_number {
            asked.push(format!("$apply=aggregate({path} with max as most)"));
        }
    }
    if query.contains("$compute") && place.through.is_empty() {
        asked.push(format!("$compute={path} as named&$orderby=named"));
    }
    if query.contains("$select") && !path.contains('/') && place.through.is_empty() {
        asked.push(format!("$select={path}"));
    }
    asked
}

/// Sends every read with the properties that are `wanted`; returns the number of requests.
async fn ask_everything(twins: &Twins, spec: &Spec, wanted: impl Fn(&Place) -> bool) -> usize {
    let mut asked = 0;
    for (path, query, record) in spec.reads() {
        let mut questions_of = vec![String::new()];
        let start = Place {
            path: String::new(),
            through: Vec::new(),
            is_text: false,
            is_number: false,
        };
        let mut places = Vec::new();
        spec.places(record, &start, 0, &mut places);
        for place in places.iter().filter(|place| wanted(place)) {
            questions_of.extend(questions(place, &query));
        }
        if query.contains("$expand") {
            for navigation in spec.navigations(record) {
                questions_of.push(format!("$expand={navigation}"));
                questions_of.push(format!("$expand={navigation}($expand=*)"));
            }
            questions_of.push("$expand=*".to_owned());
        }
        if query.contains("$search") {
            let words = PARTS.as_flattened().iter().chain(&["Theft"]);
            questions_of.extend(words.map(|word| format!("$search=\"{word}\"&$count=true")));
        }
        for question in &questions_of {
            twins
                .get(&format!("{path}?{}", question.replace(' ', "%20")))
                .await;
        }
        asked += questions_of.len();
    }
    asked
}

#[tokio::test]
async fn nobody_learns_who_reported_in_confidence() {
    let twins = Twins::start().await;
    let spec = Spec(twins.0[0].get("/openapi.json").await.json());
    let asked = ask_everything(&twins, &spec, |_| true).await;
    // A reading of the specification that found nothing would show nothing.
    assert!(asked > 500, "{asked}");

    // Writes reveal nothing either, refused or not.
    let put = async |path: &str, body: Value| {
        let bodies = [Some(&body), Some(&body)];
        twins
            .ask(Method::PUT, &format!("/v1/Incidents/{path}"), bodies)
            .await
    };
    let anonymous = |more: &Value| with(with(least_update(), &json!({"isAnonymous": true})), more);
    assert_eq!(put("101", anonymous(&json!({}))).await.status, 200);
    for id in [REPORTERS[0][0], REPORTERS[1][0]] {
        let body = anonymous(&json!({"responsibleUserId": id, "followUpGroupId": 4}));
        put("101", body)
            .await
            .is_problem(422, "responsible.not_member");
    }
    assert_eq!(put("101/externalId", json!("c5")).await.status, 200);
    put("101/externalId", json!(5))
        .await
        .is_problem(400, "body.invalid");
    assert_eq!(put("trash/103/restore", Value::Null).await.status, 200);
    let gone = twins.ask(Method::DELETE, "/v1/Incidents/103", [None, None]);
    assert_eq!(gone.await.status, 200);

    // Nor does one that is reported now.
    let reported = REPORTERS.map(|[id, ..]| {
        with(
            least(),
            &json!({"createdByUserId": id, "isAnonymous": true, "title": "Once more"}),
        )
    });
    let [one, two] = &reported;
    let made = twins
        .ask(Method::POST, "/v1/Incidents", [Some(one), Some(two)])
        .await;
    assert_eq!(made.status, 200);
    // Only the relevant ones; the rest was tested above.
    let telling = |place: &Place| {
        let names = [
            "reportedBy",
            "createdBy",
            "lastModifiedBy",
            "latitude",
            "longitude",
            "accuracyInMeters",
        ];
        names.iter().any(|name| place.path.contains(name))
    };
    ask_everything(&twins, &spec, telling).await;

    // Anonymity cannot be undone: the reporter is deleted.
    let open = with(least_update(), &json!({"isAnonymous": false}));
    assert_eq!(
        put("101", open).await.json()["reportedByUserId"],
        Value::Null
    );
    ask_everything(&twins, &spec, telling).await;
}
