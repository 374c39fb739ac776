//! The processor time of one request of each kind, in the service and in PostgreSQL, and the bytes of its
//! answer: input for capacity planning.

use std::time::Duration;

use super::creates;
use super::peer::Peer;
use super::server::Server;
use crate::load::{self, Connection, Load, Target};
use crate::process::Child;
use crate::table::Table;
use crate::{Bench, plant};

/// Enough connections to hide the network, and few enough that none waits in a queue.
const CONNECTIONS: usize = 8;
/// The duration of each measurement; Linux counts processor time in hundredths of a second.
const TIME: Duration = Duration::from_secs(6);

pub fn measure(table: &mut Table, bench: &Bench, server: &Server, _: &Peer) {
    let service = Child::service(&bench.plant.db);
    for (name, requests) in kinds(bench) {
        let target = Target {
            address: &service.address,
            requests: &requests,
        };
        let mut connection = Connection::open(&service.address);
        let bytes: usize = requests.iter().map(|ask| connection.weigh(ask)).sum();
        let bytes = bytes / requests.len();
        let load = |time| Load {
            connections: CONNECTIONS,
            time,
        };
        // Connections, prepared statements and plans, which live much longer than this.
        load(TIME / 6).run(&target);
        let before = (service.processor_ms(), server.processor_ms());
        let (answers, seconds) = load(TIME).count(&target);
        let each = |after, before| (after - before) * 1e3 / answers as f64;
        let ours = each(service.processor_ms(), before.0);
        let theirs = each(server.processor_ms(), before.1);
        let rate = answers as f64 / seconds;
        let unit = format!("µs, PostgreSQL; {bytes} bytes; {rate:.0} a second");
        let name = format!("processor time of: {name}");
        table.row(&name, ours, theirs, &unit, None);
    }
}

/// Each kind of request, in the variants that clients use.
fn kinds(bench: &Bench) -> Vec<(&'static str, Vec<Vec<u8>>)> {
    let token = &bench.token;
    let get = |path: &str| load::request(path, token);
    let client = &bench.plant.client;
    let form = format!(
        "grant_type=client_credentials&client_id={}&client_secret={}",
        client.client_id, client.client_secret
    );
    let form = ("application/x-www-form-urlencoded", form.as_str());
    let values = |size: usize, pages: usize| {
        let path = |page| format!("/v1/Datasources/1/values?pageSize={size}&page={page}");
        (1..=pages).map(|page| get(&path(page))).collect()
    };
    let groups = (1..=plant::GROUPS).map(|id| get(&format!("/v2/groups/{id}")));
    let boards = (0..100).map(|n| {
        get(&format!(
            "/v2/boards?$filter=groupId%20le%20{}&$orderby=name&$top=50&$count=true",
            n + 20
        ))
    });
    let words = (0..100).map(|n| {
        get(&format!(
            "/v2/incidents/comments?$search={}&$top=50",
            plant::rare_word(n * 7)
        ))
    });
    let update = r#"{"incidentTypeId":1,"title":"Press 7 stopped again","severity":"High","incidentDate":"2026-01-05"}"#;
    let updates = (1..100).map(|id| {
        let path = format!("{}/{id}", creates::PATH);
        load::request_with("PUT", &path, Some(token), ("application/json", update))
    });
    let create = ("application/json", creates::BODY);
    vec![
        (
            "a token",
            vec![load::request_with("POST", "/connect/token", None, form)],
        ),
        ("a group by id", groups.collect()),
        ("50 boards: filter, order, count", boards.collect()),
        ("a page of 1,000 values", values(1_000, 100)),
        ("a page of 10,000 values", values(10_000, 50)),
        (
            "a search that 100 comments match, 50 asked for",
            words.collect(),
        ),
        ("an incident changed", updates.collect()),
        (
            "an incident reported",
            vec![load::request_with(
                "POST",
                creates::PATH,
                Some(token),
                create,
            )],
        ),
    ]
}
