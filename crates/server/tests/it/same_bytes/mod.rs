//! The service on both engines, over the same plant: status, headers and bytes of every answer are equal.

mod pair;

use std::path::PathBuf;
use std::sync::Arc;

use obeya_model::Timestamp;
use obeya_server::import::{ImportOptions, import_dir};
use obeya_server::store::{Dialect, Session, StoreError, Value as Bind};
use obeya_server::{Clock, Config};
use reqwest::Method;
use serde_json::json;

use crate::incidents_plant::{self, least, least_update, with};
use crate::reads_plant::{self, Incidents, cases};
use crate::support::{Database, Service};
use crate::values_written::{self, value, with as with_more};

use pair::Pair;

/// Every byte that is not a letter or digit, percent-encoded.
fn encoded(text: &str) -> String {
    text.bytes()
        .map(|byte| {
            if byte.is_ascii_alphanumeric() {
                char::from(byte).to_string()
            } else {
                format!("%{byte:02X}")
            }
        })
        .collect()
}

fn lists(entity: &str) -> &'static [&'static str] {
    match entity {
        "areas" => &["/v2/areas"],
        "boards" => &["/v2/boards"],
        "groups" => &["/v2/groups"],
        "incidentComments" => &["/v2/incidents/comments"],
        "datasourceValues" => &["/v1/Datasources/1/values", "/v1/Datasources/2/values"],
        "incidents" => &["/v1/Incidents/trash"],
        other => panic!("the fixture has no {other}"),
    }
}

/// Values whose doubles have every number of digits, and texts that many or none have.
fn more_values(session: &mut dyn Session) -> Result<(), StoreError> {
    let dimensions: Vec<String> = (0..7).map(|at| format!("Linje {at} ø")).collect();
    let rows: Vec<Bind<'_>> = (0..500_i32)
        .flat_map(|at| {
            let value = match at % 5 {
                0 => f64::from(at) / 7.0,
                1 => f64::from(at).powi(40),
                2 => -f64::from(at) * 1e-12,
                3 => f64::from(at),
                _ => f64::from(at) * 1_000_000.1,
            };
            let dimension = dimensions.get(usize::try_from(at % 9).expect("small"));
            [
                Bind::Int(3),
                Bind::Int(17_000_000_000_000_000 + i64::from(at / 3) * 12_345_678_901),
                Bind::Int(i64::from(5_000 + at)),
                Bind::Real(value),
                Bind::Int(i64::from(at) * 7),
                dimension.into(),
            ]
        })
        .collect();
    let columns = [
        "datasource_id",
        "value_date",
        "id",
        "value",
        "registration_date",
        "dimension",
    ];
    session.append("datasource_values", &columns, &rows)?;
    let counted = "UPDATE datasources SET value_count = 500, change_counter = change_counter + 1 WHERE id = 3";
    session.execute(counted, &[]).map(drop)
}

