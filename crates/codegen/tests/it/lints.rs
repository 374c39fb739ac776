//! Each fact about the generator, as the sentence an editor of the specification gets to read.

use insta::assert_snapshot;

use crate::small::{SOUND, faults};

#[test]
fn the_sound_document_has_no_fault() {
    assert_eq!(faults("", ""), "");
}

// Documents on which the generator panics.

#[test]
fn two_success_responses() {
    assert_snapshot!(faults(
        "        '200':\n          description: The area.",
        "        '204': {description: Nothing.}\n        '200':\n          description: The area.",
    ), @"line 31: operation `updateArea`: must have exactly one success response, found `204`, `200`");
}

#[test]
fn a_bodyless_error_beside_a_typed_one() {
    assert_snapshot!(faults(
        "        default: {$ref: '#/components/responses/Problem'}\n  /v1",
        "        '401': {description: Who?}\n        default: {$ref: '#/components/responses/Problem'}\n  /v1",
    ), @"line 19: operation `listAreas`: the error responses `401` and `default` have different bodies; a method has one error type");
}

#[test]
fn no_error_response() {
    assert_snapshot!(faults("        default: {$ref: '#/components/responses/Problem'}\n  /v1", "  /v1"), @"line 13: operation `listAreas`: no error response; refer to the shared `default` one");
}

#[test]
fn json_without_schema() {
    assert_snapshot!(faults("application/json: {schema: {$ref: '#/components/schemas/AreaPage'}}", "application/json: {}"), @"line 17: GET /v2/areas: `application/json` has no schema; give it one, if only `type: object`");
}

#[test]
fn two_request_media_types() {
    assert_snapshot!(faults(
        "          application/json: {schema: {$ref: '#/components/schemas/AreaUpdate'}}",
        "          application/json: {schema: {$ref: '#/components/schemas/AreaUpdate'}}\n          text/plain: {schema: {type: string}}",
    ), @"line 27: operation `updateArea`: a request body must be offered as exactly `application/json` or `multipart/form-data`, and that of a PATCH perhaps as `application/merge-patch+json` too, with the same schema; found `application/json`, `text/plain`");
}

#[test]
fn a_dangling_reference() {
    assert_snapshot!(faults("items: {$ref: '#/components/schemas/Area'}", "items: {$ref: '#/components/schemas/Arena'}"), @"line 60: schema `AreaPage`: `#/components/schemas/Arena` points at nothing in this file; check the spelling, or add the component");
    assert_snapshot!(faults("items: {$ref: '#/components/schemas/Area'}", "items: {$ref: 'other.yaml#/Area'}"), @"line 60: schema `AreaPage`: `other.yaml#/Area` points at nothing in this file; check the spelling, or add the component");
}

#[test]
fn path_parameters_that_are_optional_missing_or_too_many() {
    assert_snapshot!(faults("in: path, required: true", "in: path"), @"line 25: operation `updateArea`: path parameter `id` must say `required: true`");
    assert_snapshot!(faults("        - {name: id, in: path, required: true, schema: {type: integer, format: int32}}", "        []"), @"line 20: operation `updateArea`: `{id}` in the path is not declared under `parameters`");
    assert_snapshot!(faults("/v1/Areas/{id}", "/v1/Areas/first"), @"line 25: operation `updateArea`: path parameter `id` does not occur in /v1/Areas/first");
}

#[test]
fn enum_values_that_collide_after_casing() {
    assert_snapshot!(faults("enum: [Hall, Yard]", "enum: [Hall, hall]"), @"line 48: schema `Kind`: the enum values `hall` and `Hall` both become `Hall` in Rust; rename one");
    assert_snapshot!(faults("enum: [Hall, Yard]", "enum: [Hall, Unknown]"), @"line 48: schema `Kind`: the enum values `(a value this version does not know)` and `Unknown` both become `Unknown` in Rust; rename one");
    assert_snapshot!(faults("enum: [Hall, Yard]", "enum: [Hall, null]"), @"line 48: schema `Kind`: the enum value `null` is not a string; say `nullable` where the enum is used");
}

// Documents that it rejects, without a line.

#[test]
fn another_version_of_openapi() {
    assert_snapshot!(faults("openapi: 3.0.3", "openapi: 3.1.0"), @"line 1: document: `openapi` must be 3.0.x, found 3.1.0; the generator knows no other version");
}

#[test]
fn cookies_and_deep_objects() {
    assert_snapshot!(faults("name: $top, in: query", "name: $top, in: cookie"), @"line 10: operation `listAreas`: cookie parameter `$top`: the generator knows only path, query and header");
    assert_snapshot!(faults("name: $top, in: query", "name: $top, in: query, style: deepObject"), @"line 10: operation `listAreas`: parameter `$top` has style `deepObject`; the generator knows only `form` here");
}

