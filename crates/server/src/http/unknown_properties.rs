//! The properties of a body that its schema does not have, with their places and what was probably meant.
//!
//! They are collected while a body is read. The reader decides whether they are refused.

use std::cell::{Cell, RefCell};
use std::fmt::Write as _;

use obeya_odata::{did_you_mean, nearest};

use super::problem::Problem;

/// The most unknown properties that are collected, and that an error names.
const MAX_NAMED: usize = 20;

/// Collects unknown properties.
pub(super) struct UnknownProperties {
    /// Whether places are tracked. That takes as long as parsing.
    tracks_places: bool,
    /// Whether a known property in another case counts as unknown.
    is_strict: bool,
    /// The place that is being read.
    place: RefCell<Vec<Segment>>,
    found: RefCell<Vec<UnknownProperty>>,
    nothing_is_known: Cell<bool>,
}

/// A step from an object or an array to what it contains.
#[derive(Clone, Copy)]
pub(super) enum Segment {
    Property(&'static str),
    Item(usize),
}

struct UnknownProperty {
    /// Its place, such as `items[0].colour`.
    path: String,
    name: String,
    /// The properties that its object may have.
    known: &'static [&'static str],
}

impl UnknownProperties {
    /// None yet. If `is_strict`, a known property in another case counts.
    pub(super) fn new(is_strict: bool) -> Self {
        Self {
            tracks_places: true,
            is_strict,
            ..Self::without_places()
        }
    }

    /// None yet, for a reader that only asks whether there is any.
    pub(super) fn without_places() -> Self {
        Self {
            tracks_places: false,
            is_strict: false,
            place: RefCell::default(),
            found: RefCell::default(),
            nothing_is_known: Cell::new(false),
        }
    }

    /// Reads what is at the end of `place`.
    #[inline]
    pub(super) fn within<T>(&self, place: Segment, read: impl FnOnce() -> T) -> T {
        if self.tracks_places {
            self.place.borrow_mut().push(place);
        }
        let read = read();
        if self.tracks_places {
            self.place.borrow_mut().pop();
        }
        read
    }

    /// Adds a property that the object being read does not have; `known` are those that it may have.
    pub(super) fn add(&self, name: &str, known: &'static [&'static str]) {
        let mut found = self.found.borrow_mut();
        if found.len() == MAX_NAMED {
            return;
        }
        let mut path = String::new();
        for segment in &*self.place.borrow() {
            // Writing to a text cannot fail.
            let _ = match segment {
                Segment::Property(name) if path.is_empty() => write!(path, "{name}"),
                Segment::Property(name) => write!(path, ".{name}"),
                Segment::Item(index) => write!(path, "[{index}]"),
            };
        }
        if !path.is_empty() {
            path.push('.');
        }
        path.push_str(name);
        found.push(UnknownProperty {
            path,
            name: name.to_owned(),
            known,
        });
    }

    /// Adds a property that differs from a known one in its case.
    pub(super) fn add_respelled(&self, name: &str, known: &'static [&'static str]) {
        if self.is_strict {
            self.add(name, known);
        }
    }

    /// Notes that an object has none but unknown properties.
    pub(super) fn set_nothing_known(&self) {
        self.nothing_is_known.set(true);
    }

    /// Whether an object has none but unknown properties.
    pub(super) fn nothing_is_known(&self) -> bool {
        self.nothing_is_known.get()
    }

    /// Whether there is none.
    pub(super) fn is_empty(&self) -> bool {
        self.found.borrow().is_empty()
    }

    /// 400 `body.unknown_property` with the name of each.
    pub(super) fn into_problem(self) -> Problem {
        let start = Problem::new(
            http::StatusCode::BAD_REQUEST,
            "body.unknown_property",
            "The body has an unknown property",
            "",
        );
        let found = self.found.into_inner().into_iter();
        found.fold(start, |problem, UnknownProperty { path, name, known }| {
            let meant = did_you_mean(nearest(&name, known.iter().copied()), "");
            problem.field(&path, format!("is not a property of this body{meant}"))
        })
    }
}
