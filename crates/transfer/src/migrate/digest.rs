//! Digest of a table: equal rows in equal order have equal digests on every engine.
//!
//! SHA-256 over every value of every row, each by a byte for its type and then: nothing for NULL (0); eight
//! bytes, the highest first, for an integer (1) and for the bits of a double (2); for a text (3) its length
//! in bytes as an integer has it, and its bytes in UTF-8; the same for bytes (4). The encoding of a list of
//! values is unique.

use std::fmt;

use sha2::{Digest as _, Sha256};

use obeya_store::Value;

/// The digest of a table's rows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Digest([u8; 32]);

impl Digest {
    /// The digest of a whole database: of the name, the number of rows and the digest of each of its tables.
    pub(crate) fn of_tables<'a>(tables: impl Iterator<Item = (&'a str, u64, Digest)>) -> Digest {
        let mut hash = Sha256::new();
        for (name, rows, digest) in tables {
            hash.update(format!("{name} {rows} {digest}\n"));
        }
        Digest(hash.finalize().into())
    }

    /// The first 16 digits of its hexadecimal form, for people to compare.
    #[must_use]
    pub fn short(&self) -> String {
        let mut text = self.to_string();
        text.truncate(16);
        text
    }
}

/// In hexadecimal.
impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Rows counted and digested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sum {
    pub(crate) rows: u64,
    pub(crate) digest: Digest,
}

/// A digest that is being computed.
#[derive(Default)]
pub(super) struct Summing {
    rows: u64,
    hash: Sha256,
    /// One row's bytes: the hash takes many at once faster than few.
    row: Vec<u8>,
}

impl Summing {
    /// Adds a row.
    pub(super) fn add(&mut self, row: &[Value<'_>]) {
        self.row.clear();
        for value in row {
            match *value {
                Value::Null => self.row.push(0),
                Value::Int(value) => {
                    self.row.push(1);
                    self.row.extend(value.to_be_bytes());
                }
                Value::Real(value) => {
                    self.row.push(2);
                    self.row.extend(value.to_bits().to_be_bytes());
                }
                Value::Text(text) => {
                    self.row.push(3);
                    self.row.extend((text.len() as u64).to_be_bytes());
                    self.row.extend(text.as_bytes());
                }
                Value::Bytes(bytes) => {
                    self.row.push(4);
                    self.row.extend((bytes.len() as u64).to_be_bytes());
                    self.row.extend(bytes);
                }
            }
        }
        self.hash.update(&self.row);
        self.rows += 1;
    }

    /// Rows so far.
    pub(super) fn rows(&self) -> u64 {
        self.rows
    }

    /// The digest of all rows.
    pub(super) fn end(self) -> Sum {
        Sum {
            rows: self.rows,
            digest: Digest(self.hash.finalize().into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(row: &[Value<'_>]) -> String {
        let mut sum = Summing::default();
        sum.add(row);
        sum.end().digest.to_string()
    }

    #[test]
    fn a_row_is_digested_as_described() {
        // printf '\x01\xff\xff\xff\xff\xff\xff\xff\xfe\x02\x3f\xf8\0\0\0\0\0\0\x00\x03\0\0\0\0\0\0\0\x03\xc3\xb8a\x03\0\0\0\0\0\0\0\0' |
        //     sha256sum
        let row = [
            Value::Int(-2),
            Value::Real(1.5),
            Value::Null,
            Value::Text("øa"),
            Value::Text(""),
        ];
        assert_eq!(
            digest(&row),
            "080e35f5d432baae4870e0934e71921f4417510e848811fd981be171835beb56"
        );
        // The digest of nothing, as FIPS 180-4's examples have it.
        assert_eq!(
            Summing::default().end().digest.to_string(),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        );
    }

    #[test]
    fn values_that_look_alike_are_distinguished() {
        let rows: [&[Value<'_>]; 8] = [
            &[Value::Text("ab"), Value::Text("c")],
            &[Value::Text("a"), Value::Text("bc")],
            &[Value::Text("abc"), Value::Text("")],
            &[Value::Text("abc"), Value::Null],
            &[Value::Int(0), Value::Null],
            &[Value::Real(0.0), Value::Null],
            &[Value::Null, Value::Int(0)],
            &[Value::Text("0"), Value::Null],
        ];
        let mut digests: Vec<String> = rows.iter().map(|row| digest(row)).collect();
        digests.sort();
        digests.dedup();
        assert_eq!(digests.len(), rows.len());
    }
}
