//! The files of the schema in the words of PostgreSQL.
//!
//! Every word of a statement must be one that is known here: what is not is an error, and a test translates all files. A statement that these rules cannot
//! translate stands in the file between marks, each a line of its own:
//!
//! - after `-- only sqlite:` what PostgreSQL does not get;
//! - after `-- only postgres:` what only PostgreSQL gets, as it stands but for the `-- ` that hides each line from SQLite;
//! - after `-- both:` what both get again.
//!
//! A mark may go on with the reason. Nothing here talks to a database.

use std::collections::{HashMap, HashSet};

use obeya_odata::sql::postgres::{GRAMS, LONGEST_WORD};

use super::words::{Statement, statements};

/// Text that [`Translator::translate`] does not know how to say.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("PostgreSQL has no words for `{found}` in: {statement}")]
pub(super) struct Untranslated {
    found: String,
    statement: String,
}

/// Translates the files one after another: an index depends on what a table of an earlier file declares.
#[derive(Debug, Default)]
pub(super) struct Translator {
    /// Table and column, of those that may be NULL.
    nullable: HashSet<(String, String)>,
    /// The columns of each table's primary key.
    keys: HashMap<String, Vec<String>>,
}

/// Words of a column or of a constraint that mean the same on both.
const COLUMN_WORDS: [&str; 20] = [
    "AND",
    "CASCADE",
    "CHECK",
    "DEFAULT",
    "DEFERRABLE",
    "DEFERRED",
    "DELETE",
    "FOREIGN",
    "IN",
    "INITIALLY",
    "IS",
    "KEY",
    "NOT",
    "NULL",
    "ON",
    "OR",
    "PRIMARY",
    "REFERENCES",
    "SET",
    "UNIQUE",
];

impl Translator {
    /// One file.
    pub(super) fn translate(&mut self, file: &str) -> Result<String, Untranslated> {
        let mut translated = String::new();
        for (audience, text) in blocks(file) {
            match audience {
                Audience::Sqlite => {}
                Audience::Postgres => translated.push_str(&filled(&text)),
                Audience::Both => {
                    for statement in statements(&text) {
                        if let Some(statement) = self.statement(&statement)? {
                            translated.push_str(&statement);
                            translated.push_str(";\n");
                        }
                    }
                }
            }
        }
        Ok(translated)
    }

    /// One statement; `None` where PostgreSQL needs none.
    fn statement(&mut self, statement: &Statement<'_>) -> Result<Option<String>, Untranslated> {
        Ok(Some(match statement.words(6)[..] {
            ["CREATE", "VIRTUAL", "TABLE", table, "USING", "fts5"] => {
                search_table(statement, table)?
            }
            ["CREATE", "TABLE", table, ..] => self.table(statement, table)?,
            ["CREATE", "INDEX", _, "ON", table, ..]
            | ["CREATE", "UNIQUE", "INDEX", _, "ON", table] => self.index(statement, table)?,
            // A command to an index of SQLite's is an insert into its table's column of the same name.
            ["INSERT", "INTO", table, "(", column, ..] if table == column => return Ok(None),
            ["CREATE", "VIEW", ..] | ["INSERT", "INTO", ..] | ["UPDATE", ..] => statement.text(),
            _ => return Err(statement.without(&statement.text())),
        }))
    }

    fn table(&mut self, statement: &Statement<'_>, table: &str) -> Result<String, Untranslated> {
        let (columns, tail) = statement.parenthesis();
        if !matches!(
            &tail.significant()[..],
            [] | ["STRICT"] | ["STRICT", ",", "WITHOUT", "ROWID"]
        ) {
            return Err(statement.without(&tail.text()));
        }
        let mut items = Vec::new();
        let mut sequence = String::new();
        for item in columns.items() {
            let words = item.significant();
            let word = match words[..] {
                ["PRIMARY", "KEY", ..] => {
                    let (key, _) = item.parenthesis();
                    let columns = key.significant().into_iter().filter(|word| *word != ",");
                    self.keys
                        .insert(table.to_owned(), columns.map(str::to_owned).collect());
                    constraint_word
                }
                ["FOREIGN" | "UNIQUE" | "CHECK", ..] => constraint_word,
                [column, ..] => {
                    if words.contains(&"AUTOINCREMENT") {
                        sequence = format!(
                            ";\nCREATE TRIGGER {table}_ids AFTER INSERT ON {table} \
                             REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION obeya_ids_taken()"
                        );
                    }
                    if words.contains(&"PRIMARY") {
                        self.keys.insert(table.to_owned(), vec![column.to_owned()]);
                    } else if !words.windows(2).any(|two| two == ["NOT", "NULL"]) {
                        self.nullable.insert((table.to_owned(), column.to_owned()));
                    }
                    column_word
                }
                [] => return Err(statement.without("an empty column")),
            };
            items.push(
                item.replaced(word)
                    .map_err(|word| statement.without(&word))?,
            );
        }
        Ok(format!(
            "CREATE TABLE {table} ({}){sequence}",
            items.join(",")
        ))
    }

