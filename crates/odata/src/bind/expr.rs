//! Expressions typed against the entity model.

use std::collections::BTreeMap;

use crate::ast::{BinaryOp, Expr, ExprKind, LambdaOp, Literal, LogicOp, Segment};
use crate::bind::node::{Collection, Comparison, Node, NodeKind, Source, is_numeric, type_name};
use crate::bind::operators::{ANY_ENUM, align, arithmetic, compare};
use crate::bind::path::Variable;
use crate::bind::shape::Shape;
use crate::bind::{Used, call};
use crate::edm::{EntityType, ReplacedProperty, Type};
use crate::error::{Error, ErrorKind, excerpt};
use crate::limits::Limits;
use crate::nearest::{did_you_mean, nearest};
use crate::value::Value;

/// Types the expressions of one query (one level of `$expand`).
pub(crate) struct Binder<'a> {
    pub entity: &'static EntityType,
    pub aliases: &'a BTreeMap<String, Expr>,
    pub replaced: &'static [ReplacedProperty],
    pub limits: &'a Limits,
    /// The value of `now()` in ticks.
    pub now: i64,
    /// Whether this is the outermost query, the only one whose entity `$it` can mean.
    pub outermost: bool,
    /// The range variables in scope, innermost last.
    pub variables: Vec<Variable>,
    /// How many range variables were numbered; 0 is the query's own entity.
    pub numbered: usize,
    /// The depth of the expression being typed, through aliases.
    pub depth: usize,
    /// How deep aliases are being replaced: one may not mean itself.
    pub alias_depth: usize,
    /// What transformations of `$apply` and `$compute` have named.
    pub shape: Shape,
    pub used: &'a mut Used,
}

