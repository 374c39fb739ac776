//! The canonical functions: names, numbers and types of arguments, and the types of results.

use crate::ast::{Expr, ExprKind, Literal};
use crate::bind::expr::Binder;
use crate::bind::node::{Function, Node, NodeKind, is_integer, is_numeric, is_text, type_name};
use crate::bind::operators::adapt;
use crate::calendar::{MAX_TICKS, MIN_TICKS};
use crate::edm::Type;
use crate::error::{Error, ErrorKind, excerpt};
use crate::functions::bin::BinSize;
use crate::functions::pattern;
use crate::nearest::{did_you_mean, nearest};
use crate::time_zone::{TimeZone, UTC};
use crate::value::Value;

/// The type of an argument.
#[derive(Clone, Copy)]
enum Takes {
    Text,
    Number,
    Integer,
    /// A date or an instant.
    Day,
    /// An instant or a time of day.
    Clock,
    Instant,
    Duration,
    /// The size of a bin: a duration, or a name.
    Size,
}

impl Takes {
    fn accepts(self, ty: Option<Type>) -> bool {
        match self {
            Self::Text => is_text(ty),
            Self::Number => is_numeric(ty),
            Self::Integer => ty.is_none() || is_integer(ty),
            Self::Day => matches!(ty, None | Some(Type::Date | Type::DateTimeOffset)),
            Self::Clock => matches!(ty, None | Some(Type::TimeOfDay | Type::DateTimeOffset)),
            Self::Instant => matches!(ty, None | Some(Type::DateTimeOffset)),
            Self::Duration => matches!(ty, None | Some(Type::Duration)),
            Self::Size => matches!(ty, None | Some(Type::Duration)) || is_text(ty),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Text => "a string",
            Self::Number => "a number",
            Self::Integer => "a whole number",
            Self::Day => "a date or an instant",
            Self::Clock => "an instant or a time of day",
            Self::Instant => "an instant",
            Self::Duration => "a duration",
            Self::Size => "a duration or a string",
        }
    }
}

struct Signature {
    name: &'static str,
    function: Function,
    takes: &'static [Takes],
    /// How many of the last arguments may be left out.
    optional: usize,
    gives: Type,
}

const fn plain(
    name: &'static str,
    function: Function,
    takes: &'static [Takes],
    gives: Type,
) -> Signature {
    Signature {
        name,
        function,
        takes,
        optional: 0,
        gives,
    }
}

/// Every function that is evaluated by the database.
const SIGNATURES: &[Signature] = {
    use Takes::{Clock, Day, Duration, Instant, Integer, Number, Size, Text};
    &[
        plain("contains", Function::Contains, &[Text, Text], Type::Boolean),
        plain(
            "startswith",
            Function::StartsWith,
            &[Text, Text],
            Type::Boolean,
        ),
        plain("endswith", Function::EndsWith, &[Text, Text], Type::Boolean),
        plain("length", Function::Length, &[Text], Type::Int32),
        plain("indexof", Function::IndexOf, &[Text, Text], Type::Int32),
        Signature {
            name: "substring",
            function: Function::Substring,
            takes: &[Text, Integer, Integer],
            optional: 1,
            gives: Type::String,
        },
        plain("tolower", Function::ToLower, &[Text], Type::String),
        plain("toupper", Function::ToUpper, &[Text], Type::String),
        plain("trim", Function::Trim, &[Text], Type::String),
        plain("concat", Function::Concat, &[Text, Text], Type::String),
        Signature {
            name: "matchespattern",
            function: Function::MatchesPattern,
            takes: &[Text, Text, Text],
            optional: 1,
            gives: Type::Boolean,
        },
        plain("year", Function::Year, &[Day], Type::Int32),
        plain("month", Function::Month, &[Day], Type::Int32),
        plain("day", Function::Day, &[Day], Type::Int32),
        plain("hour", Function::Hour, &[Clock], Type::Int32),
        plain("minute", Function::Minute, &[Clock], Type::Int32),
        plain("second", Function::Second, &[Clock], Type::Int32),
        plain(
            "fractionalseconds",
            Function::FractionalSeconds,
            &[Clock],
            Type::Double,
        ),
        Signature {
            name: "bin",
            function: Function::Bin,
            takes: &[Instant, Size, Text],
            optional: 1,
            gives: Type::DateTimeOffset,
        },
        plain("date", Function::Date, &[Instant], Type::Date),
        plain("time", Function::Time, &[Instant], Type::TimeOfDay),
        plain(
            "totaloffsetminutes",
            Function::TotalOffsetMinutes,
            &[Instant],
            Type::Int32,
        ),
        plain(
            "totalseconds",
            Function::TotalSeconds,
            &[Duration],
            Type::Double,
        ),
        plain("round", Function::Round, &[Number], Type::Double),
        plain("floor", Function::Floor, &[Number], Type::Double),
        plain("ceiling", Function::Ceiling, &[Number], Type::Double),
    ]
};

