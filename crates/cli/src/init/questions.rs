//! Questions on a terminal: one line each, with a default, asked again until the answer is valid.

use std::io::{self, BufRead, Write};

use anyhow::{Result, bail};

/// Asks on `out`, and reads answers from `input`.
pub(super) struct Questions<R, W> {
    pub(super) input: R,
    pub(super) out: W,
}

impl<R: BufRead, W: Write> Questions<R, W> {
    /// The answer to a question. An empty line means the default; `check` says what is wrong with an answer.
    ///
    /// # Errors
    /// When the input ends.
    pub(super) fn ask<T>(
        &mut self,
        question: &str,
        default: &str,
        check: impl Fn(&str) -> Result<T, String>,
    ) -> Result<T> {
        loop {
            write!(self.out, "{question} [{default}]: ")?;
            self.out.flush()?;
            let mut line = String::new();
            if self.input.read_line(&mut line)? == 0 {
                bail!("the input ended before all questions were answered; nothing was made");
            }
            let answer = match line.trim() {
                "" => default,
                answer => answer,
            };
            match check(answer) {
                Ok(value) => return Ok(value),
                Err(reason) => writeln!(self.out, "  {}", obeya::printable(&reason))?,
            }
        }
    }
}

/// Questions on the terminal of the process. They go to stderr, as stdout has the result.
pub(super) fn on_terminal() -> Questions<io::StdinLock<'static>, io::Stderr> {
    Questions {
        input: io::stdin().lock(),
        out: io::stderr(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Result<u8, String> {
        text.parse()
            .map_err(|_| format!("found `{text}`, expected a number"))
    }

    #[test]
    fn an_answer_is_asked_for_until_it_is_valid() {
        let mut questions = Questions {
            input: &b"many\n 7 \n\n"[..],
            out: Vec::new(),
        };
        assert_eq!(questions.ask("How many", "3", number).unwrap(), 7);
        assert_eq!(questions.ask("How many", "3", number).unwrap(), 3);
        let error = questions.ask("How many", "3", number).unwrap_err();
        assert!(error.to_string().contains("the input ended"), "{error}");
        let out = String::from_utf8(questions.out).unwrap();
        let again = "How many [3]:   found `many`, expected a number\nHow many [3]: ";
        assert!(out.starts_with(again), "{out}");
    }
}
