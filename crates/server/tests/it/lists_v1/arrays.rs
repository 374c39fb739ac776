//! The lists without pages: all records in one array.

use serde_json::json;

use super::change;
use crate::incidents_plant::plant;
use crate::reads_plant::ids;

#[tokio::test]
async fn types_are_listed_in_the_words_of_a_language_as_far_as_it_goes() {
    let service = plant().await;
    let list = async |language: &str| {
        let path = format!("/v1/Incidents/types{language}");
        service.get(&path).await.json()
    };
    let own = json!([
        {"id": 3, "title": "Quality deviation", "description": "Not as it should be"},
        {"id": 6, "title": "Near miss", "description": null},
    ]);
    assert_eq!(list("").await, own);
    assert_eq!(list("?language=fr").await, own);
    for (language, title, description) in [
        ("NB-no", "Kvalitetsavvik (bokmål)", "Ikke som det skal"),
        ("nb", "Kvalitetsavvik", "Ikke som det skal"),
        ("sv-SE", "Kvalitetsavvikelse", "Not as it should be"),
    ] {
        let mut expected = own.clone();
        expected[0] = json!({"id": 3, "title": title, "description": description});
        assert_eq!(list(&format!("?language={language}")).await, expected);
    }
    let path = "/v1/Incidents/types?language=n";
    let problem = service.get(path).await.is_problem(400, "query.invalid");
    assert_eq!(
        problem["errors"],
        json!({"language": ["expected a language code such as nb or en-GB, found `n`"]})
    );
}

#[tokio::test]
async fn the_comments_of_an_incident_come_in_one_array() {
    let service = plant().await;
    let path = "/v1/Incidents/100/comments";
    assert_eq!(
        service.get(path).await.text(),
        r#"[{"id":1,"comment":"Seen","commentDate":"1970-01-01T00:00:00.000002Z","commentedBy":"Ingrid Solheim","commentedByUserId":"u-104","parentId":null,"level":0},{"id":2,"comment":"Known","commentDate":"1970-01-01T00:00:00.000003Z","commentedBy":null,"commentedByUserId":null,"parentId":null,"level":0}]"#
    );
    assert_eq!(service.get("/v1/Incidents/101/comments").await.text(), "[]");
    for missing in [7, 102] {
        let path = format!("/v1/Incidents/{missing}/comments");
        service.get(&path).await.is_problem(404, "not_found");
    }
    let path = "/v1/Incidents/x/comments";
    service.get(path).await.is_problem(400, "path.invalid");
    // An ignored filter would return too many records.
    let path = "/v1/Incidents/100/comments?$filter=id eq 1";
    service.get(path).await.is_problem(400, "odata.option");

    // More than are read at a time.
    let rows: Vec<String> = (1000..2000)
        .map(|id| format!("({id}, 101, 'Number {id}', {id})"))
        .collect();
    let rows = rows.join(", ");
    change(
        &service,
        vec![format!(
            "INSERT INTO incident_comments (id, incident_id, text, comment_date) VALUES {rows}"
        )],
    )
    .await;
    let all = service.get("/v1/Incidents/101/comments").await.json();
    assert_eq!(ids(&all), (1000..2000).collect::<Vec<_>>());
}

