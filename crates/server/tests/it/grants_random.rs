//! A restricted client gets what an unrestricted one gets from a plant without the records that are hidden:
//! random plants, grants and requests.

use fastrand::Rng;
use obeya_server::GrantedRecord;
use obeya_server::admin::ClientChanges;
use obeya_server::store::{Session, StoreError};
use obeya_testkit::{is_long, seeds};

use super::token::form;
use crate::support::{Answer, Service, sql};

/// How many requests of each plant.
const REQUESTS: usize = 150;
/// Every scope that reads.
const SCOPES: [&str; 1] = ["public.api.read"];

/// A token of a new client that is restricted to these records.
pub async fn restricted(service: &Service, scopes: &[&str], grants: &[&str]) -> String {
    let client = service.running.add_client("restricted", scopes).await;
    let client = client.expect("a client");
    let records = grants
        .iter()
        .map(|grant| grant.parse::<GrantedRecord>().expect("a grant"));
    let changes = ClientChanges {
        grants: Some(records.collect()),
        ..ClientChanges::default()
    };
    let set = service.running.set_client(&client.client_id, &changes);
    set.await.expect("set");
    let answer = service
        .ask_token(&form(&client.client_id, &client.client_secret, &[]))
        .await;
    answer.json()["access_token"]
        .as_str()
        .expect("a token")
        .to_owned()
}

/// Statements that make a plant, each with whether its row is granted.
struct Plant {
    rows: Vec<(String, bool)>,
    /// The index, the id, the words, and whether the row is granted.
    words: Vec<(&'static str, i64, &'static str, bool)>,
    grants: Vec<String>,
}

/// The ids of one kind, and those that are granted; all of them if the kind restricts nothing.
struct Ids {
    all: Vec<i64>,
    granted: Vec<i64>,
    /// Whether the kind restricts, so that a record without an id of the kind is hidden.
    restricts: bool,
}

impl Ids {
    fn new(rng: &mut Rng, kind: &str, count: i64, grants: &mut Vec<String>) -> Self {
        let all: Vec<i64> = (1..=count).collect();
        if rng.u8(..3) == 0 {
            let granted = all.clone();
            return Self {
                all,
                granted,
                restricts: false,
            };
        }
        let granted: Vec<i64> = all.iter().copied().filter(|_| rng.bool()).collect();
        // An id that does not exist, so that the kind restricts in any case.
        grants.push(format!("{kind}=999"));
        grants.extend(granted.iter().map(|id| format!("{kind}={id}")));
        Self {
            all,
            granted,
            restricts: true,
        }
    }

    fn has(&self, id: Option<i64>) -> bool {
        !self.restricts || id.is_some_and(|id| self.granted.contains(&id))
    }

    fn any(&self, rng: &mut Rng) -> Option<i64> {
        (rng.u8(..6) > 0).then(|| *rng.choice(&self.all).expect("some"))
    }

    /// Another one that is granted if `id` is: a record that is granted names none that is hidden.
    fn like(&self, rng: &mut Rng, id: Option<i64>) -> Option<i64> {
        self.any(rng)
            .filter(|other| self.has(Some(*other)) == self.has(id))
    }
}

fn null(id: Option<i64>) -> String {
    id.map_or("NULL".to_owned(), |id| id.to_string())
}

const WORDS: [&str; 4] = ["press", "belt", "leak", "noise"];

impl Plant {
    fn random(rng: &mut Rng) -> Self {
        loop {
            let plant = Self::build(rng);
            // Enough is hidden that most requests would show some of it.
            let hidden = plant.rows.iter().filter(|(_, shown)| !shown).count();
            if hidden > plant.rows.len() / 5 {
                return plant;
            }
        }
    }

