//! The shape of generated code for the small document: every change made to the generator's output.

use insta::assert_snapshot;
use obeya_codegen::{Spec, generate, operations, surface};

use crate::small::{SOUND, spoilt};

fn model(spec: &Spec) -> String {
    generate(spec).expect("the small document generates").model
}

/// The lines of a struct or an impl from its head to its closing brace.
fn item(source: &str, head: &str) -> String {
    let lines = source.lines().skip_while(|line| !line.starts_with(head));
    let mut taken: Vec<&str> = Vec::new();
    for line in lines {
        taken.push(line);
        if line == "}" {
            break;
        }
    }
    assert!(!taken.is_empty(), "there is no {head}");
    taken.join("\n")
}

#[test]
fn a_patched_property_is_a_patch_and_not_an_option_of_one() {
    let spec = Spec::parse(SOUND).expect("sound");
    assert_snapshot!(item(&model(&spec), "pub struct AreaUpdate"), @r#"
pub struct AreaUpdate {
    pub kind: ::obeya_model::Kind,
    #[serde(default, skip_serializing_if = "::obeya_model::Patch::is_absent")]
    pub text: ::obeya_model::Patch<::std::string::String>,
    #[serde(default, skip_serializing_if = "::obeya_model::Patch::is_absent")]
    pub second: ::obeya_model::Patch<::obeya_model::Kind>,
}
"#);
}

#[test]
fn a_constructor_takes_what_is_required() {
    let spec = Spec::parse(SOUND).expect("sound");
    assert_snapshot!(item(&model(&spec), "impl AreaUpdate"), @r#"
impl AreaUpdate {
    /// With what is required; everything else is left out.
    #[must_use]
    #[allow(
        clippy::too_many_arguments,
        reason = "as many as the specification requires"
    )]
    pub fn new(kind: ::obeya_model::Kind) -> Self {
        Self {
            kind,
            text: ::std::default::Default::default(),
            second: ::std::default::Default::default(),
        }
    }
}
"#);
}

