//! Each type of element, and where it looks.

use super::*;
use crate::enums::ClosedEnum;

fn element(kind: &str, is_mandatory: bool, column: Option<&str>) -> Element {
    let kind = ElementKind::parse(kind).expect("a type");
    Element::new("Mark".to_owned(), kind, is_mandatory, column).expect("a part of a value")
}

fn with(dimension: &str) -> DatasourceValue {
    DatasourceValue {
        value: 1.0,
        value_date: 0,
        area_id: None,
        asset_id: None,
        project_id: None,
        description: None,
        dimensions: [Some(dimension.to_owned()), None, None, None],
        external_id: None,
    }
}

fn known() -> Known {
    Known {
        areas: HashSet::from([2]),
        boards: HashSet::from([7]),
        projects: HashSet::from([3]),
        users: HashSet::from(["u-1".to_owned(), "5".to_owned()]),
    }
}

/// The code and the first complaint.
fn outcome(element: Element, value: &DatasourceValue) -> String {
    match Elements::new(vec![element]).check(value, &known()) {
        Ok(()) => "taken".to_owned(),
        Err(DomainError::Unprocessable { code, complaints }) => {
            format!("{code} {}: {}", complaints[0].field, complaints[0].text)
        }
        Err(other) => panic!("{other:?}"),
    }
}

#[test]
fn each_type_takes_what_it_is_made_for_and_says_what_that_is() {
    let taken: [(&str, &[&str]); 10] = [
        ("area", &["2"]),
        ("asset", &["0", "-5", "2147483647"]),
        ("board", &["7"]),
        ("bool", &["true", "false"]),
        ("description", &["x", "1"]),
        ("list", &["Press 2", " "]),
        (
            "number",
            &[
                "0", "-0", "12", "-1.50", "1e5", "1E+05", "2.5e-3", "0.1", "1e999",
            ],
        ),
        ("project", &["3"]),
        ("text", &["true", "…"]),
        ("user", &["u-1", "5"]),
    ];
    for (kind, texts) in taken {
        for text in texts {
            let outcome = outcome(element(kind, true, Some("dimension")), &with(text));
            assert_eq!(outcome, "taken", "{kind} {text}");
        }
    }
    let refused: [(&str, &str, &[&str]); 6] = [
        (
            "area",
            "the id of an area",
            &["x", "+2", "2.0", "2147483648", " 2"],
        ),
        ("asset", "the id of an asset", &["press"]),
        ("board", "the id of a board", &["7a"]),
        ("project", "the id of a project", &["three"]),
        ("bool", "true or false", &["True", "1", "yes", "true "]),
        (
            "number",
            "a number",
            &[
                "", "x", "+1", "01", "-01", ".5", "1.", "1e", "e5", "1e+", "NaN", "Infinity",
                "0x1f", "1,5", " 1", "1_000", "-", "١",
            ],
        ),
    ];
    for (kind, expected, texts) in refused {
        for text in texts.iter().filter(|text| !text.is_empty()) {
            assert_eq!(
                outcome(element(kind, false, Some("dimension")), &with(text)),
                format!(
                    "element.type dimension: expected {expected} for the element `Mark`, found `{text}`"
                ),
            );
        }
    }
    let unknown = [
        ("area", "3", "there is no area 3"),
        ("board", "2", "there is no board 2"),
        ("project", "2", "there is no project 2"),
        ("user", "U-1", "there is no user `U-1`"),
    ];
    for (kind, text, expected) in unknown {
        assert_eq!(
            outcome(element(kind, false, Some("dimension")), &with(text)),
            format!("reference.unknown dimension: {expected}"),
        );
    }
}

#[test]
fn what_is_mandatory_is_neither_absent_nor_empty() {
    let missing = "element.missing dimension: expected a value for the element `Mark`, found none";
    let nothing = DatasourceValue {
        dimensions: [None, None, None, None],
        ..with("")
    };
    for kind in ["text", "number", "area", "list"] {
        for value in [&with(""), &nothing] {
            assert_eq!(
                outcome(element(kind, true, Some("dimension")), value),
                missing
            );
            assert_eq!(
                outcome(element(kind, false, Some("dimension")), value),
                "taken"
            );
        }
    }
}

