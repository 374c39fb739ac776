//! Small answers under load, each against pgbench with the statements that the service runs for it.

use super::peer::{Peer, Script};
use super::server::Server;
use crate::load::{self, Target};
use crate::process::Child;
use crate::table::Table;
use crate::{Bench, CONNECTIONS, plant};

const BOARDS: &str = "/v2/boards?$filter=groupId%20le%20100&$orderby=name&$top=50&$count=true";

/// Of 200 groups, as `plant` makes them.
const GROUP: &str = r#"\set id random(1, 200)
SELECT t0."id", t0."type", t0."name", t0."description", t0."parent_id", t0."is_system_group", t0."level", t0."sort_order", t0."business_unit_id", t0."project_id", t0."external_id", t0."external_name", t0."is_member" FROM "groups" AS t0 WHERE (t0.id = :id::bigint) ORDER BY t0."id";
"#;
const LIST: &str = r#"\set group 100
\set top 50
\set skip 0
SELECT COUNT(*) FROM "boards" AS t0 WHERE (t0."group_id" <= :group::bigint);
SELECT t0."id", t0."name", t0."board_type", t0."business_unit_id", t0."is_member", t0."project_id", t0."is_public", t0."group_id" FROM "boards" AS t0 WHERE (t0."group_id" <= :group::bigint) ORDER BY t0."name" COLLATE "C" NULLS FIRST, t0."id" LIMIT :top::bigint OFFSET :skip::bigint;
"#;

pub fn measure(table: &mut Table, bench: &Bench, _: &Server, peer: &Peer) {
    let service = Child::service(&bench.plant.db);
    let get = |path: &str| load::request(path, &bench.token);
    let groups: Vec<_> = (1..=plant::GROUPS)
        .map(|id| get(&format!("/v2/groups/{id}")))
        .collect();
    let boards = [get(BOARDS)];
    let subjects = [
        ("group by id", &groups[..], GROUP, 0.7),
        ("50 boards: filter, order, count", &boards[..], LIST, 0.4),
    ];
    for (name, requests, text, at_least) in subjects {
        let target = Target {
            address: &service.address,
            requests,
        };
        for connections in [1, CONNECTIONS] {
            let script = Script {
                name: "",
                text,
                at_least: (connections > 1).then_some(at_least),
            };
            peer.row(table, name, (connections, &target), &[script]);
        }
    }
}
