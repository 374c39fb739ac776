//! Decoding by value, and strictness case by case.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, TimestampMicrosecondType};
use arrow_array::{Array, RecordBatch};
use arrow_ipc::writer::StreamWriter;
use arrow_schema::{DataType, Field, Schema};

use super::{decode, decode_stream, ipc, validate_ipc, value_schema};

/// A page around rows.
fn page(rows: &str) -> String {
    format!(r#"{{"pageSize":1000,"pageNo":1,"count":2,"values":[{rows}]}}"#)
}

/// A row with `more` in it, which may repeat a key.
fn row(more: &str) -> String {
    format!(
        r#"{{"id":1,"dataSourceId":9,"value":1.5,"registrationDate":"2026-01-02T03:04:06Z","valueDate":"2026-01-02T03:04:05Z"{more}}}"#
    )
}

fn refused(body: &str) -> String {
    decode(body.as_bytes(), 10)
        .unwrap_err()
        .into_error("listDatasourceValuesV1")
        .to_string()
}

#[test]
fn every_column_has_its_values() {
    let body = page(
        r#"{"id":-7,"dataSourceId":9,"registrationDate":"1970-01-01T00:00:01.1234567Z","areaId":3,"assetId":null,
            "projectId":2147483647,"value":0.1,"description":"æ\"\n","dimension":"day","dimension2":"a",
            "dimension3":null,"dimension4":"x","valueDate":"1970-01-01T01:00:00.5+01:00","externalId":"e1"},
           {"valueDate":"1969-12-31T23:59:59.9999999","id":8,"new":{"deep":[1]},"registrationDate":"1970-01-01T00:00:02","value":7,"dataSourceId":9,
            "dimension":"day"}"#,
    );
    let decoded = decode(body.as_bytes(), 10).unwrap();
    assert_eq!((decoded.page_size, decoded.count), (1000, Some(2)));
    let batch = &decoded.batches[0];
    assert_eq!(batch.schema(), value_schema());

    let ints = |name: &str| -> Vec<Option<i32>> {
        batch
            .column_by_name(name)
            .unwrap()
            .as_primitive::<Int32Type>()
            .iter()
            .collect()
    };
    assert_eq!(ints("id"), [Some(-7), Some(8)]);
    assert_eq!(ints("dataSourceId"), [Some(9), Some(9)]);
    assert_eq!(ints("areaId"), [Some(3), None]);
    assert_eq!(ints("assetId"), [None, None]);
    assert_eq!(ints("projectId"), [Some(i32::MAX), None]);

    let values = batch
        .column_by_name("value")
        .unwrap()
        .as_primitive::<Float64Type>();
    assert_eq!(values.values(), &[0.1, 7.0]);

    let instants = |name: &str| -> Vec<Option<i64>> {
        let column = batch.column_by_name(name).unwrap();
        column
            .as_primitive::<TimestampMicrosecondType>()
            .iter()
            .collect()
    };
    // Half a second, since 01:00 at +01:00 is midnight; and one microsecond before the epoch, digits cut
    // downwards.
    assert_eq!(instants("valueDate"), [Some(500_000), Some(-1)]);
    assert_eq!(
        instants("registrationDate"),
        [Some(1_123_456), Some(2_000_000)]
    );

    let texts = |name: &str| -> Vec<Option<&str>> {
        batch
            .column_by_name(name)
            .unwrap()
            .as_string::<i32>()
            .iter()
            .collect()
    };
    assert_eq!(texts("description"), [Some("æ\"\n"), None]);
    assert_eq!(texts("externalId"), [Some("e1"), None]);

    let words = |name: &str| -> Vec<Option<&str>> {
        let column = batch
            .column_by_name(name)
            .unwrap()
            .as_dictionary::<Int32Type>();
        column
            .downcast_dict::<arrow_array::StringArray>()
            .unwrap()
            .into_iter()
            .collect()
    };
    assert_eq!(words("dimension"), [Some("day"), Some("day")]);
    assert_eq!(words("dimension2"), [Some("a"), None]);
    assert_eq!(words("dimension3"), [None, None]);
    assert_eq!(words("dimension4"), [Some("x"), None]);
    let dimension = batch
        .column_by_name("dimension")
        .unwrap()
        .as_dictionary::<Int32Type>();
    assert_eq!(dimension.values().len(), 1, "a word is stored once");
}