#[test]
fn only_an_optional_header_is_left_to_the_executor() {
    assert_snapshot!(faults("name: $top, in: query", "name: $top, x-obeya-by-executor: true, in: query"), @"line 10: operation `listAreas`: `x-obeya-by-executor` on `$top`, which is no optional header");
    assert_snapshot!(faults("name: $top, in: query", "name: top, x-obeya-by-executor: true, required: true, in: header"), @"line 10: operation `listAreas`: `x-obeya-by-executor` on `top`, which is no optional header");
    assert_eq!(
        faults(
            "name: $top, in: query",
            "name: top, x-obeya-by-executor: true, in: header"
        ),
        ""
    );
}

#[test]
fn no_operation_id() {
    assert_snapshot!(faults("      operationId: listAreas\n", ""), @"line 5: GET /v2/areas: no `operationId`; it names the method, so every operation needs one");
}

#[test]
fn only_a_patch_may_be_a_merge_patch_with_the_schema_of_its_json() {
    let head = "    put:\n      operationId: updateArea";
    let json = "application/json: {schema: {$ref: '#/components/schemas/AreaUpdate'}}";
    // The operation from its method to its body.
    let from = SOUND.find(head).expect("the operation");
    let to = SOUND.find(json).expect("its body") + json.len();
    let passage = &SOUND[from..to];
    let both = |schema: &str| {
        format!("{passage}\n          application/merge-patch+json: {{schema: {schema}}}")
    };
    let same = both("{$ref: '#/components/schemas/AreaUpdate'}");
    let patch = same.replace("    put:", "    patch:");
    assert_eq!(faults(passage, &patch), "");
    let other = both("{type: object}").replace("    put:", "    patch:");
    for refused in [same, other] {
        let faults = faults(passage, &refused);
        let expected =
            "with the same schema; found `application/json`, `application/merge-patch+json`";
        assert!(faults.ends_with(expected), "{faults}");
    }
}

#[test]
fn bodies_other_than_json() {
    assert_snapshot!(faults(
        "application/json: {schema: {$ref: '#/components/schemas/AreaUpdate'}}",
        "application/merge-patch+json: {schema: {$ref: '#/components/schemas/AreaUpdate'}}",
    ), @"line 27: operation `updateArea`: a request body must be offered as exactly `application/json` or `multipart/form-data`, and that of a PATCH perhaps as `application/merge-patch+json` too, with the same schema; found `application/merge-patch+json`");
}

#[test]
fn something_that_is_no_method() {
    assert_snapshot!(faults("    put:\n", "    query: {}\n    put:\n"), @"line 20: path /v1/Areas/{id}: `query` is not an HTTP method; the generator refuses it (and `$ref` here)");
}

// Documents that would give Rust that does not compile.

#[test]
fn parameters_that_collide() {
    assert_snapshot!(faults("name: $top, in: query", "name: filter, in: query"), @"line 10: operation `listAreas`: parameters `filter` and `$filter` both become `filter` in Rust; rename one");
}

#[test]
fn operation_ids_that_collide() {
    assert_snapshot!(faults("operationId: updateArea", "operationId: list_areas"
    ), @"line 21: operations: operationIds `list_areas` and `listAreas` both become `ListAreas` in Rust; rename one");
}

#[test]
fn properties_that_collide() {
    assert_snapshot!(faults("        closed: {", "        Id: {type: string}\n        closed: {"), @"line 55: schema `Area`: properties `Id` and `id` both become `id` in Rust; rename one");
}

#[test]
fn schemas_that_collide() {
    assert_snapshot!(faults("    AreaPage:\n", "    Area.page: {type: object}\n    AreaPage:\n"), @"line 57: schemas: schemas `AreaPage` and `Area.page` both become `AreaPage` in Rust; rename one");
    assert_snapshot!(faults("    AreaPage:\n", "    Timestamp: {type: string}\n    AreaPage:\n"), @"line 56: schema `Timestamp`: the name belongs to a hand-written type of the model");
}

// Documents that it silently gets wrong.

#[test]
fn media_types_with_different_schemas() {
    assert_snapshot!(faults(
        "            application/json: {schema: {$ref: '#/components/schemas/AreaPage'}}",
        "            application/json: {schema: {$ref: '#/components/schemas/AreaPage'}}\n            text/json: {schema: {type: string}}",
    ), @"line 14: operation `listAreas`: `text/json` and `application/json` have different schemas; the client reads all of them as one type");
}

#[test]
fn an_enum_without_a_name() {
    assert_snapshot!(faults("code: {type: string}", "code: {type: string, enum: [a, b]}"), @"line 72: schema `Problem`: an enum inside another schema would be closed to new values; name it under `components.schemas`");
}