    fn build(rng: &mut Rng) -> Self {
        let mut grants = Vec::new();
        let areas = Ids::new(rng, "area", 5, &mut grants);
        let groups = Ids::new(rng, "group", 6, &mut grants);
        let types = Ids::new(rng, "incident-type", 3, &mut grants);
        let datasources = Ids::new(rng, "datasource", 3, &mut grants);
        let mut plant = Self {
            rows: Vec::new(),
            words: Vec::new(),
            grants,
        };
        for user in ["u-1", "u-2"] {
            plant.row(true, format!("INSERT INTO users (id, user_name, display_name) VALUES ('{user}', 'n.{user}', 'N {user}')"));
        }
        for &id in &areas.all {
            let shown = areas.has(Some(id));
            plant.row(
                shown,
                format!(
                    "INSERT INTO areas (id, name) VALUES ({id}, 'Area {}')",
                    id % 3
                ),
            );
            plant.word(rng, "areas_search", id, shown);
        }
        for &id in &groups.all {
            let shown = groups.has(Some(id));
            let parent = groups.like(rng, Some(id)).filter(|parent| *parent < id);
            plant.row(shown, format!(
                "INSERT INTO groups (id, type, name, parent_id) VALUES ({id}, 'GENERAL', 'Group {}', {})",
                id % 3, null(parent)
            ));
            if rng.bool() {
                plant.row(
                    shown,
                    format!("INSERT INTO group_members (group_id, user_id) VALUES ({id}, 'u-1')"),
                );
            }
            plant.word(rng, "groups_search", id, shown);
        }
        for id in 1..=10 {
            let group = groups.any(rng);
            plant.row(groups.has(group), format!(
                "INSERT INTO boards (id, name, is_public, group_id) VALUES ({id}, 'Board {}', {}, {})",
                id % 4, id % 2, null(group)
            ));
            plant.word(rng, "boards_search", id, groups.has(group));
        }
        for &id in &types.all {
            let shown = types.has(Some(id));
            plant.row(
                shown,
                format!("INSERT INTO incident_types (id, title) VALUES ({id}, 'Type {id}')"),
            );
            plant.row(shown, format!("INSERT INTO type_causes (id, incident_type_id, title) VALUES ({id}, {id}, 'Cause {id}')"));
            plant.word(rng, "incident_types_search", id, shown);
        }
        let mut comment = 0;
        for id in 1..=40 {
            let (of_type, area) = (*rng.choice(&types.all).expect("some"), areas.any(rng));
            let by = groups.any(rng);
            let follow_up = groups.like(rng, by);
            let shown = types.has(Some(of_type))
                && areas.has(area)
                && (groups.has(by) || groups.has(follow_up));
            // Not the first: see `condition`.
            let deleted = (id > 25 && rng.u8(..3) == 0).then_some(17_488_000_000_000_000 + id);
            plant.row(shown, format!(
                "INSERT INTO incidents (id, incident_type_id, area_id, reported_by_group_id, follow_up_group_id, reported_date, status, severity,
                     title, incident_date, last_modified, deleted_date)
                 VALUES ({id}, {of_type}, {}, {}, {}, {id}, 'New', 'Low', 'Incident {}', {}, {}, {})",
                null(area), null(by), null(follow_up), id % 7, 20_000 + id % 5, id * 10, null(deleted)
            ));
            plant.row(
                shown,
                format!(
                    "INSERT INTO incident_causes (incident_id, cause_id) VALUES ({id}, {of_type})"
                ),
            );
            plant.word(rng, "incidents_search", id, shown);
            for nth in 0..rng.i64(0..4) {
                comment += 1;
                let parent = (nth > 0).then_some(comment - 1);
                plant.row(shown, format!(
                    "INSERT INTO incident_comments (id, incident_id, text, comment_date, parent_id) VALUES ({comment}, {id}, 'Text {}', {comment}, {})",
                    comment % 5, null(parent)
                ));
                plant.word(rng, "comments_search", comment, shown);
            }
        }
        for id in 1..=15 {
            let group = groups.any(rng);
            plant.row(groups.has(group), format!(
                "INSERT INTO improvements (id, status, title, group_id, last_modified) VALUES ({id}, 'Open', 'Idea {}', {}, {id})",
                id % 4, null(group)
            ));
        }
        for &id in &datasources.all {
            let shown = datasources.has(Some(id));
            plant.row(shown, format!("INSERT INTO datasources (id, title, value_count) VALUES ({id}, 'Series {id}', 4)"));
            for nth in 0..4 {
                plant.row(shown, format!(
                    "INSERT INTO datasource_values (datasource_id, value_date, id, value, registration_date) VALUES ({id}, {nth}, {}, 1.5, 7)",
                    id * 10 + nth
                ));
            }
        }
        plant
    }

    fn row(&mut self, shown: bool, sql: String) {
        self.rows.push((sql, shown));
    }

    fn word(&mut self, rng: &mut Rng, index: &'static str, id: i64, shown: bool) {
        let word = rng.choice(WORDS).expect("some");
        self.words.push((index, id, word, shown));
    }

    /// Writes all of it, or what is granted.
    async fn service(&self, whole: bool) -> Service {
        let service = Service::start().await;
        let rows: Vec<String> = self
            .rows
            .iter()
            .filter(|(_, shown)| whole || *shown)
            .map(|(sql, _)| sql.clone())
            .collect();
        let words: Vec<_> = self
            .words
            .iter()
            .copied()
            .filter(|word| whole || word.3)
            .collect();
        let filled = service.store().write(move |session: &mut dyn Session| {
            for sql in &rows {
                session.execute(sql, &[])?;
            }
            for (index, id, word, _) in &words {
                sql::put_words(session, index, *id, word)?;
            }
            Ok::<_, StoreError>(())
        });
        filled.await.expect("the rows fit the schema");
        service
    }
}