#[test]
fn rows_may_change_the_order_of_their_keys() {
    let body = page(
        r#"{"id":1,"dataSourceId":9,"registrationDate":"2026-01-03T00:00:00Z","value":1,"valueDate":"2026-01-02T03:04:05Z"},
           {"valueDate":"2026-01-02T03:04:05Z","value":2,"registrationDate":"2026-01-03T00:00:00Z","dataSourceId":9,"id":2},
           {"id":3,"value":3,"registrationDate":"2026-01-03T00:00:00Z","dataSourceId":9,"valueDate":"2026-01-02T03:04:05Z"}"#,
    );
    let batch = &decode(body.as_bytes(), 0).unwrap().batches[0];
    assert_eq!(
        batch.column(0).as_primitive::<Int32Type>().values(),
        &[1, 2, 3]
    );
    assert_eq!(
        batch.column(6).as_primitive::<Float64Type>().values(),
        &[1.0, 2.0, 3.0]
    );
}

#[test]
fn what_does_not_fit_is_refused_at_its_place() {
    let good = row("");
    for (bad, path) in [
        (row(r#","areaId":2147483648"#), "values[1].areaId"),
        (row(r#","areaId":-2147483649"#), "values[1].areaId"),
        (row(r#","areaId":"7""#), "values[1].areaId"),
        (row(r#","areaId":7.0"#), "values[1].areaId"),
        (row(r#","areaId":true"#), "values[1].areaId"),
        (row(r#","description":7"#), "values[1].description"),
        (row(r#","dimension":["a"]"#), "values[1].dimension"),
        (
            good.replace("2026-01-02T03:04:06Z", "2026-13-01T00:00:00Z"),
            "values[1].registrationDate",
        ),
        (
            good.replace("2026-01-02T03:04:06Z", "2026-02-29T00:00:00Z"),
            "values[1].registrationDate",
        ),
        (
            good.replace("2026-01-02T03:04:06Z", "yesterday"),
            "values[1].registrationDate",
        ),
        (
            good.replace("\"2026-01-02T03:04:06Z\"", "0"),
            "values[1].registrationDate",
        ),
        (good.replace("1.5", "\"1.5\""), "values[1].value"),
        (good.replace("1.5", "null"), "values[1].value"),
        (good.replace("1.5", "1e999"), "values[1].value"),
        (good.replace("1.5", "NaN"), "values[1].value"),
        (
            good.replace("\"2026-01-02T03:04:05Z\"", "null"),
            "values[1].valueDate",
        ),
        (
            good.replace("\"2026-01-02T03:04:06Z\"", "null"),
            "values[1].registrationDate",
        ),
        (good.replace("\"id\":1", "\"id\":null"), "values[1].id"),
    ] {
        let text = refused(&page(&format!("{good},{bad}")));
        let place = format!("does not match the interface at {path}: ");
        assert!(text.contains(&place), "{bad}: {text}");
    }
}

#[test]
fn rows_and_pages_must_be_whole() {
    let good = row("");
    let whole = page(&good);
    for (body, reason) in [
        (page(&good.replace("\"id\":1,", "")), "missing field `id`"),
        (
            page(&good.replace("\"value\":1.5,", "")),
            "missing field `value`",
        ),
        (
            page(&good.replace("\"registrationDate\":\"2026-01-02T03:04:06Z\",", "")),
            "missing field `registrationDate`",
        ),
        (page(&row(r#","id":2"#)), "duplicate field `id`"),
        (page("7"), "invalid type"),
        (whole.replace("\"count\":2,", ""), "missing field `count`"),
        (whole.replace("\"pageNo\":1,", ""), "missing field `pageNo`"),
        (
            whole.replace("\"pageNo\":1,", "\"pageNo\":1,\"pageNo\":1,"),
            "duplicate field `pageNo`",
        ),
        (format!("{whole}x"), "trailing characters"),
        (format!("{whole}{whole}"), "trailing characters"),
        (whole.trim_end_matches('}').to_owned(), "EOF"),
        (whole.replace("1.5", "1.5\u{1}"), "expected"),
        (String::new(), "EOF"),
    ] {
        let text = refused(&body);
        assert!(text.contains(reason), "{body}: {text}");
    }
}

/// A page of three rows, as a service would send it: by another implementation of the format than the
/// reader's checks.
fn stream() -> Vec<u8> {
    let rows = [
        row(r#","dimension":"day","description":"æ""#),
        row(r#","dimension":"night""#),
        row(""),
    ];
    let batch = decode(page(&rows.join(",")).as_bytes(), 3)
        .unwrap()
        .batches
        .remove(0);
    written(&[batch])
}

fn written(batches: &[RecordBatch]) -> Vec<u8> {
    let schema = batches[0].schema();
    let mut writer = StreamWriter::try_new(Vec::new(), &schema).unwrap();
    for batch in batches {
        writer.write(batch).unwrap();
    }
    writer.into_inner().unwrap()
}

fn refused_stream(body: Vec<u8>) -> String {
    let mismatch = decode_stream(body.into()).unwrap_err();
    mismatch.into_error("listDatasourceValuesV1").to_string()
}

#[test]
fn a_stream_gives_its_batches_by_our_schema() {
    let whole = decode_stream(stream().into()).unwrap();
    assert_eq!((whole.len(), whole[0].num_rows()), (1, 3));
    let batch = &whole[0];
    // Another service may have its fields in another order, more of them, and its page in pieces.
    let mut fields: Vec<_> = value_schema().fields().iter().rev().cloned().collect();
    fields.push(Arc::new(Field::new("more", DataType::Int32, false)));
    let mut columns: Vec<_> = batch.columns().iter().rev().cloned().collect();
    columns.push(Arc::new(arrow_array::Int32Array::from_value(1, 3)));
    let theirs = RecordBatch::try_new(Arc::new(Schema::new(fields)), columns).unwrap();
    let pieces = [theirs.slice(0, 2), theirs.slice(2, 1)];
    let found = decode_stream(written(&pieces).into()).unwrap();
    assert_eq!(found, [batch.slice(0, 2), batch.slice(2, 1)]);
    let none = decode_stream(written(&[theirs.slice(0, 0)]).into()).unwrap();
    assert_eq!(none, [batch.slice(0, 0)]);
    let mut writer = StreamWriter::try_new(Vec::new(), &value_schema()).unwrap();
    writer.finish().unwrap();
    let empty = decode_stream(writer.into_inner().unwrap().into()).unwrap();
    assert_eq!((empty.len(), empty[0].num_rows()), (1, 0));
}

#[test]
fn a_stream_of_another_schema_is_refused_by_field() {
    let batch = decode_stream(stream().into()).unwrap().remove(0);
    let changed =
        |change: &dyn Fn(&mut Vec<arrow_schema::FieldRef>, &mut Vec<arrow_array::ArrayRef>)| {
            let mut fields: Vec<_> = value_schema().fields().iter().cloned().collect();
            let mut columns = batch.columns().to_vec();
            change(&mut fields, &mut columns);
            let batch = RecordBatch::try_new(Arc::new(Schema::new(fields)), columns).unwrap();
            refused_stream(written(&[batch]))
        };
    let missing = changed(&|fields, columns| {
        fields.remove(6);
        columns.remove(6);
    });
    assert!(missing.contains("missing field `value`"), "{missing}");
    let other = changed(&|fields, columns| {
        fields[0] = Arc::new(Field::new("id", DataType::Int64, false));
        columns[0] = Arc::new(arrow_array::Int64Array::from_value(1, 3));
    });
    assert!(
        other.contains("at id: invalid type: Int64, expected Int32"),
        "{other}"
    );
    let null = changed(&|fields, columns| {
        fields[0] = Arc::new(Field::new("id", DataType::Int32, true));
        columns[0] = Arc::new(arrow_array::Int32Array::new_null(3));
    });
    assert!(null.contains("id"), "{null}");
}

#[test]
fn a_stream_that_breaks_off_anywhere_is_refused() {
    let whole = stream();
    for length in 0..whole.len() {
        let text = refused_stream(whole[..length].to_vec());
        assert!(text.contains("does not match the interface"), "{text}");
    }
    let mut longer = whole.clone();
    longer.extend_from_slice(&whole);
    refused_stream(longer);
    refused_stream(b"{\"pageSize\":1}".to_vec());
}

/// Whatever a byte becomes, there is an answer: batches that hold what their schema says, or a refusal.
/// Without the net below the reader, which would hide that it panics.
#[test]
fn a_stream_with_a_wrong_byte_never_panics() {
    let whole = stream();
    let more = if obeya_testkit::is_long() { 100 } else { 0 };
    let mut random = obeya_testkit::rng();
    let mut refused = 0;
    for place in 0..whole.len() {
        let random = std::iter::repeat_with(|| random.u8(..)).take(more);
        let bytes = [whole[place] ^ 1, whole[place] ^ 0x80, 0xFF];
        let bytes: Vec<u8> = bytes.into_iter().chain(random).collect();
        for byte in bytes {
            let mut body = whole.clone();
            body[place] = byte;
            let found = validate_ipc::validate_ipc(&body).and_then(|()| ipc::read(body.into()));
            match found {
                Ok(batches) => {
                    for column in batches.iter().flat_map(RecordBatch::columns) {
                        column.to_data().validate_full().unwrap();
                    }
                }
                Err(_) => refused += 1,
            }
        }
    }
    assert!(refused > whole.len(), "{refused} of {}", whole.len());
}
