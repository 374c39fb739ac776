//! Streams by the builders of arrow-ipc, each with one fact that is wrong. Whatever is accepted is decoded
//! without the net around the decoder, which would hide that it panics.

use arrow_array::new_null_array;
use arrow_ipc::reader::StreamDecoder;
use arrow_ipc::writer::StreamWriter;
use arrow_ipc::{
    BodyCompressionBuilder, BoolBuilder, CompressionType, DateBuilder, DictionaryBatchBuilder,
    DictionaryEncodingBuilder, FieldBuilder, FloatingPointBuilder, IntBuilder, MessageBuilder,
    MetadataVersion, RecordBatchBuilder, SchemaBuilder, TimestampBuilder, Utf8Builder,
};
use arrow_schema::{DataType, TimeUnit as Unit};
use flatbuffers::{FlatBufferBuilder, UnionWIPOffset, WIPOffset};

use super::*;

type Builder = FlatBufferBuilder<'static>;
type Header = WIPOffset<UnionWIPOffset>;

/// The mark of the end: a message without a size.
const END: [u8; 8] = [0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0];
const ROWS: usize = 9;
/// The id of the dictionary of a field.
const DICTIONARY: i64 = 7;

/// A column of the schema: its type, and for a dictionary the width of its keys if it names them.
struct Column {
    type_type: Type,
    /// The width of integers, the precision of floating-point numbers, the unit of instants.
    parameter: i32,
    keys: Option<Option<i32>>,
}

impl Column {
    fn new(type_type: Type, parameter: i32) -> Self {
        Self {
            type_type,
            parameter,
            keys: None,
        }
    }

    fn keyed(type_type: Type, keys: Option<i32>) -> Self {
        Self {
            keys: Some(keys),
            ..Self::new(type_type, 32)
        }
    }

    fn schema(&self, endianness: Endianness) -> Vec<u8> {
        message(MessageHeader::Schema, &[], |builder| {
            let name = builder.create_string("more");
            let ty = self.ty(builder);
            let dictionary = self.keys.map(|width| {
                let keys = width.map(|width| int(builder, width));
                let mut dictionary = DictionaryEncodingBuilder::new(builder);
                dictionary.add_id(DICTIONARY);
                if let Some(keys) = keys {
                    dictionary.add_indexType(keys);
                }
                dictionary.finish()
            });
            let mut field = FieldBuilder::new(builder);
            field.add_name(name);
            field.add_nullable(true);
            field.add_type_type(self.type_type);
            field.add_type_(ty);
            if let Some(dictionary) = dictionary {
                field.add_dictionary(dictionary);
            }
            let field = field.finish();
            let fields = builder.create_vector(&[field]);
            let mut schema = SchemaBuilder::new(builder);
            schema.add_endianness(endianness);
            schema.add_fields(fields);
            schema.finish().as_union_value()
        })
    }

    fn ty(&self, builder: &mut Builder) -> Header {
        let code = i16::try_from(self.parameter).expect("a code");
        match self.type_type {
            Type::Int => int(builder, self.parameter).as_union_value(),
            Type::FloatingPoint => {
                let mut ty = FloatingPointBuilder::new(builder);
                ty.add_precision(Precision(code));
                ty.finish().as_union_value()
            }
            Type::Timestamp => {
                let mut ty = TimestampBuilder::new(builder);
                ty.add_unit(TimeUnit(code));
                ty.finish().as_union_value()
            }
            Type::Bool => BoolBuilder::new(builder).finish().as_union_value(),
            Type::Utf8 => Utf8Builder::new(builder).finish().as_union_value(),
            Type::Date => DateBuilder::new(builder).finish().as_union_value(),
            other => panic!("no test has {other:?}"),
        }
    }
}

fn int(builder: &mut Builder, width: i32) -> WIPOffset<arrow_ipc::Int<'static>> {
    let mut ty = IntBuilder::new(builder);
    ty.add_bitWidth(width);
    ty.add_is_signed(true);
    ty.finish()
}

