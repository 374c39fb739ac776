//! Regular expressions as ECMA-262 (edition 2024, with annex B) reads them, written for the engine.
//!
//! Every part of a pattern is parsed here and written anew, so that the engine cannot read it differently:
//! syntax that is not ECMAScript's, or that an engine without backtracking does not have, is refused.

use std::iter::Peekable;
use std::str::Chars;

const DIGITS: &str = "0-9";
const WORDS: &str = "0-9A-Za-z_";
/// WhiteSpace and LineTerminator of ECMA-262. Unicode's white space has U+0085 and lacks U+FEFF.
const SPACES: &str =
    r"\x09-\x0D\x20\xA0\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}\x{FEFF}";
const LINE_ENDS: &str = r"\n\r\x{2028}\x{2029}";

/// The pattern in the engine's syntax, or the reason why there is none. With `strict` (flag u), the syntax of
/// annex B is refused.
pub(super) fn rewrite(
    pattern: &str,
    dot_matches_all: bool,
    strict: bool,
) -> Result<String, String> {
    let reader = Reader {
        rest: pattern.chars().peekable(),
        out: String::with_capacity(pattern.len() * 2),
        names: Vec::new(),
        dot_matches_all,
        strict,
    };
    reader.pattern()
}

struct Reader<'a> {
    rest: Peekable<Chars<'a>>,
    out: String,
    /// The names of groups, which must differ.
    names: Vec<String>,
    dot_matches_all: bool,
    strict: bool,
}

/// The meaning of an escape.
enum Escape {
    Char(char),
    /// The inside of a class, and whether it is everything else.
    Set(&'static str, bool),
}

impl Reader<'_> {
    fn pattern(mut self) -> Result<String, String> {
        // How many groups are open.
        let mut open = 0_usize;
        // Whether the part before is one that may be repeated.
        let mut repeatable = false;
        while let Some(c) = self.rest.next() {
            let was_repeatable = std::mem::replace(&mut repeatable, true);
            match c {
                '^' | '$' | '|' => {
                    self.out.push(c);
                    repeatable = false;
                }
                '(' => {
                    self.group()?;
                    open += 1;
                    repeatable = false;
                }
                ')' => {
                    open = open.checked_sub(1).ok_or("a `)` closes no group")?;
                    self.out.push(')');
                }
                '*' | '+' | '?' => {
                    self.repeat(was_repeatable, &c.to_string())?;
                    repeatable = false;
                }
                '{' => match self.braces() {
                    Some(braces) => {
                        self.repeat(was_repeatable, &braces?)?;
                        repeatable = false;
                    }
                    None => self.stray('{')?,
                },
                '}' | ']' => self.stray(c)?,
                '.' if self.dot_matches_all => self.out.push_str("(?s:.)"),
                '.' => self.set(LINE_ENDS, true),
                '[' => self.class()?,
                '\\' => repeatable = self.outside()?,
                other => self.literal(other),
            }
        }
        if open > 0 {
            return Err("a group is not closed".to_owned());
        }
        Ok(self.out)
    }

    /// A plain character. As a number it can't be an operator of the engine.
    fn literal(&mut self, c: char) {
        if c.is_ascii_alphanumeric() || !c.is_ascii() {
            self.out.push(c);
        } else {
            self.out.push_str(&format!("\\x{:02X}", u32::from(c)));
        }
    }

    fn set(&mut self, members: &str, negated: bool) {
        self.out.push_str(if negated { "[^" } else { "[" });
        self.out.push_str(members);
        self.out.push(']');
    }

    /// A sign that annex B takes as itself.
    fn stray(&mut self, c: char) -> Result<(), String> {
        if self.strict {
            return Err(format!("with the flag u a plain `{c}` is written `\\{c}`"));
        }
        self.literal(c);
        Ok(())
    }

    /// The rest after `(`. Captures are never read.
    fn group(&mut self) -> Result<(), String> {
        self.out.push_str("(?:");
        if self.rest.next_if_eq(&'?').is_none() {
            return Ok(());
        }
        match self.rest.next() {
            Some(':') => Ok(()),
            Some('=' | '!') => Err("lookahead is not supported".to_owned()),
            Some('<') if matches!(self.rest.peek(), Some('=' | '!')) => {
                Err("lookbehind is not supported".to_owned())
            }
            Some('<') => self.name(),
            Some(other) => Err(format!(
                "`(?{}` begins no group of ECMAScript that is offered; there are `(…)`, `(?:…)` and `(?<name>…)`",
                other.escape_debug()
            )),
            None => Err("a group is not closed".to_owned()),
        }
    }