#[test]
fn the_source_column_says_which_part_it_is_and_else_the_type() {
    let columns = [
        ("areaId", "areaId"),
        ("AssetID", "assetId"),
        ("projectid", "projectId"),
        ("description", "description"),
        ("Dimension", "dimension"),
        ("dimension2", "dimension2"),
        ("dimension3", "dimension3"),
        ("dimension4", "dimension4"),
        ("externalId", "externalId"),
    ];
    let nothing = with("");
    for (written, name) in columns {
        let message = outcome(element("text", true, Some(written)), &nothing);
        assert!(
            message.starts_with(&format!("element.missing {name}:")),
            "{message}"
        );
    }
    for (kind, name) in [
        ("area", "areaId"),
        ("asset", "assetId"),
        ("project", "projectId"),
        ("description", "description"),
    ] {
        let message = outcome(element(kind, true, None), &nothing);
        assert!(
            message.starts_with(&format!("element.missing {name}:")),
            "{message}"
        );
    }
    for (kind, column) in [("text", None), ("user", None), ("area", Some("zone"))] {
        let kind = ElementKind::parse(kind).expect("a type");
        assert_eq!(Element::new("Mark".to_owned(), kind, true, column), None);
    }
}

#[test]
fn a_number_may_stand_where_another_type_names_a_number() {
    let area = |id| DatasourceValue {
        area_id: Some(id),
        ..with("")
    };
    assert_eq!(outcome(element("area", true, None), &area(2)), "taken");
    assert_eq!(
        outcome(element("area", true, None), &area(9)),
        "reference.unknown areaId: there is no area 9"
    );
    assert_eq!(
        outcome(element("number", true, Some("areaId")), &area(9)),
        "taken"
    );
    assert_eq!(
        outcome(element("user", true, Some("areaId")), &area(5)),
        "taken"
    );
    assert_eq!(
        outcome(element("bool", true, Some("areaId")), &area(1)),
        "element.type areaId: expected true or false for the element `Mark`, found `1`"
    );
}

#[test]
fn all_faults_of_a_batch_are_reported_under_the_code_of_the_first() {
    let elements = Elements::new(vec![
        element("number", true, Some("dimension")),
        element("area", true, None),
    ]);
    let in_area = |dimension: &str, id| DatasourceValue {
        area_id: id,
        ..with(dimension)
    };
    let values = [
        in_area("1", Some(2)),
        in_area("x", Some(2)),
        in_area("", Some(9)),
        in_area("2", None),
    ];
    assert_eq!(
        elements.references(&values).areas,
        BTreeSet::from([2, 9]),
        "each once"
    );
    let Err(DomainError::OfBatch(fault)) = elements.check_batch(&values, &known()) else {
        panic!("a batch is refused as one");
    };
    let DomainError::Unprocessable { code, complaints } = *fault else {
        panic!("{fault:?}");
    };
    let fields: Vec<_> = complaints.iter().map(|one| one.field.as_str()).collect();
    assert_eq!(code, "element.type");
    assert_eq!(
        fields,
        ["[1].dimension", "[2].dimension", "[2].areaId", "[3].areaId"]
    );
}

#[test]
fn no_more_than_a_hundred_complaints_are_reported() {
    let elements = Elements::new(vec![
        element("number", true, Some("dimension")),
        element("area", true, None),
        element("number", true, Some("dimension2")),
    ]);
    let Err(DomainError::OfBatch(fault)) = elements.check_batch(&vec![with("x"); 10_000], &known())
    else {
        panic!("refused");
    };
    let DomainError::Unprocessable { complaints, .. } = *fault else {
        panic!("{fault:?}");
    };
    assert_eq!(complaints.len(), 100);
}
