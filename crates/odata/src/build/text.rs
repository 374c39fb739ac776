//! The functions of texts. All of them are case-sensitive, and null if an argument is.

use super::operand::Operand;
use super::types::{Int, Text};
use super::value::{Filter, Value};

impl<R, K> Value<R, Text, K> {
    /// `contains(…,…)`
    pub fn contains(self, part: impl Operand<Text, R>) -> Filter<R> {
        self.with("contains", part)
    }

    /// `startswith(…,…)`
    pub fn starts_with(self, prefix: impl Operand<Text, R>) -> Filter<R> {
        self.with("startswith", prefix)
    }

    /// `endswith(…,…)`
    pub fn ends_with(self, suffix: impl Operand<Text, R>) -> Filter<R> {
        self.with("endswith", suffix)
    }

    /// `matchespattern(…,…)`: a regular expression with the syntax of ECMAScript matches somewhere in the
    /// text. It is always a literal, as services need not accept anything else.
    pub fn matches_pattern(self, pattern: impl Into<String>) -> Filter<R> {
        self.with("matchespattern", pattern.into())
    }

    /// `length(…)`, in characters.
    pub fn length(self) -> Value<R, Int> {
        self.function("length")
    }

    /// `indexof(…,…)`: the index of the first character of `part`, counted from 0; -1 if it does not occur.
    pub fn index_of(self, part: impl Operand<Text, R>) -> Value<R, Int> {
        self.with("indexof", part)
    }

    /// `substring(…,start)`: the text after the first `start` characters.
    pub fn substring(self, start: impl Operand<Int, R>) -> Value<R, Text> {
        let start = start.into_value().into_expr();
        Value::call("substring", vec![self.into_expr(), start])
    }

    /// `substring(…,start,length)`: at most `length` characters after the first `start`.
    pub fn substring_of(
        self,
        start: impl Operand<Int, R>,
        length: impl Operand<Int, R>,
    ) -> Value<R, Text> {
        let start = start.into_value().into_expr();
        let length = length.into_value().into_expr();
        Value::call("substring", vec![self.into_expr(), start, length])
    }

    /// `tolower(…)`
    pub fn to_lower(self) -> Value<R, Text> {
        self.function("tolower")
    }

    /// `toupper(…)`
    pub fn to_upper(self) -> Value<R, Text> {
        self.function("toupper")
    }

    /// `trim(…)`: without the spaces at both ends.
    pub fn trim(self) -> Value<R, Text> {
        self.function("trim")
    }

    /// `concat(…,…)`
    pub fn concat(self, suffix: impl Operand<Text, R>) -> Value<R, Text> {
        self.with("concat", suffix)
    }

    fn with<U>(self, function: &str, other: impl Operand<Text, R>) -> Value<R, U> {
        let other = other.into_value().into_expr();
        Value::call(function, vec![self.into_expr(), other])
    }
}