    /// What SQLite does with every index by itself is said here. It keeps NULL where an ascending order has it, before all else: PostgreSQL would keep it after.
    /// And it ends each entry with the row's key, which gives equal ones an order: pages are read in that order.
    fn index(&self, statement: &Statement<'_>, table: &str) -> Result<String, Untranslated> {
        let (columns, tail) = statement.parenthesis();
        let mut keys = Vec::new();
        for item in columns.items() {
            let [column] = item.significant()[..] else {
                return Err(statement.without(&item.text()));
            };
            let may_be_null = self
                .nullable
                .contains(&(table.to_owned(), column.to_owned()));
            keys.push(if may_be_null {
                format!("{column} NULLS FIRST")
            } else {
                column.to_owned()
            });
        }
        if !statement.words(2).contains(&"UNIQUE") {
            for column in self.keys.get(table).into_iter().flatten() {
                if !keys.contains(column) {
                    keys.push(column.clone());
                }
            }
        }
        Ok(format!(
            "{}({}){}",
            statement.before_parenthesis(),
            keys.join(", "),
            tail.text()
        ))
    }
}

/// With what the query language says put in its place.
fn filled(text: &str) -> String {
    text.replace("{odata_grams}", GRAMS)
        .replace("{longest_word}", &LONGEST_WORD.to_string())
}

/// What an FTS5 table of our tokens becomes: the document, and its tokens. They follow from it, so that a row is written alike on both engines.
fn search_table(statement: &Statement<'_>, table: &str) -> Result<String, Untranslated> {
    let (columns, _) = statement.parenthesis();
    if columns.significant().first() != Some(&"document") {
        return Err(statement.without(&columns.text()));
    }
    Ok(format!(
        "CREATE TABLE {table} (rowid bigint PRIMARY KEY, document text COLLATE \"C\" NOT NULL,\n    \
         words text[] COLLATE \"C\" NOT NULL GENERATED ALWAYS AS (obeya_words(document)) STORED);\n\
         CREATE INDEX {table}_by_word ON {table} USING gin (words)"
    ))
}

fn column_word(word: &str) -> Option<&str> {
    Some(match word {
        "INTEGER" => "bigint",
        "REAL" => "double precision",
        // By code point, whatever the database's own order is: so the index of a column serves comparisons, and answers are the same everywhere.
        "TEXT" => "text COLLATE \"C\"",
        "AUTOINCREMENT" => "GENERATED BY DEFAULT AS IDENTITY",
        other => return constraint_word(other),
    })
}

fn constraint_word(word: &str) -> Option<&str> {
    let is_ours = !word.starts_with(|first: char| first.is_ascii_uppercase());
    (is_ours || COLUMN_WORDS.contains(&word)).then_some(word)
}

impl Statement<'_> {
    fn without(&self, found: &str) -> Untranslated {
        Untranslated {
            found: found.to_owned(),
            statement: self.text(),
        }
    }
}

/// Whose a stretch of a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Audience {
    Both,
    Sqlite,
    Postgres,
}

