//! Tokens → expressions, by precedence climbing.
//!
//! Recursion is bounded by a depth counter, and size by a node counter that all options of a request share;
//! the work is linear in the text. Names stay names: nothing here knows an entity.

pub(crate) mod apply;
mod hint;
mod operand;

use operand::number;

use crate::ast::{BinaryOp, Expr, ExprKind, Literal, LogicOp, OrderItem, Segment};
use crate::error::Error;
use crate::lex::{self, Token, TokenKind};
use crate::limits::Limits;

/// The amounts that all the options of one request have used together.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Budget {
    pub nodes: usize,
    pub expands: usize,
}

/// A reader of one option's tokens.
pub(crate) struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Token<'a>>,
    next: usize,
    depth: usize,
    /// The JSON arrays that are open.
    arrays: usize,
    pub(crate) limits: &'a Limits,
    pub(crate) budget: &'a mut Budget,
}

/// How tightly binary operators bind; larger is tighter. `has` and `in` bind tighter than the unary
/// operators.
const OR: u8 = 1;
const AND: u8 = 2;
const UNARY: u8 = 7;
const PRIMARY: u8 = 8;

enum Infix {
    Logic(LogicOp),
    Binary(BinaryOp),
    In,
}

/// The operators of the specification's precedence table. The printer has the same order, which round-trip
/// tests check.
fn infix(word: &str) -> Option<(u8, Infix)> {
    use BinaryOp::{Add, Div, DivBy, Eq, Ge, Gt, Has, Le, Lt, Mod, Mul, Ne, Sub};
    // Every operator is at most five ASCII letters, which are lowered in place.
    let mut lower = [0; 5];
    let lower = lower.get_mut(..word.len())?;
    lower.copy_from_slice(word.as_bytes());
    lower.make_ascii_lowercase();
    let operator = match &*lower {
        b"or" => (OR, Infix::Logic(LogicOp::Or)),
        b"and" => (AND, Infix::Logic(LogicOp::And)),
        b"eq" => (3, Infix::Binary(Eq)),
        b"ne" => (3, Infix::Binary(Ne)),
        b"gt" => (4, Infix::Binary(Gt)),
        b"ge" => (4, Infix::Binary(Ge)),
        b"lt" => (4, Infix::Binary(Lt)),
        b"le" => (4, Infix::Binary(Le)),
        b"add" => (5, Infix::Binary(Add)),
        b"sub" => (5, Infix::Binary(Sub)),
        b"mul" => (6, Infix::Binary(Mul)),
        b"div" => (6, Infix::Binary(Div)),
        b"divby" => (6, Infix::Binary(DivBy)),
        b"mod" => (6, Infix::Binary(Mod)),
        b"has" => (PRIMARY, Infix::Binary(Has)),
        b"in" => (PRIMARY, Infix::In),
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
            arrays: 0,
            limits,
            budget,
        })
    }

    /// The text being read.
    pub(crate) fn text(&self) -> &'a str {
        self.text
    }

    /// The next token, not taken. The last token is the end, and stays.
    pub(crate) fn peek(&self) -> &Token<'a> {
        &self.tokens[self.next.min(self.tokens.len() - 1)]
    }

    pub(crate) fn take(&mut self) -> Token<'a> {
        let token = self.peek().clone();
        self.next += 1;
        token
    }

    pub(crate) fn eat(&mut self, kind: &TokenKind<'_>) -> bool {
        let hit = self.peek().kind == *kind;
        self.next += usize::from(hit);
        hit
    }

    pub(crate) fn expect(
        &mut self,
        kind: &TokenKind<'_>,
        expected: &str,
    ) -> Result<Token<'a>, Error> {
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

    /// The same after a complete expression, which an operator could always go on.
    pub(crate) fn expect_after(
        &mut self,
        kind: &TokenKind<'_>,
        others: &str,
    ) -> Result<Token<'a>, Error> {
        if self.peek().kind == *kind {
            return Ok(self.take());
        }
        let mut error = self.unexpected(&format!("an operator such as `eq` or `and`, {others}"));
        let before = self
            .next
            .checked_sub(1)
            .and_then(|at| self.tokens.get(at))
            .map(|token| &token.kind);
        error.message.push_str(&hint::meant(before, self.peek()));
        Err(error)
    }

    /// The end of a text whose last part is an expression.
    pub(crate) fn end(&mut self) -> Result<(), Error> {
        if self.peek().kind == TokenKind::Close {
            return Err(self.unexpected("the end: there is one `)` too many"));
        }
        self.expect_after(&TokenKind::End, "or the end").map(drop)
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
        // A run of left-associative operators nests to the left without recursion here, but later stages walk
        // it recursively: it counts as depth, except for `and` and `or`, whose operands are one list.
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
            TokenKind::Plus => self.positive(at),
            TokenKind::Word(word) if word.eq_ignore_ascii_case("not") => {
                self.take();
                let operand = self.deeper(Self::unary)?;
                self.node(at, ExprKind::Not(Box::new(operand)))
            }
            _ => self.postfix(),
        }
    }

    /// The rest after a `-`: a number's sign, or an operand to negate.
    fn negative(&mut self, at: usize) -> Result<Expr, Error> {
        let literal = match &self.peek().kind {
            TokenKind::Number(digits) => Some(number(at, digits, true)?),
            TokenKind::Word("INF") => Some(Literal::Double(f64::NEG_INFINITY)),
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

    /// A number's `+`, which changes nothing; it is no operator.
    fn positive(&mut self, at: usize) -> Result<Expr, Error> {
        let literal = match self.tokens.get(self.next + 1) {
            Some(Token {
                at: digits_at,
                kind: TokenKind::Number(digits),
                ..
            }) if *digits_at == at + 1 => number(at, digits, false)?,
            _ => return Err(self.unexpected("a property, a literal, a function or `(`")),
        };
        self.next += 2;
        let left = self.node(at, ExprKind::Literal(literal))?;
        self.members(left)
    }

    fn postfix(&mut self) -> Result<Expr, Error> {
        let left = self.primary()?;
        self.members(left)
    }

    /// A name in a path, as `$select` and `$expand` have them.
    pub(crate) fn segment(&mut self, expected: &str) -> Result<Segment, Error> {
        let &Token {
            at,
            kind: TokenKind::Word(name),
            ..
        } = self.peek()
        else {
            return Err(self.unexpected(expected));
        };
        self.next += 1;
        Ok(Segment {
            at,
            name: name.to_owned(),
        })
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
