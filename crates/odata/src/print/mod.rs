//! Expressions as text: parsing the output gives the same tree.
//!
//! Parentheses are written only where the tree needs them. The text is not percent-encoded.

mod apply;
mod clauses;

use std::fmt::{self, Display, Formatter, Write as _};

use crate::ast::{BinaryOp, Expr, ExprKind, LambdaOp, Literal, LogicOp, OrderItem, Segment};
use crate::calendar::TICKS_PER_MINUTE;
use crate::literal;

/// The precedence of an expression, in the order of the specification's precedence table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Or,
    And,
    Equality,
    Relational,
    Additive,
    Multiplicative,
    Unary,
    Primary,
    Atom,
}

impl Level {
    /// The next higher level, for the right operand of a left-associative operator.
    fn tighter(self) -> Self {
        match self {
            Self::Or => Self::And,
            Self::And => Self::Equality,
            Self::Equality => Self::Relational,
            Self::Relational => Self::Additive,
            Self::Additive => Self::Multiplicative,
            Self::Multiplicative => Self::Unary,
            Self::Unary => Self::Primary,
            Self::Primary | Self::Atom => Self::Atom,
        }
    }
}

fn level(kind: &ExprKind) -> Level {
    match kind {
        ExprKind::Logic(LogicOp::Or, _) => Level::Or,
        ExprKind::Logic(LogicOp::And, _) => Level::And,
        ExprKind::Binary(op, ..) => match op {
            BinaryOp::Eq | BinaryOp::Ne => Level::Equality,
            BinaryOp::Gt | BinaryOp::Ge | BinaryOp::Lt | BinaryOp::Le => Level::Relational,
            BinaryOp::Add | BinaryOp::Sub => Level::Additive,
            BinaryOp::Mul | BinaryOp::Div | BinaryOp::DivBy | BinaryOp::Mod => {
                Level::Multiplicative
            }
            BinaryOp::Has => Level::Primary,
        },
        ExprKind::Not(_) | ExprKind::Negate(_) => Level::Unary,
        ExprKind::In(..) | ExprKind::InAlias(..) => Level::Primary,
        // A sign is not allowed after `has`, but before `in` it belongs to the number.
        ExprKind::Literal(Literal::Int(number)) if *number < 0 => Level::Primary,
        ExprKind::Literal(Literal::Double(number)) if number.is_sign_negative() => Level::Primary,
        _ => Level::Atom,
    }
}

impl Display for Expr {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.kind {
            ExprKind::Literal(literal) => literal.fmt(f),
            ExprKind::Path(path) => write_path(f, path),
            ExprKind::Alias(name) => write!(f, "@{name}"),
            ExprKind::Not(operand) => {
                f.write_str("not ")?;
                write_at(f, operand, Level::Unary)
            }
            ExprKind::Negate(operand) => write_negated(f, operand),
            ExprKind::Logic(op, operands) => {
                let word = if *op == LogicOp::And { " and " } else { " or " };
                let least = level(&self.kind).tighter();
                write_list(f, operands, word, |f, operand| write_at(f, operand, least))
            }
            ExprKind::Binary(op, left, right) => {
                let own = level(&self.kind);
                write_at(f, left, own)?;
                write!(f, " {} ", op.word())?;
                write_at(f, right, own.tighter())
            }
            ExprKind::In(left, list) => {
                write_at(f, left, Level::Primary)?;
                // Only the bracketed form may be empty.
                let (open, close) = if list.is_empty() {
                    ('[', ']')
                } else {
                    ('(', ')')
                };
                write!(f, " in {open}")?;
                write_list(f, list, ",", |f, member| member.fmt(f))?;
                f.write_char(close)
            }
            ExprKind::InAlias(left, alias) => {
                write_at(f, left, Level::Primary)?;
                write!(f, " in @{}", alias.name)
            }
            // In brackets, since parentheses around one member would only group it.
            ExprKind::List(members) => {
                f.write_char('[')?;
                write_list(f, members, ",", |f, member| member.fmt(f))?;
                f.write_char(']')
            }
            ExprKind::Case(pairs) => {
                f.write_str("case(")?;
                write_list(f, pairs, ",", write_pair)?;
                f.write_char(')')
            }
            ExprKind::Call(name, args) => {
                write!(f, "{name}(")?;
                write_list(f, args, ",", |f, arg| arg.fmt(f))?;
                f.write_char(')')
            }
            ExprKind::Lambda { path, op, body } => {
                write_path(f, path)?;
                f.write_str(if *op == LambdaOp::Any {
                    "/any("
                } else {
                    "/all("
                })?;
                if let Some((variable, body)) = body {
                    write!(f, "{variable}:{body}")?;
                }
                f.write_char(')')
            }
            ExprKind::Count { path, filter } => {
                write_path(f, path)?;
                f.write_str("/$count")?;
                match filter {
                    Some(filter) => write!(f, "($filter={filter})"),
                    None => Ok(()),
                }
            }
            ExprKind::TypeName(name) => f.write_str(name),
        }
    }
}

impl Display for OrderItem {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}{}",
            self.expr,
            if self.descending { " desc" } else { "" }
        )
    }
}