#[tokio::test]
async fn boards_groups_and_datasources_come_in_arrays() {
    let service = plant().await;
    change(
        &service,
        vec![
            "INSERT INTO datasources (id, title, description, object_source, unit_of_time, primary_input_source)
                VALUES (12, 'OEE', 'Percent', 'Machine', 'Shift', 'MES'), (13, NULL, NULL, NULL, NULL, NULL)".to_owned(),
            "UPDATE groups SET business_unit_id = 4 WHERE id = 5".to_owned(),
            "INSERT INTO datasource_elements (datasource_id, id, label, type, is_mandatory, source_column, data_list_id, sort_order, number)
                VALUES (12, 'a', NULL, 'list', 0, NULL, 9, 3, 1), (12, 'z', 'Shift', 'text', 1, 'dimension', NULL, 1, 7), (12, 'm', 'By', 'user', 0, 'dimension2', NULL, 2, 2)".to_owned(),
        ],
    )
    .await;
    assert_eq!(
        service.get("/v1/Boards").await.text(),
        r#"[{"id":7,"name":"Assembly daily","description":"Where the team meets","boardType":"Weekly","isPublic":true,"groupId":4,"groupName":"Assembly team"},{"id":8,"name":null,"description":null,"boardType":null,"isPublic":false,"groupId":null,"groupName":null}]"#
    );
    // As in the list of v2, and with a second name of the business unit.
    assert_eq!(
        service.get("/v1/Groups").await.text(),
        r#"[{"id":4,"type":"GENERAL","name":"Assembly team","description":null,"parentId":null,"isSystemGroup":false,"level":null,"sortOrder":null,"businessUnitId":null,"buisnessUnitId":null,"projectId":null,"externalId":null,"externalName":null,"isMember":false},{"id":5,"type":"GENERAL","name":"Night shift","description":null,"parentId":null,"isSystemGroup":false,"level":null,"sortOrder":null,"businessUnitId":4,"buisnessUnitId":4,"projectId":null,"externalId":null,"externalName":null,"isMember":false}]"#
    );

    assert_eq!(
        service.get("/v1/Datasources").await.text(),
        r#"[{"id":12,"title":"OEE","description":"Percent"},{"id":13,"title":null,"description":null}]"#
    );
    let path = "/v1/Datasources?$filter=startswith(title,'O') or id gt 13";
    assert_eq!(ids(&service.get(path).await.json()), [12]);
    assert_eq!(
        service.get("/v1/Datasources/12").await.text(),
        r#"{"id":12,"title":"OEE","description":"Percent","objectSource":"Machine","unitOfTime":"Shift","primaryInputSource":"MES","elements":[{"id":7,"key":"z","label":"Shift","type":"text","isMandatory":true,"sourceColumn":"dimension","dataListId":null},{"id":2,"key":"m","label":"By","type":"user","isMandatory":false,"sourceColumn":"dimension2","dataListId":null},{"id":1,"key":"a","label":null,"type":"list","isMandatory":false,"sourceColumn":null,"dataListId":9}]}"#
    );
    assert_eq!(
        service.get("/v1/Datasources/13").await.text(),
        r#"{"id":13,"title":null,"description":null,"objectSource":null,"unitOfTime":null,"primaryInputSource":null,"elements":[]}"#
    );
    let missing = service.get("/v1/Datasources/14").await;
    missing.is_problem(404, "not_found");
}

/// Boards 7 and 8, groups 4 and 5, datasources 12 and 13.
#[tokio::test]
async fn arrays_are_filtered_and_ordered() {
    let service = plant().await;
    let rows = [
        "INSERT INTO datasources (id, title) VALUES (12, 'OEE'), (13, NULL)",
        "UPDATE groups SET business_unit_id = 4 WHERE id = 5",
    ];
    change(&service, rows.map(str::to_owned).to_vec()).await;
    for (query, expected) in [
        ("Boards?$filter=id eq 7", &[7][..]),
        ("Boards?$filter=boardType eq 'Weekly'", &[7]),
        ("Boards?$filter=groupName eq 'Assembly team'", &[7]),
        ("Boards?$filter=groupName eq null", &[8]),
        ("Boards?$filter=isPublic", &[7]),
        ("Boards?$filter=id gt 8", &[]),
        ("Boards?$orderby=id desc", &[8, 7]),
        // Null comes first in ascending order.
        ("Boards?$orderby=groupName", &[8, 7]),
        ("Boards?orderby=name desc", &[7, 8]),
        ("Groups?$filter=startswith(name,'Night')", &[5]),
        ("Groups?$filter=buisnessUnitId eq 4", &[5]),
        ("Groups?$filter=businessUnitId eq null", &[4]),
        ("Groups?$orderby=name desc", &[5, 4]),
        ("Groups?$filter=id ge 4&$orderby=type,id desc", &[5, 4]),
        ("Datasources?$filter=title eq null", &[13]),
        ("Datasources?$orderby=title", &[13, 12]),
        ("Datasources?$orderby=title desc", &[12, 13]),
    ] {
        let found = service.get(&format!("/v1/{query}")).await.json();
        assert_eq!(ids(&found), expected, "{query}");
    }
    for (query, code) in [
        ("Boards?$filter=boardType eq 'weekly'", "odata.value"),
        ("Boards?$filter=owner eq 1", "odata.unknown_property"),
        ("Boards?$top=1", "odata.option"),
        ("Groups?$filter=name eq", "odata.syntax"),
        (
            "Groups?$filter=users/any(u:u/id eq '1')",
            "odata.unknown_property",
        ),
        ("Groups?$select=id", "odata.option"),
        ("Datasources?$count=true", "odata.option"),
        ("Incidents/types?$filter=id eq 3", "odata.option"),
        ("Incidents/types?language=nb&$orderby=id", "odata.option"),
    ] {
        let answer = service.get(&format!("/v1/{query}")).await;
        answer.is_problem(400, code);
    }
}