/// A batch of one column of nine rows.
struct Batch {
    rows: i64,
    nodes: Vec<FieldNode>,
    /// Offset and length in the body.
    buffers: Vec<(i64, i64)>,
    body: Vec<u8>,
    is_compressed: bool,
    views: Vec<i64>,
}

impl Batch {
    /// Without nulls, and with buffers of these lengths after the validity bitmap.
    fn new(lengths: &[i64]) -> Self {
        let mut buffers = vec![(0, 0)];
        let mut end = 0;
        for length in lengths {
            buffers.push((end, *length));
            end += length;
        }
        Self {
            rows: ROWS as i64,
            nodes: vec![FieldNode::new(ROWS as i64, 0)],
            buffers,
            body: vec![0; usize::try_from(end).expect("a length")],
            is_compressed: false,
            views: Vec::new(),
        }
    }

    fn record(&self) -> Vec<u8> {
        message(MessageHeader::RecordBatch, &self.body, |builder| {
            self.build(builder).as_union_value()
        })
    }

    fn dictionary(&self) -> Vec<u8> {
        message(MessageHeader::DictionaryBatch, &self.body, |builder| {
            let data = self.build(builder);
            let mut batch = DictionaryBatchBuilder::new(builder);
            batch.add_id(DICTIONARY);
            batch.add_data(data);
            batch.finish().as_union_value()
        })
    }

    fn build(&self, builder: &mut Builder) -> WIPOffset<RecordBatch<'static>> {
        let nodes = builder.create_vector(&self.nodes);
        let buffers = self.buffers.iter().copied();
        let buffers: Vec<_> = buffers
            .map(|(offset, length)| Buffer::new(offset, length))
            .collect();
        let buffers = builder.create_vector(&buffers);
        let views = builder.create_vector(&self.views);
        let compression = self.is_compressed.then(|| {
            let mut compression = BodyCompressionBuilder::new(builder);
            compression.add_codec(CompressionType::LZ4_FRAME);
            compression.finish()
        });
        let mut batch = RecordBatchBuilder::new(builder);
        batch.add_length(self.rows);
        batch.add_nodes(nodes);
        batch.add_buffers(buffers);
        batch.add_variadicBufferCounts(views);
        if let Some(compression) = compression {
            batch.add_compression(compression);
        }
        batch.finish()
    }
}

fn message(
    header_type: MessageHeader,
    body: &[u8],
    build: impl FnOnce(&mut Builder) -> Header,
) -> Vec<u8> {
    let mut builder = Builder::new();
    let header = build(&mut builder);
    let mut message = MessageBuilder::new(&mut builder);
    message.add_version(MetadataVersion::V5);
    message.add_header_type(header_type);
    message.add_header(header);
    message.add_bodyLength(i64::try_from(body.len()).expect("a length"));
    let message = message.finish();
    builder.finish(message, None);
    let metadata = builder.finished_data();
    let size = u32::try_from(metadata.len()).expect("a size");
    [&CONTINUATION, &size.to_le_bytes()[..], metadata, body].concat()
}

fn ints() -> Vec<u8> {
    Column::new(Type::Int, 32).schema(Endianness::Little)
}

/// The decoded batches, or why they are refused: by the validation, else by the decoder.
fn decoded(messages: &[Vec<u8>]) -> Result<Vec<arrow_array::RecordBatch>, String> {
    let body = [&messages.concat()[..], &END].concat();
    decoded_bytes(body)
}

fn decoded_bytes(body: Vec<u8>) -> Result<Vec<arrow_array::RecordBatch>, String> {
    validate_ipc(&body).map_err(|mismatch| mismatch.into_error("test").to_string())?;
    let mut rest = arrow_buffer::Buffer::from(body);
    let mut decoder = StreamDecoder::new();
    let mut batches = Vec::new();
    while let Some(batch) = decoder
        .decode(&mut rest)
        .map_err(|error| format!("by the decoder: {error}"))?
    {
        batches.push(batch);
    }
    Ok(batches)
}