#[test]
fn a_version_that_fits_no_header() {
    assert_snapshot!(faults("version: 0.1.0", "version: 0.1.0 – draft"), @"line 2: document: `info.version` must be plain ASCII without spaces, such as `0.1.0`");
}

#[test]
fn nullable_beside_a_reference() {
    assert_snapshot!(faults("kind: {$ref: '#/components/schemas/Kind'}", "kind: {$ref: '#/components/schemas/Kind', nullable: true}"), @"line 54: schema `Area`: `nullable` has no effect without `type` next to it; for a reference write `anyOf: [{$ref: …}, {type: object, nullable: true, enum: [null]}]`");
    assert_snapshot!(faults("kind: {$ref: '#/components/schemas/Kind'}", "kind: {nullable: true, allOf: [{$ref: '#/components/schemas/Kind'}]}"), @"line 54: schema `Area`: `nullable` has no effect without `type` next to it; for a reference write `anyOf: [{$ref: …}, {type: object, nullable: true, enum: [null]}]`");
}

#[test]
fn a_body_that_may_be_left_out() {
    assert_snapshot!(faults("        required: true\n        content", "        content"), @"line 27: operation `updateArea`: the request body must say `required: true`: the generated method always sends one");
}

#[test]
fn a_patch_that_is_required_or_never_null() {
    assert_snapshot!(faults("text: {type: string, nullable: true,", "text: {type: string,"), @"line 66: schema `AreaUpdate`: `text` has `x-obeya-patch` and must then be optional and nullable");
    assert_snapshot!(faults("required: [kind]", "required: [kind, text]"), @"line 66: schema `AreaUpdate`: `text` has `x-obeya-patch` and must then be optional and nullable");
}

#[test]
fn a_required_property_that_is_not_there() {
    assert_snapshot!(faults("required: [code]", "required: [code, title]"), @"line 70: schema `Problem`: requires `title`, which is not among its properties");
}

#[test]
fn a_raw_variant_of_nothing() {
    let bytes = "image/png: {schema: {type: string, format: binary}}\n        default: {$ref: '#/components/responses/Problem'}\n      x-raw-variant: true\n";
    assert_snapshot!(faults("application/json: {schema: {$ref: '#/components/schemas/AreaPage'}}\n        default: {$ref: '#/components/responses/Problem'}\n", bytes), @"line 19: operation `listAreas`: `x-raw-variant` needs a JSON success response");
}

#[test]
fn bytes_beside_json() {
    let json = "            application/json: {schema: {$ref: '#/components/schemas/AreaPage'}}\n        default: {$ref: '#/components/responses/Problem'}\n";
    let bytes = json.replace(
        "        default",
        "            text/csv: {schema: {type: string, format: binary}}\n        default",
    );
    assert_snapshot!(faults(json, &bytes), @"line 14: operation `listAreas`: `text/csv` returns bytes as well as JSON; set `x-raw-variant: true`, or no client can ask for them");
    let raw = format!("{bytes}      x-raw-variant: true\n");
    assert_eq!(faults(json, &raw), "");
}

// Rules that the service relies on.

#[test]
fn scopes_that_would_be_read_wrongly() {
    assert_snapshot!(faults("      security: [{oauth2: [Data.ReadWrite]}]\n", ""), @"line 20: operation `updateArea`: no `security`: anybody could call it; list the scopes of which one suffices");
    assert_snapshot!(faults("security: [{oauth2: [Data.ReadWrite]}]", "security: [{oauth2: [Data.Read, Data.ReadWrite]}]"), @"line 24: operation `updateArea`: a security alternative must name exactly one scope, found `Data.Read`, `Data.ReadWrite`");
    assert_snapshot!(faults("security: [{oauth2: [Data.ReadWrite]}]", "security: [{oauth2: [Data.Raed]}]"), @"line 24: operation `updateArea`: the scope `Data.Raed` is not among the scopes of the scheme `oauth2`");
    assert_snapshot!(faults("security: [{oauth2: [Data.ReadWrite]}]", "security: [{}]"), @"line 24: operation `updateArea`: each security alternative must name exactly one scheme");
}

#[test]
fn paths_that_match_the_same_requests() {
    let second = "  /V2/Areas:\n    get:\n      operationId: again\n      x-sdk-name: areas.again\n      tags: [Areas]\n      security: [{oauth2: [Data.Read]}]\n      responses:\n        '200': {description: Nothing.}\n        default: {$ref: '#/components/responses/Problem'}\ncomponents:\n";
    assert_snapshot!(faults("components:\n", second), @"line 38: GET /V2/Areas: matches the same requests as GET /v2/areas: paths match without regard to case");
}