/// Functions without a signature of these kinds: constants, and those with a type as an argument.
const OTHERS: &[&str] = &["now", "mindatetime", "maxdatetime", "cast", "isof"];

pub(crate) fn bind(
    binder: &mut Binder<'_>,
    at: usize,
    name: &str,
    args: &[Expr],
) -> Result<Node, Error> {
    let instant = |ticks| {
        Ok(Node::new(
            at,
            Type::DateTimeOffset,
            NodeKind::Value(Value::Int(ticks)),
        ))
    };
    match name {
        "now" | "mindatetime" | "maxdatetime" if !args.is_empty() => {
            Err(count_fault(at, name, "none", args.len()))
        }
        "now" => {
            binder.used.now = true;
            instant(binder.now)
        }
        "mindatetime" => instant(MIN_TICKS),
        "maxdatetime" => instant(MAX_TICKS),
        "cast" | "isof" => cast(binder, at, name, args),
        _ => match SIGNATURES.iter().find(|signature| signature.name == name) {
            Some(signature) => call(binder, at, signature, args),
            None => {
                let near = nearest(
                    name,
                    SIGNATURES
                        .iter()
                        .map(|signature| signature.name)
                        .chain(OTHERS.iter().copied()),
                );
                let message = format!(
                    "found `{}(`, which is no function here{}",
                    excerpt(name),
                    did_you_mean(near, "")
                );
                Err(Error::new(ErrorKind::UnknownFunction, at, message))
            }
        },
    }
}

fn call(
    binder: &mut Binder<'_>,
    at: usize,
    signature: &Signature,
    args: &[Expr],
) -> Result<Node, Error> {
    let most = signature.takes.len();
    let least = most - signature.optional;
    if !(least..=most).contains(&args.len()) {
        let expected = if least == most {
            most.to_string()
        } else {
            format!("{least} or {most}")
        };
        return Err(count_fault(at, signature.name, &expected, args.len()));
    }
    let mut nodes = Vec::with_capacity(args.len());
    for (arg, takes) in args.iter().zip(signature.takes) {
        let mut node = binder.expr(arg)?;
        if matches!(takes, Takes::Duration) {
            node = adapt(node, Some(Type::Duration))?;
        }
        if !takes.accepts(node.ty) {
            let message = format!(
                "found a value of type {} as an argument of `{}`; expected {}",
                type_name(node.ty),
                signature.name,
                takes.name()
            );
            return Err(Error::new(ErrorKind::Type, arg.at, message));
        }
        nodes.push(node);
    }
    if let Some(node) = offset_of_literal(signature.function, at, &args[0])? {
        return Ok(node);
    }
    match signature.function {
        Function::Substring => check_length(&nodes)?,
        Function::MatchesPattern => {
            binder.used.patterns += 1;
            let most = binder.limits.safe_patterns();
            if binder.used.patterns > most {
                return Err(Error::limit(at, "too many patterns are matched", most));
            }
            check_pattern(at, &mut nodes)?;
        }
        Function::Bin => check_bin(at, args, &mut nodes)?,
        _ => {}
    }
    // A function of null is null. A function of NaN, which databases do not store, is NaN.
    if nodes.iter().any(Node::is_null) {
        return Ok(Node::new(at, signature.gives, NodeKind::Null));
    }
    if nodes[0].is_nan() {
        return Ok(nodes.swap_remove(0));
    }
    Ok(Node::new(
        at,
        signature.gives,
        NodeKind::Call(signature.function, nodes),
    ))
}

