//! `any`, `all` and `$count`, and the names of range variables.
//!
//! A closure receives its variable before the names that its body uses are known. So the variable has a
//! unique temporary name while the body is built, and its final name afterwards: the first letter of the
//! link, with a number if the body already uses that letter.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::ast::{Expr, ExprKind, LambdaOp, Segment};

/// `path/any(v:body)` or `path/all(v:body)`; the body is made with the variable's name.
pub(super) fn lambda(path: Vec<Segment>, op: LambdaOp, make: impl FnOnce(&str) -> Expr) -> Expr {
    static MADE: AtomicU64 = AtomicU64::new(0);
    let provisional = format!("__range_{}", MADE.fetch_add(1, Ordering::Relaxed));
    let mut body = make(&provisional);
    let name = free_name(&path, &mut body);
    visit(&mut body, &mut |name_in_use| {
        if *name_in_use == provisional {
            name_in_use.clone_from(&name);
        }
    });
    Expr {
        at: 0,
        kind: ExprKind::Lambda {
            path,
            op,
            body: Some((name, Box::new(body))),
        },
    }
}

/// `path/$count` or `path/$count($filter=…)`.
pub(super) fn count(path: Vec<Segment>, filter: Option<Expr>) -> Expr {
    Expr {
        at: 0,
        kind: ExprKind::Count {
            path,
            filter: filter.map(Box::new),
        },
    }
}

/// A name for the variable that differs from all inner variables and from all properties in the body.
fn free_name(path: &[Segment], body: &mut Expr) -> String {
    let mut taken = BTreeSet::new();
    visit(body, &mut |name| {
        taken.insert(name.clone());
    });
    let letter = path
        .last()
        .and_then(|link| link.name.chars().next())
        .filter(char::is_ascii_alphabetic)
        .map_or('x', |letter| letter.to_ascii_lowercase());
    let mut name = letter.to_string();
    let mut number = 1;
    while taken.contains(&name) {
        number += 1;
        name = format!("{letter}{number}");
    }
    name
}

/// Visits the first name of every path, and every range variable.
fn visit(expr: &mut Expr, see: &mut dyn FnMut(&mut String)) {
    let mut first = |path: &mut Vec<Segment>| {
        if let Some(segment) = path.first_mut() {
            see(&mut segment.name);
        }
    };
    match &mut expr.kind {
        ExprKind::Path(path) => first(path),
        ExprKind::Not(operand) | ExprKind::Negate(operand) => visit(operand, see),
        ExprKind::Logic(_, operands) | ExprKind::Call(_, operands) => {
            operands.iter_mut().for_each(|operand| visit(operand, see));
        }
        ExprKind::Binary(_, left, right) => {
            visit(left, see);
            visit(right, see);
        }
        ExprKind::In(left, list) => {
            visit(left, see);
            list.iter_mut().for_each(|member| visit(member, see));
        }
        ExprKind::Lambda { path, body, .. } => {
            first(path);
            if let Some((variable, body)) = body {
                see(variable);
                visit(body, see);
            }
        }
        ExprKind::Count { path, filter } => {
            first(path);
            if let Some(filter) = filter {
                visit(filter, see);
            }
        }
        // Literals, names of types, and expressions that the builder does not make.
        _ => {}
    }
}