#[test]
fn names_that_do_not_say_their_generation() {
    // The twin of `listAreas` under /v1.
    let twin = |id: &str| {
        format!(
            "  /v1/Areas:\n    get:\n      operationId: {id}\n      x-sdk-name: areas.list_v1\n      tags: [Areas]\n      security: [{{oauth2: [Data.Read]}}]\n      responses:\n        '200': {{description: Nothing.}}\n        default: {{$ref: '#/components/responses/Problem'}}\n  /v1/Areas/{{id}}:\n"
        )
    };
    let path = "  /v1/Areas/{id}:\n";
    assert_snapshot!(faults(path, &twin("listAreasV1")), @r"
    line 6: operation `listAreas`: both generations have this method and path, and the other id is `listAreasV1`: the two must be one name with `V1` and `V2` at its end, here `V2`
    line 21: operation `listAreasV1`: both generations have this method and path, and the other id is `listAreas`: the two must be one name with `V1` and `V2` at its end, here `V1`
    ");
    assert_snapshot!(faults("operationId: updateArea", "operationId: updateAreaV1"), @"line 21: operation `updateAreaV1`: exists in one generation only, so its name is `updateArea`");
    assert_snapshot!(faults("    AreaUpdate:\n", "    AreaV1: {type: object}\n    AreaUpdate:\n"), @"line 61: schema `AreaV1`: exists in one generation only, so its name is `Area`");
    assert_snapshot!(faults("    AreaUpdate:\n", "    AreaV1: {type: object}\n    AreaV2: {type: object}\n    AreaUpdate:\n"), @"line 49: schema `Area`: `AreaV1` and `AreaV2` are the schemas of the generations; this name says neither");
    // Both sides say it.
    let both = SOUND
        .replace("operationId: listAreas", "operationId: listAreasV2")
        .replace(path, &twin("listAreasV1"));
    let spec = obeya_codegen::Spec::parse(&both).expect("still YAML");
    assert!(obeya_codegen::lint(&spec).is_empty());
}

#[test]
fn no_tag() {
    assert_snapshot!(faults("      tags: [Areas]\n", ""), @"line 5: operation `listAreas`: must have exactly one tag");
}

// Data is not mistaken for keywords.

#[test]
fn examples_may_hold_anything() {
    let example = "        '200':\n          description: A page.\n          content:\n            application/json:\n              schema: {$ref: '#/components/schemas/AreaPage'}\n              example: {$ref: nowhere, content: {a: {}}, schema: {enum: [1]}}\n";
    let passage = "        '200':\n          description: A page.\n          content:\n            application/json: {schema: {$ref: '#/components/schemas/AreaPage'}}\n";
    assert_eq!(faults(passage, example), "");
}

#[test]
fn a_property_may_be_called_like_a_keyword() {
    assert_eq!(
        faults(
            "        code: {type: string}",
            "        code: {type: string}\n        content: {type: string}\n        enum: {type: string}\n        required: {type: string}"
        ),
        ""
    );
}

#[test]
fn all_faults_are_reported_at_once_in_the_order_of_the_file() {
    let twice = SOUND
        .replace("      tags: [Areas]\n", "")
        .replace("enum: [Hall, Yard]", "enum: [a, A]");
    let spec = obeya_codegen::Spec::parse(&twice).expect("still YAML");
    let lines: Vec<u32> = obeya_codegen::lint(&spec)
        .iter()
        .map(|fault| fault.line)
        .collect();
    assert_eq!(lines, [5, 19, 46]);
}

#[test]
fn names_of_the_sdks_that_are_missing_double_or_in_another_case() {
    assert_snapshot!(faults("      x-sdk-name: areas.update\n", ""), @"line 20: operation `updateArea`: no `x-sdk-name`; it names the method of the SDKs, so every operation needs one, such as `incidents.set_causes`");
    assert_snapshot!(faults("x-sdk-name: areas.update", "x-sdk-name: areas.list"), @"line 22: operation `updateArea`: `x-sdk-name: areas.list` is the name of operation `listAreas` already; choose another");
    assert_snapshot!(faults("x-sdk-name: areas.update", "x-sdk-name: areas.setKind"), @"line 22: operation `updateArea`: `x-sdk-name: areas.setKind` must be a resource and a method in snake_case, such as `incidents.set_causes`, or a method of the client, such as `ping`");
    assert_snapshot!(faults("x-sdk-name: areas.update", "x-sdk-name: plant.areas.update"), @"line 22: operation `updateArea`: `x-sdk-name: plant.areas.update` must be a resource and a method in snake_case, such as `incidents.set_causes`, or a method of the client, such as `ping`");
    assert_snapshot!(faults("x-sdk-name: areas.update", "x-sdk-name: areas.type"), @"line 22: operation `updateArea`: `x-sdk-name: areas.type` must be a resource and a method in snake_case, such as `incidents.set_causes`, or a method of the client, such as `ping`");
}
