//! The operands of operators: literals, calls, paths with their suffixes, and the lists after `in`.

use super::{Infix, PRIMARY, Parser, infix};
use crate::ast::{Expr, ExprKind, LambdaOp, Literal, Segment};
use crate::error::{Error, ErrorKind, excerpt};
use crate::lex::{Token, TokenKind};

impl Parser<'_> {
    /// `has` and `in`, which bind tighter than the unary operators.
    pub(super) fn members(&mut self, mut left: Expr) -> Result<Expr, Error> {
        let entered = self.depth;
        while let TokenKind::Word(word) = &self.peek().kind {
            let at = left.at;
            match infix(word) {
                Some((PRIMARY, Infix::Binary(op))) => {
                    self.take();
                    self.depth += 1;
                    let right = self.deeper(Self::primary)?;
                    left = self.node(at, ExprKind::Binary(op, Box::new(left), Box::new(right)))?;
                }
                Some((PRIMARY, Infix::In)) => {
                    self.take();
                    self.depth += 1;
                    let kind = match &self.peek().kind {
                        TokenKind::Alias(name) => {
                            let alias = Segment {
                                at: self.peek().at,
                                name: (*name).to_owned(),
                            };
                            self.take();
                            ExprKind::InAlias(Box::new(left), alias)
                        }
                        _ => ExprKind::In(Box::new(left), self.list()?),
                    };
                    left = self.node(at, kind)?;
                }
                _ => break,
            }
        }
        self.depth = entered;
        Ok(left)
    }

    /// The right side of `in`: `(1,2)` or `[1,2]`. Only the one in brackets may be empty.
    fn list(&mut self) -> Result<Vec<Expr>, Error> {
        let close = match self.peek().kind {
            TokenKind::Open => TokenKind::Close,
            TokenKind::OpenBracket => TokenKind::CloseBracket,
            _ => {
                return Err(
                    self.unexpected("a list such as `(1,2)`, or the alias of one such as `@list`")
                );
            }
        };
        self.take();
        if close == TokenKind::CloseBracket {
            if self.eat(&close) {
                return Ok(Vec::new());
            }
            self.arrays += 1;
            let first = self.list_member()?;
            let members = self.rest_of_list(first, &close)?;
            self.arrays -= 1;
            return Ok(members);
        }
        if self.peek().kind == TokenKind::Close {
            return Err(self.unexpected("a member of the list; an empty list is written `[]`"));
        }
        let first = self.list_member()?;
        self.rest_of_list(first, &close)
    }

    /// The members of a list after its first, up to its end.
    fn rest_of_list(&mut self, first: Expr, close: &TokenKind<'_>) -> Result<Vec<Expr>, Error> {
        let mut members = vec![first];
        while !self.eat(close) {
            let end = if *close == TokenKind::Close { ")" } else { "]" };
            self.expect_after(
                &TokenKind::Comma,
                &format!("`,` before another member of the list, or `{end}`"),
            )?;
            if members.len() == self.limits.list {
                return Err(Error::limit(
                    self.peek().at,
                    "the list has too many members",
                    self.limits.list,
                ));
            }
            members.push(self.list_member()?);
        }
        Ok(members)
    }

    /// Literals do not count as nodes here, so that a list may have its own, larger limit.
    fn list_member(&mut self) -> Result<Expr, Error> {
        let spent = self.budget.nodes;
        let member = self.expr()?;
        if matches!(member.kind, ExprKind::Literal(_)) {
            self.budget.nodes = spent;
        }
        Ok(member)
    }

    /// An operand. Recursive code is in separate functions: unoptimised, each level of the deepest expression
    /// takes the stack of everything in its function.
    pub(super) fn primary(&mut self) -> Result<Expr, Error> {
        match self.peek().kind {
            TokenKind::Open => self.group(),
            TokenKind::OpenBracket => self.deeper(Self::collection),
            TokenKind::Word(_) => self.word(),
            _ => self.literal(),
        }
    }

    /// `(…)` around one expression, or a list of several.
    fn group(&mut self) -> Result<Expr, Error> {
        let at = self.take().at;
        let inner = self.expr()?;
        if self.peek().kind == TokenKind::Comma {
            return self.members_after(at, inner);
        }
        self.expect_after(&TokenKind::Close, "or `)` for the `(` that is open")?;
        Ok(inner)
    }

    fn members_after(&mut self, at: usize, first: Expr) -> Result<Expr, Error> {
        let members = self.rest_of_list(first, &TokenKind::Close)?;
        self.node(at, ExprKind::List(members))
    }

    /// `[…]`
    fn collection(&mut self) -> Result<Expr, Error> {
        let at = self.peek().at;
        let members = self.list()?;
        self.node(at, ExprKind::List(members))
    }

    fn literal(&mut self) -> Result<Expr, Error> {
        let token = self.peek();
        let at = token.at;
        let kind = match &token.kind {
            // JSON has its strings in double quotes, and is only in the array of a list.
            TokenKind::Literal(Literal::String(_))
                if self.arrays == 0 && self.text[at..].starts_with('"') =>
            {
                let message = "found a string in double quotes; a string is put in single quotes, as in 'Weld'";
                return Err(Error::syntax(at, message));
            }
            TokenKind::Literal(literal) => ExprKind::Literal(literal.clone()),
            TokenKind::Number(digits) => ExprKind::Literal(number(at, digits, false)?),
            TokenKind::Alias(name) => ExprKind::Alias((*name).to_owned()),
            _ => return Err(self.unexpected("a property, a literal, a function or `(`")),
        };
        self.next += 1;
        self.node(at, kind)
    }

    /// Keywords, calls, type names and paths.
    fn word(&mut self) -> Result<Expr, Error> {
        let Token {
            at,
            kind: TokenKind::Word(word),
            ..
        } = self.take()
        else {
            return Err(self.unexpected("a name"));
        };
        match self.peek().kind {
            TokenKind::Open => self.call(at, word),
            TokenKind::Slash => self.path(at, word.to_owned()),
            _ => self.plain(at, word),
        }
    }

    fn call(&mut self, at: usize, word: &str) -> Result<Expr, Error> {
        let name = word.to_ascii_lowercase();
        match name.as_str() {
            "any" | "all" => {
                let message = format!(
                    "found `{name}(` without a path; it follows a navigation to many, as in `boards/{name}(b:b/isPublic)`"
                );
                Err(Error::syntax(at, message))
            }
            "case" => {
                let pairs = self.cases()?;
                self.node(at, ExprKind::Case(pairs))
            }
            _ => {
                let args = self.arguments()?;
                self.node(at, ExprKind::Call(name, args))
            }
        }
    }

    /// A word without arguments or a path: a keyword, a type's name or a property.
    fn plain(&mut self, at: usize, word: &str) -> Result<Expr, Error> {
        let kind = match word {
            "INF" => ExprKind::Literal(Literal::Double(f64::INFINITY)),
            "NaN" => ExprKind::Literal(Literal::Double(f64::NAN)),
            _ if word.eq_ignore_ascii_case("null") => ExprKind::Literal(Literal::Null),
            _ if word.eq_ignore_ascii_case("true") => ExprKind::Literal(Literal::Boolean(true)),
            _ if word.eq_ignore_ascii_case("false") => ExprKind::Literal(Literal::Boolean(false)),
            _ if word.contains('.') => ExprKind::TypeName(word.to_owned()),
            _ => ExprKind::Path(vec![Segment {
                at,
                name: word.to_owned(),
            }]),
        };
        self.node(at, kind)
    }

    fn arguments(&mut self) -> Result<Vec<Expr>, Error> {
        self.expect(&TokenKind::Open, "`(`")?;
        let mut args = Vec::new();
        if self.eat(&TokenKind::Close) {
            return Ok(args);
        }
        loop {
            args.push(self.expr()?);
            if self.eat(&TokenKind::Close) {
                return Ok(args);
            }
            self.expect_after(&TokenKind::Comma, "`,` or `)`")?;
        }
    }

    /// The pairs of `case`.
    fn cases(&mut self) -> Result<Vec<(Expr, Expr)>, Error> {
        self.expect(&TokenKind::Open, "`(`")?;
        let mut pairs = Vec::new();
        loop {
            let condition = self.expr()?;
            self.expect_after(
                &TokenKind::Colon,
                "or `:` and a value, as in `case(level gt 1:'deep',true:'flat')`",
            )?;
            pairs.push((condition, self.expr()?));
            if self.eat(&TokenKind::Close) {
                return Ok(pairs);
            }
            self.expect_after(&TokenKind::Comma, "`,` or `)`")?;
        }
    }

    /// The rest of a path after its first name: more names, then perhaps `any`, `all` or `$count`.
    fn path(&mut self, at: usize, first: String) -> Result<Expr, Error> {
        let mut path = vec![Segment { at, name: first }];
        while self.eat(&TokenKind::Slash) {
            // A path can't be longer than the model's navigations lead, but a cycle in it leads anywhere.
            if path.len() > self.limits.safe_depth() {
                return Err(Error::limit(
                    at,
                    "the path is too long",
                    self.limits.safe_depth(),
                ));
            }
            let token = self.take();
            let TokenKind::Word(name) = token.kind else {
                self.next -= 1;
                return Err(self.unexpected(
                    "a name, `any`, `all` or `$count` after `/`; division is written `div`",
                ));
            };
            if name.eq_ignore_ascii_case("$count") {
                let filter = if self.peek().kind == TokenKind::Open {
                    Some(Box::new(self.count_filter()?))
                } else {
                    None
                };
                return self.node(at, ExprKind::Count { path, filter });
            }
            if self.peek().kind == TokenKind::Open {
                let op = match name.to_ascii_lowercase().as_str() {
                    "any" => LambdaOp::Any,
                    "all" => LambdaOp::All,
                    _ => {
                        let message = format!(
                            "found a call of `{}` in a path; expected `any`, `all` or a name",
                            excerpt(name)
                        );
                        return Err(Error::syntax(token.at, message));
                    }
                };
                let body = self.lambda(op)?;
                return self.node(at, ExprKind::Lambda { path, op, body });
            }
            path.push(Segment {
                at: token.at,
                name: name.to_owned(),
            });
        }
        self.node(at, ExprKind::Path(path))
    }

    fn lambda(&mut self, op: LambdaOp) -> Result<Option<(String, Box<Expr>)>, Error> {
        self.expect(&TokenKind::Open, "`(`")?;
        if op == LambdaOp::Any && self.eat(&TokenKind::Close) {
            return Ok(None);
        }
        let TokenKind::Word(variable) = self.peek().kind else {
            return Err(self.unexpected("a range variable, as in `(x:x/name eq 'a')`"));
        };
        self.take();
        self.expect(&TokenKind::Colon, "`:` after the range variable")?;
        let body = self.expr()?;
        self.expect_after(&TokenKind::Close, "or `)`")?;
        Ok(Some((variable.to_owned(), Box::new(body))))
    }

    /// `($filter=…)` after `$count`.
    fn count_filter(&mut self) -> Result<Expr, Error> {
        self.expect(&TokenKind::Open, "`(`")?;
        let named = matches!(&self.peek().kind, TokenKind::Word(word)
            if word.trim_start_matches('$').eq_ignore_ascii_case("filter"));
        if !named {
            return Err(self.unexpected("`$filter=`, the only option of `$count`"));
        }
        self.take();
        self.expect(&TokenKind::Equals, "`=`")?;
        let filter = self.expr()?;
        self.expect_after(&TokenKind::Close, "or `)`")?;
        Ok(filter)
    }
}

/// A number with its sign. Without fraction and exponent it must fit 64 bits: `-9223372036854775808` does,
/// its positive does not.
pub(super) fn number(at: usize, digits: &str, negative: bool) -> Result<Literal, Error> {
    let text = if negative {
        format!("-{digits}")
    } else {
        digits.to_owned()
    };
    if digits.bytes().all(|b| b.is_ascii_digit()) {
        return text.parse().map(Literal::Int).map_err(|_| {
            Error::new(
                ErrorKind::Value,
                at,
                format!(
                    "found the whole number `{}`; expected one of at most 64 bits",
                    excerpt(&text)
                ),
            )
        });
    }
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(Literal::Double(value)),
        _ => Err(Error::new(
            ErrorKind::Value,
            at,
            format!(
                "found the number `{}`, which no double can hold",
                excerpt(&text)
            ),
        )),
    }
}
