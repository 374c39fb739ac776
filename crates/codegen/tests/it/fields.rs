//! Which properties query options may name, on the small document.

use obeya_codegen::{Spec, entity_types, fields, surface};

use crate::small::{SOUND, spoilt};

/// Areas linked with halls, which no operation lists.
fn linked() -> Spec {
    spoilt(
        "        closed: {type: string, format: date-time, nullable: true}\n",
        "        closed: {type: string, format: date-time, nullable: true}\n\
         \x20       hall: {description: The hall., anyOf: [{$ref: '#/components/schemas/Hall'}, {type: object, nullable: true, enum: [null]}]}\n\
         \x20   Hall:\n\
         \x20     type: object\n\
         \x20     description: A hall.\n\
         \x20     properties:\n\
         \x20       lit: {type: boolean, description: Whether the light is on.}\n\
         \x20       floorHeight: {type: number, format: double}\n\
         \x20       built: {type: string, format: date}\n\
         \x20       tags: {type: array, items: {type: string}}\n\
         \x20       sizes: {type: array, items: {type: integer, format: int32}}\n\
         \x20       areas: {type: array, items: {$ref: '#/components/schemas/Area'}}\n",
    )
}

#[test]
fn what_a_filtered_list_reaches_has_a_module_and_nothing_else_has() {
    let source = fields(&linked()).expect("the document generates");
    insta::assert_snapshot!(surface(&source).expect("generated Rust"), @"
mod area
  struct Row<R>(Path<R>)
    Row<R>: fn id(&self) -> Property<R, Int>
    Row<R>: fn kind(&self) -> Property<R, Enum<Kind>>
    Row<R>: fn closed(&self) -> Property<R, fields::Instant>
    Row<R>: fn hall(&self) -> One<super::hall::Row<R>>
  fn id() -> Property<Area, Int>
  fn kind() -> Property<Area, Enum<Kind>>
  fn closed() -> Property<Area, fields::Instant>
  fn hall() -> One<super::hall::Row<Area>>
mod hall
  struct Row<R>(Path<R>)
    Row<R>: fn lit(&self) -> Property<R, Boolean>
    Row<R>: fn floor_height(&self) -> Property<R, Double>
    Row<R>: fn built(&self) -> Property<R, fields::Date>
    Row<R>: fn tags(&self) -> Property<R, Texts>
    Row<R>: fn areas(&self) -> Many<super::area::Row<R>>
  fn lit() -> Property<Hall, Boolean>
  fn floor_height() -> Property<Hall, Double>
  fn built() -> Property<Hall, fields::Date>
  fn tags() -> Property<Hall, Texts>
  fn areas() -> Many<super::area::Row<Hall>>
");
}

#[test]
fn names_on_the_wire_and_descriptions_are_the_specifications() {
    let source = fields(&linked()).expect("the document generates");
    for part in [
        "pub const PROPERTIES: &[(&str, &str)] = &[\n        (\"lit\", \"Edm.Boolean\"),\n        (\"floorHeight\", \"Edm.Double\"),\n        (\"built\", \"Edm.Date\"),\n        (\"tags\", \"Collection(Edm.String)\"),\n        (\"areas\", \"Collection(Area)\"),\n    ];",
        "self.0.property(\"floorHeight\")",
        "self.0.one(\"hall\")",
        "self.0.many(\"areas\")",
        "Whether the light is on.\n\n`lit` on the wire.",
    ] {
        assert!(source.contains(part), "there is no {part:?} in\n{source}");
    }
}

#[test]
fn a_list_without_a_filter_has_no_fields() {
    let spec = spoilt(
        "        - {name: $filter, in: query, schema: {type: string}}\n",
        "",
    );
    assert_eq!(
        surface(&fields(&spec).expect("generates"))
            .expect("Rust")
            .trim(),
        ""
    );
    // The real document has one.
    let spec = Spec::parse(SOUND).expect("sound");
    assert!(fields(&spec).expect("generates").contains("pub mod area"));
}

#[test]
fn entity_types_have_the_same_properties_and_their_words() {
    let source = entity_types(&linked()).expect("the document generates");
    for part in [
        "property(\"kind\", Type::Enum(&KIND))",
        "property(\"floorHeight\", Type::Double)",
        "link(\"hall\", &HALL, Cardinality::One)",
        "link(\"areas\", &AREA, Cardinality::Many)",
        "impl Entity for ::obeya_model::Hall {",
        "static KIND: EnumType = EnumType {\n    name: \"Kind\",\n    members: &[\"Hall\", \"Yard\"],\n};",
    ] {
        assert!(source.contains(part), "there is no {part:?} in\n{source}");
    }
}