/// Instants are stored in UTC. The specification has such a service refuse the parts of a literal instant in
/// another zone, and only the literal still has its offset.
fn offset_of_literal(function: Function, at: usize, arg: &Expr) -> Result<Option<Node>, Error> {
    let ExprKind::Literal(Literal::DateTimeOffset { offset_minutes, .. }) = arg.kind else {
        return Ok(None);
    };
    match function {
        Function::TotalOffsetMinutes => Ok(Some(Node::new(
            at,
            Type::Int32,
            NodeKind::Value(Value::Int(offset_minutes.into())),
        ))),
        Function::Year
        | Function::Month
        | Function::Day
        | Function::Hour
        | Function::Minute
        | Function::Date
        | Function::Time
            if offset_minutes != 0 =>
        {
            let message = "found an instant with an offset; its parts are only known in UTC, so write it with Z";
            Err(Error::new(ErrorKind::Value, arg.at, message))
        }
        _ => Ok(None),
    }
}

fn check_length(nodes: &[Node]) -> Result<(), Error> {
    match nodes.get(2) {
        Some(Node {
            at,
            kind: NodeKind::Value(Value::Int(length)),
            ..
        }) if *length < 0 => Err(Error::new(
            ErrorKind::Value,
            *at,
            format!("found the length {length}; expected 0 or more"),
        )),
        _ => Ok(()),
    }
}

/// A pattern is a literal, so that a wrong one is refused here, and a right one is compiled once and not for
/// each row.
fn check_pattern(at: usize, nodes: &mut Vec<Node>) -> Result<(), Error> {
    if nodes.len() == 2 {
        nodes.push(Node::new(
            at,
            Type::String,
            NodeKind::Value(Value::Text(String::new())),
        ));
    }
    let literal = |node: &Node| match &node.kind {
        NodeKind::Value(Value::Text(text)) => Ok(text.clone()),
        NodeKind::Null => Ok(String::new()),
        _ => {
            let message = "found an expression as the pattern of `matchespattern`; expected a string in quotes";
            Err(Error::new(ErrorKind::Type, node.at, message))
        }
    };
    let (pattern, flags) = (literal(&nodes[1])?, literal(&nodes[2])?);
    pattern::compile(&pattern, &flags)
        .map(drop)
        .map_err(|reason| {
            let message = format!("found the pattern '{}': {reason}", excerpt(&pattern));
            Error::new(ErrorKind::Value, nodes[1].at, message)
        })
}

/// The size and the zone are literals, so that wrong ones are refused here. Without a zone it is UTC.
fn check_bin(at: usize, args: &[Expr], nodes: &mut Vec<Node>) -> Result<(), Error> {
    const SIZE: &str = "a duration that divides a day, such as duration'PT15M', or 'hour', 'day', 'week', 'month', 'quarter' or 'year'";
    const ZONE: &str = "the name of a time zone, such as 'Europe/Oslo'";
    let literal = &nodes[1].kind;
    let size = nodes[1].bin_size();
    if !matches!(
        literal,
        NodeKind::Null | NodeKind::Value(Value::Int(_) | Value::Text(_))
    ) {
        let message = format!("found an expression as the size of `bin`; expected {SIZE}");
        return Err(Error::new(ErrorKind::Type, args[1].at, message));
    }
    if size.is_none() && !matches!(literal, NodeKind::Null) {
        let found = args[1].to_string();
        let message = format!(
            "found {} as the size of `bin`; expected {SIZE}",
            excerpt(&found)
        );
        return Err(Error::new(ErrorKind::Value, args[1].at, message));
    }
    let name = match nodes.get(2).map(|node| &node.kind) {
        None => UTC,
        Some(NodeKind::Null) => return Ok(()),
        Some(NodeKind::Value(Value::Text(name))) => name,
        Some(_) => {
            let message = format!("found an expression as the time zone of `bin`; expected {ZONE}");
            return Err(Error::new(ErrorKind::Type, nodes[2].at, message));
        }
    };
    let zone_at = nodes.get(2).map_or(at, |node| node.at);
    let Some(zone) = TimeZone::named(name) else {
        let message = format!(
            "found the time zone '{}', which is not known; expected {ZONE}",
            excerpt(name)
        );
        return Err(Error::new(ErrorKind::Value, zone_at, message));
    };
    nodes.truncate(2);
    let name = match size {
        // Such periods begin when those of UTC do, which every engine computes in fewer steps.
        Some(BinSize::Ticks(ticks)) if zone.offsets.are_multiples_of(ticks) => UTC,
        _ => &zone.name,
    };
    let name = NodeKind::Value(Value::Text(name.to_owned()));
    nodes.push(Node::new(zone_at, Type::String, name));
    Ok(())
}

