//! Words that are no members of the enumerations they are compared with, and how each is refused.
//!
//! The table `words.tsv` has a line for each property with an enumeration: the record, the property, a word,
//! the enumeration, and the end of the message. The tests of the service, the SDK, the command line and the
//! Python package all read it.

const TABLE: &str = include_str!("../words.tsv");

/// A line of the table.
#[derive(Debug)]
pub struct UnknownWord {
    /// The name of the record in the specification.
    pub record: &'static str,
    /// Its property with an enumeration.
    pub property: &'static str,
    /// What is no member of it.
    pub word: &'static str,
    enumeration: &'static str,
    hint: &'static str,
}

impl UnknownWord {
    /// All of them.
    ///
    /// # Panics
    /// If a line of the table has another number of fields.
    pub fn all() -> Vec<Self> {
        let fields = |line: &'static str| -> [&str; 5] {
            let fields: Vec<_> = line.split('\t').collect();
            fields.try_into().expect("five fields")
        };
        let lines = TABLE.lines().map(fields);
        let words = lines.map(|[record, property, word, enumeration, hint]| Self {
            record,
            property,
            word,
            enumeration,
            hint,
        });
        words.collect()
    }

    /// The condition, as the text of `$filter`.
    pub fn condition(&self) -> String {
        format!("{} eq '{}'", self.property, self.word)
    }

    /// How it is refused.
    pub fn refusal(&self) -> String {
        let at = self.property.len() + " eq ".len();
        let Self {
            word,
            enumeration,
            hint,
            ..
        } = self;
        format!("$filter at byte {at}: found '{word}', which is no member of {enumeration}; {hint}")
    }
}