/// An entity of v2 and what it leads to: to one, and to many.
struct Entity {
    one: &'static [(&'static str, usize)],
    many: &'static [(&'static str, usize)],
}

const AREA: usize = 0;
const BOARD: usize = 1;
const GROUP: usize = 2;
const COMMENT: usize = 3;
const INCIDENT: usize = 4;
const TYPE: usize = 5;
const USER: usize = 6;

static ENTITIES: [Entity; 7] = [
    Entity {
        one: &[],
        many: &[],
    },
    Entity {
        one: &[("group", GROUP)],
        many: &[],
    },
    Entity {
        one: &[("parent", GROUP)],
        many: &[("children", GROUP), ("boards", BOARD), ("users", USER)],
    },
    Entity {
        one: &[("parent", COMMENT), ("incident", INCIDENT)],
        many: &[],
    },
    Entity {
        one: &[
            ("area", AREA),
            ("group", GROUP),
            ("followUpGroup", GROUP),
            ("type", TYPE),
        ],
        many: &[("comments", COMMENT)],
    },
    Entity {
        one: &[],
        many: &[],
    },
    Entity {
        one: &[],
        many: &[],
    },
];

/// The sets, by the address of their lists.
const SETS: [(&str, usize); 6] = [
    ("/v2/areas", AREA),
    ("/v2/boards", BOARD),
    ("/v2/groups", GROUP),
    ("/v2/comments", COMMENT),
    ("/v2/incidents", INCIDENT),
    ("/v2/incidentTypes", TYPE),
];