    fn name(&mut self) -> Result<(), String> {
        let mut name = String::new();
        loop {
            match self.rest.next() {
                Some('>') if !name.is_empty() => break,
                Some(c)
                    if c.is_alphabetic()
                        || "_$".contains(c)
                        || c.is_numeric() && !name.is_empty() =>
                {
                    name.push(c);
                }
                _ => return Err("the name of a group is letters, digits, `_` and `$`".to_owned()),
            }
        }
        if self.names.contains(&name) {
            return Err(format!("two groups are called `{name}`"));
        }
        self.names.push(name);
        Ok(())
    }

    /// The rest after `{` if it is a repetition: annex B takes `a{` and `a{,2}` literally.
    fn braces(&mut self) -> Option<Result<String, String>> {
        let text: String = self
            .rest
            .clone()
            .take_while(|c| c.is_ascii_digit() || *c == ',')
            .collect();
        if self.rest.clone().nth(text.len()) != Some('}') {
            return None;
        }
        let (least, most) = match text.split_once(',') {
            None => (text.as_str(), text.as_str()),
            Some(parts) => parts,
        };
        if least.is_empty() || most.contains(',') {
            return None;
        }
        self.rest.nth(text.len());
        let number = |digits: &str| digits.parse::<u32>().ok();
        let Some(low) = number(least) else {
            return Some(Err(too_large()));
        };
        match number(most) {
            None if most.is_empty() => Some(Ok(format!("{{{low},}}"))),
            None => Some(Err(too_large())),
            Some(high) if high < low => Some(Err(format!(
                "the numbers of `{{{text}}}` are the wrong way round"
            ))),
            Some(high) => Some(Ok(format!("{{{low},{high}}}"))),
        }
    }

    fn repeat(&mut self, repeatable: bool, how: &str) -> Result<(), String> {
        if !repeatable {
            return Err(format!("there is nothing that `{how}` could repeat"));
        }
        self.out.push_str(how);
        if self.rest.next_if_eq(&'?').is_some() {
            self.out.push('?');
        }
        Ok(())
    }

    /// An escape outside of a class; whether it may be repeated.
    fn outside(&mut self) -> Result<bool, String> {
        match self.rest.peek() {
            // Letters are ASCII's here, as in ECMAScript.
            Some('b' | 'B') => {
                let boundary = if self.rest.next() == Some('b') {
                    "(?-u:\\b)"
                } else {
                    "(?-u:\\B)"
                };
                self.out.push_str(boundary);
                Ok(false)
            }
            _ => {
                match self.escape(false)? {
                    Escape::Char(c) => self.literal(c),
                    Escape::Set(members, negated) => self.set(members, negated),
                }
                Ok(true)
            }
        }
    }

    /// The rest after `[`.
    fn class(&mut self) -> Result<(), String> {
        let negated = self.rest.next_if_eq(&'^').is_some();
        if self.rest.next_if_eq(&']').is_some() {
            // Nothing, or anything.
            self.set(r"\x00-\x{10FFFF}", !negated);
            return Ok(());
        }
        self.out.push_str(if negated { "[^" } else { "[" });
        while let Some(first) = self.member()? {
            // A minus at the end is a plain one.
            let mut ahead = self.rest.clone();
            if ahead.next() != Some('-') || matches!(ahead.next(), None | Some(']')) {
                self.write(&first);
                continue;
            }
            self.rest.next();
            let Some(last) = self.member()? else { break };
            match (&first, &last) {
                (Escape::Char(low), Escape::Char(high)) if low > high => {
                    return Err("the ends of a range in a class are the wrong way round".to_owned());
                }
                (Escape::Char(low), Escape::Char(high)) => {
                    self.out.push_str(&format!(
                        "\\x{{{:X}}}-\\x{{{:X}}}",
                        u32::from(*low),
                        u32::from(*high)
                    ));
                }
                _ if self.strict => {
                    return Err("with the flag u a range ends in plain characters".to_owned());
                }
                _ => {
                    self.write(&first);
                    self.write(&Escape::Char('-'));
                    self.write(&last);
                }
            }
        }
        self.out.push(']');
        Ok(())
    }

