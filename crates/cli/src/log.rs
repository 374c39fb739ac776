//! The service's log on stderr: its two formats, and how fields are written where no colour is shown.

use std::fmt;
use std::io;

use anyhow::Result;
use tracing::field::{Field, Visit};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::field::{RecordFields, VisitOutput as _};
use tracing_subscriber::fmt::FormatFields;
use tracing_subscriber::fmt::format::{DefaultVisitor, Writer};

#[derive(Clone, Copy, clap::ValueEnum)]
pub(crate) enum LogFormat {
    /// Plain text
    Text,
    /// One JSON object per line
    Json,
}

/// Sends the log of this process to stderr. The first caller decides.
pub(crate) fn log_to_stderr(filter: &str, format: LogFormat) -> Result<()> {
    let lines = tracing_subscriber::fmt()
        .with_env_filter(EnvFilter::try_new(filter)?)
        .with_writer(io::stderr);
    let set = match format {
        LogFormat::Text if io::IsTerminal::is_terminal(&io::stderr()) => {
            lines.with_ansi(true).try_init()
        }
        LogFormat::Text => lines.with_ansi(false).fmt_fields(PlainFields).try_init(),
        LogFormat::Json => lines.json().try_init(),
    };
    set.map_err(|error| anyhow::anyhow!("the log cannot be set up: {error}"))
}

/// Writes fields as `tracing_subscriber` does without colour, but does not build a style for every name: of a
/// request by id, that was an eighth of the service's instructions.
struct PlainFields;

impl<'writer> FormatFields<'writer> for PlainFields {
    fn format_fields<R: RecordFields>(&self, writer: Writer<'writer>, fields: R) -> fmt::Result {
        let mut visitor = PlainVisitor {
            writer,
            is_first: true,
            result: Ok(()),
        };
        fields.record(&mut visitor);
        visitor.result
    }
}

struct PlainVisitor<'writer> {
    writer: Writer<'writer>,
    is_first: bool,
    result: fmt::Result,
}

impl PlainVisitor<'_> {
    fn write(&mut self, field: &Field, value: impl FnOnce(&mut Writer<'_>) -> fmt::Result) {
        let is_first = std::mem::take(&mut self.is_first);
        self.result = self.result.and_then(|()| {
            if !is_first {
                self.writer.write_char(' ')?;
            }
            self.writer.write_str(field.name())?;
            self.writer.write_char('=')?;
            value(&mut self.writer)
        });
    }

    /// Messages and errors are rare, and the library escapes what could drive a terminal in them.
    fn write_by_library(&mut self, record: impl FnOnce(&mut DefaultVisitor<'_>)) {
        let is_first = std::mem::take(&mut self.is_first);
        self.result = self.result.and_then(|()| {
            let mut visitor = DefaultVisitor::new(self.writer.by_ref(), is_first);
            record(&mut visitor);
            visitor.finish()
        });
    }
}

impl Visit for PlainVisitor<'_> {
    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == "message" {
            return self.write_by_library(|visitor| visitor.record_str(field, value));
        }
        self.write(field, |writer| write!(writer, "{value:?}"));
    }

    fn record_error(&mut self, field: &Field, value: &(dyn std::error::Error + 'static)) {
        self.write_by_library(|visitor| visitor.record_error(field, value));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == "message" {
            return self.write_by_library(|visitor| visitor.record_debug(field, value));
        }
        self.write(field, |writer| write!(writer, "{value:?}"));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use tracing_subscriber::fmt::format::DefaultFields;

    use super::*;

    #[derive(Clone, Default)]
    struct Lines(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Lines {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// The lines of some events, written by a formatter of fields.
    fn lines_by(fields: impl for<'writer> FormatFields<'writer> + Send + Sync + 'static) -> String {
        let lines = Lines::default();
        let writer = lines.clone();
        let log = tracing_subscriber::fmt()
            .with_ansi(false)
            .without_time()
            .fmt_fields(fields)
            .with_writer(move || writer.clone())
            .finish();
        tracing::subscriber::with_default(log, || {
            let nothing: Option<&str> = None;
            let hostile = "a \"quoted\" \x1b[31mred\x1b[0m \u{9b}31m\r\nline\\ ø世";
            let caused = io::Error::other(fmt::Error);
            tracing::info!(
                text = hostile,
                shown = %hostile,
                seen = ?Some(hostile),
                nothing,
                number = 7_u64,
                below = -7_i64,
                share = 0.5,
                is_true = true,
                error = &caused as &(dyn std::error::Error + 'static),
                "answered"
            );
            tracing::warn!("only a message: {hostile}");
            tracing::error!(only = "a field");
            tracing::info_span!("within", step = 3, name = hostile).in_scope(|| {
                tracing::info!(r#type = "raw", "in a span");
            });
        });
        let bytes = lines.0.lock().unwrap().clone();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn fields_are_written_as_the_library_writes_them() {
        let lines = lines_by(PlainFields);
        assert_eq!(lines, lines_by(DefaultFields::new()));
        assert!(lines.contains(r#"answered text="a \"quoted\""#), "{lines}");
    }
}
