//! `$apply`: the sequence of transformations, with their own words between expressions.

use super::Parser;
use crate::ast::apply::{AggregateItem, AggregateMethod, Aggregated, ComputeItem, Transformation};
use crate::ast::{Expr, Segment};
use crate::error::{Error, ErrorKind, excerpt};
use crate::lex::{TokenKind, is_identifier, is_literal_or_operator};
use crate::nearest::{did_you_mean, nearest};

/// The transformations that are offered, as `$metadata` lists them.
pub(crate) const TRANSFORMATIONS: [&str; 4] = ["aggregate", "compute", "filter", "groupby"];

/// What follows a transformation.
pub(crate) const AFTER: &str = "`/` before another transformation, or the end";

/// The most characters of a name that a request gives, as of any identifier of OData.
const LONGEST_ALIAS: usize = 128;

impl Parser<'_> {
    /// The transformations of `$apply`.
    pub(crate) fn apply(&mut self) -> Result<Vec<Transformation>, Error> {
        let mut all = Vec::new();
        loop {
            if all.len() == self.limits.transformations {
                return Err(Error::limit(
                    self.peek().at,
                    "there are too many transformations",
                    self.limits.transformations,
                ));
            }
            all.push(self.transformation()?);
            if !self.eat(&TokenKind::Slash) {
                return Ok(all);
            }
        }
    }

    fn transformation(&mut self) -> Result<Transformation, Error> {
        let name = self.segment("a transformation such as `groupby((…),aggregate(…))`")?;
        let known = TRANSFORMATIONS
            .into_iter()
            .find(|known| known.eq_ignore_ascii_case(&name.name));
        let Some(known) = known else {
            return Err(unknown(&name));
        };
        self.expect(&TokenKind::Open, &format!("`(` after `{known}`"))?;
        let transformation = match known {
            "filter" => Transformation::Filter(self.expr()?),
            "compute" => Transformation::Compute(self.items(Self::compute_item)?),
            "aggregate" => Transformation::Aggregate(self.items(Self::aggregate_item)?),
            _ => self.groups()?,
        };
        match transformation {
            Transformation::Filter(_) => self.expect_after(&TokenKind::Close, "or `)`")?,
            _ => self.expect(&TokenKind::Close, "`,` or `)`")?,
        };
        Ok(transformation)
    }

    /// The paths of `groupby` in their own parentheses, and what is aggregated in each group.
    fn groups(&mut self) -> Result<Transformation, Error> {
        self.expect(
            &TokenKind::Open,
            "the properties to group by in parentheses, as in `groupby((status,area/name))`",
        )?;
        let paths = self.items(Self::group_path)?;
        self.expect(&TokenKind::Close, "`,`, `/` or `)`")?;
        let mut aggregates = Vec::new();
        if self.eat(&TokenKind::Comma) {
            const EXPECTED: &str =
                "`aggregate(…)`, the only transformation that may be applied to each group";
            let is_known = matches!(self.peek().kind,
                TokenKind::Word(word) if word.eq_ignore_ascii_case("aggregate"));
            if !is_known {
                return Err(self.unexpected(EXPECTED));
            }
            self.take();
            self.expect(&TokenKind::Open, "`(` after `aggregate`")?;
            aggregates = self.items(Self::aggregate_item)?;
            self.expect(&TokenKind::Close, "`,` or `)`")?;
        }
        Ok(Transformation::GroupBy { paths, aggregates })
    }

    fn group_path(&mut self) -> Result<Vec<Segment>, Error> {
        let mut path = vec![self.segment("a property to group by, such as `status`")?];
        if self.peek().kind == TokenKind::Open {
            let message = format!(
                "found a call of `{0}`; expected a property: name the value of a function first, as in `compute({0}(…) as x)/groupby((x))`",
                excerpt(&path[0].name)
            );
            return Err(Error::syntax(path[0].at, message));
        }
        while self.eat(&TokenKind::Slash) {
            if path.len() > self.limits.safe_depth() {
                return Err(Error::limit(
                    path[0].at,
                    "the path is too long",
                    self.limits.safe_depth(),
                ));
            }
            path.push(self.segment("a name after `/`")?);
        }
        Ok(path)
    }

    fn compute_item(&mut self) -> Result<ComputeItem, Error> {
        let expr = self.expr()?;
        let alias = self.alias_after("`as` and a name, as in `year(dueDate) as y`")?;
        Ok(ComputeItem { expr, alias })
    }

    fn aggregate_item(&mut self) -> Result<AggregateItem, Error> {
        let is_count = matches!(self.peek().kind,
            TokenKind::Word(word) if word.eq_ignore_ascii_case("$count"));
        let value = if is_count {
            self.take();
            Aggregated::Count
        } else {
            let expr = self.expr()?;
            let method = self.method(&expr)?;
            Aggregated::Of(expr, method)
        };
        let alias = self.alias_after("`as` and a name, as in `$count as n`")?;
        Ok(AggregateItem { value, alias })
    }

    /// `with` and a method.
    fn method(&mut self, of: &Expr) -> Result<AggregateMethod, Error> {
        self.word_after("with", || {
            let of = of.to_string();
            format!(
                "`with` and a method, as in `{} with max as x`",
                excerpt(&of)
            )
        })?;
        let words = AggregateMethod::ALL.map(AggregateMethod::word);
        let name = self.segment("a method such as `sum`")?;
        let method = AggregateMethod::ALL
            .into_iter()
            .find(|method| method.word().eq_ignore_ascii_case(&name.name));
        method.ok_or_else(|| {
            let hint = match nearest(&name.name, words.into_iter()) {
                near @ Some(_) => did_you_mean(near, ""),
                None => format!("; expected one of `{}`", words.join("`, `")),
            };
            let message = format!(
                "found `{}`, which is no method of `aggregate`{hint}",
                excerpt(&name.name)
            );
            Error::new(ErrorKind::UnknownFunction, name.at, message)
        })
    }

    /// `as` and the name of a value in the result.
    fn alias_after(&mut self, others: &str) -> Result<Segment, Error> {
        self.word_after("as", || others.to_owned())?;
        let alias = self.segment("a name after `as`")?;
        let is_short = alias.name.chars().count() <= LONGEST_ALIAS;
        if !is_short || !is_identifier(&alias.name) {
            let message = format!(
                "found `{}`; expected a name of at most {LONGEST_ALIAS} letters, digits and `_` that begins with no digit",
                excerpt(&alias.name)
            );
            return Err(Error::syntax(alias.at, message));
        }
        if is_literal_or_operator(&alias.name) {
            let message = format!(
                "found `{}`, which is read as a literal or an operator where it is used; expected another name",
                alias.name
            );
            return Err(Error::syntax(alias.at, message));
        }
        Ok(alias)
    }

    /// A word that follows an expression.
    fn word_after(
        &mut self,
        expected: &'static str,
        others: impl FnOnce() -> String,
    ) -> Result<(), Error> {
        if matches!(self.peek().kind, TokenKind::Word(word) if word.eq_ignore_ascii_case(expected))
        {
            self.take();
            return Ok(());
        }
        // The token itself is none that occurs.
        self.expect_after(&TokenKind::Word(expected), &format!("or {}", others()))
            .map(drop)
    }

    /// Items separated by commas, each of which counts as a part of an expression.
    fn items<T>(&mut self, item: impl Fn(&mut Self) -> Result<T, Error>) -> Result<Vec<T>, Error> {
        let mut items = Vec::new();
        loop {
            self.budget.nodes += 1;
            if self.budget.nodes > self.limits.nodes {
                return Err(Error::limit(
                    self.peek().at,
                    "the expressions have too many parts",
                    self.limits.nodes,
                ));
            }
            items.push(item(self)?);
            if !self.eat(&TokenKind::Comma) {
                return Ok(items);
            }
        }
    }
}

fn unknown(name: &Segment) -> Error {
    let hint = match nearest(&name.name, TRANSFORMATIONS.into_iter()) {
        near @ Some(_) => did_you_mean(near, ""),
        None => format!("; expected one of `{}`", TRANSFORMATIONS.join("`, `")),
    };
    let message = format!(
        "found `{}`, which is no transformation that is supported{hint}",
        excerpt(&name.name)
    );
    Error::new(ErrorKind::UnknownFunction, name.at, message)
}
