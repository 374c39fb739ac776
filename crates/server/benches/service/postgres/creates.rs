//! Incidents created one by one, each on disk when it is answered, against pgbench: with one plain statement
//! for each, with the rows that one of ours writes, and with the statements of our transaction.

use super::peer::{Peer, Script};
use super::server::Server;
use crate::Bench;
use crate::load::{self, Target};
use crate::process::Child;
use crate::table::Table;

const CONNECTIONS: usize = 16;

pub const PATH: &str = "/v1/Incidents";
pub const BODY: &str = r#"{"incidentTypeId":1,"title":"Press 7 stopped","severity":"Low","incidentDate":"2026-01-05","isAnonymous":false,"status":"New","categories":[{"id":1}]}"#;

/// A row like ours, and nothing else.
const PLAIN: &str = r#"\set now 17953015954630940
INSERT INTO incidents (incident_type_id, severity, title, incident_date, is_anonymous, status, status_modified_date, status_new_date, last_modified, reported_date)
    VALUES (1, 'Low', 'Press 7 stopped', 20458, 0, 'New', :now, :now, :now, :now);
"#;
/// The rows that one of ours leaves, without taking turns and without reading anything.
const ROWS: &str = r#"\set now 17953015954630940
BEGIN;
INSERT INTO incidents (incident_type_id, severity, title, incident_date, is_anonymous, status, status_modified_date, status_new_date, last_modified, reported_date)
    VALUES (1, 'Low', 'Press 7 stopped', 20458, 0, 'New', :now, :now, :now, :now) RETURNING id \gset
INSERT INTO incidents_search (rowid, document) VALUES (:id, ' press 7 stopped ') ON CONFLICT (rowid) DO UPDATE SET document = excluded.document;
INSERT INTO incident_categories (incident_id, category_id) VALUES (:id, 1);
COMMIT;
"#;
/// The work of the service for one incident.
const SAME: &str = r#"\set now 17953015954630940
BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE;
LOCK TABLE stamps IN SHARE ROW EXCLUSIVE MODE;
UPDATE stamps SET last = CASE WHEN last >= :now THEN last + 1 ELSE :now END WHERE id = 1 RETURNING last;
SELECT 1 FROM incident_types WHERE id = 1;
SELECT incident_type_id FROM type_categories WHERE id = 1;
INSERT INTO incidents (incident_type_id, severity, title, incident_date, is_anonymous, status, status_modified_date, status_new_date, last_modified, reported_date)
    VALUES (1, 'Low', 'Press 7 stopped', 20458, 0, 'New', :now, :now, :now, :now) RETURNING id \gset
INSERT INTO incidents_search (rowid, document) VALUES (:id, ' press 7 stopped ') ON CONFLICT (rowid) DO UPDATE SET document = excluded.document;
INSERT INTO incident_categories (incident_id, category_id) VALUES (:id, 1);
SELECT * FROM incident_records WHERE id = :id AND deleted_date IS NULL;
SELECT p.id, p.title FROM incident_categories AS m JOIN type_categories AS p ON p.id = m.category_id WHERE m.incident_id = :id ORDER BY p.sort_order, p.id;
SELECT p.id, p.title, p.unit, m.amount FROM incident_consequences AS m JOIN type_consequences AS p ON p.id = m.consequence_id WHERE m.incident_id = :id ORDER BY p.id;
SELECT p.id, p.title FROM incident_causes AS m JOIN type_causes AS p ON p.id = m.cause_id WHERE m.incident_id = :id ORDER BY p.sort_order, p.id;
SELECT p.id, m.value, m.data_list_value, p.data_list_id, l.name, m.registration_date, p.label, p.type FROM incident_custom_fields AS m
    JOIN type_custom_fields AS p ON p.id = m.custom_field_id LEFT JOIN data_lists AS l ON l.id = p.data_list_id
    WHERE m.incident_id = :id ORDER BY p.sort_order, p.id;
COMMIT;
"#;

pub fn measure(table: &mut Table, bench: &Bench, server: &Server, peer: &Peer) {
    // Without waiting for the disk the result has no meaning.
    let goal = |at_least| server.is_durable().then_some(at_least);
    let service = Child::service(&bench.plant.db);
    let body = ("application/json", BODY);
    let target = Target {
        address: &service.address,
        requests: &[load::request_with("POST", PATH, Some(&bench.token), body)],
    };
    let scripts = |at_least| {
        [
            Script {
                name: ", to one plain INSERT",
                text: PLAIN,
                at_least,
            },
            Script {
                name: ", to the rows it leaves",
                text: ROWS,
                at_least: None,
            },
            Script {
                name: ", to the same statements",
                text: SAME,
                at_least,
            },
        ]
    };
    let name = "durable creates of incidents";
    peer.row(table, name, (1, &target), &scripts(None));
    peer.row(table, name, (CONNECTIONS, &target), &scripts(goal(0.4)));
}
