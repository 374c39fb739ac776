//! Tokens → expressions, by precedence climbing.
//!
//! Recursion is bounded by a depth counter and the size by a node counter, both shared by all options of a request; the
//! work is linear in the text. Names stay names: nothing here knows an entity.

use crate::ast::{BinaryOp, Expr, ExprKind, LambdaOp, Literal, LogicOp, OrderItem, Segment};
use crate::error::{Error, ErrorKind};
use crate::lex::{self, Token, TokenKind};
use crate::limits::Limits;

/// What all the options of one request have used up together.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Budget {
    pub nodes: usize,
    pub expands: usize,
}

/// A reader of one option's tokens.
pub(crate) struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    next: usize,
    depth: usize,
    pub(crate) limits: &'a Limits,
    pub(crate) budget: &'a mut Budget,
}

/// How tightly binary operators bind; larger is tighter. `has` and `in` bind tighter than the unary operators.
const OR: u8 = 1;
const AND: u8 = 2;
const UNARY: u8 = 7;
const PRIMARY: u8 = 8;

enum Infix {
    Logic(LogicOp),
    Binary(BinaryOp),
    In,
}

/// The operators of the specification's precedence table, the only place that knows it.
fn infix(word: &str) -> Option<(u8, Infix)> {
    use BinaryOp::{Add, Div, DivBy, Eq, Ge, Gt, Has, Le, Lt, Mod, Mul, Ne, Sub};
    // Every operator is at most five ASCII letters; longer words are not worth lowering.
    if word.len() > 5 {
        return None;
    }
    let operator = match word.to_ascii_lowercase().as_str() {
        "or" => (OR, Infix::Logic(LogicOp::Or)),
        "and" => (AND, Infix::Logic(LogicOp::And)),
        "eq" => (3, Infix::Binary(Eq)),
        "ne" => (3, Infix::Binary(Ne)),
        "gt" => (4, Infix::Binary(Gt)),
        "ge" => (4, Infix::Binary(Ge)),
        "lt" => (4, Infix::Binary(Lt)),
        "le" => (4, Infix::Binary(Le)),
        "add" => (5, Infix::Binary(Add)),
        "sub" => (5, Infix::Binary(Sub)),
        "mul" => (6, Infix::Binary(Mul)),
        "div" => (6, Infix::Binary(Div)),
        "divby" => (6, Infix::Binary(DivBy)),
        "mod" => (6, Infix::Binary(Mod)),
        "has" => (PRIMARY, Infix::Binary(Has)),
        "in" => (PRIMARY, Infix::In),
        _ => return None,
    };
    Some(operator)
}

impl<'a> Parser<'a> {
    pub(crate) fn new(
        text: &'a str,
        limits: &'a Limits,
        budget: &'a mut Budget,
    ) -> Result<Self, Error> {
        if text.len() > limits.option_bytes {
            return Err(Error::limit(
                None,
                &format!("the value has {} bytes", text.len()),
                limits.option_bytes,
            ));
        }
        Ok(Self {
            text,
            tokens: lex::tokens(text)?,
            next: 0,
            depth: 0,
            limits,
            budget,
        })
    }

