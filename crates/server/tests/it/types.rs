//! GET /v1/Incidents/types/{id}

use serde_json::json;

use crate::incidents_plant::plant;
use crate::support::Service;

async fn detail(service: &Service, query: &str) -> serde_json::Value {
    let answer = service.get(&format!("/v1/Incidents/types/3{query}")).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.json()
}

#[tokio::test]
async fn a_type_has_its_parts_in_order_and_its_categories_as_a_tree() {
    let service = plant().await;
    let expected = json!({
        "id": 3, "title": "Quality deviation", "description": "Not as it should be",
        "customFields": [
            {"id": 61, "label": "Order number", "type": "text", "sortOrder": 1, "dataListId": null, "isMandatory": false},
            {"id": 62, "label": "Machine", "type": "list", "sortOrder": 2, "dataListId": 9, "isMandatory": true},
        ],
        "categories": [
            {"id": 33, "title": "Severity", "description": null, "sortOrder": 1, "parentId": null, "children": []},
            {"id": 30, "title": "Origin", "description": "Where it arose", "sortOrder": 2, "parentId": null, "children": [
                {"id": 32, "title": "Supplier", "description": null, "sortOrder": 1, "parentId": 30, "children": []},
                {"id": 31, "title": "Own process", "description": null, "sortOrder": 2, "parentId": 30, "children": []},
            ]},
        ],
        "consequences": [{"id": 51, "title": "Scrapped parts", "unit": "pcs"}, {"id": 52, "title": "Downtime", "unit": "min"}],
        "causes": [
            {"id": 42, "title": "Wrong setting", "description": null, "sortOrder": 1},
            {"id": 41, "title": "Worn fixture", "description": "Beyond its service life", "sortOrder": 2},
        ],
    });
    assert_eq!(detail(&service, "").await, expected);
    // Neither a language without translation nor an unknown parameter changes anything.
    assert_eq!(detail(&service, "?language=fi&colour=blue").await, expected);
}

#[tokio::test]
async fn a_language_is_used_text_by_text() {
    let service = plant().await;
    let norwegian = detail(&service, "?language=nb").await;
    assert_eq!(
        (&norwegian["title"], &norwegian["description"]),
        (&json!("Kvalitetsavvik"), &json!("Ikke som det skal"))
    );
    assert_eq!(norwegian["categories"][1]["title"], "Origin");
    assert_eq!(
        norwegian["categories"][1]["children"][1]["title"],
        "Egen prosess"
    );
    assert_eq!(
        (
            &norwegian["consequences"][0]["title"],
            &norwegian["consequences"][0]["unit"]
        ),
        (&json!("Vraket"), &json!("pcs"))
    );
    assert_eq!(
        (
            &norwegian["causes"][1]["title"],
            &norwegian["causes"][1]["description"]
        ),
        (&json!("Slitt fikstur"), &json!("Utslitt"))
    );
    assert_eq!(
        (
            &norwegian["customFields"][0]["label"],
            &norwegian["customFields"][1]["label"]
        ),
        (&json!("Ordrenummer"), &json!("Machine"))
    );
}

#[tokio::test]
async fn a_regional_language_falls_back_to_its_base_and_then_to_the_words_as_written() {
    let service = plant().await;
    for code in ["nb-NO", "NB-no"] {
        let regional = detail(&service, &format!("?language={code}")).await;
        assert_eq!(
            (&regional["title"], &regional["description"]),
            (
                &json!("Kvalitetsavvik (bokmål)"),
                &json!("Ikke som det skal")
            ),
            "{code}"
        );
        assert_eq!(regional["categories"][0]["title"], "Severity");
    }
    let swedish = detail(&service, "?language=sv-FI").await;
    assert_eq!(
        (&swedish["title"], &swedish["description"]),
        (&json!("Kvalitetsavvikelse"), &json!("Not as it should be"))
    );
}

#[tokio::test]
async fn an_empty_language_is_no_language() {
    let service = plant().await;
    for path in ["/v1/Incidents/types/3", "/v1/Incidents/types"] {
        let plain = service.get(path).await.json();
        for query in ["?language=", "?language"] {
            let answer = service.get(&format!("{path}{query}")).await;
            assert_eq!(answer.status, 200, "{path}{query}: {}", answer.text());
            assert_eq!(answer.json(), plain, "{path}{query}");
        }
    }
}

#[tokio::test]
async fn what_is_no_language_or_no_type_is_refused() {
    let service = plant().await;
    for code in ["norsk", "nb_NO", "n", "nb&language=sv", "%00"] {
        service
            .get(&format!("/v1/Incidents/types/3?language={code}"))
            .await
            .is_problem(400, "query.invalid");
    }
    service
        .get("/v1/Incidents/types/99")
        .await
        .is_problem(404, "not_found");
    service
        .get("/v1/Incidents/types/three")
        .await
        .is_problem(400, "path.invalid");
}
