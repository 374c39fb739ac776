//! Whole options: the typed or text values of `$filter`, `$orderby`, `$select` and `$expand`.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use super::types::{Boolean, Type};
use super::value::{Filter, Named, Value};
use crate::ast::OrderItem;

/// A value of the option `O`: [`Filter`], [`Order`], [`Select`] or [`Expansion`](super::Expansion) of an
/// entity.
///
/// A text is used unchanged and unchecked. A list (tuple, array, vector) contains parts of one option.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be given as `{O}`",
    label = "expected an expression about the same entity, or a text"
)]
pub trait Clause<O> {
    /// The option's value, not percent-encoded; `None` for an empty list, so that the option is omitted.
    fn text(self) -> Option<String>;

    /// Whether all of it was built from types, and no part given as text.
    fn is_typed(&self) -> bool {
        false
    }
}

/// Options whose value is a list, which may be passed as separate parts.
pub trait List {
    /// Joins the parts, at least one, into one value.
    #[must_use]
    fn joined(parts: &[String]) -> String {
        parts.join(",")
    }
}

/// A text can be the value of any option.
macro_rules! texts {
    ($($text:ty),+) => {
        $(impl<O> Clause<O> for $text {
            fn text(self) -> Option<String> {
                Some(self.into())
            }
        })+
    };
}

texts!(&str, String, Cow<'_, str>, Box<str>);

impl<O> Clause<O> for &String {
    fn text(self) -> Option<String> {
        Some(self.clone())
    }
}

impl<R, K> Clause<Filter<R>> for Value<R, Boolean, K> {
    fn text(self) -> Option<String> {
        Some(self.to_string())
    }

    fn is_typed(&self) -> bool {
        true
    }
}

/// A key of `$orderby` for the entity `R`, or the whole option.
#[must_use = "a key does nothing until it is given to a query"]
pub struct Order<R> {
    item: OrderItem,
    entity: PhantomData<fn() -> R>,
}

impl<R, T: Type, K> Value<R, T, K> {
    /// As a key of `$orderby`, smallest first. Null comes before every value.
    pub fn asc(self) -> Order<R> {
        self.order(false)
    }

    /// As a key of `$orderby`, largest first. Null comes after every value.
    pub fn desc(self) -> Order<R> {
        self.order(true)
    }

    fn order(self, descending: bool) -> Order<R> {
        Order {
            item: OrderItem {
                expr: self.into_expr(),
                descending,
            },
            entity: PhantomData,
        }
    }
}

impl<R> Order<R> {
    /// The syntax tree, as the parser would produce it.
    #[must_use]
    pub fn into_item(self) -> OrderItem {
        self.item
    }
}

impl<R> List for Order<R> {}

impl<R> Clause<Order<R>> for Order<R> {
    fn text(self) -> Option<String> {
        Some(self.to_string())
    }

    fn is_typed(&self) -> bool {
        true
    }
}

impl<R> Clone for Order<R> {
    fn clone(&self) -> Self {
        Self {
            item: self.item.clone(),
            entity: PhantomData,
        }
    }
}

impl<R> fmt::Debug for Order<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Order({})", self.item)
    }
}

impl<R> fmt::Display for Order<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.item.fmt(f)
    }
}

/// The option `$select` of the entity `R`. Its parts are properties; the value joins them.
#[derive(Debug)]
pub struct Select<R>(PhantomData<fn() -> R>);

impl<R> Select<R> {
    /// `*`: every property, in addition to selected links.
    #[must_use]
    pub fn all() -> Self {
        Self(PhantomData)
    }
}

impl<R> List for Select<R> {}

impl<R> Clause<Select<R>> for Select<R> {
    fn text(self) -> Option<String> {
        Some("*".to_owned())
    }
}

impl<R, T> Clause<Select<R>> for Value<R, T, Named> {
    fn text(self) -> Option<String> {
        Some(self.to_string())
    }
}

impl<O: List, C: Clause<O>, const N: usize> Clause<O> for [C; N] {
    fn text(self) -> Option<String> {
        joined::<O>(self.into_iter().map(Clause::text))
    }

    fn is_typed(&self) -> bool {
        self.iter().all(Clause::is_typed)
    }
}

impl<O: List, C: Clause<O>> Clause<O> for Vec<C> {
    fn text(self) -> Option<String> {
        joined::<O>(self.into_iter().map(Clause::text))
    }

    fn is_typed(&self) -> bool {
        self.iter().all(Clause::is_typed)
    }
}

/// Tuples combine parts of different types, including other tuples.
macro_rules! tuples {
    ($($($part:ident)+;)+) => {
        $(impl<O: List, $($part: Clause<O>),+> Clause<O> for ($($part,)+) {
            fn text(self) -> Option<String> {
                #[expect(non_snake_case, reason = "each part is called like its type")]
                let ($($part,)+) = self;
                joined::<O>([$($part.text()),+])
            }

            fn is_typed(&self) -> bool {
                #[expect(non_snake_case, reason = "each part is called like its type")]
                let ($($part,)+) = self;
                true $(&& $part.is_typed())+
            }
        })+
    };
}

tuples! {
    A;
    A B;
    A B C;
    A B C D;
    A B C D E;
    A B C D E F;
    A B C D E F G;
    A B C D E F G H;
}

fn joined<O: List>(parts: impl IntoIterator<Item = Option<String>>) -> Option<String> {
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| O::joined(&parts))
}
