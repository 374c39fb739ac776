//! Hints for messages: what was probably meant where an operator was expected and something else found.

use super::infix;
use crate::ast::Literal;
use crate::lex::{Token, TokenKind};
use crate::nearest::{did_you_mean, nearest};

/// Words that may follow an operand: operators, and the directions of `$orderby`.
const WORDS: &[&str] = &[
    "eq", "ne", "gt", "ge", "lt", "le", "and", "or", "in", "has", "add", "sub", "mul", "div",
    "divby", "mod", "asc", "desc",
];

/// Operators of other languages, for which the most similar word here would be wrong or missing.
const FOREIGN: &[(&str, &str)] = &[
    ("is", "`eq`"),
    ("equals", "`eq`"),
    ("neq", "`ne`"),
    ("gte", "`ge`"),
    ("lte", "`le`"),
    ("between", "`ge` and `le`"),
    ("like", "`contains(name,'x')`"),
    ("contains", "`contains(name,'x')`"),
    ("startswith", "`startswith(name,'x')`"),
    ("endswith", "`endswith(name,'x')`"),
    ("ascending", "`asc`"),
    ("descending", "`desc`"),
];

pub(super) fn meant(before: Option<&TokenKind<'_>>, found: &Token<'_>) -> String {
    let fixed = |text: &str| text.to_owned();
    match (before, &found.kind) {
        // The rest of an offset whose + a form decoder read as a space.
        (
            Some(TokenKind::Literal(Literal::DateTimeOffset { .. })),
            TokenKind::Literal(Literal::TimeOfDay(_)) | TokenKind::Number(_),
        ) => fixed("; a `+` before an offset is written %2B in a URL"),
        (Some(TokenKind::Literal(Literal::TimeOfDay(_))), TokenKind::Comma) => fixed(
            "; digits on both sides of a `:` are a time of day: put a space before it, as in `case(level gt 10 :20)`",
        ),
        (Some(TokenKind::Number(_)), TokenKind::Minus) => {
            fixed("; subtraction is written `sub`, and a date 2024-01-31")
        }
        (Some(TokenKind::Number(_)), TokenKind::Comma) => {
            fixed("; a decimal point is written `.`, and a list only follows `in`")
        }
        (_, TokenKind::Plus) => fixed("; addition is written `add`"),
        (_, TokenKind::Minus) => fixed("; subtraction is written `sub`"),
        (_, TokenKind::Star) => fixed("; multiplication is written `mul`"),
        (_, TokenKind::Slash) => fixed("; division is written `div`"),
        (_, TokenKind::Equals) => fixed("; equality is written `eq`"),
        (_, TokenKind::Word(word)) => word_meant(word),
        // An operator at the beginning was read as a property's name.
        (Some(TokenKind::Word(operator)), _) if infix(operator).is_some() => {
            format!("; `{operator}` has nothing before it to compare or compute with")
        }
        _ => String::new(),
    }
}

fn word_meant(word: &str) -> String {
    let foreign = FOREIGN
        .iter()
        .find(|(foreign, _)| word.eq_ignore_ascii_case(foreign));
    match foreign {
        Some((_, ours)) => format!("; write {ours}"),
        None => did_you_mean(nearest(word, WORDS.iter().copied()), ""),
    }
}