    /// The text being read.
    pub(crate) fn text(&self) -> &'a str {
        self.text
    }

    /// The next token, not taken. The last token is the end, and stays.
    pub(crate) fn peek(&self) -> &Token {
        &self.tokens[self.next.min(self.tokens.len() - 1)]
    }

    pub(crate) fn take(&mut self) -> Token {
        let token = self.peek().clone();
        self.next += 1;
        token
    }

    pub(crate) fn eat(&mut self, kind: &TokenKind) -> bool {
        let hit = self.peek().kind == *kind;
        self.next += usize::from(hit);
        hit
    }

    pub(crate) fn expect(&mut self, kind: &TokenKind, expected: &str) -> Result<Token, Error> {
        if self.peek().kind == *kind {
            Ok(self.take())
        } else {
            Err(self.unexpected(expected))
        }
    }

    pub(crate) fn unexpected(&self, expected: &str) -> Error {
        let token = self.peek();
        Error::syntax(
            token.at,
            format!("found {}; expected {expected}", token.show()),
        )
    }

    pub(crate) fn end(&mut self) -> Result<(), Error> {
        let before = self
            .next
            .checked_sub(1)
            .and_then(|at| self.tokens.get(at))
            .map(|token| &token.kind);
        let expected = match (&self.peek().kind, before) {
            (TokenKind::Equals, _) => "an operator such as `eq`, or the end",
            (TokenKind::Close, _) => "the end: there is one `)` too many",
            // What is left of an offset whose + a form decoder took for a space.
            (
                TokenKind::Literal(Literal::TimeOfDay(_)),
                Some(TokenKind::Literal(Literal::DateTimeOffset { .. })),
            ) => "the end: a `+` before an offset is written %2B in a URL",
            _ => "an operator such as `and`, or the end",
        };
        self.expect(&TokenKind::End, expected).map(drop)
    }

    /// Runs a rule one level deeper. Nothing recurses without passing here.
    pub(crate) fn deeper<T>(
        &mut self,
        rule: impl FnOnce(&mut Self) -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.depth += 1;
        if self.depth > self.limits.safe_depth() {
            return Err(Error::limit(
                self.peek().at,
                "the expression is nested too deeply",
                self.limits.safe_depth(),
            ));
        }
        let result = rule(self);
        self.depth -= 1;
        result
    }

    fn node(&mut self, at: usize, kind: ExprKind) -> Result<Expr, Error> {
        self.budget.nodes += 1;
        if self.budget.nodes > self.limits.nodes {
            return Err(Error::limit(
                at,
                "the expressions have too many parts",
                self.limits.nodes,
            ));
        }
        Ok(Expr { at, kind })
    }

    /// A complete expression.
    pub(crate) fn expr(&mut self) -> Result<Expr, Error> {
        self.deeper(|parser| parser.binary(OR))
    }

    /// Operators that bind at least as tightly as `least`, from left to right.
    fn binary(&mut self, least: u8) -> Result<Expr, Error> {
        let mut left = self.unary()?;
        // A run of left-associative operators nests to the left without recursion here, but later stages walk it
        // recursively: it counts as depth, except for `and` and `or`, whose operands are one list.
        let entered = self.depth;
        while let TokenKind::Word(word) = &self.peek().kind {
            let Some((binds, operator)) = infix(word) else {
                break;
            };
            if binds < least || binds >= UNARY {
                break;
            }
            self.take();
            left = match operator {
                Infix::Logic(op) => self.logic(op, binds, left)?,
                Infix::Binary(op) => {
                    self.depth += 1;
                    let right = self.deeper(|parser| parser.binary(binds + 1))?;
                    self.node(
                        left.at,
                        ExprKind::Binary(op, Box::new(left), Box::new(right)),
                    )?
                }
                Infix::In => break,
            };
        }
        self.depth = entered;
        Ok(left)
    }

    fn logic(&mut self, op: LogicOp, binds: u8, first: Expr) -> Result<Expr, Error> {
        let at = first.at;
        let mut operands = vec![first];
        loop {
            operands.push(self.deeper(|parser| parser.binary(binds + 1))?);
            let again = matches!(&self.peek().kind, TokenKind::Word(word)
                if matches!(infix(word), Some((_, Infix::Logic(next))) if next == op));
            if !again {
                return self.node(at, ExprKind::Logic(op, operands));
            }
            self.take();
        }
    }

    fn unary(&mut self) -> Result<Expr, Error> {
        let at = self.peek().at;
        match &self.peek().kind {
            TokenKind::Minus => {
                self.take();
                self.negative(at)
            }
            TokenKind::Word(word) if word.eq_ignore_ascii_case("not") => {
                self.take();
                let operand = self.deeper(Self::unary)?;
                self.node(at, ExprKind::Not(Box::new(operand)))
            }
            _ => self.postfix(),
        }
    }

    /// What follows a `-`: a number's sign, or an operand to negate.
    fn negative(&mut self, at: usize) -> Result<Expr, Error> {
        let literal = match &self.peek().kind {
            TokenKind::Number(digits) => Some(number(at, digits, true)?),
            TokenKind::Word(word) if word == "INF" => Some(Literal::Double(f64::NEG_INFINITY)),
            _ => None,
        };
        if let Some(literal) = literal {
            self.take();
            let left = self.node(at, ExprKind::Literal(literal))?;
            return self.members(left);
        }
        let operand = self.deeper(Self::unary)?;
        self.node(at, ExprKind::Negate(Box::new(operand)))
    }

    fn postfix(&mut self) -> Result<Expr, Error> {
        let left = self.primary()?;
        self.members(left)
    }

    /// `has` and `in`, which bind tighter than the unary operators.
    fn members(&mut self, mut left: Expr) -> Result<Expr, Error> {
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

    fn primary(&mut self) -> Result<Expr, Error> {
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

    /// A name in a path, as `$select` and `$expand` have them.
    pub(crate) fn segment(&mut self, expected: &str) -> Result<Segment, Error> {
        let token = self.peek().clone();
        let TokenKind::Word(name) = token.kind else {
            return Err(self.unexpected(expected));
        };
        self.take();
        Ok(Segment { at: token.at, name })
    }

    /// The keys of `$orderby`.
    pub(crate) fn orderby(&mut self) -> Result<Vec<OrderItem>, Error> {
        let mut keys = Vec::new();
        loop {
            if keys.len() == self.limits.order_keys {
                return Err(Error::limit(
                    self.peek().at,
                    "there are too many keys",
                    self.limits.order_keys,
                ));
            }
            let expr = self.expr()?;
            let direction = match &self.peek().kind {
                TokenKind::Word(word) if word.eq_ignore_ascii_case("desc") => Some(true),
                TokenKind::Word(word) if word.eq_ignore_ascii_case("asc") => Some(false),
                _ => None,
            };
            if direction.is_some() {
                self.take();
            }
            keys.push(OrderItem {
                expr,
                descending: direction.unwrap_or(false),
            });
            if !self.eat(&TokenKind::Comma) {
                return Ok(keys);
            }
        }
    }
}

/// A number with its sign. Without fraction and exponent it must fit 64 bits: `-9223372036854775808` does, its positive does not.
fn number(at: usize, digits: &str, negative: bool) -> Result<Literal, Error> {
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
                    crate::error::excerpt(&text)
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
                crate::error::excerpt(&text)
            ),
        )),
    }
}

/// A whole text as one expression.
pub(crate) fn expression(text: &str, limits: &Limits, budget: &mut Budget) -> Result<Expr, Error> {
    let mut parser = Parser::new(text, limits, budget)?;
    if parser.peek().kind == TokenKind::End {
        return Err(Error::syntax(
            0,
            "found nothing; expected an expression such as `name eq 'x'`",
        ));
    }
    let expr = parser.expr()?;
    parser.end()?;
    Ok(expr)
}