#[track_caller]
fn refused(messages: &[Vec<u8>], reason: &str) {
    let text = decoded(messages).expect_err(reason);
    assert!(text.contains(reason), "{text}, expected {reason}");
}

#[test]
fn every_type_that_a_property_may_have_is_accepted() {
    let integers = [
        DataType::Int8,
        DataType::Int16,
        DataType::Int32,
        DataType::Int64,
        DataType::UInt8,
        DataType::UInt16,
        DataType::UInt32,
        DataType::UInt64,
    ];
    let dictionaries = integers.clone().map(|keys| {
        let texts = Box::new(DataType::Utf8);
        DataType::Dictionary(Box::new(keys), texts)
    });
    let units = [
        Unit::Second,
        Unit::Millisecond,
        Unit::Microsecond,
        Unit::Nanosecond,
    ];
    let instants = units.map(|unit| DataType::Timestamp(unit, Some("UTC".into())));
    let others = [
        DataType::Float16,
        DataType::Float32,
        DataType::Float64,
        DataType::Boolean,
        DataType::Utf8,
    ];
    for ty in integers
        .into_iter()
        .chain(dictionaries)
        .chain(instants)
        .chain(others)
    {
        let columns = [("more", new_null_array(&ty, ROWS), true)];
        let batch = arrow_array::RecordBatch::try_from_iter_with_nullable(columns).expect("a row");
        let mut writer = StreamWriter::try_new(Vec::new(), &batch.schema()).expect("a writer");
        writer.write(&batch).expect("written");
        let body = writer.into_inner().expect("ended");
        assert_eq!(decoded_bytes(body).as_deref(), Ok(&[batch][..]), "{ty}");
    }
}

#[test]
fn types_that_the_decoder_does_not_know_are_refused_by_name() {
    for column in [
        Column::new(Type::Int, 7),
        Column::new(Type::Int, 0),
        Column::new(Type::Int, -32),
        Column::new(Type::Int, 128),
        Column::new(Type::FloatingPoint, 3),
        Column::new(Type::FloatingPoint, -1),
        Column::new(Type::Timestamp, 4),
        Column::new(Type::Timestamp, -1),
        Column::new(Type::Date, 0),
        Column::keyed(Type::Utf8, Some(7)),
        Column::keyed(Type::Utf8, None),
        // Its dictionary would be validated as one of texts.
        Column::keyed(Type::Int, Some(32)),
    ] {
        let schema = column.schema(Endianness::Little);
        refused(&[schema], "at more: a type that no property of a value has");
    }
}

#[test]
fn messages_are_a_schema_then_batches_then_the_end() {
    let batch = || Batch::new(&[36]).record();
    assert_eq!(
        decoded(&[ints(), batch()]).expect("a batch")[0].num_rows(),
        ROWS
    );
    refused(&[], "no schema");
    refused(&[batch()], "no schema");
    refused(&[ints(), ints()], "neither a dictionary nor a record batch");
    refused(&[ints(), batch(), END.to_vec()], "bytes after its end");
    // Without the marker the size comes first, and the decoder would read other messages than these.
    let mut unmarked = ints();
    unmarked[..4].copy_from_slice(&[0; 4]);
    refused(&[unmarked], "without its continuation marker");
    let big = Column::new(Type::Int, 32).schema(Endianness::Big);
    refused(&[big], "not little-endian");
    let fieldless = message(MessageHeader::Schema, &[], |builder| {
        SchemaBuilder::new(builder).finish().as_union_value()
    });
    refused(&[fieldless], "no fields");
    let empty = message(MessageHeader::DictionaryBatch, &[], |builder| {
        DictionaryBatchBuilder::new(builder)
            .finish()
            .as_union_value()
    });
    refused(&[ints(), empty], "a message without content");
    let columnless = message(MessageHeader::RecordBatch, &[], |builder| {
        RecordBatchBuilder::new(builder).finish().as_union_value()
    });
    refused(&[ints(), columnless], "a batch without columns");
}

