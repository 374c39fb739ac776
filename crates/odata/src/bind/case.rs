//! `case(condition:value,…)`: the value of the first pair whose condition is true, null if there is none.

use crate::ast::Expr;
use crate::bind::expr::Binder;
use crate::bind::node::{Node, NodeKind, is_integer, is_numeric, is_text, type_name};
use crate::bind::operators::adapt;
use crate::edm::Type;
use crate::error::{Error, ErrorKind};

impl Binder<'_> {
    pub(super) fn case(&mut self, at: usize, pairs: &[(Expr, Expr)]) -> Result<Node, Error> {
        let mut bound = Vec::with_capacity(pairs.len());
        let mut ty = None;
        for (condition, value) in pairs {
            let condition = self.predicate(condition)?;
            let value = self.expr(value)?;
            // The type of the first value that is not null determines how literals such as 'PT1H' are read.
            let value = adapt(value, ty)?;
            ty = common(ty, &value)?;
            bound.push((condition, value));
        }
        if bound.iter().all(|(_, value)| value.is_null()) {
            return Ok(Node::new(at, None, NodeKind::Null));
        }
        Ok(Node::new(at, ty, NodeKind::Case(bound)))
    }
}

/// The common type of the values so far and one more.
fn common(ty: Option<Type>, value: &Node) -> Result<Option<Type>, Error> {
    match (ty, value.ty) {
        (None, other) | (other, None) => Ok(other),
        (Some(a), Some(b)) if a == b => Ok(ty),
        (a, b) if is_integer(a) && is_integer(b) => Ok(Some(Type::Int64)),
        (a, b) if is_numeric(a) && is_numeric(b) => Ok(Some(Type::Double)),
        // Members of enumerations are text.
        (a, b) if is_text(a) && is_text(b) => Ok(Some(Type::String)),
        (a, b) => {
            let message = format!(
                "found {} as a value of `case` after {}; expected values of one type",
                type_name(b),
                type_name(a)
            );
            Err(Error::new(ErrorKind::Type, value.at, message))
        }
    }
}