/// A random condition on an entity; `at` is the path to it, ending in a slash or empty.
fn filter(rng: &mut Rng, entity: usize, at: &str, depth: usize) -> String {
    let Entity { one, many } = &ENTITIES[entity];
    if depth > 0 {
        match rng.u8(..6) {
            0 => {
                let [left, right] = [(); 2].map(|()| filter(rng, entity, at, depth - 1));
                return format!(
                    "({left} {} {right})",
                    rng.choice(["and", "or"]).expect("some")
                );
            }
            1 => return format!("not ({})", filter(rng, entity, at, depth - 1)),
            2 | 3 if !many.is_empty() => {
                let (name, target) = rng.choice(*many).expect("some");
                let variable = format!("x{depth}");
                let body = filter(rng, *target, &format!("{variable}/"), depth - 1);
                return match rng.u8(..4) {
                    0 => format!("{at}{name}/$count gt {}", rng.u8(..4)),
                    1 => format!("{at}{name}/any()"),
                    2 => format!("{at}{name}/any({variable}:{body})"),
                    _ => format!("{at}{name}/all({variable}:{body})"),
                };
            }
            4 if !one.is_empty() => {
                let (name, target) = rng.choice(*one).expect("some");
                return filter(rng, *target, &format!("{at}{name}/"), depth - 1);
            }
            5 if !one.is_empty() => {
                let (name, _) = rng.choice(*one).expect("some");
                return format!(
                    "{at}{name} {} null",
                    rng.choice(["eq", "ne"]).expect("some")
                );
            }
            _ => {}
        }
    }
    if entity == USER {
        return format!("{at}id eq 'u-{}'", rng.u8(1..3));
    }
    match rng.u8(..3) {
        0 => format!("{at}id mod 3 eq {}", rng.u8(..3)),
        1 => format!("{at}id gt {}", rng.u8(..20)),
        _ => format!(
            "{at}id in ({},{},{})",
            rng.u8(..9),
            rng.u8(..9),
            rng.u8(..30)
        ),
    }
}

/// A random condition, or one that fails for one id: an error would tell that it exists. It stands alone and
/// names nothing in the trash, as databases evaluate conditions in any order.
fn condition(rng: &mut Rng, entity: usize, depth: usize) -> String {
    if rng.u8(..5) > 0 || entity == USER {
        return filter(rng, entity, "", depth);
    }
    format!("60 div (id sub {}) gt 2", rng.u8(1..12))
}

fn order(rng: &mut Rng, entity: usize) -> String {
    let Entity { one, many } = &ENTITIES[entity];
    let key = match (rng.choice(*one), rng.choice(*many)) {
        (Some((name, _)), _) if rng.bool() => format!("{name}/id"),
        (_, Some((name, _))) => format!("{name}/$count"),
        _ => "id".to_owned(),
    };
    format!("{key}{}", rng.choice(["", " desc"]).expect("some"))
}

fn expand(rng: &mut Rng, entity: usize, depth: usize) -> Option<String> {
    let Entity { one, many } = &ENTITIES[entity];
    let mut items = Vec::new();
    for (name, target) in *one {
        if rng.bool() {
            let inner = if depth > 0 {
                expand(rng, *target, depth - 1)
            } else {
                None
            };
            items.push(inner.map_or((*name).to_owned(), |inner| {
                format!("{name}($expand={inner})")
            }));
        }
    }
    for (name, target) in *many {
        if rng.bool() {
            let mut options = vec!["$count=true".to_owned()];
            if rng.bool() {
                options.push(format!("$filter={}", condition(rng, *target, 1)));
            }
            if rng.u8(..3) == 0 {
                options.push("$top=2;$orderby=id desc".to_owned());
            }
            if depth > 0
                && let Some(inner) = expand(rng, *target, depth - 1)
            {
                options.push(format!("$expand={inner}"));
            }
            items.push(format!("{name}({})", options.join(";")));
        }
    }
    (!items.is_empty()).then(|| items.join(","))
}

