//! The generated properties of each record, for the service and for Arrow, on the small document.

use obeya_codegen::{Spec, bounds, closed_enums, columns, entities};

use crate::small::{SOUND, spoilt};

/// Areas linked with halls, which no operation lists.
fn linked() -> Spec {
    spoilt(
        "        closed: {type: string, format: date-time, nullable: true}\n",
        "        closedAt: {type: string, format: date-time, nullable: true}\n\
         \x20       hall: {anyOf: [{$ref: '#/components/schemas/Hall'}, {type: object, nullable: true, enum: [null]}]}\n\
         \x20       parts: {type: array, items: {$ref: '#/components/schemas/Hall'}}\n\
         \x20   Hall:\n\
         \x20     type: object\n\
         \x20     required: [id, floorHeight]\n\
         \x20     properties:\n\
         \x20       id: {type: integer, format: int32}\n\
         \x20       floorHeight: {type: number, format: double}\n\
         \x20       built: {type: string, format: date}\n\
         \x20       volume: {type: integer, format: int64}\n\
         \x20       tags: {type: array, items: {type: string}}\n\
         \x20       areas: {type: array, items: {$ref: '#/components/schemas/Area'}}\n",
    )
}

fn assert_parts(source: &str, parts: &[&str]) {
    let flat = |text: &str| {
        text.split_whitespace()
            .collect::<String>()
            .replace(",)", ")")
            .replace("usize]", "]")
    };
    let source_flat = flat(source);
    for part in parts {
        assert!(
            source_flat.contains(&flat(part)),
            "there is no {part:?} in\n{source}"
        );
    }
}

#[test]
fn an_entity_reads_each_value_from_the_column_of_its_own_name() {
    let source = entities(&linked()).expect("the document generates");
    assert_parts(
        &source,
        &[
            "pub(super) struct Area { /// `id` pub(super) id: Source,",
            "closed_at: column(\"closed_at\")",
            "self.closed_at.property(\"closedAt\", Type::DateTimeOffset, true)",
            "self.floor_height.property(\"floorHeight\", Type::Double, false)",
            "self.built.property(\"built\", Type::Date, false)",
            "self.tags.property(\"tags\", Type::Texts, false)",
            "Type::Enum(&KIND)",
            "static KIND: EnumType = EnumType { name: \"Kind\", members: &[",
        ],
    );
    // Links are no values.
    assert!(!source.contains("hall"), "{source}");
}

#[test]
fn a_set_of_words_is_an_enum_with_the_words_of_the_wire() {
    let spec = Spec::parse(SOUND).expect("sound");
    let source = closed_enums(&spec).expect("the document generates");
    assert_parts(
        &source,
        &[
            "pub enum Kind {",
            "impl ClosedEnum for Kind {",
            "const ALL_NAMES: &'static [&'static str] = &[",
        ],
    );
}

#[test]
fn a_bound_is_a_constant_with_the_type_of_what_it_bounds() {
    let spec = spoilt(
        "        closed: {type: string, format: date-time, nullable: true}\n",
        "        closed: {type: string, pattern: '^a$', minLength: 1}\n\
         \x20       parts: {type: array, maxItems: 3, items: {type: number, minimum: 1, maximum: 2.5}}\n\
         \x20       isOpen: {type: boolean, default: true}\n\
         \x20       weight: {type: integer, format: int64, maximum: 10, default: 7}\n",
    );
    let source = bounds(&spec).expect("the document generates");
    assert_parts(
        &source,
        &[
            "pub mod area { /// `id` pub mod id {",
            "pub const RANGE: ::core::ops::RangeInclusive<i32> = 1..=i32::MAX;",
            "pub const LENGTH: ::core::ops::RangeInclusive<usize> = 1..=usize::MAX;",
            "pub const PATTERN: &str = \"^a$\";",
            "pub const ITEMS: ::core::ops::RangeInclusive<usize> = 0..=3;",
            "pub mod items { /// `minimum` and `maximum`
             pub const RANGE: ::core::ops::RangeInclusive<f64> = 1f64..=2.5f64;",
            "pub mod is_open { /// `default` pub const DEFAULT: bool = true;",
            "pub const RANGE: ::core::ops::RangeInclusive<i64> = i64::MIN..=10;",
            "pub const DEFAULT: i64 = 7;",
            "pub mod list_areas { /// `$top` pub mod top {",
        ],
    );
    // Nothing bounds it.
    assert!(!source.contains("mod kind"), "{source}");
}

#[test]
fn a_column_may_be_null_where_the_document_allows_null_or_promises_nothing_but_the_key_never() {
    let source = columns(&linked()).expect("the document generates");
    assert_parts(
        &source,
        &[
            "Column::new(\"id\", Kind::Int, false, |r| r.id.into())",
            "Column::new(\"closedAt\", Kind::Instant, true, |r| r.closed_at.into())",
            "Column::new(\"floorHeight\", Kind::Number, false, |r| r.floor_height.into())",
            "Column::new(\"built\", Kind::Day, true, |r| r.built.into())",
            "Column::new(\"volume\", Kind::Long, true, |r| r.volume.into())",
            "Column::new(\"tags\", Kind::Texts, true, |r| r.tags.as_deref().into())",
        ],
    );
}

#[test]
fn what_is_not_promised_is_a_link_and_no_column() {
    let source = columns(&linked()).expect("the document generates");
    assert_parts(
        &source,
        &[
            "static AREA: [Column<::obeya_model::Area>; 3]",
            "static AREA_LINKS: [Column<::obeya_model::Area>; 2]",
            "static LINKED_HALL: [Field; 5] = nullable_fields(&HALL);",
            "Kind::Row(&LINKED_HALL)",
            "Kind::List(&LINKED_HALL)",
            "tabular! { ::obeya_model::Area: AREA, AREA_LINKS; }",
        ],
    );
    assert!(!source.contains("HALL_FIELDS"), "{source}");
}

#[test]
fn a_promised_list_is_the_last_column() {
    let spec = spoilt(
        "    Area:\n      type: object\n      required: [id, kind, closed]\n      properties:\n",
        "    Part:\n\
         \x20     type: object\n\
         \x20     required: [id]\n\
         \x20     properties:\n\
         \x20       id: {type: integer, format: int32}\n\
         \x20   Area:\n\
         \x20     type: object\n\
         \x20     required: [id, kind, closed, parts]\n\
         \x20     properties:\n\
         \x20       parts: {type: array, items: {$ref: '#/components/schemas/Part'}}\n",
    );
    let source = columns(&spec).expect("the document generates");
    let location = |name: &str| source.find(&format!("\"{name}\"")).expect("a column");
    assert!(location("closed") < location("parts"), "{source}");
    assert_parts(
        &source,
        &[
            "static PART_FIELDS: [Field; 1] = fields(&PART);",
            "Cell::list(&PART_FIELDS, &PART, &r.parts)",
        ],
    );
}

#[test]
fn a_setting_that_names_no_property_is_an_error_that_says_where_to_mend_it() {
    let spec = spoilt(
        "        closed: {type: string, format: date-time, nullable: true}\n",
        "        improvement: {$ref: '#/components/schemas/Improvement'}\n\
         \x20   Improvement:\n\
         \x20     type: object\n\
         \x20     properties:\n\
         \x20       id: {type: integer, format: int32}\n",
    );
    let error = columns(&spec).expect_err("no property `group`").to_string();
    assert!(
        error.contains("`Improvement.group` is no property")
            && error.contains("records/columns.rs"),
        "{error}"
    );
}
