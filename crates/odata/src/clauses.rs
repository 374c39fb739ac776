//! The options other than expressions: `$select`, `$expand`, `$orderby`, `$top`, `$skip`, `$count`, `$apply`,
//! `$compute`, and the options nested in an `$expand` item, which share one token stream with it.

use crate::ast::options::{OptionName, Options, fill};
use crate::ast::{ExpandItem, ExpandTarget, Literal, SelectItem};
use crate::error::{Error, ErrorKind, excerpt};
use crate::lex::TokenKind;
use crate::nearest::{did_you_mean, nearest};
use crate::parse::{Parser, apply};
use crate::search;

/// Reads the value of one option into `options`, up to the end of the text or of the enclosing parentheses.
pub(crate) fn option(
    options: &mut Options,
    name: OptionName,
    parser: &mut Parser<'_>,
) -> Result<(), Error> {
    match name {
        OptionName::Search => fill(&mut options.search, nested_search(parser)?),
        OptionName::Filter => fill(&mut options.filter, parser.expr()?),
        OptionName::Select => fill(&mut options.select, select(parser)?),
        OptionName::Top => fill(&mut options.top, whole(parser)?),
        OptionName::Skip => fill(&mut options.skip, whole(parser)?),
        OptionName::Expand => fill(&mut options.expand, expand(parser)?),
        OptionName::Count => fill(&mut options.count, boolean(parser)?),
        OptionName::OrderBy => fill(&mut options.orderby, parser.orderby()?),
        OptionName::Apply => fill(&mut options.apply, parser.apply()?),
        OptionName::Compute => fill(&mut options.compute, parser.compute()?),
        // An expanded collection is never paged, so there is no position in it to continue from.
        OptionName::SkipToken => Err(Error::new(
            ErrorKind::Option,
            None,
            "`$skiptoken` is not supported inside `$expand`",
        )),
    }
}

/// The end of one option's text.
pub(crate) fn end(name: OptionName, parser: &mut Parser<'_>) -> Result<(), Error> {
    let otherwise = match name {
        OptionName::OrderBy => {
            return parser
                .expect_after(&TokenKind::End, "`asc`, `desc`, `,` or the end")
                .map(drop);
        }
        OptionName::Apply => apply::AFTER,
        OptionName::Compute => "`,` or the end",
        OptionName::Select => "`/`, `,` or the end",
        OptionName::Expand => "options in parentheses, `,` or the end",
        _ => "the end",
    };
    parser.expect(&TokenKind::End, otherwise).map(drop)
}

/// A whole number of 0 to the largest int32, the range the interface declares.
fn whole(parser: &mut Parser<'_>) -> Result<u64, Error> {
    let expected = format!("expected a whole number of 0 to {}", i32::MAX);
    let token = parser.take();
    let fault = || {
        Error::new(
            ErrorKind::Value,
            token.at,
            format!("found {}; {expected}", token.show()),
        )
    };
    let TokenKind::Number(digits) = &token.kind else {
        return Err(fault());
    };
    let value: u64 = digits.parse().map_err(|_| fault())?;
    if value > i32::MAX.unsigned_abs().into() {
        return Err(fault());
    }
    Ok(value)
}

fn boolean(parser: &mut Parser<'_>) -> Result<bool, Error> {
    let token = parser.take();
    match &token.kind {
        TokenKind::Word(word) if word.eq_ignore_ascii_case("true") => Ok(true),
        TokenKind::Word(word) if word.eq_ignore_ascii_case("false") => Ok(false),
        _ => Err(Error::new(
            ErrorKind::Value,
            token.at,
            format!("found {}; expected `true` or `false`", token.show()),
        )),
    }
}