#[test]
fn bounds_do_not_narrow_types_and_null_stands_for_absent() {
    let spec = Spec::parse(SOUND).expect("sound");
    assert_snapshot!(item(&model(&spec), "pub struct Area "), @"
pub struct Area {
    pub id: i32,
    pub kind: ::obeya_model::Kind,
    pub closed: ::std::option::Option<::obeya_model::Timestamp>,
}
");
}

#[test]
fn a_list_that_may_be_absent_is_an_option() {
    let spec = spoilt("      required: [value]\n", "");
    assert_snapshot!(item(&model(&spec), "pub struct AreaPage "), @r#"
pub struct AreaPage {
    #[serde(skip_serializing_if = "::std::option::Option::is_none")]
    pub value: ::std::option::Option<::std::vec::Vec<Area>>,
}
"#);
}

#[test]
fn types_that_go_in_a_circle_are_boxed_inside_their_option() {
    let spec = spoilt(
        "        closed: {",
        "        page: {$ref: '#/components/schemas/AreaPage'}\n        inside: {anyOf: [{$ref: '#/components/schemas/Area'}, {type: object, nullable: true, enum: [null]}]}\n        closed: {",
    );
    let model = model(&spec);
    assert!(
        model.contains("pub inside: ::std::option::Option<::std::boxed::Box<Area>>,"),
        "{model}"
    );
}

#[test]
fn a_raw_variant_goes_to_the_same_path_and_gives_bytes() {
    let spec = spoilt(
        "      operationId: listAreas\n",
        "      operationId: listAreas\n      x-raw-variant: true\n",
    );
    let client = generate(&spec).expect("generates").client;
    assert!(!client.contains("raw-twin"));
    let surface = surface(&client).expect("Rust");
    let calls: Vec<&str> = surface
        .lines()
        .filter(|line| line.contains("ListAreasRaw"))
        .collect();
    assert_snapshot!(calls.join("\n"), @"
struct ListAreasRaw<'a>
  ListAreasRaw<'_>: const OPERATION: Operation
  ListAreasRaw<'_>: async fn send(&self, client: &Client) -> Result<Reply<::bytes::Bytes>, Error>
");
    // It is the same operation.
    let call = without_spaces(&client);
    let call = call.split("implListAreasRaw<'_>{").nth(1);
    let call = call.expect("an implementation of the call");
    let names = call.split("pubconstOPERATION:Operation=").nth(1);
    assert!(
        names.is_some_and(|name| name.starts_with("Operation::ListAreas;")),
        "{client}"
    );
}

#[test]
fn a_header_of_the_executors_is_no_parameter_of_the_call() {
    let id =
        "        - {name: id, in: path, required: true, schema: {type: integer, format: int32}}\n";
    let header = "        - {name: If-Match, in: header, schema: {type: string}, x-obeya-by-executor: true}\n";
    let plain = header.replace(", x-obeya-by-executor: true", "");
    let fields = |more: &str| {
        let spec = spoilt(id, &format!("{id}{more}"));
        assert!(obeya_codegen::lint(&spec).is_empty());
        let surface = surface(&generate(&spec).expect("generates").client).expect("Rust");
        surface.contains("if_match")
    };
    assert!(!fields(header));
    assert!(fields(&plain));
}

#[test]
fn an_error_is_typed_and_bodies_are_asked_for_as_json() {
    let offered = "            application/json: {schema: {$ref: '#/components/schemas/AreaPage'}}";
    let four = [
        "            application/json;odata.metadata=none: {schema: {$ref: '#/components/schemas/AreaPage'}}",
        "            text/plain: {schema: {$ref: '#/components/schemas/AreaPage'}}",
        offered,
    ];
    let spec = spoilt(offered, &four.join("\n"));
    let client = generate(&spec).expect("generates").client;
    let returns = "Result<crate::Reply<types::AreaPage>,crate::Error>";
    assert!(without_spaces(&client).contains(returns), "{client}");
    assert!(
        client.contains(r#"HeaderValue::from_static("application/json")"#),
        "{client}"
    );
}

#[test]
fn an_example_in_a_description_is_no_test() {
    let description = "    Area:\n      description: |\n        For example:\n\n            {\"id\": 1}\n\n        ```\n        let x = broken(;\n        ```\n";
    let spec = spoilt("    Area:\n", description);
    let model = model(&spec);
    let docs: Vec<&str> = model
        .lines()
        .skip_while(|line| !line.contains("For example:"))
        .take_while(|line| !line.starts_with("#["))
        .collect();
    assert_snapshot!(docs.join("\n"), @r#"
/**For example:

   {"id": 1}

```text
let x = broken(;
```*/
"#);
}

#[test]
fn nothing_positional_is_public() {
    let client = generate(&Spec::parse(SOUND).expect("sound"))
        .expect("generates")
        .client;
    let surface = surface(&client).expect("Rust");
    assert!(!surface.contains("Client: async fn"), "{surface}");
    assert!(!surface.contains("Client: fn"), "{surface}");
}

#[test]
fn a_method_ends_with_its_request() {
    let client = generate(&Spec::parse(SOUND).expect("sound"))
        .expect("generates")
        .client;
    assert!(client.contains("let request = self"), "{client}");
    for sent in ["self.pre(", "self.exec(", "self.post(", "ClientHooks<"] {
        assert!(!client.contains(sent), "{sent} in\n{client}");
    }
}

#[test]
fn operations_are_an_enum_and_a_table() {
    let spec = Spec::parse(SOUND).expect("sound");
    let list = operations::operations(spec.document());
    assert_snapshot!(operations::table(&list), @"
<!-- Written by `cargo xtask regen` from spec/openapi.yaml. -->

# Operations

Any one of the scopes suffices. Errors that any operation may return are listed in spec/README.md.

| operation | method | path | scopes | errors |
|---|---|---|---|---|
| listAreas | GET | `/v2/areas` | `Data.Read`, `Data.ReadWrite` |  |
| updateArea | PUT | `/v1/Areas/{id}` | `Data.ReadWrite` |  |
");
    let source = operations::server_source(&list).expect("Rust");
    assert_snapshot!(item(&source, "pub enum Operation"), @"
pub enum Operation {
    ///`GET /v2/areas`
    ListAreas,
    ///`PUT /v1/Areas/{id}`
    UpdateArea,
}
");
    assert!(
        source.contains(r#"Operation::ListAreas => &["$filter", "$top"]"#),
        "{source}"
    );
    assert!(
        source.contains(r#"Operation::ListAreas => &["Data.Read", "Data.ReadWrite"]"#),
        "{source}"
    );
}

#[test]
fn what_the_lint_lets_through_by_mistake_is_an_error_and_no_panic() {
    // Two success answers, which the generator asserts against; the lint is left out here.
    let spec = spoilt(
        "        default: {$ref: '#/components/responses/Problem'}\n  /v1",
        "        '201': {description: Made.}\n        default: {$ref: '#/components/responses/Problem'}\n  /v1",
    );
    let error = generate(&spec).expect_err("the generator refuses");
    assert!(
        error.to_string().starts_with("the generator failed ("),
        "{error}"
    );
}

/// Files: the call that sends one is written by hand, and the one that reads one gives its bytes.
#[test]
fn an_operation_with_a_form_has_no_call_and_one_that_answers_bytes_returns_them() {
    let form = spoilt(
        "          application/json: {schema: {$ref: '#/components/schemas/AreaUpdate'}}",
        "          multipart/form-data: {schema: {type: object, properties: {file: {type: string, format: binary}}}}",
    );
    assert_eq!(obeya_codegen::lint(&form).len(), 0);
    let client = generate(&form).expect("the document generates").client;
    assert!(!client.contains("pub struct UpdateArea"), "{client}");
    assert!(client.contains("pub struct ListAreas"), "{client}");
    // It is an operation of the client all the same.
    assert!(
        client.contains("Operation::UpdateArea => \"updateArea\""),
        "{client}"
    );

    let bytes = spoilt(
        "            application/json: {schema: {$ref: '#/components/schemas/Area'}}",
        "            image/png: {schema: {type: string, format: binary}}",
    );
    assert_eq!(obeya_codegen::lint(&bytes).len(), 0);
    let client = generate(&bytes).expect("the document generates").client;
    let call = "    impl crate::Call for UpdateArea<'_> {\n        type Output = ::bytes::Bytes;\n";
    assert!(client.contains(call), "{client}");
}

/// Code without its layout.
fn without_spaces(code: &str) -> String {
    code.split_whitespace().collect()
}