/// `cast(value,type)` and `isof(value,type)`.
fn cast(binder: &mut Binder<'_>, at: usize, name: &str, args: &[Expr]) -> Result<Node, Error> {
    let [value, target] = args else {
        return Err(count_fault(at, name, "2 (a value and a type)", args.len()));
    };
    let ExprKind::TypeName(written) = &target.kind else {
        return Err(Error::new(
            ErrorKind::Type,
            target.at,
            "expected the name of a type, such as Edm.String",
        ));
    };
    // Decimals are doubles here.
    let target_name = if written == "Edm.Decimal" {
        Type::Double.name()
    } else {
        written
    };
    let Some(to) = TARGETS.iter().copied().find(|ty| ty.name() == target_name) else {
        let near = nearest(written, TARGETS.iter().map(|ty| ty.name()));
        let message = format!(
            "found the type `{}`, which is not known{}",
            excerpt(written),
            did_you_mean(near, "")
        );
        return Err(Error::new(ErrorKind::Type, target.at, message));
    };
    let node = binder.expr(value)?;
    let widens = match (node.ty, to) {
        (None, _) => false,
        (Some(from), to) if from == to => true,
        (Some(Type::Int32), Type::Int64 | Type::Double) | (Some(Type::Int64), Type::Double) => true,
        _ => false,
    };
    if name == "isof" {
        let kind = if widens {
            NodeKind::Present(Box::new(node))
        } else {
            NodeKind::Boolean(false)
        };
        return Ok(Node::new(at, Type::Boolean, kind));
    }
    if node.is_null() {
        return Ok(Node::new(at, to, NodeKind::Null));
    }
    if node.ty == Some(to) {
        return Ok(node);
    }
    // Databases do not store NaN, so it must not reach one. No whole number is NaN.
    if node.is_nan() {
        let kind = if to == Type::String {
            NodeKind::Value(Value::Text("NaN".to_owned()))
        } else {
            NodeKind::Null
        };
        return Ok(Node::new(at, to, kind));
    }
    let castable =
        is_text(node.ty) || to == Type::String || is_numeric(node.ty) && is_numeric(Some(to));
    if !castable {
        let message = format!(
            "a value of type {} can't be cast to {}",
            type_name(node.ty),
            to.name()
        );
        return Err(Error::new(ErrorKind::Type, at, message));
    }
    Ok(Node::new(at, to, NodeKind::Cast(Box::new(node))))
}

const TARGETS: &[Type] = &[
    Type::Boolean,
    Type::Int32,
    Type::Int64,
    Type::Double,
    Type::String,
    Type::Date,
    Type::DateTimeOffset,
    Type::TimeOfDay,
    Type::Duration,
    Type::Guid,
];

fn count_fault(at: usize, name: &str, expected: &str, found: usize) -> Error {
    let message =
        format!("found {found} as the number of arguments of `{name}`; expected {expected}");
    Error::new(ErrorKind::UnknownFunction, at, message)
}