#[test]
fn a_batch_fits_its_column() {
    let of = |change: fn(&mut Batch)| {
        let mut batch = Batch::new(&[36]);
        change(&mut batch);
        [ints(), batch.record()]
    };
    refused(&of(|batch| batch.rows = -1), "a negative length");
    refused(&of(|batch| batch.is_compressed = true), "compressed");
    refused(&of(|batch| batch.views.push(2)), "buffers of views");
    for change in [
        (|batch| batch.rows = 8) as fn(&mut Batch),
        |batch| batch.nodes[0] = FieldNode::new(10, 0),
        |batch| batch.nodes.clear(),
    ] {
        refused(&of(change), "a column whose length differs from its batch");
    }
    for change in [
        (|batch| batch.buffers[1].0 = 1) as fn(&mut Batch),
        |batch| batch.buffers[1].1 = 37,
        |batch| batch.buffers[1].0 = -1,
        |batch| batch.buffers[1].1 = -1,
        |batch| batch.buffers[1] = (i64::MAX, i64::MAX),
        |batch| batch.buffers[0] = (36, 1),
        |batch| batch.buffers.truncate(1),
    ] {
        refused(&of(change), "a buffer outside of the message body");
    }
    // The decoder counts the rows of values itself.
    refused(&of(|batch| batch.buffers[1].1 = 35), "by the decoder");
}

#[test]
fn a_column_with_nulls_has_a_bit_for_each_row() {
    let with = |bitmap: i64, nulls: i64| {
        let mut batch = Batch::new(&[36]);
        batch.nodes[0] = FieldNode::new(9, nulls);
        batch.buffers[0].1 = bitmap;
        decoded(&[ints(), batch.record()])
    };
    let all = with(2, 9).expect("two bytes for nine rows");
    assert_eq!(all[0].column(0).null_count(), 9);
    for (bitmap, nulls) in [(0, 1), (1, 1), (1, 9)] {
        let text = with(bitmap, nulls).expect_err("too short");
        assert!(text.contains("a validity bitmap shorter than"), "{text}");
    }
    // A wrong number of nulls is the decoder's to find.
    for nulls in [1, 10] {
        let text = with(2, nulls).expect_err("another number");
        assert!(text.contains("by the decoder"), "{text}");
    }
}

#[test]
fn buffers_of_offsets_and_keys_are_whole_numbers() {
    let texts = Column::new(Type::Utf8, 0).schema(Endianness::Little);
    let within = "a buffer that ends within a number";
    assert!(decoded(&[texts.clone(), Batch::new(&[40, 0]).record()]).is_ok());
    for length in 41..44 {
        let batch = Batch::new(&[length, 0]);
        refused(&[texts.clone(), batch.record()], within);
    }
    refused(
        &[texts.clone(), Batch::new(&[36, 0]).record()],
        "by the decoder",
    );
    let textless = Batch::new(&[40]);
    refused(&[texts, textless.record()], "a buffer outside");

    for width in [16, 32, 64] {
        let schema = Column::keyed(Type::Utf8, Some(width)).schema(Endianness::Little);
        let dictionary = Batch::new(&[40, 0]).dictionary();
        let with = |length: i64| {
            let keys = Batch::new(&[length]).record();
            [schema.clone(), dictionary.clone(), keys]
        };
        let size = i64::from(width / 8);
        let found = decoded(&with(9 * size)).expect("keys");
        assert_eq!(found[0].num_rows(), ROWS);
        refused(&with(9 * size + size / 2), within);
        refused(&with(8 * size), "by the decoder");
    }
    let schema = Column::keyed(Type::Utf8, Some(8)).schema(Endianness::Little);
    refused(&[schema, Batch::new(&[41, 0]).dictionary()], within);
}
