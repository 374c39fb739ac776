//! Escapes control characters in output to a terminal: texts from services and files must not control it.
//!
//! Output to a file or another program is not changed; see [`Output::for_data`].

use std::io::{self, IsTerminal as _, Stdout, Write};

use obeya::printable;

/// A writer that shows control characters as `\u{1b}`.
pub(crate) struct EscapingWriter<W>(W);

impl<W: Write> EscapingWriter<W> {
    pub(crate) fn new(out: W) -> Self {
        Self(out)
    }
}

impl<W: Write> Write for EscapingWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for chunk in bytes.utf8_chunks() {
            // CSV lines end with both; they move the terminal's cursor no further than a line feed alone.
            for (place, part) in chunk.valid().split("\r\n").enumerate() {
                if place > 0 {
                    self.0.write_all(b"\r\n")?;
                }
                self.0.write_all(printable(part).as_bytes())?;
            }
            write!(self.0, "{}", chunk.invalid().escape_ascii())?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Stdout for data.
pub(crate) enum Output {
    /// Unchanged, for a file or another program.
    Exact(Stdout),
    /// Text with control characters escaped, for a terminal.
    Terminal(EscapingWriter<Stdout>),
}

impl Output {
    /// Stdout for data; `is_text` tells whether the data is text.
    pub(crate) fn for_data(is_text: bool) -> Self {
        let out = io::stdout();
        if is_text && out.is_terminal() {
            Self::Terminal(EscapingWriter::new(out))
        } else {
            Self::Exact(out)
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Exact(out) => out.write(bytes),
            Self::Terminal(out) => out.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Exact(out) => out.flush(),
            Self::Terminal(out) => out.flush(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_stay_and_commands_are_shown() {
        let mut out = EscapingWriter::new(Vec::new());
        write!(out, "1,\u{1b}[2JPump\r\n2,\u{9b}5m Ø\n").unwrap();
        out.write_all(b"\xff\x1b").unwrap();
        let expected = "1,\\u{1b}[2JPump\r\n2,\\u{9b}5m Ø\n\\xff\\u{1b}";
        assert_eq!(String::from_utf8(out.0).unwrap(), expected);
    }
}