impl Display for Literal {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Boolean(truth) => write!(f, "{truth}"),
            Self::Int(number) => write!(f, "{number}"),
            Self::Double(number) if number.is_nan() => f.write_str("NaN"),
            Self::Double(f64::INFINITY) => f.write_str("INF"),
            Self::Double(f64::NEG_INFINITY) => f.write_str("-INF"),
            // Debug writes the point or the exponent, without which it would be parsed as a whole number.
            Self::Double(number) => write!(f, "{number:?}"),
            Self::String(text) => write_quoted(f, text),
            Self::Date(days) => f.write_str(&literal::print_date(*days)),
            Self::DateTimeOffset {
                ticks,
                offset_minutes: 0,
            } => f.write_str(&literal::print_instant(*ticks)),
            Self::DateTimeOffset {
                ticks,
                offset_minutes,
            } => {
                let local =
                    literal::print_instant(ticks + i64::from(*offset_minutes) * TICKS_PER_MINUTE);
                let sign = if *offset_minutes < 0 { '-' } else { '+' };
                let minutes = offset_minutes.unsigned_abs();
                write!(
                    f,
                    "{}{sign}{:02}:{:02}",
                    local.trim_end_matches('Z'),
                    minutes / 60,
                    minutes % 60
                )
            }
            Self::TimeOfDay(ticks) => f.write_str(&literal::print_time(*ticks)),
            Self::Duration(ticks) => write!(f, "duration'{}'", literal::print_duration(*ticks)),
            Self::Guid(guid) => f.write_str(guid),
            Self::Enum { type_name, member } => {
                f.write_str(type_name)?;
                write_quoted(f, member)
            }
        }
    }
}

/// An operand, in parentheses if it would otherwise be parsed differently.
fn write_at(f: &mut Formatter<'_>, expr: &Expr, least: Level) -> fmt::Result {
    if level(&expr.kind) < least {
        write!(f, "({expr})")
    } else {
        expr.fmt(f)
    }
}

/// A minus before a number would become the number's sign.
fn write_negated(f: &mut Formatter<'_>, operand: &Expr) -> fmt::Result {
    let text = operand.to_string();
    let taken_as_sign = text.starts_with(|c: char| c.is_ascii_digit()) || text.starts_with("INF");
    if taken_as_sign || level(&operand.kind) < Level::Unary {
        write!(f, "-({text})")
    } else {
        write!(f, "-{text}")
    }
}

/// A condition and a value of `case`. The space prevents that a condition ending in a number becomes a time:
/// `1 :30`.
fn write_pair(f: &mut Formatter<'_>, (condition, value): &(Expr, Expr)) -> fmt::Result {
    let text = condition.to_string();
    let space = if text.ends_with(|c: char| c.is_ascii_digit()) {
        " "
    } else {
        ""
    };
    write!(f, "{text}{space}:{value}")
}

fn write_list<T>(
    f: &mut Formatter<'_>,
    items: &[T],
    between: &str,
    write: impl Fn(&mut Formatter<'_>, &T) -> fmt::Result,
) -> fmt::Result {
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            f.write_str(between)?;
        }
        write(f, item)?;
    }
    Ok(())
}

fn write_path(f: &mut Formatter<'_>, path: &[Segment]) -> fmt::Result {
    write_list(f, path, "/", |f, segment| f.write_str(&segment.name))
}