/// A file's stretches between marks, in order; those of PostgreSQL uncovered.
fn blocks(file: &str) -> Vec<(Audience, String)> {
    let mut blocks = vec![(Audience::Both, String::new())];
    for line in file.lines() {
        let mark = [
            ("-- both:", Audience::Both),
            ("-- only sqlite:", Audience::Sqlite),
            ("-- only postgres:", Audience::Postgres),
        ];
        if let Some((_, audience)) = mark.iter().find(|(mark, _)| line.starts_with(mark)) {
            blocks.push((*audience, String::new()));
        } else if let Some((audience, text)) = blocks.last_mut() {
            let hidden = line
                .strip_prefix("--")
                .map(|line| line.strip_prefix(' ').unwrap_or(line));
            text.push_str(match audience {
                Audience::Postgres => hidden.unwrap_or(line),
                Audience::Both | Audience::Sqlite => line,
            });
            text.push('\n');
        }
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    fn translated(file: &str) -> String {
        Translator::default().translate(file).expect("known words")
    }

    fn refused(file: &str) -> String {
        Translator::default()
            .translate(file)
            .expect_err("an unknown word")
            .found
    }

    #[test]
    fn every_file_is_translated() {
        let mut translator = Translator::default();
        for file in crate::store::schema::MIGRATIONS {
            let text = translator.translate(file).expect("known words");
            for word in [
                "INTEGER",
                ") STRICT",
                "ROWID",
                "AUTOINCREMENT",
                "VIRTUAL",
                "fts5",
            ] {
                assert!(!text.contains(word), "{word} in {text}");
            }
        }
    }

    #[test]
    fn columns_take_the_types_of_postgresql_and_keep_their_names() {
        let file = "CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT NOT NULL, x REAL, CHECK (x IN ('INTEGER', 'a;b'))) STRICT, WITHOUT ROWID;";
        assert_eq!(
            translated(file),
            "CREATE TABLE t (id bigint PRIMARY KEY, text text COLLATE \"C\" NOT NULL, x double precision, \
             CHECK (x IN ('INTEGER', 'a;b')));\n"
        );
    }

    #[test]
    fn a_table_that_gives_ids_goes_on_after_those_it_is_given() {
        let text = translated("CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT) STRICT;");
        assert!(
            text.starts_with("CREATE TABLE t (id bigint PRIMARY KEY GENERATED BY DEFAULT AS IDENTITY);\nCREATE TRIGGER t_ids "),
            "{text}"
        );
    }

    #[test]
    fn an_index_keeps_null_first_where_null_can_be_and_ends_with_the_key() {
        let table = "CREATE TABLE t (a INTEGER NOT NULL, b TEXT, c INTEGER, d INTEGER NOT NULL, PRIMARY KEY (a, d));";
        for (index, expected) in [
            (
                "CREATE INDEX i ON t (b)",
                "CREATE INDEX i ON t (b NULLS FIRST, a, d);\n",
            ),
            (
                "CREATE INDEX i ON t (d, c) WHERE c IS NOT NULL",
                "CREATE INDEX i ON t (d, c NULLS FIRST, a) WHERE c IS NOT NULL;\n",
            ),
            (
                "CREATE UNIQUE INDEX i ON t (d)",
                "CREATE UNIQUE INDEX i ON t (d);\n",
            ),
        ] {
            let text = translated(&format!("{table}{index}"));
            assert!(text.ends_with(expected), "{text}");
        }
        let table = "CREATE TABLE t (id INTEGER PRIMARY KEY, b TEXT NOT NULL);";
        let text = translated(&format!("{table} CREATE INDEX i ON t (b);"));
        assert!(text.ends_with("ON t (b, id);\n"), "{text}");
    }

    #[test]
    fn an_index_of_words_becomes_a_table_of_them_and_its_commands_nothing() {
        let file = "CREATE VIRTUAL TABLE s USING fts5(document, content=''); INSERT INTO s (s) VALUES ('optimize');";
        let text = translated(file);
        assert!(
            text.starts_with("CREATE TABLE s (rowid bigint PRIMARY KEY, document text"),
            "{text}"
        );
        assert_eq!(text.matches(';').count(), 2, "{text}");
    }

    #[test]
    fn marks_say_who_gets_what() {
        let file = "INSERT INTO a (b) VALUES (1);\n-- only sqlite: a reason\nPRAGMA x;\n-- only postgres:\n-- -- why\n-- SELECT 1;\n--\n-- both:\nINSERT INTO a (b) VALUES (2);\n";
        assert_eq!(
            translated(file),
            "INSERT INTO a (b) VALUES (1);\n-- why\nSELECT 1;\n\nINSERT INTO a (b) VALUES (2);\n"
        );
    }

    #[test]
    fn what_is_not_known_is_an_error() {
        for (file, found) in [
            ("CREATE TABLE t (a BLOB)", "BLOB"),
            (
                "CREATE TABLE t (a INTEGER GENERATED ALWAYS AS (1))",
                "GENERATED",
            ),
            (
                "CREATE TABLE t (a INTEGER) STRICT, UNHEARD",
                "STRICT, UNHEARD",
            ),
            ("CREATE INDEX i ON t (lower(a))", "lower(a)"),
            (
                "CREATE TRIGGER t AFTER INSERT ON u BEGIN SELECT 1",
                "CREATE TRIGGER t AFTER INSERT ON u BEGIN SELECT 1",
            ),
            ("CREATE VIRTUAL TABLE t USING fts5(text)", "text"),
        ] {
            assert_eq!(refused(file).trim(), found, "{file}");
        }
    }
}