impl Binder<'_> {
    /// An expression that must be true or false, as `$filter` needs it.
    pub(crate) fn predicate(&mut self, expr: &Expr) -> Result<Node, Error> {
        let node = self.expr(expr)?;
        if node.is_boolean() || node.is_null() {
            return Ok(Node {
                ty: Some(Type::Boolean),
                ..node
            });
        }
        let message = format!(
            "found a value of type {}; expected a condition, such as a comparison",
            type_name(node.ty)
        );
        Err(Error::new(ErrorKind::Type, expr.at, message))
    }

    /// Any expression.
    pub(crate) fn expr(&mut self, expr: &Expr) -> Result<Node, Error> {
        self.depth += 1;
        let node = self.counted(expr);
        self.depth -= 1;
        node
    }

    fn counted(&mut self, expr: &Expr) -> Result<Node, Error> {
        let at = expr.at;
        // An alias is written once and may be used many times, so the parser's count does not bound its uses.
        if self.alias_depth > 0 {
            self.used.alias_nodes += 1;
            if self.used.alias_nodes > self.limits.nodes {
                return Err(Error::limit(
                    at,
                    "the expressions have too many parts once aliases are replaced",
                    self.limits.nodes,
                ));
            }
            // Each value was within the limit where it was written, and is now inside another one.
            let deepest = self.limits.safe_depth();
            if self.depth > deepest {
                return Err(Error::limit(
                    at,
                    "the expressions are nested too deeply once aliases are replaced",
                    deepest,
                ));
            }
        }
        match &expr.kind {
            ExprKind::Literal(literal) => Ok(bind_literal(at, literal)),
            ExprKind::Path(path) => self.named(path),
            ExprKind::Alias(name) => self.alias(at, name),
            ExprKind::Not(operand) => self.not(at, operand),
            ExprKind::Negate(operand) => self.negate(at, operand),
            ExprKind::Logic(op, operands) => {
                let operands = operands
                    .iter()
                    .map(|operand| self.operand_of(*op, operand))
                    .collect::<Result<_, _>>()?;
                Ok(Node::new(at, Type::Boolean, NodeKind::Logic(*op, operands)))
            }
            ExprKind::Binary(op, left, right) => self.binary(at, *op, left, right),
            ExprKind::In(left, list) => {
                let left = self.expr(left)?;
                self.among(at, left, list)
            }
            ExprKind::InAlias(left, alias) => {
                let left = self.expr(left)?;
                self.among_alias(alias.at, left, &alias.name)
            }
            ExprKind::List(_) => {
                let message = "found a list as a value; a list may only follow `in`, itself or by an alias such as `@list`";
                Err(Error::new(ErrorKind::Type, at, message))
            }
            ExprKind::Case(pairs) => self.case(at, pairs),
            ExprKind::Call(name, args) => call::bind(self, at, name, args),
            ExprKind::Lambda { path, op, body } => self.lambda(at, path, *op, body.as_ref()),
            ExprKind::Count { path, filter } => self.count(at, path, filter.as_deref()),
            ExprKind::TypeName(name) => {
                let message = format!(
                    "found the type name `{}`; it may only stand in `cast` and `isof`",
                    excerpt(name)
                );
                Err(Error::new(ErrorKind::Type, at, message))
            }
        }
    }

    fn operand_of(&mut self, op: LogicOp, operand: &Expr) -> Result<Node, Error> {
        let node = self.expr(operand)?;
        if node.is_boolean() || node.is_null() {
            return Ok(Node {
                ty: Some(Type::Boolean),
                ..node
            });
        }
        let word = if op == LogicOp::And { "and" } else { "or" };
        let message = format!(
            "found a value of type {} beside `{word}`; expected a condition",
            type_name(node.ty)
        );
        Err(Error::new(ErrorKind::Type, operand.at, message))
    }

    fn alias(&mut self, at: usize, name: &str) -> Result<Node, Error> {
        self.aliased(at, name, Self::expr)
            .map(|node| Node { at, ..node })
    }

    /// Binds the value of an alias in place of its name.
    pub(super) fn aliased(
        &mut self,
        at: usize,
        name: &str,
        bind: impl FnOnce(&mut Self, &Expr) -> Result<Node, Error>,
    ) -> Result<Node, Error> {
        let aliases = self.aliases;
        let Some(value) = aliases.get(name) else {
            let meant = did_you_mean(nearest(name, aliases.keys().map(String::as_str)), "@");
            let message = format!(
                "found `@{}`, which the request gives no value{meant}",
                excerpt(name)
            );
            return Err(Error::new(ErrorKind::UnknownProperty, at, message));
        };
        // An alias may use another one; a chain longer than there are aliases has come round.
        if self.alias_depth > aliases.len() || self.alias_depth > self.limits.safe_lambdas() {
            let message = format!(
                "the value of `@{}` leads back to itself or through too many aliases",
                excerpt(name)
            );
            return Err(Error::new(ErrorKind::Value, at, message));
        }
        self.alias_depth += 1;
        let node = bind(self, value);
        self.alias_depth -= 1;
        // Positions inside the alias's value mean nothing in this option, but its name does.
        node.map_err(|error| Error {
            position: Some(at),
            message: if error.message.starts_with("in the value of ") {
                error.message
            } else {
                format!("in the value of `@{}`: {}", excerpt(name), error.message)
            },
            ..error
        })
    }

    fn not(&mut self, at: usize, operand: &Expr) -> Result<Node, Error> {
        let node = self.expr(operand)?;
        if node.is_null() || node.is_boolean() {
            return Ok(Node::new(at, Type::Boolean, NodeKind::Not(Box::new(node))));
        }
        let message = format!(
            "found `not` before a value of type {}; expected a condition. `not` binds tighter than comparisons: write `not (… eq …)`",
            type_name(node.ty)
        );
        Err(Error::new(ErrorKind::Type, at, message))
    }

    fn negate(&mut self, at: usize, operand: &Expr) -> Result<Node, Error> {
        let node = self.expr(operand)?;
        if node.is_null() || node.is_nan() {
            return Ok(node);
        }
        if is_numeric(node.ty) || node.ty == Some(Type::Duration) {
            return Ok(Node::new(at, node.ty, NodeKind::Negate(Box::new(node))));
        }
        let message = format!(
            "found `-` before a value of type {}; expected a number or a duration",
            type_name(node.ty)
        );
        Err(Error::new(ErrorKind::Type, at, message))
    }

    fn binary(
        &mut self,
        at: usize,
        op: BinaryOp,
        left: &Expr,
        right: &Expr,
    ) -> Result<Node, Error> {
        let comparison = match op {
            BinaryOp::Eq => Comparison::Eq,
            BinaryOp::Ne => Comparison::Ne,
            BinaryOp::Gt => Comparison::Gt,
            BinaryOp::Ge => Comparison::Ge,
            BinaryOp::Lt => Comparison::Lt,
            BinaryOp::Le => Comparison::Le,
            BinaryOp::Has => return self.has(at, left, right),
            _ => {
                let (left, right) = (self.expr(left)?, self.expr(right)?);
                return arithmetic(at, op, left, right);
            }
        };
        let (left, right) = match self.references(comparison, left, right)? {
            Some(keys) => keys,
            None => (self.expr(left)?, self.expr(right)?),
        };
        compare(at, comparison, op.word(), left, right)
    }

    fn has(&mut self, at: usize, left: &Expr, right: &Expr) -> Result<Node, Error> {
        let (left, right) = (self.expr(left)?, self.expr(right)?);
        if !matches!(left.ty, None | Some(Type::Enum(_))) {
            let message = format!(
                "found a value of type {} before `has`; expected an enumeration",
                type_name(left.ty)
            );
            return Err(Error::new(ErrorKind::Type, left.at, message));
        }
        let (left, right) = align("has", left, right)?;
        if left.is_null() || right.is_null() {
            return Ok(Node::new(at, Type::Boolean, NodeKind::Null));
        }
        Ok(Node::new(
            at,
            Type::Boolean,
            NodeKind::Has(Box::new(left), Box::new(right)),
        ))
    }

    fn lambda(
        &mut self,
        at: usize,
        path: &[Segment],
        op: LambdaOp,
        body: Option<&(String, Box<Expr>)>,
    ) -> Result<Node, Error> {
        let collection = self.collection(at, path)?;
        let body = match body {
            None => None,
            Some((name, body)) => Some(Box::new(self.within(Some(name), &collection, body)?)),
        };
        let kind = match (op, body) {
            (LambdaOp::Any, body) => NodeKind::Exists(collection, body),
            (LambdaOp::All, Some(body)) => NodeKind::Every(collection, body),
            (LambdaOp::All, None) => {
                return Err(Error::syntax(
                    at,
                    "`all` needs a condition, as in `all(x:x/level gt 1)`",
                ));
            }
        };
        Ok(Node::new(at, Type::Boolean, kind))
    }

    fn count(&mut self, at: usize, path: &[Segment], filter: Option<&Expr>) -> Result<Node, Error> {
        let collection = self.collection(at, path)?;
        let filter = match filter {
            None => None,
            Some(filter) => Some(Box::new(self.within(None, &collection, filter)?)),
        };
        Ok(Node::new(
            at,
            Type::Int64,
            NodeKind::Count(collection, filter),
        ))
    }

    /// A condition on the members of a collection, which a range variable names, or plain paths if there is
    /// none.
    fn within(
        &mut self,
        name: Option<&str>,
        collection: &Collection,
        body: &Expr,
    ) -> Result<Node, Error> {
        let most = self.limits.safe_lambdas();
        if self.variables.len() == most {
            return Err(Error::limit(
                body.at,
                "`any`, `all` and `$count` are nested too deeply",
                most,
            ));
        }
        let variable = Variable {
            name: name.map(str::to_owned),
            entity: collection.entity(),
            number: collection.variable,
        };
        self.variables.push(variable);
        let node = self.predicate(body);
        self.variables.pop();
        node
    }

    fn collection(&mut self, at: usize, path: &[Segment]) -> Result<Collection, Error> {
        let (source, navigation) = self.many(at, path)?;
        self.numbered += 1;
        Ok(Collection {
            source,
            navigation,
            variable: self.numbered,
        })
    }
}