fn write_quoted(f: &mut Formatter<'_>, text: &str) -> fmt::Result {
    write!(f, "'{}'", text.replace('\'', "''"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::limits::Limits;
    use crate::parse::{Budget, expression};

    fn parse(text: &str) -> Expr {
        let limits = Limits {
            nodes: 10_000,
            depth: 200,
            option_bytes: 1 << 20,
            ..Limits::default()
        };
        expression(text, &limits, &mut Budget::default())
            .unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    #[test]
    fn parentheses_stay_where_they_matter() {
        for text in [
            "not (a eq 1) and b or c and (d or e)",
            "(a and b) and c",
            "a sub (b sub c) sub d mul -(5)",
            "(a add b) in (1,-2.0,'x''y')",
            "-5 in (1) eq not b",
            "-(5 in (1))",
            "x has A.B'c' and b/any(v:v/n gt 1e300) and p/$count($filter=n eq -INF) gt 2",
            "cast(a,Edm.String) eq '' or c/all(v:not v/x) or q/any() or z in []",
            "t ge 2024-01-31T23:30:00-05:00 and d lt 2024-02-29 and k ne 23:59:59.5 and duration'-P1DT1S' eq @p",
        ] {
            assert_eq!(parse(text).to_string(), text);
        }
        assert_eq!(parse("((a)) eq (((1)))").to_string(), "a eq 1");
    }

    fn expr(kind: ExprKind) -> Expr {
        Expr { at: 0, kind }
    }

    fn path() -> impl Strategy<Value = Vec<Segment>> {
        let name = prop_oneof![
            "[a-z_][a-z0-9_]{0,6}",
            Just("Ønske".to_owned()),
            Just("eq".to_owned())
        ]
        .prop_filter("words with a meaning of their own", |name| {
            !["not", "null", "true", "false"].contains(&name.as_str())
        });
        prop::collection::vec(name.prop_map(|name| Segment { at: 0, name }), 1..4)
    }

    fn literal() -> impl Strategy<Value = Literal> {
        const DAY: i64 = 864_000_000_000;
        prop_oneof![
            Just(Literal::Null),
            any::<bool>().prop_map(Literal::Boolean),
            any::<i64>().prop_map(Literal::Int),
            any::<f64>()
                .prop_filter("NaN differs from itself", |number| !number.is_nan())
                .prop_map(Literal::Double),
            any::<String>().prop_map(Literal::String),
            (-719_162..2_932_896_i64).prop_map(Literal::Date),
            (-700_000 * DAY..2_900_000 * DAY, -1_439..1_440_i16).prop_map(
                |(ticks, offset_minutes)| Literal::DateTimeOffset {
                    ticks,
                    offset_minutes
                }
            ),
            (0..DAY).prop_map(Literal::TimeOfDay),
            (-i64::MAX..i64::MAX).prop_map(Literal::Duration),
            "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}".prop_map(Literal::Guid),
            any::<String>().prop_map(|member| Literal::Enum {
                type_name: "Lean.Severity".into(),
                member
            }),
        ]
    }

    fn binary_op() -> impl Strategy<Value = BinaryOp> {
        use BinaryOp::{Add, Div, DivBy, Eq, Ge, Gt, Has, Le, Lt, Mod, Mul, Ne, Sub};
        prop::sample::select(vec![
            Eq, Ne, Gt, Ge, Lt, Le, Has, Add, Sub, Mul, Div, DivBy, Mod,
        ])
    }

    fn any_expr() -> impl Strategy<Value = Expr> {
        let leaf = prop_oneof![
            literal().prop_map(|literal| expr(ExprKind::Literal(literal))),
            path().prop_map(|path| expr(ExprKind::Path(path))),
            "[a-z]{1,5}".prop_map(|name| expr(ExprKind::Alias(name))),
            Just(expr(ExprKind::TypeName("Edm.String".into()))),
        ];
        leaf.prop_recursive(6, 48, 4, |inner| {
            let boxed = || inner.clone().prop_map(Box::new);
            prop_oneof![
                boxed().prop_map(|operand| expr(ExprKind::Not(operand))),
                boxed().prop_map(|operand| expr(ExprKind::Negate(operand))),
                (any::<bool>(), prop::collection::vec(inner.clone(), 2..4)).prop_map(
                    |(and, operands)| {
                        expr(ExprKind::Logic(
                            if and { LogicOp::And } else { LogicOp::Or },
                            operands,
                        ))
                    }
                ),
                (binary_op(), boxed(), boxed())
                    .prop_map(|(op, left, right)| expr(ExprKind::Binary(op, left, right))),
                (boxed(), prop::collection::vec(inner.clone(), 0..4))
                    .prop_map(|(left, list)| expr(ExprKind::In(left, list))),
                (boxed(), "[a-z]{1,5}").prop_map(|(left, name)| expr(ExprKind::InAlias(
                    left,
                    Segment { at: 0, name }
                ))),
                prop::collection::vec(inner.clone(), 0..4)
                    .prop_map(|members| expr(ExprKind::List(members))),
                prop::collection::vec((inner.clone(), inner.clone()), 1..3)
                    .prop_map(|pairs| expr(ExprKind::Case(pairs))),
                ("[a-z]{4,8}", prop::collection::vec(inner.clone(), 0..4))
                    .prop_map(|(name, args)| expr(ExprKind::Call(name, args))),
                (path(), boxed()).prop_map(|(path, body)| {
                    expr(ExprKind::Lambda {
                        path,
                        op: LambdaOp::All,
                        body: Some(("v".into(), body)),
                    })
                }),
                (path(), prop::option::of(boxed()))
                    .prop_map(|(path, filter)| expr(ExprKind::Count { path, filter })),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_is_printed_parses_to_the_same_tree(tree in any_expr()) {
            let text = tree.to_string();
            prop_assert_eq!(parse(&text), tree, "{}", text);
        }

        #[test]
        fn no_text_makes_the_parser_panic(text in any::<String>()) {
            let _ = expression(&text, &Limits::default(), &mut Budget::default());
        }

        #[test]
        fn no_soup_of_tokens_makes_the_parser_panic(words in prop::collection::vec(prop::sample::select(vec![
            "a", "(", ")", "[", "]", ",", ":", "/", "-", "'x'", "1", "1.5e3", "eq", "and", "or", "not", "in", "has", "any", "$count",
            "$it", "@p", "=", ";", "*", "null", "+", "case", "2024-01-01", "12:30", "duration'PT1S'", "A.B'c'", "add", "INF",
        ]), 0..40)) {
            let text = words.join(" ");
            if let Ok(tree) = expression(&text, &Limits::default(), &mut Budget::default()) {
                prop_assert_eq!(parse(&tree.to_string()), tree);
            }
        }
    }
}