/// A random address that reads.
fn path(rng: &mut Rng) -> String {
    let (set, entity) = rng.choice(SETS).expect("some");
    let id = rng.u8(1..25);
    let Entity { one, many } = &ENTITIES[entity];
    let mut options = vec!["$count=true".to_owned()];
    let address = match rng.u8(..15) {
        0 => {
            let expanded = expand(rng, entity, 2);
            return format!(
                "{set}({id})?{}",
                expanded.map_or(String::new(), |it| format!("$expand={it}"))
            );
        }
        1 if !one.is_empty() => {
            return format!("{set}({id})/{}", rng.choice(*one).expect("some").0);
        }
        2 if !many.is_empty() => {
            let (name, target) = *rng.choice(*many).expect("some");
            let counted = rng.choice(["", "/$count"]).expect("some");
            return format!(
                "{set}({id})/{name}{counted}?$filter={}",
                condition(rng, target, 1)
            );
        }
        3 => return format!("{set}/$count?$filter={}", condition(rng, entity, 2)),
        4 => {
            return format!(
                "{set}?$count=true&$search={}",
                rng.choice(WORDS).expect("some")
            );
        }
        5 => {
            return format!(
                "/v1/Incidents?LastModifiedFrom=1970-01-01T00:00:00.00000{}Z&$orderby=lastModified,id&pageSize=20",
                rng.u8(1..5)
            );
        }
        6 => {
            let list = [
                "Incidents/trash",
                "Improvements?pageSize=50",
                "Boards",
                "Groups",
                "Datasources",
                "Incidents/types",
            ];
            return format!("/v1/{}", rng.choice(list).expect("some"));
        }
        7 => {
            let record = [
                "Incidents/{}",
                "Improvements/{}",
                "Boards/{}",
                "Datasources/{}",
                "Incidents/types/{}",
                "Incidents/{}/comments",
                "Datasources/{}/values?$filter=value gt 1",
            ];
            let id = rng.u8(1..6).to_string();
            return format!(
                "/v1/{}",
                rng.choice(record).expect("some").replace("{}", &id)
            );
        }
        8 => {
            return format!(
                "/v1/Incidents/trash?$filter=area/id gt 2 or comments/any(c:c/id gt {id})"
            );
        }
        9 => {
            let key = match rng.choice(*one) {
                Some((name, _)) => format!("{name}/id"),
                None => "id".to_owned(),
            };
            return format!(
                "{set}?$apply=filter({})/groupby(({key}),aggregate($count as n,id with max as last))",
                condition(rng, entity, 2)
            );
        }
        _ => set,
    };
    if rng.bool() {
        options.push(format!("$filter={}", condition(rng, entity, 3)));
    }
    if rng.bool() {
        options.push(format!("$orderby={}", order(rng, entity)));
    }
    if let Some(expanded) = expand(rng, entity, 1) {
        options.push(format!("$expand={expanded}"));
    }
    if rng.u8(..3) == 0 {
        options.push(format!("$top={}&$skip={}", rng.u8(..9), rng.u8(..4)));
    }
    format!("{address}?{}", options.join("&"))
}

/// What an answer shows, without what differs between two services and two requests.
fn shown(answer: &Answer, service: &Service) -> (u16, String, String) {
    let text = answer.text().replace(&service.url(""), "");
    let text = match answer.status {
        200 | 204 => text,
        _ => {
            let mut problem = answer.json();
            problem["traceId"] = "".into();
            problem.to_string()
        }
    };
    (answer.status, answer.header("etag").to_owned(), text)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restricted_client_sees_a_plant_without_the_hidden_records() {
    let plants = if is_long() { 40 } else { 3 };
    for seed in seeds(plants) {
        let mut rng = Rng::with_seed(seed);
        let plant = Plant::random(&mut rng);
        let (whole, reduced) = (plant.service(true).await, plant.service(false).await);
        let grants: Vec<&str> = plant.grants.iter().map(String::as_str).collect();
        let restricted = restricted(&whole, &SCOPES, &grants).await;
        let unrestricted = reduced.token_for(&SCOPES).await;
        let everything = whole.token_for(&SCOPES).await;
        let (mut found, mut differing) = (0, 0);
        for _ in 0..REQUESTS {
            let path = path(&mut rng).replace(' ', "%20");
            // After another client and again: plans are cached.
            for _ in 0..2 {
                let all = whole.get_as(Some(&everything), &path).await;
                let expected = reduced.get_as(Some(&unrestricted), &path).await;
                let answer = whole.get_as(Some(&restricted), &path).await;
                assert_eq!(
                    shown(&answer, &whole),
                    shown(&expected, &reduced),
                    "{grants:?} {path}"
                );
                found += usize::from(answer.status == 200);
                differing += usize::from(shown(&all, &whole) != shown(&answer, &whole));
            }
        }
        println!(
            "{found} of {} answers, {differing} of them restricted",
            2 * REQUESTS
        );
        assert!(
            found > REQUESTS && differing > REQUESTS / 10,
            "{found} {differing}"
        );
    }
}