fn select(parser: &mut Parser<'_>) -> Result<Vec<SelectItem>, Error> {
    let mut items = Vec::new();
    loop {
        if parser.eat(&TokenKind::Star) {
            items.push(SelectItem::All);
        } else {
            let mut path = vec![parser.segment("a property's name or `*`")?];
            while parser.eat(&TokenKind::Slash) {
                if path.len() > parser.limits.safe_expand_depth() {
                    let at = parser.peek().at;
                    return Err(Error::limit(
                        at,
                        "the path is too long",
                        parser.limits.safe_expand_depth() + 1,
                    ));
                }
                path.push(parser.segment("a property's name after `/`")?);
            }
            items.push(SelectItem::Path(path));
        }
        if !parser.eat(&TokenKind::Comma) {
            return Ok(items);
        }
        // Each name costs memory and time like a part of an expression, but a list of them is not nested.
        if items.len() == parser.limits.list {
            return Err(Error::limit(
                parser.peek().at,
                "there are too many names",
                parser.limits.list,
            ));
        }
    }
}

fn expand(parser: &mut Parser<'_>) -> Result<Vec<ExpandItem>, Error> {
    let mut items = Vec::new();
    loop {
        items.push(parser.deeper(expand_item)?);
        if !parser.eat(&TokenKind::Comma) {
            return Ok(items);
        }
    }
}

fn expand_item(parser: &mut Parser<'_>) -> Result<ExpandItem, Error> {
    parser.budget.expands += 1;
    if parser.budget.expands > parser.limits.expands {
        let at = parser.peek().at;
        return Err(Error::limit(
            at,
            "too many navigations are expanded",
            parser.limits.expands,
        ));
    }
    let target = if parser.eat(&TokenKind::Star) {
        ExpandTarget::All
    } else {
        ExpandTarget::Navigation(parser.segment("a navigation property's name or `*`")?)
    };
    let count_only = parser.eat(&TokenKind::Slash) && counted(parser)?;
    let mut item = ExpandItem {
        target,
        options: Options::default(),
        count_only,
        levels: 1,
    };
    if parser.eat(&TokenKind::Open) {
        loop {
            nested_option(&mut item, parser)?;
            if parser.eat(&TokenKind::Close) {
                break;
            }
        }
    }
    Ok(item)
}

/// The rest after the `/` behind a navigation: only `$count` is allowed.
fn counted(parser: &mut Parser<'_>) -> Result<bool, Error> {
    let message = match &parser.peek().kind {
        TokenKind::Word(word) if word.eq_ignore_ascii_case("$count") => {
            parser.take();
            return Ok(true);
        }
        TokenKind::Word(word) if word.eq_ignore_ascii_case("$ref") => {
            "found `$ref`; references to entities are not supported: their keys can be selected, as in `boards($select=id)`"
        }
        _ => {
            "found a path; expected a navigation's name alone: the next one is expanded in parentheses, as in `group($expand=parent)`"
        }
    };
    Err(Error::syntax(parser.peek().at, message))
}

/// The options that an `$expand` item may have in parentheses.
const NESTED: &[OptionName] = &[
    OptionName::Select,
    OptionName::Expand,
    OptionName::Filter,
    OptionName::Search,
    OptionName::OrderBy,
    OptionName::Top,
    OptionName::Skip,
    OptionName::Count,
];

/// What follows an option of an `$expand` item.
const OTHERS: &str = "`;` before another option, or `)`";