    /// The next member of a class, or `None` at its end.
    fn member(&mut self) -> Result<Option<Escape>, String> {
        match self.rest.next() {
            None => Err("a class is not closed".to_owned()),
            Some(']') => Ok(None),
            Some('\\') => self.escape(true).map(Some),
            Some(c) => Ok(Some(Escape::Char(c))),
        }
    }

    fn write(&mut self, member: &Escape) {
        match member {
            Escape::Char(c) => self.out.push_str(&format!("\\x{{{:X}}}", u32::from(*c))),
            Escape::Set(members, negated) => self.set(members, *negated),
        }
    }

    /// The rest after a backslash.
    fn escape(&mut self, in_class: bool) -> Result<Escape, String> {
        let Some(c) = self.rest.next() else {
            return Err("a backslash ends the pattern".to_owned());
        };
        let char = match c {
            'd' => return Ok(Escape::Set(DIGITS, false)),
            'D' => return Ok(Escape::Set(DIGITS, true)),
            'w' => return Ok(Escape::Set(WORDS, false)),
            'W' => return Ok(Escape::Set(WORDS, true)),
            's' => return Ok(Escape::Set(SPACES, false)),
            'S' => return Ok(Escape::Set(SPACES, true)),
            'b' if in_class => '\u{8}',
            't' => '\t',
            'n' => '\n',
            'v' => '\u{b}',
            'f' => '\u{c}',
            'r' => '\r',
            '0' if !matches!(self.rest.peek(), Some('0'..='9')) => '\0',
            '0'..='9' | 'k' => {
                return Err("back references and octal numbers are not supported".to_owned());
            }
            'p' | 'P' => {
                return Err(format!(
                    "`\\{c}` is not supported: no properties of characters are known"
                ));
            }
            'c' => match self.rest.next_if(char::is_ascii_alphabetic) {
                // The alphabet's first letter is 1, in either case.
                Some(letter) => char::from(letter as u8 % 32),
                None => return Err("`\\c` is followed by a letter".to_owned()),
            },
            'x' => match self.hex(2) {
                Some(code) => scalar(code)?,
                None => self.itself('x')?,
            },
            'u' => self.code_point()?,
            '-' if in_class => '-',
            other => self.itself(other)?,
        };
        Ok(Escape::Char(char))
    }

    /// A sign that needs no escape or must have one. With the flag u only operators may.
    fn itself(&self, c: char) -> Result<char, String> {
        if self.strict && !"^$\\.*+?()[]{}|/".contains(c) {
            return Err(format!(
                "with the flag u `\\{}` is no escape of ECMAScript",
                c.escape_debug()
            ));
        }
        Ok(c)
    }

    /// The rest after `\u`.
    fn code_point(&mut self) -> Result<char, String> {
        if self.rest.peek() == Some(&'{') {
            if !self.strict {
                return Err("`\\u{…}` needs the flag u".to_owned());
            }
            let digits: String = self
                .rest
                .by_ref()
                .skip(1)
                .take_while(|c| *c != '}')
                .collect();
            let hex = !digits.is_empty() && digits.chars().all(|c| c.is_ascii_hexdigit());
            let code = hex.then(|| u32::from_str_radix(&digits, 16).ok()).flatten();
            return scalar(code.ok_or("`\\u{…}` holds no code point")?);
        }
        let Some(high) = self.hex(4) else {
            return self.itself('u');
        };
        if !(0xD800..0xDC00).contains(&high) {
            return scalar(high);
        }
        // The two halves of a pair are one character of a text.
        let low = (self.rest.next() == Some('\\') && self.rest.next() == Some('u'))
            .then(|| self.hex(4))
            .flatten()
            .filter(|low| (0xDC00..0xE000).contains(low));
        match low {
            Some(low) => scalar(0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00)),
            None => scalar(high),
        }
    }

    /// This many hexadecimal digits, if they follow.
    fn hex(&mut self, digits: usize) -> Option<u32> {
        let text: String = self.rest.clone().take(digits).collect();
        if text.len() != digits || !text.chars().all(|c| c.is_ascii_hexdigit()) {
            return None;
        }
        self.rest.nth(digits - 1);
        u32::from_str_radix(&text, 16).ok()
    }
}

fn scalar(code: u32) -> Result<char, String> {
    char::from_u32(code)
        .ok_or_else(|| format!("U+{code:04X} is half a pair or no code point, which no text holds"))
}

fn too_large() -> String {
    "it is too large once its repetitions are written out".to_owned()
}
