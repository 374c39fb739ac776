//! The methods of the SDKs: generated ones, hand-written ones, and edits that are preserved.

use obeya_codegen::Spec;
use obeya_codegen::sdk::{MethodKind, methods, rust};

use crate::small::{SOUND, spoilt};

fn source(spec: &Spec, existing: &str, by_hand: &str) -> Result<String, String> {
    let found = methods(spec.document());
    rust(&found, existing, |_| by_hand.to_owned()).map_err(|error| error.to_string())
}

/// The list of the small document takes some options only, so it has no plain method.
const LIST: &str = "\nimpl Areas {\n    pub fn list(&self) -> Areas {}\n}\n";

#[test]
fn a_plain_operation_becomes_a_method() {
    let source = source(
        &spoilt("x-sdk-name: areas.update", "x-sdk-name: areas.change"),
        "",
        LIST,
    )
    .unwrap();
    let method = "
    pub async fn change(&self, id: i32, body: &AreaUpdate) -> Result<Area> {
        self.client.call(&call::UpdateArea::new(id, body)).await
    }
";
    assert!(source.contains(method), "{source}");
    assert!(
        source.contains("    /// `PUT /v1/Areas/{id}`: "),
        "{source}"
    );
    assert!(source.contains("    /// # Errors\n"), "{source}");
    assert!(!source.contains("fn list"), "{source}");
}

#[test]
fn doc_comments_stay_as_they_are_edited() {
    let spec = spoilt("", "");
    let first = source(&spec, "", LIST).unwrap();
    let edited = first.replace(
        "`PUT /v1/Areas/{id}`: .",
        "Paints it.\n    ///\n    /// Twice.",
    );
    assert_ne!(edited, first);
    assert_eq!(source(&spec, &edited, LIST).unwrap(), edited);
}

#[test]
fn a_method_by_hand_stands_in_for_the_generated_one() {
    let both = "\nimpl Areas {\n    pub fn list(&self) {}\n\n    pub fn update(&self) {}\n}\n";
    let source = source(&spoilt("", ""), "", both).unwrap();
    assert!(!source.contains("fn "), "{source}");
    // A method of another type is none of the resource's.
    let other = format!("{LIST}\nimpl Update {{\n    pub fn update(self) {{}}\n}}\n");
    let source = self::source(&spoilt("", ""), "", &other).unwrap();
    assert!(source.contains("pub async fn update("), "{source}");
}

#[test]
fn an_operation_without_a_plain_form_asks_for_a_method_by_hand() {
    assert_eq!(
        source(&spoilt("", ""), "", "").unwrap_err(),
        "the generated code is not what was expected: operation `listAreas` has no plain method, because it has the query \
         parameters [\"$filter\", \"$top\"]: write `areas.list` of the Rust SDK by hand, in `impl Areas`"
    );
}

/// The small document with a read that takes all options, at a path with these ids.
fn with_all_options(path: &str, ids: &[&str], spoil: impl Fn(String) -> String) -> Spec {
    const OPTIONS: [&str; 8] = [
        "search", "filter", "select", "top", "skip", "expand", "count", "orderby",
    ];
    let id = |id: &&str| {
        format!(
            "        - {{name: {id}, in: path, required: true, schema: {{type: integer, format: int32}}}}\n"
        )
    };
    let option =
        |name: &&str| format!("        - {{name: ${name}, in: query, schema: {{type: string}}}}\n");
    let parameters = ids.iter().map(id).chain(OPTIONS.iter().map(option));
    let text = SOUND
        .replacen(
            "        - {name: $filter, in: query, schema: {type: string}}\n        - {name: $top, in: query, schema: {type: integer, format: int32, minimum: 1}}\n",
            &parameters.collect::<String>(),
            1,
        )
        .replacen("  /v2/areas:\n", &format!("  {path}:\n"), 1);
    Spec::parse(&spoil(text)).expect("a sound document")
}

#[test]
fn a_list_with_all_options_within_a_record_is_a_list_of_it() {
    let spec = with_all_options("/v2/boards/{boardId}/areas", &["boardId"], |text| {
        text.replacen("areas.list", "boards.areas", 1).replacen(
            "        value: {type: array, items: {$ref: '#/components/schemas/Area'}}\n",
            "        value: {type: array, items: {$ref: '#/components/schemas/Area'}}\n        '@odata.nextLink': {type: string}\n",
            1,
        )
    });
    let found = methods(spec.document());
    let kind = MethodKind::List {
        record: "Area".to_owned(),
        page: "AreaPage".to_owned(),
    };
    assert_eq!(found[0].kind, kind);
    let source = source(&spec, "", "").unwrap();
    let method = "
    pub fn areas(&self, board_id: i32) -> List<Area> {
        List::new(self.client.clone(), odata_list!(ListAreas, board_id))
    }
";
    assert!(source.contains(method), "{source}");
    assert!(
        source.contains("odata_pages! {\n    Area in AreaPage;\n}"),
        "{source}"
    );
}

#[test]
fn a_record_with_all_options_within_another_is_read_by_both_ids() {
    let path = "/v2/boards/{boardId}/areas/{areaId}";
    let spec = with_all_options(path, &["boardId", "areaId"], |text| {
        text.replacen("areas.list", "areas.of_board", 1)
    });
    let source = source(&spec, "", "").unwrap();
    let method = "
    pub fn of_board(&self, board_id: i32, id: i32) -> Get<AreaPage> {
        Get::new(self.client.clone(), odata_get!(ListAreas, board_id), id)
    }
";
    assert!(source.contains(method), "{source}");
}

#[test]
fn an_array_with_a_filter_and_an_order_is_a_list_in_one_response() {
    let text = SOUND
        .replacen(
            "        - {name: $top, in: query, schema: {type: integer, format: int32, minimum: 1}}\n",
            "        - {name: $orderby, in: query, schema: {type: string}}\n",
            1,
        )
        .replacen(
            "schema: {$ref: '#/components/schemas/AreaPage'}",
            "schema: {type: array, items: {$ref: '#/components/schemas/Area'}}",
            1,
        );
    let spec = Spec::parse(&text).unwrap();
    let record = "Area".to_owned();
    assert_eq!(
        methods(spec.document())[0].kind,
        MethodKind::WholeList { record }
    );
    let source = source(&spec, "", "").unwrap();
    let method = "
    pub fn list(&self) -> WholeList<Area> {
        WholeList::new(self.client.clone(), whole_list!(ListAreas))
    }
";
    assert!(source.contains(method), "{source}");
    // Other options have no plain method.
    let filter_only = text.replacen(
        "        - {name: $orderby, in: query, schema: {type: string}}\n",
        "",
        1,
    );
    let spec = Spec::parse(&filter_only).unwrap();
    assert!(matches!(
        methods(spec.document())[0].kind,
        MethodKind::ByHand(_)
    ));
}
