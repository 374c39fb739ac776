//! What operators stand between: literals, calls, paths with what ends them, and the lists after `in`.

use super::{Infix, PRIMARY, Parser, infix};
use crate::ast::{Expr, ExprKind, LambdaOp, Literal, Segment};
use crate::error::{Error, ErrorKind, excerpt};
use crate::lex::TokenKind;

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
                    let list = self.list()?;
                    left = self.node(at, ExprKind::In(Box::new(left), list))?;
                }
                _ => break,
            }
        }
        self.depth = entered;
        Ok(left)
    }

    /// The right side of `in`: `(1,2)` or `[1,2]`.
    fn list(&mut self) -> Result<Vec<Expr>, Error> {
        let close = match self.peek().kind {
            TokenKind::Open => TokenKind::Close,
            TokenKind::OpenBracket => TokenKind::CloseBracket,
            _ => return Err(self.unexpected("a list in parentheses, such as `(1,2)`")),
        };
        self.take();
        let mut members = Vec::new();
        if self.peek().kind == close && close == TokenKind::CloseBracket {
            self.take();
            return Ok(members);
        }
        loop {
            if members.len() == self.limits.list {
                return Err(Error::limit(
                    self.peek().at,
                    "the list after `in` has too many members",
                    self.limits.list,
                ));
            }
            members.push(self.list_member()?);
            if self.eat(&close) {
                return Ok(members);
            }
            self.expect(&TokenKind::Comma, "`,` or the end of the list")?;
        }
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

    pub(super) fn primary(&mut self) -> Result<Expr, Error> {
        let token = self.peek().clone();
        let literal = match token.kind {
            TokenKind::Open => {
                self.take();
                let inner = self.expr()?;
                self.expect(
                    &TokenKind::Close,
                    "an operator, or `)` for the `(` that is open",
                )?;
                return Ok(inner);
            }
            TokenKind::Literal(literal) => literal,
            TokenKind::Number(digits) => number(token.at, &digits, false)?,
            TokenKind::Alias(name) => {
                self.take();
                return self.node(token.at, ExprKind::Alias(name));
            }
            TokenKind::Word(word) => return self.word(token.at, word),
            _ => return Err(self.unexpected("a property, a literal, a function or `(`")),
        };
        self.take();
        self.node(token.at, ExprKind::Literal(literal))
    }

    /// Keywords, calls, type names and paths.
    fn word(&mut self, at: usize, word: String) -> Result<Expr, Error> {
        self.take();
        let plain = !matches!(self.peek().kind, TokenKind::Slash | TokenKind::Open);
        if self.peek().kind == TokenKind::Open {
            let name = word.to_ascii_lowercase();
            let args = self.arguments()?;
            return self.node(at, ExprKind::Call(name, args));
        }
        if plain {
            let literal = match word.as_str() {
                "INF" => Some(Literal::Double(f64::INFINITY)),
                "NaN" => Some(Literal::Double(f64::NAN)),
                _ if word.eq_ignore_ascii_case("null") => Some(Literal::Null),
                _ if word.eq_ignore_ascii_case("true") => Some(Literal::Boolean(true)),
                _ if word.eq_ignore_ascii_case("false") => Some(Literal::Boolean(false)),
                _ => None,
            };
            if let Some(literal) = literal {
                return self.node(at, ExprKind::Literal(literal));
            }
            if word.contains('.') {
                return self.node(at, ExprKind::TypeName(word));
            }
        }
        self.path(at, word)
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
            self.expect(&TokenKind::Comma, "an operator, `,` or `)`")?;
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
                return Err(self.unexpected("a name, `any`, `all` or `$count` after `/`"));
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
                            "found a call of `{name}` in a path; expected `any`, `all` or a name"
                        );
                        return Err(Error::syntax(token.at, message));
                    }
                };
                let body = self.lambda(op)?;
                return self.node(at, ExprKind::Lambda { path, op, body });
            }
            path.push(Segment { at: token.at, name });
        }
        self.node(at, ExprKind::Path(path))
    }

    fn lambda(&mut self, op: LambdaOp) -> Result<Option<(String, Box<Expr>)>, Error> {
        self.expect(&TokenKind::Open, "`(`")?;
        if op == LambdaOp::Any && self.eat(&TokenKind::Close) {
            return Ok(None);
        }
        let TokenKind::Word(variable) = self.peek().kind.clone() else {
            return Err(self.unexpected("a range variable, as in `(x:x/name eq 'a')`"));
        };
        self.take();
        self.expect(&TokenKind::Colon, "`:` after the range variable")?;
        let body = self.expr()?;
        self.expect(&TokenKind::Close, "an operator, or `)`")?;
        Ok(Some((variable, Box::new(body))))
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
        self.expect(&TokenKind::Close, "an operator, or `)`")?;
        Ok(filter)
    }
}

/// A number with its sign. Without fraction and exponent it must fit 64 bits: `-9223372036854775808` does, its positive does not.
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
