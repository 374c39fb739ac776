//! Arithmetic, and the functions of numbers.

use super::operand::Operand;
use super::types::{Double, Int, Number, Text};
use super::value::Value;
use crate::ast::{BinaryOp, ExprKind};

/// The operators of one type of numbers with operands of `$operand`.
macro_rules! arithmetic {
    ($ty:ty, $operand:ty) => {
        #[expect(
            clippy::should_implement_trait,
            reason = "called as OData calls it, and without an import"
        )]
        impl<R, K> Value<R, $ty, K> {
            /// `add`
            pub fn add(self, other: impl Operand<$operand, R>) -> Value<R, $ty> {
                self.binary(BinaryOp::Add, other.into_value().into_expr())
            }

            /// `sub`
            pub fn sub(self, other: impl Operand<$operand, R>) -> Value<R, $ty> {
                self.binary(BinaryOp::Sub, other.into_value().into_expr())
            }

            /// `mul`
            pub fn mul(self, other: impl Operand<$operand, R>) -> Value<R, $ty> {
                self.binary(BinaryOp::Mul, other.into_value().into_expr())
            }

            /// `div`: whole numbers give a whole number, truncated towards zero. The service refuses to
            /// divide them by zero.
            pub fn div(self, other: impl Operand<$operand, R>) -> Value<R, $ty> {
                self.binary(BinaryOp::Div, other.into_value().into_expr())
            }

            /// `divby`: the result is a fraction, also for whole numbers.
            pub fn div_by(self, other: impl Operand<Number, R>) -> Value<R, Double> {
                self.binary(BinaryOp::DivBy, other.into_value().into_expr())
            }

            /// `mod`, with the sign of the left operand. The service refuses zero on the right.
            pub fn modulo(self, other: impl Operand<$operand, R>) -> Value<R, $ty> {
                self.binary(BinaryOp::Mod, other.into_value().into_expr())
            }

            /// `-…`
            pub fn negate(self) -> Value<R, $ty> {
                Value::new(ExprKind::Negate(Box::new(self.into_expr())))
            }
        }
    };
}

arithmetic!(Int, Int);
arithmetic!(Double, Number);

impl<R, K> Value<R, Int, K> {
    /// `cast(…,Edm.Double)`, for arithmetic with fractions.
    pub fn to_double(self) -> Value<R, Double> {
        self.cast("Edm.Double")
    }
}

impl<R, K> Value<R, Double, K> {
    /// `round`: to the nearest whole number, halves away from zero.
    pub fn round(self) -> Value<R, Double> {
        self.function("round")
    }

    /// `floor`: the largest whole number not greater than the operand.
    pub fn floor(self) -> Value<R, Double> {
        self.function("floor")
    }

    /// `ceiling`: the smallest whole number not less than the operand.
    pub fn ceiling(self) -> Value<R, Double> {
        self.function("ceiling")
    }
}

impl<R, K> Value<R, Text, K> {
    /// `cast(…,Edm.Int64)`: null if the text is no whole number.
    pub fn to_int(self) -> Value<R, Int> {
        self.cast("Edm.Int64")
    }

    /// `cast(…,Edm.Double)`: null if the text is no number.
    pub fn to_double(self) -> Value<R, Double> {
        self.cast("Edm.Double")
    }
}