fn fixture(incidents: Incidents) -> impl Fn(&mut dyn Session) -> Result<(), StoreError> + Clone {
    let fixture = cases()["fixture"].take();
    move |session| {
        reads_plant::fill(session, &fixture, incidents)?;
        more_values(session)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn of_every_case_of_the_query_language() {
    let deleted: Timestamp = "2026-03-01T00:00:00Z".parse().expect("a timestamp");
    let now: jiff::Timestamp = "2026-03-02T00:00:00Z".parse().expect("a timestamp");
    let at = |config: &mut Config| {
        config.clock = Clock::new(move || now);
        config.limits.page_records = 3;
    };
    let mut live = Pair::new(at, fixture(Incidents::Live)).await;
    let mut trashed = Pair::new(at, fixture(Incidents::Deleted(deleted))).await;
    let cases = cases();
    for (group, option) in [
        ("cases", "filter"),
        ("error_cases", "filter"),
        ("orderby_cases", "orderby"),
    ] {
        for case in cases[group].as_array().expect("cases") {
            let entity = case["entity"].as_str().expect("an entity");
            let text = encoded(case[option].as_str().expect("a text"));
            for list in lists(entity) {
                let path = format!("{list}?${option}={text}");
                if entity == "incidents" {
                    trashed.get(&path).await;
                } else if list.starts_with("/v2/") {
                    live.get(&format!("{path}&$count=true")).await;
                } else {
                    live.get(&path).await;
                }
            }
        }
    }
    // All records of each list, by every property that it can be ordered by; pages hold three.
    for (entity, properties) in cases["property_types"].as_object().expect("entities") {
        for property in properties.as_object().expect("properties").keys() {
            for list in lists(entity).iter().filter(|list| list.starts_with("/v2/")) {
                live.get(&format!(
                    "{list}?$orderby={property} desc,id&$select=id,{property}"
                ))
                .await;
                live.get(&format!("{list}?$orderby={property}&$select=id"))
                    .await;
                live.get(&format!(
                    "{list}?$apply=groupby(({property}),aggregate($count as n,id with average as a))"
                ))
                .await;
            }
        }
    }
    trashed.agree(20);
    live.agree(250);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_expansions_searches_pages_and_values() {
    let mut pair = Pair::new(
        |config| config.limits.page_records = 4,
        fixture(Incidents::Live),
    )
    .await;
    for path in [
        "/v2",
        "/v2/$metadata",
        "/v2/$metadata?$format=json",
        "/v2/areas/$count",
        "/v2/boards/$count?$filter=contains(name,'a')",
        "/v2/areas(1)",
        "/v2/areas/1/",
        "/v2/areas/99",
        "/v2/areas/x",
        "/v2/areas?$top=0&$count=true",
        "/v2/areas?$skip=2&$top=3",
        "/v2/areas?$skip=100",
        "/v2/areas?$top=-1",
        "/v2/areas?$select=name,nosuch",
        "/v2/areas?$search=assembly",
        "/v2/areas?$search=assembly OR paint",
        "/v2/areas?$search=\"paint shop\"",
        "/v2/areas?$search=\"shop paint\"",
        "/v2/areas?$search=line main&$count=true",
        "/v2/areas?$search=nothingofthekind",
        "/v2/groups?$apply=groupby((parent/name,type),aggregate(level with sum as s))&$orderby=s desc&$count=true",
        "/v2/boards?$apply=compute(id divby 7 as x)/groupby((isPublic),aggregate(x with sum as s,x with average as a))",
        "/v2/boards?$apply=aggregate(id mul 9223372036854775807 with sum as s)",
        "/v2/groups?$search=a OR b OR team&$orderby=name desc&$count=true",
        "/v2/incidents/comments?$search=the OR a OR checked&$expand=incident",
        "/v2/groups?$expand=parent,children,boards,users",
        "/v2/groups?$expand=children($expand=children($levels=2);$orderby=name desc;$top=2;$count=true)",
        "/v2/groups?$expand=boards($filter=isPublic eq true;$select=id,name;$skip=1)",
        "/v2/groups?$expand=users($orderby=displayName desc),parent($select=name)",
        "/v2/groups?$expand=boards/$count,children/$count",
        "/v2/groups?$filter=boards/any(b:b/isPublic) and children/$count gt 0",
        "/v2/groups?$filter=boards/all(b:b/id gt 2)&$orderby=boards/$count desc,id",
        "/v2/groups/2/boards",
        "/v2/groups/2/parent",
        "/v2/groups/1/children?$orderby=name",
        "/v2/boards?$expand=group($expand=parent($expand=parent))",
        "/v2/boards?$orderby=group/name desc,name&$count=true",
        "/v2/boards?$filter=group/parent/name ne null",
        "/v2/incidents/comments?$expand=parent,incident($expand=area,group,followUpGroup,comments($top=1))",
        "/v2/incidents/comments?$orderby=incident/title,commentDate desc",
        "/v2/incidents/comments?$filter=incident/area/name eq 'Assembly' or parent/id eq null",
        "/v2/incidents/1/comments?$count=true",
        "/v2/incidents?$count=true",
        "/v2/incidents?$orderby=title desc&$expand=area,group,followUpGroup,type,comments($top=1)",
        "/v2/incidents?$filter=createdByUserId eq 'u3' and type/title eq 'Safety'",
        "/v2/incidents?$filter=createdByUserId ne 'u3'&$orderby=createdByUserId,id desc",
        "/v2/incidents?$search=oil OR noise&$count=true",
        "/v2/incidents?$search=\"oil leak\"",
        "/v2/incidents/1?$expand=*",
        "/v2/incidents/2",
        "/v2/incidents/999",
        "/v2/incidents/$count?$filter=comments/$count gt 2",
        "/v2/incidents(1)/type",
        "/v2/incidents(1)/group",
        "/v2/incidents/types?$search=safety&$count=true",
        "/v2/incidents/types/1?$select=title",
        "/v2/incidentTypes(99)",
        "/v2/ping",
        "/v2/ping?$top=-1",
        "/v2/incidents/999/comments",
        "/v2/areas?$orderby=length(name),tolower(name) desc",
        "/v2/areas?$filter=matchesPattern(name,'^[A-P].*[a-z]$')",
        "/v2/areas?$filter=name in ('Assembly','Paint Shop',null)",
        "/v2/areas?$filter=case(id gt 3:'big',true:'small') eq 'big'",
        "/v2/areas?$filter=concat(name,description) ne null and indexof(name,'a') gt 0",
        "/v2/areas?$filter=substring(name,-2) eq 'x'",
        "/v2/areas?$filter=id div 0 eq 1",
        "/v2/areas?$filter=id mod 0 eq 1",
        "/v2/areas?$filter=9223372036854775807 add id gt 0",
        "/v2/areas?$filter=id mul 1e308 mul 1e308 gt 0",
        "/v2/areas?$filter=cast(id,Edm.String) eq '3' or cast(name,Edm.Int32) eq null",
        "/v2/areas?$filter=year(now()) gt 2000 and @p eq id&@p=2",
        "/v2/incidents/comments?$filter=year(commentDate) eq 2024 and hour(commentDate) lt 12",
        "/v2/incidents/comments?$filter=commentDate add duration'P1D' gt 2024-01-02T00:00:00Z",
        "/v2/incidents/comments?$filter=date(commentDate) le 2024-02-29&$orderby=time(commentDate)",
        "/v2/incidents/comments?$orderby=fractionalseconds(commentDate),text desc",
        "/v1/Datasources/3/values",
        "/v1/Datasources/3/values?pageSize=50&page=7",
        "/v1/Datasources/3/values?pageSize=7&page=1000",
        "/v1/Datasources/3/values?$orderby=value desc&pageSize=40",
        "/v1/Datasources/3/values?$orderby=dimension desc,value&pageSize=40&page=2",
        "/v1/Datasources/3/values?$filter=dimension eq null&pageSize=500",
        "/v1/Datasources/3/values?$filter=dimension eq 'Linje 3 ø' and value gt 1.5",
        "/v1/Datasources/3/values?$filter=value mul 2 gt 1e6 and value div 3 lt 1e9",
        "/v1/Datasources/3/values?$filter=round(value) eq 3 or floor(value) eq 10 or ceiling(value) eq 11",
        "/v1/Datasources/3/values?$filter=startswith(cast(value,Edm.String),'1')&pageSize=500",
        "/v1/Datasources/3/values?$filter=contains(dimension,'4') or endswith(dimension,'5 ø')",
        "/v1/Datasources/3/values?$filter=1 div (id sub 5100) eq 1",
        "/v1/Datasources/3/values?from=2023-11-15T00:00:00Z&to=2023-11-16T00:00:00Z",
        "/v1/Datasources/3/values?from=2023-11-16T00:00:00Z&to=2023-11-15T00:00:00Z",
        "/v1/Datasources/3/values?from=yesterday",
        "/v1/Datasources/3/values?page=0",
        "/v1/Datasources/3/values?pageSize=100000",
        "/v1/Datasources/99/values",
        "/v1/Boards/1",
        "/v1/Boards/99",
        "/v1/Incidents",
        "/v1/Incidents?$orderby=title desc&pageSize=2&page=2",
        "/v1/Incidents?$orderby=dueDate,severity desc",
        "/v1/Incidents?$filter=contains(text,'e') or reportedBy eq null",
        "/v1/Incidents?IncidentDateFrom=2024-02-01&TypeId=1",
        "/v1/Incidents?LastModifiedFrom=2024-01-01T05:59:59.9999999Z",
        "/v1/Incidents?$filter=id div 0 eq 1",
        "/v1/Incidents?LastModifiedFrom=now",
        "/v1/Incidents/1",
        "/v1/Incidents/2",
        "/v1/Incidents/99",
        "/v1/Incidents/trash",
        "/v1/Incidents/types/1",
        "/v1/Incidents/types/99",
        "/nowhere",
        "/healthz",
        "/readyz",
    ] {
        pair.get(&path.replace(' ', "%20").replace('"', "%22"))
            .await;
    }
    for form in ["text/csv", "application/vnd.apache.arrow.stream"] {
        for path in [
            "/v1/Datasources/3/values?pageSize=300",
            "/v1/Datasources/3/values?pageSize=300&page=2",
            "/v1/Datasources/3/values?$filter=value%20gt%201.5&$orderby=dimension%20desc,id",
            "/v1/Datasources/2/values",
            "/v1/Datasources/99/values",
        ] {
            let services = [&pair.sqlite, &pair.postgres];
            let [left, right] = services.map(|service| {
                let request = service.request(Method::GET, path);
                request.header("accept", form)
            });
            pair.compare(&format!("{path} as {form}"), left, right)
                .await;
        }
    }
    pair.agree(105);
}

/// Including ids: both engines assign the same numbers.
#[tokio::test(flavor = "multi_thread")]
async fn of_everything_that_is_written() {
    let mut pair = Pair::new(|_| (), incidents_plant::fill).await;
    let (put, post) = (Method::PUT, Method::POST);
    let incident = "/v1/Incidents/100";
    for body in [
        least(),
        with(
            least(),
            &json!({"text": "Sprekk på venstre FLENS", "areaId": 2}),
        ),
        with(least(), &json!({"areaId": 99, "projectId": 99})),
        with(
            least(),
            &json!({"customFields": [{"id": 62, "value": "Press 4"}], "causes": [{"id": 41}]}),
        ),
        with(
            least(),
            &json!({"consequences": [{"id": 51, "amount": 0.1}, {"id": 52, "amount": 1e22}]}),
        ),
        with(least(), &json!({"title": ""})),
        json!({}),
        json!([]),
    ] {
        let created = pair.send(&post, "/v1/Incidents", &body).await;
        if let Some(id) = created["id"].as_i64() {
            let path = format!("/v1/Incidents/{id}");
            pair.send(&put, &path, &least_update()).await;
            pair.get(&format!("/v2/incidents/{id}/comments")).await;
        }
    }
    for (path, body) in [
        (incident, least_update()),
        (
            incident,
            with(least_update(), &json!({"status": "InProgress"})),
        ),
        (
            incident,
            with(least_update(), &json!({"status": "Nonsense"})),
        ),
        ("/v1/Incidents/999", least_update()),
        ("/v1/Incidents/102", least_update()),
        (
            "/v1/Incidents/100/consequences",
            json!([{"id": 51, "amount": 12.25}]),
        ),
        ("/v1/Incidents/100/consequences", json!([{"id": 53}])),
        ("/v1/Incidents/100/causes", json!([{"id": 42}, {"id": 41}])),
        ("/v1/Incidents/100/causes", json!([{"id": 42}, {"id": 42}])),
        ("/v1/Incidents/100/externalId", json!("SAP-1")),
        ("/v1/Incidents/100/externalId", json!("x".repeat(5000))),
        ("/v1/Improvements/317", json!({})),
        (
            "/v1/Improvements/317",
            json!({"status": "InProgress", "costOfInvestment": 1234.5}),
        ),
        ("/v1/Improvements/318", json!({"status": "Open"})),
        ("/v1/Improvements/999", json!({})),
        (
            "/v1/Improvements/319",
            json!({"title": null, "dueDate": "2025-12-24"}),
        ),
        ("/v1/Incidents/100/status", json!({"status": "Resolved"})),
        ("/v1/Incidents/100/status", json!({"status": "Rejected"})),
        ("/v1/Incidents/100/severity", json!({"severity": "High"})),
        ("/v1/Incidents/100/severity", json!({})),
        (
            "/v1/Incidents/100/responsible",
            json!({"followUpGroupId": 4, "responsibleUserId": "u-104"}),
        ),
        (
            "/v1/Incidents/100/responsible",
            json!({"followUpGroupId": 5, "responsibleUserId": "u-104"}),
        ),
        ("/v1/Incidents/100/categories", json!([{"id": 32}])),
        ("/v1/Incidents/100/categories", json!([])),
        (
            "/v1/Incidents/100/customfields/62",
            json!({"value": "Press 4"}),
        ),
        ("/v1/Incidents/100/customfields/63", json!({"value": "7"})),
    ] {
        pair.send(&put, path, &body).await;
    }
    for body in [
        json!({"title": "Light", "suggestedByUserId": "u-117", "status": "Planned", "groupId": 4, "costOfInvestment": 0.1}),
        json!({"title": "Light", "suggestedByUserId": "u-999"}),
        json!({"title": "Light", "suggestedByUserId": "u-117", "status": "Activated"}),
    ] {
        pair.send(&post, "/v1/Improvements", &body).await;
    }
    for (method, path) in [
        (Method::DELETE, "/v1/Improvements/318"),
        (Method::DELETE, "/v1/Improvements/318"),
        (Method::DELETE, "/v1/Incidents/100"),
        (Method::DELETE, "/v1/Incidents/100"),
        (Method::DELETE, "/v1/Incidents/101"),
        (Method::PUT, "/v1/Incidents/trash/100/restore"),
        (Method::PUT, "/v1/Incidents/trash/100/restore"),
    ] {
        let request = |service: &Service| service.request(method.clone(), path);
        let (left, right) = (request(&pair.sqlite), request(&pair.postgres));
        pair.compare(path, left, right).await;
    }
    for path in [
        "/v1/Incidents",
        "/v1/Incidents?$orderby=consequences/$count desc,id desc",
        "/v1/Incidents?$filter=consequences/any(c:c/amount gt 0.05) or customFields/any(f:f/value eq 'Press 4')",
        "/v1/Incidents/100",
        "/v1/Incidents/102",
        "/v1/Improvements",
        "/v1/Improvements?$filter=costOfInvestment gt 1 or dueDate ne null&$orderby=lastModified desc",
        "/v1/Improvements/317",
        "/v1/Improvements/999",
        "/v1/Incidents/trash",
        "/v1/Boards/7",
        "/v1/Boards/8",
        "/v1/Incidents/types/3",
        "/v2/areas",
        "/v2/groups?$expand=users",
        "/v2/incidents/comments?$expand=incident",
        "/v2/incidents?$expand=*",
        "/v2/incidents?$search=flens",
    ] {
        pair.get(&path.replace(' ', "%20")).await;
    }
    let request = |service: &Service| {
        let request = service.request(Method::GET, "/v1/Incidents/types/3");
        request.header("accept-language", "nb-NO, sv;q=0.5")
    };
    let (left, right) = (request(&pair.sqlite), request(&pair.postgres));
    pair.compare("a type in Norwegian", left, right).await;
    let rows = async |service: &Service| incidents_plant::everything(service).await;
    assert_eq!(rows(&pair.sqlite).await, rows(&pair.postgres).await);
    pair.agree(35);
}

/// Ids, stamps and counts included.
#[tokio::test(flavor = "multi_thread")]
async fn of_values_that_are_written() {
    let mut pair = Pair::new(|_| (), values_written::fill).await;
    let (put, post, delete) = (Method::PUT, Method::POST, Method::DELETE);
    let output = "/v1/Datasources/1/values";
    let at = |figure: f64, date: &str| value(figure, date);
    let june = format!("{output}/batchReplace?from=2025-06-01&to=2025-06-30T23:59:59Z");
    let full = with_more(
        at(0.1, "2025-06-02T10:00:00.1234567+02:00"),
        json!({"areaId": 2, "assetId": -1, "projectId": 7, "description": "ø", "dimension": "", "dimension4": "x", "externalId": "y"}),
    );
    for (method, path, body) in [
        (&post, output, at(-0.0, "2025-06-01T10:00:00Z")),
        (&post, output, full.clone()),
        (&post, output, at(1e300, "0001-01-01T00:00:00Z")),
        (&post, output, at(5e-324, "9999-12-31T23:59:59.9999999Z")),
        (&post, output, json!({"value": 1})),
        (&post, "/v1/Datasources/99/values", full.clone()),
        (&post, "/v1/Datasources/2/values", full.clone()),
        (&post, "/v1/Datasources/3/values", full.clone()),
        (&put, "/v1/Datasources/1/values/2", at(2.5, "2025-06-05")),
        (&put, "/v1/Datasources/1/values/99", full.clone()),
        (&put, "/v1/Datasources/1/values/x", full.clone()),
        (&delete, "/v1/Datasources/1/values/1", json!(null)),
        (&delete, "/v1/Datasources/1/values/1", json!(null)),
        (&post, "/v1/Datasources/1/values/batch", json!([full, full])),
        (&post, "/v1/Datasources/1/values/batch", json!([])),
        (&post, "/v1/Datasources/1/values/batch", json!([full, 7])),
        (&post, "/v1/Datasources/2/values/batch", json!([full, full])),
        (&delete, "/v1/Datasources/1/values/batch", json!([2, 9, 2])),
        (&put, &june, json!([at(9.0, "2025-06-30T23:59:59Z")])),
        (&put, &june, json!([at(9.0, "2025-07-01")])),
        (&put, "/v1/Datasources/1/values/batchReplace", json!([])),
    ] {
        pair.send(method, path, &body).await;
        pair.get(output).await;
    }
    let rows = async |service: &Service| values_written::everything(service).await;
    assert_eq!(rows(&pair.sqlite).await, rows(&pair.postgres).await);
    pair.agree(42);
}

/// The plant of the specification's examples, imported into each.
#[tokio::test(flavor = "multi_thread")]
async fn of_what_was_imported() {
    let (sqlite, postgres) = (
        Database::on(Dialect::Sqlite),
        Database::on(Dialect::Postgres),
    );
    let plant = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../spec/plant");
    let mut reports = Vec::new();
    for database in [&sqlite, &postgres] {
        let options = ImportOptions::default();
        let report = import_dir(&plant, database.url(), options, Arc::new(())).await;
        reports.push(format!("{:?}", report.expect("imported").files));
    }
    assert_eq!(reports[0], reports[1]);
    let mut pair = Pair::on(sqlite, postgres, |_| ()).await;
    for service in [&pair.sqlite, &pair.postgres] {
        // It contains the time of the import.
        let alike = service
            .store()
            .write(|session| session.execute("UPDATE datasources SET change_counter = 1", &[]));
        alike.await.expect("a counter");
    }
    for path in [
        "/v2/areas?$count=true",
        "/v2/boards?$expand=group",
        "/v2/groups?$expand=*",
        "/v2/incidents/comments?$expand=*",
        "/v2/incidents/1204/comments",
        "/v2/incidents/comments/8801",
        "/v2/areas?$search=assembly OR press",
        "/v1/Incidents",
        "/v1/Incidents/1204",
        "/v1/Incidents/1204/comments",
        "/v1/Incidents/1204/attachments",
        "/v2/incidents?$expand=attachments&$filter=attachments/any(a:startswith(a/fileUrl,'/v2/'))",
        "/v2/tasks?$expand=attachments($orderby=fileName,hasPreview,isImage)&$orderby=attachments/$count desc",
        "/v1/Incidents/types",
        "/v1/Incidents/types?language=nb-NO",
        "/v1/Boards",
        "/v1/Groups",
        "/v1/Datasources",
        "/v1/Datasources?$filter=contains(title,'e')",
        "/v1/Datasources/12",
        "/v1/Datasources/13",
        "/v1/Improvements",
        "/v1/Improvements/317",
        "/v1/Incidents/types/3",
        "/v1/Incidents/types/6",
        "/v1/Incidents/trash",
        "/v1/Datasources/12/values",
        "/v1/Datasources/13/values",
        "/v1/Boards/7",
        "/v1/Boards/8",
    ] {
        pair.get(&path.replace(' ', "%20")).await;
    }
    // The first id after those of the import.
    let body = json!({"incidentTypeId": 3, "severity": "Low", "title": "New", "incidentDate": "2025-06-01", "categories": [{"id": 31}]});
    let created = pair.send(&Method::POST, "/v1/Incidents", &body).await;
    assert!(created["id"].as_i64().is_some(), "{created}");
    pair.agree(15);
}
