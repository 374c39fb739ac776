//! Faults of a specification. A message says what was found, what is expected and how to fix it.

use std::fmt;

/// One thing to mend in the specification.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fault {
    /// 1-based line in the YAML file, or 0 if it is unknown.
    pub line: u32,
    /// The operation, schema or other part as text: ``operation `listAreas` ``.
    pub place: String,
    /// The fault, and how to fix it.
    pub message: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line > 0 {
            write!(f, "line {}: ", self.line)?;
        }
        write!(f, "{}: {}", self.place, self.message)
    }
}

/// Why no Rust came out of a specification.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The file could not be read.
    #[error("cannot read {path}: {source}")]
    Read {
        /// The file.
        path: String,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// The text is not YAML, or has a duplicate key.
    #[error("line {line}, column {column}: {message}")]
    Yaml {
        /// 1-based line.
        line: u64,
        /// 1-based column.
        column: u64,
        /// The message of the parser.
        message: String,
    },
    /// The lint found something.
    #[error("{}", list(.0))]
    Faults(Vec<Fault>),
    /// The document is not OpenAPI 3.0.
    #[error("{place}: {message}")]
    Shape {
        /// Path of the node, with dots.
        place: String,
        /// What was expected at this position.
        message: String,
    },
    /// The generator refused or panicked on something the lint does not know yet. Add the fact to the lint.
    #[error("the generator failed ({0}); the lint should have caught this: add the case to it")]
    Generator(String),
    /// The generated Rust does not parse, or has not the shape the later steps rely on.
    #[error("the generated code is not what was expected: {0}")]
    Code(String),
}

impl Error {
    /// One line of text for each thing to mend, as a build script prints them.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        match self {
            Error::Faults(faults) => faults.iter().map(Fault::to_string).collect(),
            other => other.to_string().lines().map(str::to_owned).collect(),
        }
    }
}

impl From<syn::Error> for Error {
    fn from(error: syn::Error) -> Self {
        Error::Code(error.to_string())
    }
}

fn list(faults: &[Fault]) -> String {
    faults
        .iter()
        .map(Fault::to_string)
        .collect::<Vec<_>>()
        .join("\n")
}