fn nested_option(item: &mut ExpandItem, parser: &mut Parser<'_>) -> Result<(), Error> {
    const EXPECTED: &str = "an option such as `$select=`";
    if let TokenKind::Alias(name) = parser.peek().kind {
        return nested_alias(item, name, parser);
    }
    let name = parser.segment(EXPECTED)?;
    if parser.peek().kind != TokenKind::Equals {
        return Err(parser.unexpected("`=` after the option's name"));
    }
    parser.take();
    if name
        .name
        .trim_start_matches('$')
        .eq_ignore_ascii_case("levels")
    {
        item.levels = levels(parser)?;
        return separator(parser, OTHERS);
    }
    let Some(option_name) = NESTED.iter().find(|option| option.matches(&name.name)) else {
        let dollar = format!("${}", name.name.trim_start_matches('$'));
        let known = NESTED.iter().map(|option| option.as_str());
        let meant = did_you_mean(nearest(&dollar, known.chain(["$levels"])), "");
        let message = format!(
            "found `{}`, which is no option of an expanded navigation{meant}",
            excerpt(&name.name)
        );
        return Err(Error::new(ErrorKind::Option, name.at, message));
    };
    // If an option is given twice, the position is useful, because the message names `$expand`.
    option(&mut item.options, *option_name, parser).map_err(|mut error| {
        error.position.get_or_insert(name.at);
        error
    })?;
    match option_name {
        OptionName::Filter | OptionName::OrderBy => match parser.peek().kind {
            TokenKind::Semicolon | TokenKind::Close => separator(parser, OTHERS),
            _ => parser.expect_after(&TokenKind::Semicolon, OTHERS).map(drop),
        },
        _ => separator(parser, OTHERS),
    }
}

/// An alias of an `$expand` item. It has its value within the parentheses, whatever it means outside.
fn nested_alias(item: &mut ExpandItem, name: &str, parser: &mut Parser<'_>) -> Result<(), Error> {
    let at = parser.take().at;
    parser.expect(&TokenKind::Equals, "`=` and the value of the alias")?;
    let value = parser.expr()?;
    if item
        .options
        .aliases
        .insert(name.to_owned(), value)
        .is_some()
    {
        let message = format!("`@{}` is given more than once", excerpt(name));
        return Err(Error::new(ErrorKind::Option, at, message));
    }
    match parser.peek().kind {
        TokenKind::Semicolon | TokenKind::Close => separator(parser, OTHERS),
        _ => parser.expect_after(&TokenKind::Semicolon, OTHERS).map(drop),
    }
}

/// The `;` before another option, or the `)` that ends them, which stays.
fn separator(parser: &mut Parser<'_>, expected: &str) -> Result<(), Error> {
    match parser.peek().kind {
        TokenKind::Close => Ok(()),
        _ => parser.expect(&TokenKind::Semicolon, expected).map(drop),
    }
}

fn levels(parser: &mut Parser<'_>) -> Result<usize, Error> {
    let token = parser.take();
    let count = match &token.kind {
        TokenKind::Word(word) if word.eq_ignore_ascii_case("max") => Some(usize::MAX),
        TokenKind::Number(digits) if !digits.starts_with('0') => digits.parse().ok(),
        _ => None,
    };
    count.ok_or_else(|| {
        Error::new(
            ErrorKind::Value,
            token.at,
            format!(
                "found {}; expected `max` or a whole number from 1",
                token.show()
            ),
        )
    })
}

/// A `$search` inside parentheses: up to the `;` or `)` that ends it, quotes and its own parentheses skipped,
/// read by the rules of the option itself.
fn nested_search(parser: &mut Parser<'_>) -> Result<crate::ast::Search, Error> {
    let begin = parser.peek().at;
    let mut end = begin;
    let mut open = 0_usize;
    loop {
        match parser.peek().kind {
            TokenKind::Open => open += 1,
            TokenKind::Close if open > 0 => open -= 1,
            TokenKind::Semicolon | TokenKind::Close | TokenKind::End => break,
            _ => {}
        }
        let token = parser.take();
        // In a search only double quotes make a phrase; a quote inside a word is part of the word here.
        if matches!(token.kind, TokenKind::Literal(Literal::String(_)))
            && !parser.text()[token.at..].starts_with('"')
        {
            return Err(Error::syntax(
                token.at,
                "found a string in single quotes; a phrase is put in double quotes",
            ));
        }
        end = token.end;
    }
    search::parse(&parser.text()[begin..end], parser.limits).map_err(|mut error| {
        error.position = error.position.map(|at| at + begin);
        error
    })
}
