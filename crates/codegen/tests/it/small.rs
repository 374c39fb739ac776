//! A small valid document, and ways to break it.

use obeya_codegen::Spec;

/// Two operations, a body, an enum, everything the lint wants.
pub(crate) const SOUND: &str = r##"openapi: 3.0.3
info: {title: Small, version: 0.1.0}
paths:
  /v2/areas:
    get:
      operationId: listAreas
      x-sdk-name: areas.list
      tags: [Areas]
      security: [{oauth2: [Data.Read]}, {oauth2: [Data.ReadWrite]}]
      parameters:
        - {name: $filter, in: query, schema: {type: string}}
        - {name: $top, in: query, schema: {type: integer, format: int32, minimum: 1}}
      responses:
        '200':
          description: A page.
          content:
            application/json: {schema: {$ref: '#/components/schemas/AreaPage'}}
        default: {$ref: '#/components/responses/Problem'}
  /v1/Areas/{id}:
    put:
      operationId: updateArea
      x-sdk-name: areas.update
      tags: [Areas]
      security: [{oauth2: [Data.ReadWrite]}]
      parameters:
        - {name: id, in: path, required: true, schema: {type: integer, format: int32}}
      requestBody:
        required: true
        content:
          application/json: {schema: {$ref: '#/components/schemas/AreaUpdate'}}
      responses:
        '200':
          description: The area.
          content:
            application/json: {schema: {$ref: '#/components/schemas/Area'}}
        default: {$ref: '#/components/responses/Problem'}
components:
  securitySchemes:
    oauth2:
      type: oauth2
      flows: {clientCredentials: {tokenUrl: /connect/token, scopes: {Data.Read: Read, Data.ReadWrite: Write}}}
  responses:
    Problem:
      description: An error.
      content:
        application/problem+json: {schema: {$ref: '#/components/schemas/Problem'}}
  schemas:
    Kind: {type: string, enum: [Hall, Yard]}
    Area:
      type: object
      required: [id, kind, closed]
      properties:
        id: {type: integer, format: int32, minimum: 1}
        kind: {$ref: '#/components/schemas/Kind'}
        closed: {type: string, format: date-time, nullable: true}
    AreaPage:
      type: object
      required: [value]
      properties:
        value: {type: array, items: {$ref: '#/components/schemas/Area'}}
    AreaUpdate:
      type: object
      required: [kind]
      properties:
        kind: {$ref: '#/components/schemas/Kind'}
        text: {type: string, nullable: true, maxLength: 100, x-obeya-patch: true}
        second: {x-obeya-patch: true, anyOf: [{$ref: '#/components/schemas/Kind'}, {type: object, nullable: true, enum: [null]}]}
    Problem:
      type: object
      required: [code]
      properties:
        code: {type: string}
"##;

/// The valid document with one passage replaced. The passage must exist, or the test would test nothing.
pub(crate) fn spoilt(passage: &str, by: &str) -> Spec {
    assert!(
        SOUND.contains(passage),
        "the sound document has no {passage:?}"
    );
    match Spec::parse(&SOUND.replacen(passage, by, 1)) {
        Ok(spec) => spec,
        Err(error) => panic!("the spoilt document is not even YAML: {error}"),
    }
}

/// The faults that the lint finds in the valid document with one passage replaced.
pub(crate) fn faults(passage: &str, by: &str) -> String {
    obeya_codegen::lint(&spoilt(passage, by))
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join("\n")
}
