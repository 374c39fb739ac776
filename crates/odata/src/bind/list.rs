//! `in`: a value among the members of a list, which is written there or given by an alias.

use crate::ast::{Expr, ExprKind, LogicOp};
use crate::bind::expr::{Binder, bind_literal};
use crate::bind::node::{Comparison, Node, NodeKind};
use crate::bind::operators::{align, check_members, compare};
use crate::edm::Type;
use crate::error::Error;
use crate::value::Value;

impl Binder<'_> {
    /// `left in (…)`
    pub(super) fn among(&mut self, at: usize, left: Node, list: &[Expr]) -> Result<Node, Error> {
        // Only its type is needed to check the members, so the tree is not copied for each of a thousand
        // literals.
        let shape = Node::new(left.at, left.ty, NodeKind::Null);
        // A condition is no column that could be looked for in a list, and null is in none; they are compared
        // with each member.
        let listable = !left.is_null()
            && (!left.is_boolean()
                || matches!(left.kind, NodeKind::Property(..) | NodeKind::Column(_)));
        let (mut values, mut null, mut others) =
            (Vec::with_capacity(list.len()), false, Vec::new());
        for member in list {
            // Literals count as members and not as parts of the expression, also if an alias gives the list.
            let node = match &member.kind {
                ExprKind::Literal(literal) => bind_literal(member.at, literal),
                _ => self.expr(member)?,
            };
            let (_, node) = align("in", shape.clone(), node)?;
            check_members(&left, &node)?;
            match node.kind {
                NodeKind::Value(Value::Real(value)) if value.is_nan() => {}
                NodeKind::Null if listable => null = true,
                NodeKind::Value(value) if listable => values.push(value),
                NodeKind::Boolean(value) if listable => values.push(Value::Int(value.into())),
                _ => {
                    self.repeat(&left)?;
                    others.push(compare(node.at, Comparison::Eq, "in", left.clone(), node)?);
                }
            }
        }
        if others.is_empty() || !values.is_empty() || null {
            others.push(Node::new(
                at,
                Type::Boolean,
                NodeKind::In(Box::new(left), values, null),
            ));
        }
        if others.len() == 1 {
            return Ok(others.remove(0));
        }
        Ok(Node::new(
            at,
            Type::Boolean,
            NodeKind::Logic(LogicOp::Or, others),
        ))
    }

    /// `left in @list`. An alias whose value is no list is a list of one: `(5)` and `5` are the same
    /// expression.
    pub(super) fn among_alias(&mut self, at: usize, left: Node, name: &str) -> Result<Node, Error> {
        self.aliased(at, name, |binder, value| {
            let list = match &value.kind {
                ExprKind::List(members) => members.as_slice(),
                ExprKind::Alias(other) => return binder.among_alias(at, left, other),
                _ => std::slice::from_ref(value),
            };
            // One alias may be used often; without a bound a short request would bind very many values.
            let most = binder.limits.list.saturating_mul(4);
            binder.used.listed += list.len();
            if binder.used.listed > most {
                return Err(Error::limit(
                    at,
                    "the lists given by aliases have too many members together",
                    most,
                ));
            }
            binder.among(at, left, list)
        })
    }

    /// Accounts for an operand that is written more than once. Lists within lists would double it at every
    /// level.
    fn repeat(&mut self, node: &Node) -> Result<(), Error> {
        let most = self.limits.nodes.saturating_mul(4);
        self.used.repeated += node.size();
        if self.used.repeated > most {
            return Err(Error::limit(
                node.at,
                "the operand of `in` is compared with too many members one by one",
                most,
            ));
        }
        Ok(())
    }
}