pub(super) fn bind_literal(at: usize, literal: &Literal) -> Node {
    let value = |ty, value| Node::new(at, ty, NodeKind::Value(value));
    match literal {
        Literal::Null => Node::new(at, None, NodeKind::Null),
        Literal::Boolean(truth) => Node::new(at, Type::Boolean, NodeKind::Boolean(*truth)),
        Literal::Int(number) if i32::try_from(*number).is_ok() => {
            value(Type::Int32, Value::Int(*number))
        }
        Literal::Int(number) => value(Type::Int64, Value::Int(*number)),
        Literal::Double(number) => value(Type::Double, Value::Real(*number)),
        Literal::String(text) => value(Type::String, Value::Text(text.clone())),
        Literal::Date(days) => value(Type::Date, Value::Int(*days)),
        Literal::DateTimeOffset { ticks, .. } => value(Type::DateTimeOffset, Value::Int(*ticks)),
        Literal::TimeOfDay(ticks) => value(Type::TimeOfDay, Value::Int(*ticks)),
        Literal::Duration(ticks) => value(Type::Duration, Value::Int(*ticks)),
        Literal::Guid(guid) => value(Type::Guid, Value::Text(guid.clone())),
        Literal::Enum { member, .. } => value(Type::Enum(&ANY_ENUM), Value::Text(member.clone())),
    }
}

impl Source {
    pub(crate) fn of(variable: usize) -> Self {
        Self {
            variable,
            path: Vec::new(),
        }
    }
}
