//! `$apply`: the sequence of transformations, with their own words between expressions; and `$compute`, which
//! has the items of one of them.

use super::Parser;
use crate::ast::apply::{AggregateItem, AggregateMethod, Aggregated, ComputeItem, Transformation};
use crate::ast::{Expr, ExprKind, Segment};
use crate::error::{Error, ErrorKind, excerpt};
use crate::lex::{TokenKind, is_identifier, is_literal_or_operator};
use crate::nearest::{did_you_mean, nearest};

/// The transformations that are offered, as `$metadata` lists them.
pub(crate) const TRANSFORMATIONS: [&str; 5] =
    ["aggregate", "compute", "concat", "filter", "groupby"];

/// What follows a transformation.
pub(crate) const AFTER: &str = "`/` before another transformation, or the end";

/// The most characters of a name that a request gives, as of any identifier of OData.
const LONGEST_ALIAS: usize = 128;

/// What was read of an `$apply`, in every sequence.
#[derive(Default)]
struct Count {
    transformations: usize,
    has_concat: bool,
}

impl Parser<'_> {
    /// The transformations of `$apply`.
    pub(crate) fn apply(&mut self) -> Result<Vec<Transformation>, Error> {
        self.sequence(&mut Count::default())
    }

    fn sequence(&mut self, count: &mut Count) -> Result<Vec<Transformation>, Error> {
        let mut all = Vec::new();
        loop {
            if count.transformations == self.limits.transformations {
                return Err(Error::limit(
                    self.peek().at,
                    "there are too many transformations",
                    self.limits.transformations,
                ));
            }
            count.transformations += 1;
            all.push(self.transformation(count)?);
            if !self.eat(&TokenKind::Slash) {
                return Ok(all);
            }
        }
    }

    /// The items of `$compute`, or of the transformation.
    pub(crate) fn compute(&mut self) -> Result<Vec<ComputeItem>, Error> {
        self.items(Self::compute_item)
    }

    fn transformation(&mut self, count: &mut Count) -> Result<Transformation, Error> {
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
            "compute" => Transformation::Compute(self.compute()?),
            "aggregate" => Transformation::Aggregate(self.items(Self::aggregate_item)?),
            "concat" => self.concat(&name, count)?,
            _ => self.groups()?,
        };
        match transformation {
            Transformation::Filter(_) => self.expect_after(&TokenKind::Close, "or `)`")?,
            _ => self.expect(&TokenKind::Close, "`,` or `)`")?,
        };
        Ok(transformation)
    }

    /// The sequences of `concat`. What comes before it is computed for each of them: a second `concat` would
    /// multiply that.
    fn concat(&mut self, name: &Segment, count: &mut Count) -> Result<Transformation, Error> {
        if std::mem::replace(&mut count.has_concat, true) {
            let message = "found a second `concat`; expected one, with all sequences";
            return Err(Error::new(ErrorKind::Option, name.at, message));
        }
        let mut sequences = vec![self.sequence(count)?];
        self.expect(
            &TokenKind::Comma,
            "`/` before another transformation, or `,` before a second sequence of `concat`",
        )?;
        loop {
            sequences.push(self.sequence(count)?);
            if !self.eat(&TokenKind::Comma) {
                return Ok(Transformation::Concat(sequences));
            }
        }
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
            if !self.eat_word("aggregate") {
                return Err(self.unexpected(EXPECTED));
            }
            self.expect(&TokenKind::Open, "`(` after `aggregate`")?;
            aggregates = self.items(Self::aggregate_item)?;
            self.expect(&TokenKind::Close, "`,` or `)`")?;
        }
        Ok(Transformation::GroupBy { paths, aggregates })
    }

    fn group_path(&mut self) -> Result<Vec<Segment>, Error> {
        let mut path = vec![self.segment("a property to group by, such as `status`")?];
        if self.peek().kind == TokenKind::Open {
            let message = if path[0].name.eq_ignore_ascii_case("rollup") {
                "found `rollup`, which is not supported; expected the path of a property, such as `area/name`"
                    .to_owned()
            } else {
                format!(
                    "found a call of `{0}`; expected a property: name the value of a function first, as in `compute({0}(…) as x)/groupby((x))`",
                    excerpt(&path[0].name)
                )
            };
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
        if !self.eat_word("as") {
            return Err(self.unexpected_after("or `as` and a name, as in `year(dueDate) as y`"));
        }
        let alias = self.alias()?;
        Ok(ComputeItem { expr, alias })
    }

    fn aggregate_item(&mut self) -> Result<AggregateItem, Error> {
        let value = if self.eat_word("$count") {
            Aggregated::Count
        } else {
            let expr = self.expr()?;
            let method = self.method(&expr)?;
            Aggregated::Of(expr, method)
        };
        if self.next_is_word("from") {
            let message = "found `from`, which is not supported; expected `as` and a name, as in `$count as n`";
            return Err(Error::syntax(self.peek().at, message));
        }
        if !self.eat_word("as") {
            return Err(self.unexpected("`as` and a name, as in `$count as n`"));
        }
        let alias = self.alias()?;
        Ok(AggregateItem { value, alias })
    }

    /// `with` and a method.
    fn method(&mut self, of: &Expr) -> Result<AggregateMethod, Error> {
        if !self.eat_word("with") {
            return Err(self.without_method(of));
        }
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

    /// An expression that no `with` follows.
    fn without_method(&self, of: &Expr) -> Error {
        if let ExprKind::Call(name, args) = &of.kind
            && let [value] = args.as_slice()
            && let Some(method) = AggregateMethod::ALL
                .into_iter()
                .find(|method| method.word() == name)
        {
            let value = value.to_string();
            let message = format!(
                "found a call of `{name}`; expected the method after its value, as in `{} with {} as x`",
                excerpt(&value),
                method.word()
            );
            return Error::syntax(of.at, message);
        }
        let of = of.to_string();
        self.unexpected_after(&format!(
            "or `with` and a method, as in `{} with max as x`",
            excerpt(&of)
        ))
    }

    /// The name of a value in the result.
    fn alias(&mut self) -> Result<Segment, Error> {
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

    fn next_is_word(&self, expected: &str) -> bool {
        matches!(self.peek().kind, TokenKind::Word(word) if word.eq_ignore_ascii_case(expected))
    }

    fn eat_word(&mut self, expected: &str) -> bool {
        let is_next = self.next_is_word(expected);
        if is_next {
            self.take();
        }
        is_next
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
