//! The functions of PostgreSQL compared with their namesakes in Rust, which are the reference: the same
//! arguments must give the same results, to the last bit.

mod casts;
mod definitions;
mod numbers;
mod parsing;
mod patterns;
mod server;
mod texts;
mod times;

use obeya_odata::functions::{Arg, Out, SCALARS, ScalarError};
use obeya_odata::sql::Value;

/// The type of an argument or a result.
#[derive(Clone, Copy)]
enum Ty {
    Int,
    Real,
    Text,
}

type Rows = Vec<Vec<Value>>;

/// The result of a function of Rust.
fn in_rust(name: &str, args: &[Value]) -> Result<Value, ScalarError> {
    let args: Vec<Arg<'_>> = args
        .iter()
        .map(|value| match value {
            Value::Null => Arg::Null,
            Value::Int(number) => Arg::Int(*number),
            Value::Real(number) => Arg::Real(*number),
            Value::Text(text) => Arg::Text(text),
        })
        .collect();
    let arity = i32::try_from(args.len()).unwrap();
    let scalar = SCALARS
        .iter()
        .find(|scalar| scalar.name == name && scalar.arity == arity)
        .unwrap();
    Ok(match (scalar.call)(&args)? {
        Out::Int(number) => Value::Int(number),
        Out::Real(number) if !number.is_nan() => Value::Real(number),
        Out::Text(text) => Value::Text(text),
        // Databases store no NaN.
        Out::Null | Out::Real(_) => Value::Null,
    })
}

/// A value that shows each bit of a double.
fn bits(value: &Value) -> String {
    match value {
        Value::Real(number) => format!("{number:?} ({:x})", number.to_bits()),
        other => format!("{other:?}"),
    }
}

/// Numbers that look random and are the same in each run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    fn of<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }

    /// A whole number of any size, small ones as often as large ones.
    fn int(&mut self) -> i64 {
        let bits = self.below(64);
        (self.next() as i64) >> bits
    }

    /// A double of any bits but those of NaN.
    fn real(&mut self) -> f64 {
        loop {
            let number = f64::from_bits(self.next());
            if !number.is_nan() {
                return number;
            }
        }
    }

    fn text(&mut self, alphabet: &[char], most: usize) -> String {
        (0..self.below(most + 1))
            .map(|_| *self.of(alphabet))
            .collect()
    }
}

fn int(number: i64) -> Value {
    Value::Int(number)
}

fn real(number: f64) -> Value {
    Value::Real(number)
}

fn text(text: impl Into<String>) -> Value {
    Value::Text(text.into())
}
