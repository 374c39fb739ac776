//! Functions and casts as SQL text.

use crate::bind::node::{Function, Node, NodeKind};
use crate::edm::Type;
use crate::sql::render::Renderer;
use crate::sql::{SqlKind, Value};
use crate::time_zone::TimeZone;

impl Renderer<'_> {
    pub(super) fn call(&mut self, function: Function, args: &[Node]) -> String {
        if function == Function::Bin {
            return self.bin(args);
        }
        let of_date = matches!(args.first().and_then(|arg| arg.ty), Some(Type::Date));
        let texts: Vec<String> = match function {
            Function::MatchesPattern => self.pattern(args),
            _ => args.iter().map(|arg| self.argument(arg)).collect(),
        };
        let [first, rest @ ..] = texts.as_slice() else {
            return "NULL".to_owned();
        };
        let second = rest.first().map_or("NULL", String::as_str);
        let simple = args.iter().all(Node::is_simple);
        let name = match function {
            Function::Contains => return format!("({} > 0)", self.dialect.position(first, second)),
            // The dialect's SQL uses its arguments more than once; nested, that would grow without bound.
            Function::StartsWith if simple => {
                return format!("({})", self.dialect.starts_with(first, second));
            }
            Function::EndsWith if simple => {
                return format!("({})", self.dialect.ends_with(first, second));
            }
            Function::StartsWith => return format!("(odata_starts_with({first}, {second}) = 1)"),
            Function::EndsWith => return format!("(odata_ends_with({first}, {second}) = 1)"),
            Function::Length => return self.dialect.length(first),
            Function::IndexOf => return format!("({} - 1)", self.dialect.position(first, second)),
            Function::Concat => return format!("({first} || {second})"),
            Function::MatchesPattern => {
                return format!("(odata_matches({}) = 1)", texts.join(", "));
            }
            // In UTC, as everything is stored, the offset is 0; but null stays null.
            Function::TotalOffsetMinutes => return format!("({first} * 0)"),
            Function::Substring => "odata_substring",
            Function::ToLower => "odata_lower",
            Function::ToUpper => "odata_upper",
            Function::Trim => "odata_trim",
            Function::Year if of_date => "odata_date_year",
            Function::Month if of_date => "odata_date_month",
            Function::Day if of_date => "odata_date_day",
            Function::Year => "odata_year",
            Function::Month => "odata_month",
            Function::Day => "odata_day",
            Function::Hour => "odata_hour",
            Function::Minute => "odata_minute",
            Function::Second => "odata_second",
            Function::FractionalSeconds => "odata_fraction",
            Function::Bin => "odata_bin",
            Function::Date => "odata_date",
            Function::Time => "odata_time",
            Function::TotalSeconds => "odata_total_seconds",
            Function::Round => "odata_round",
            Function::Floor => "odata_floor",
            Function::Ceiling => "odata_ceiling",
        };
        format!("{name}({})", texts.join(", "))
    }

    /// An instant, a size and a zone, the last two literals that were checked when the call was bound.
    fn bin(&mut self, args: &[Node]) -> String {
        let [instant, size, zone] = args else {
            return "NULL".to_owned();
        };
        let size = size.bin_size();
        let zone = match &zone.kind {
            NodeKind::Value(Value::Text(name)) => TimeZone::named(name),
            _ => None,
        };
        let (Some(size), Some(zone)) = (size, zone) else {
            return "NULL".to_owned();
        };
        let instant = self.argument(instant);
        self.dialect.bin(&instant, &size.sql(), &zone)
    }

    /// A text, a pattern and its flags, the last two literals.
    fn pattern(&mut self, args: &[Node]) -> Vec<String> {
        let literal = |node: &Node| match &node.kind {
            NodeKind::Value(Value::Text(text)) => Some(text.clone()),
            _ => None,
        };
        let [text, pattern, flags] = args else {
            return args.iter().map(|arg| self.argument(arg)).collect();
        };
        let known = literal(pattern).zip(literal(flags));
        let here = known.and_then(|(pattern, flags)| self.dialect.pattern(&pattern, &flags));
        let text = self.argument(text);
        let pattern = match here {
            Some(pattern) => self.bind(Value::Text(pattern)),
            None => self.argument(pattern),
        };
        vec![text, pattern, self.argument(flags)]
    }

    pub(super) fn cast(&mut self, operand: &Node, to: Option<Type>) -> String {
        let name = |ty: Option<Type>| match ty {
            None | Some(Type::Enum(_)) => Type::String.name(),
            Some(ty) => ty.name(),
        };
        let value = if operand.is_boolean() {
            self.key(operand)
        } else {
            self.argument(operand)
        };
        let kind = to.map_or(SqlKind::Text, SqlKind::of_type);
        self.dialect.cast(&value, name(operand.ty), name(to), kind)
    }
}
