//! The bounds and the words of the specification in the documents and messages that repeat them for people.

use std::fs;
use std::path::Path;

use obeya::model::bounds::{operations, parameters, schemas};

use super::schema::SPEC;

const IMPORT_FORMAT: &str = "crates/cli/docs/import-format.md";

/// Passages with a number of the specification: the file, and the passage as it has to be.
fn passages() -> Vec<(&'static str, String)> {
    let batch = grouped(*operations::create_datasource_values::body::ITEMS.end());
    let external = operations::update_incident_external_id::body::LENGTH;
    let (external, page) = (external.end(), parameters::page_size::RANGE);
    let default_page = grouped(size(parameters::page_size::DEFAULT));
    let page = grouped(size(*page.end()));
    let values = size(*operations::list_datasource_values_v1::page_size::RANGE.end());
    let title = schemas::improvement_create::title::LENGTH.into_inner().1;
    let text = schemas::datasource_value_input::description::LENGTH
        .into_inner()
        .1;
    let dimension = schemas::datasource_value_input::dimension::LENGTH
        .into_inner()
        .1;
    let sdk = "bindings/python/python/obeya/_async/datasources.py";
    vec![
        (
            "README.md",
            format!("accepts up to {batch} values, all or none"),
        ),
        ("docs/limits.md", format!("{batch} values in one request")),
        (
            "spec/DECISIONS.md",
            format!("values, or ids, may one request have? | {batch}, and"),
        ),
        ("spec/DECISIONS.md", format!("like anything beyond {page}.")),
        (
            "spec/DECISIONS.md",
            format!("A bare JSON string of up to {external} characters"),
        ),
        (
            "spec/DECISIONS.md",
            format!("description and externalId {text}, each dimension {dimension}."),
        ),
        (
            IMPORT_FORMAT,
            format!("`dimension4` | string | at most {dimension} characters"),
        ),
        (
            IMPORT_FORMAT,
            format!("| `description`, `externalId` | string | at most {text} characters"),
        ),
        (
            IMPORT_FORMAT,
            format!("| `title` | string | at most {title} characters"),
        ),
        (
            "crates/cli/src/sync/mod.rs",
            format!("{values} for values, "),
        ),
        (sdk, format!("Up to {batch} are added all or none")),
        (sdk, format!("Deletes up to {batch} values")),
        (
            "crates/client/src/resources/datasources.rs",
            format!("adds up to {batch} values, all or none"),
        ),
        (
            "crates/client/src/resources/datasources.rs",
            format!("inclusive, by up to {batch} values"),
        ),
        (
            "crates/client/src/resources/operations.rs",
            format!("permanently deletes up to {batch} values"),
        ),
        (
            "crates/client/src/values/mod.rs",
            format!("Values per page, 1 to {page}. Default: {default_page} for"),
        ),
        (
            "crates/client/src/records/mod.rs",
            format!("Records per page, 1 to {page}. Default: {default_page}."),
        ),
    ]
}

fn size(number: i32) -> usize {
    usize::try_from(number).expect("a size")
}

/// As people write it: 10,000.
fn grouped(number: usize) -> String {
    match number {
        0..1_000 => number.to_string(),
        _ => format!("{},{:03}", number / 1_000, number % 1_000),
    }
}

/// Lists of all words of an enum: the file, the enum, and how the list ends.
const LISTS: [(&str, &str, &str); 10] = [
    (IMPORT_FORMAT, "GroupType", " or "),
    (IMPORT_FORMAT, "BoardType", " or "),
    (IMPORT_FORMAT, "IncidentStatus", " or "),
    (IMPORT_FORMAT, "IncidentSeverity", " or "),
    (IMPORT_FORMAT, "EvaluationStatusV1", " or "),
    (IMPORT_FORMAT, "ImprovementStatus", " or "),
    (IMPORT_FORMAT, "ImprovementPriorityStatus", " or "),
    (IMPORT_FORMAT, "DatasourceElementType", " or "),
    ("spec/DECISIONS.md", "EvaluationStatusV1", ", "),
    ("spec/DECISIONS.md", "EvaluationStatusV2", ", "),
];

#[test]
fn the_documents_repeat_the_bounds_of_the_specification() {
    for (file, passage) in passages() {
        has(file, &passage);
    }
}

#[test]
fn the_documents_repeat_the_words_of_the_specification() {
    for (file, name, end) in LISTS {
        let words = SPEC["components"]["schemas"][name]["enum"].as_array();
        let words = words.expect("an enum").iter();
        let words = words.filter_map(|word| word.as_str());
        // It requests a change, so no line of an import has it.
        let words = words.filter(|word| *word != "Activated");
        let words: Vec<_> = words.map(|word| format!("`{word}`")).collect();
        let (last, first) = words.split_last().expect("words");
        has(file, &format!("{}{end}{last}", first.join(", ")));
    }
}

/// The passage may be broken into lines.
#[track_caller]
fn has(file: &str, passage: &str) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = fs::read_to_string(root.join(file)).expect(file);
    let words = |line: &str| {
        line.trim_start()
            .trim_start_matches("///")
            .trim()
            .to_owned()
    };
    let text = text.lines().map(words).collect::<Vec<_>>().join(" ");
    assert!(text.contains(passage), "{file} does not say `{passage}`");
}
