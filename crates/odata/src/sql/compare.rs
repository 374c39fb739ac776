//! Comparisons and membership as SQL text: the treatment of null, and of numbers of several kinds.

use crate::bind::node::{Comparison, Node, NodeKind};
use crate::edm::Type;
use crate::sql::kind::{Shape, shape};
use crate::sql::render::{Mode, Renderer};
use crate::sql::{SqlKind, Value};

impl Renderer<'_> {
    pub(super) fn compare(
        &mut self,
        op: Comparison,
        left: &Node,
        right: &Node,
        mode: Mode,
    ) -> String {
        if left.is_null() || right.is_null() {
            let other = if left.is_null() { right } else { left };
            return match op {
                Comparison::Eq => format!("({} IS NULL)", self.operand(other)),
                Comparison::Ne => format!("({} IS NOT NULL)", self.operand(other)),
                _ => "FALSE".to_owned(),
            };
        }
        let (left_null, right_null) = (left.nullable(), right.nullable());
        let by_null = matches!(op, Comparison::Eq | Comparison::Ne) && (left_null || right_null);
        let (left_text, right_text) = self.operands(left, right, by_null);
        let sign = match op {
            // If one side is never null, that is enough where null may be treated as false.
            Comparison::Eq if !(left_null || right_null) => "=",
            Comparison::Eq if mode == Mode::Filter && !(left_null && right_null) => "=",
            Comparison::Eq => return format!("({})", self.dialect.same(&left_text, &right_text)),
            Comparison::Ne if !(left_null || right_null) => "<>",
            Comparison::Ne => {
                return format!("({})", self.dialect.differs(&left_text, &right_text));
            }
            Comparison::Gt => ">",
            Comparison::Ge => ">=",
            Comparison::Lt => "<",
            Comparison::Le => "<=",
        };
        let ordered = !matches!(op, Comparison::Eq | Comparison::Ne);
        let text = if ordered && is_text(left) {
            format!(
                "{} {sign} {right_text}",
                self.dialect.by_code_point(&left_text)
            )
        } else {
            format!("{left_text} {sign} {right_text}")
        };
        if mode == Mode::Exact && (left_null || right_null) {
            format!("(({text}) IS TRUE)")
        } else {
            format!("({text})")
        }
    }

    /// Two operands in comparable form; `nulls` is true if two nulls are to compare as equal.
    fn operands(&mut self, left: &Node, right: &Node, nulls: bool) -> (String, String) {
        let stored = |node: &Node| {
            matches!(
                node.kind,
                NodeKind::Property(..) | NodeKind::Column(_) | NodeKind::Boolean(_)
            )
        };
        if left.is_boolean() && stored(left) && stored(right) {
            return (self.stored(left), self.stored(right));
        }
        let (of_left, of_right) = (shape(left), shape(right));
        let (left, of_left) = self.beside(left, of_left, of_right);
        let (right, of_right) = self.beside(right, of_right, of_left);
        let is_mixed = |whole: Shape, real: Shape| {
            whole.kind == SqlKind::Int && real.kind == SqlKind::Real && !whole.is_exact_as_real()
        };
        let dialect = self.dialect;
        let zero = || "0".to_owned();
        if is_mixed(of_left, of_right) {
            let difference = dialect.difference(&left, &right, nulls);
            return difference.map_or((left, right), |difference| (difference, zero()));
        }
        if is_mixed(of_right, of_left) {
            let difference = dialect.difference(&right, &left, nulls);
            return difference.map_or((left, right), |difference| (zero(), difference));
        }
        (left, right)
    }

    /// An operand and the other one, and its kind: a literal takes the form that compares best.
    fn beside(&mut self, node: &Node, own: Shape, other: Shape) -> (String, Shape) {
        let NodeKind::Value(value) = &node.kind else {
            return (self.operand(node), own);
        };
        let value = self.dialect.literal(value, other.kind);
        let own = if SqlKind::of_value(&value) == Some(own.kind) {
            own
        } else {
            other
        };
        (self.literal(&value), own)
    }

    /// A boolean property or literal as the number it is stored as, which an index can serve.
    fn stored(&mut self, node: &Node) -> String {
        match node.kind {
            NodeKind::Boolean(truth) => i32::from(truth).to_string(),
            _ => self.value(node),
        }
    }

    pub(super) fn among(
        &mut self,
        left: &Node,
        values: &[Value],
        null: bool,
        mode: Mode,
    ) -> String {
        // Text that is not used must not be rendered either: its values would be bound to no placeholder.
        if values.is_empty() && !null {
            return "FALSE".to_owned();
        }
        let text = self.value(left);
        let kind = shape(left).kind;
        let placeholders: Vec<String> = values
            .iter()
            .map(|value| self.dialect.literal(value, kind))
            .map(|value| self.bind(value))
            .collect();
        let listed = match (placeholders.is_empty(), mode) {
            (true, _) => "FALSE".to_owned(),
            (false, Mode::Exact) if left.nullable() => {
                format!("(({text} IN ({})) IS TRUE)", placeholders.join(", "))
            }
            (false, _) => format!("({text} IN ({}))", placeholders.join(", ")),
        };
        match null {
            false => listed,
            true if left.is_simple() => format!("({listed} OR {text} IS NULL)"),
            // The operand is null exactly if the result of the list is. Written twice, it would double at
            // every nesting.
            true if placeholders.is_empty() => format!("({text} IS NULL)"),
            true => format!("coalesce({text} IN ({}), TRUE)", placeholders.join(", ")),
        }
    }
}

fn is_text(node: &Node) -> bool {
    matches!(node.ty, Some(Type::String | Type::Enum(_)))
}
