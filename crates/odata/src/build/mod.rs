//! A typed builder for query options: properties with their types, and expressions over them.
//!
//! The result is the tree of [`crate::ast`], printed by the crate's own printer: it parses back to the same
//! tree. Expressions that OData would refuse for their types do not compile. The entity model is not part of
//! this module: it is declared by hand as below, or generated. The service still refuses errors that depend
//! on values: more than its [`Limits`](crate::Limits), a division by zero, U+0000 in a text.
//!
//! An entity is a marker type, and a row type whose methods are its properties:
//!
//! ```
//! use obeya_odata::build::{Boolean, Clause, Int, Many, One, Path, Property, Row, Text};
//!
//! /// Stands for groups in the types of expressions.
//! struct Group;
//! /// A group that a path leads to, in an expression about `R`.
//! struct GroupRow<R>(Path<R>);
//!
//! impl<R> Row for GroupRow<R> {
//!     type Root = R;
//!     type Entity = Group;
//!     fn at(path: Path<R>) -> Self {
//!         Self(path)
//!     }
//! }
//!
//! impl<R> GroupRow<R> {
//!     fn name(&self) -> Property<R, Text> {
//!         self.0.property("name")
//!     }
//!     fn level(&self) -> Property<R, Int> {
//!         self.0.property("level")
//!     }
//!     fn parent(&self) -> One<GroupRow<R>> {
//!         self.0.one("parent")
//!     }
//!     fn children(&self) -> Many<GroupRow<R>> {
//!         self.0.many("children")
//!     }
//! }
//!
//! fn group() -> GroupRow<Group> {
//!     GroupRow::at(Path::root())
//! }
//!
//! let filter = group().level().ge(1).and(group().name().contains("Weld"));
//! assert_eq!(filter.to_string(), "level ge 1 and contains(name,'Weld')");
//!
//! let below = group().children().any(|child| child.name().eq(group().name()));
//! assert_eq!(below.to_string(), "children/any(c:c/name eq name)");
//!
//! let order = (group().parent().name().asc(), group().level().desc());
//! assert_eq!(order.text().as_deref(), Some("parent/name,level desc"));
//! ```
//!
//! A name that is not declared does not compile, nor does a text compared with a number:
//!
//! ```compile_fail,E0599
//! # use obeya_odata::build::{Path, Property, Text};
//! # struct Group;
//! # struct GroupRow(Path<Group>);
//! # impl GroupRow { fn name(&self) -> Property<Group, Text> { self.0.property("name") } }
//! # let group = || GroupRow(Path::root());
//! group().nmae().eq("Weld");
//! ```
//!
//! ```compile_fail,E0277
//! # use obeya_odata::build::{Path, Property, Text};
//! # struct Group;
//! # struct GroupRow(Path<Group>);
//! # impl GroupRow { fn name(&self) -> Property<Group, Text> { self.0.property("name") } }
//! # let group = || GroupRow(Path::root());
//! group().name().eq(5);
//! ```
//!
//! The same with a text does:
//!
//! ```
//! # use obeya_odata::build::{Path, Property, Text};
//! # struct Group;
//! # struct GroupRow(Path<Group>);
//! # impl GroupRow { fn name(&self) -> Property<Group, Text> { self.0.property("name") } }
//! # let group = || GroupRow(Path::root());
//! assert_eq!(group().name().eq("5").to_string(), "name eq '5'");
//! ```
//!
//! An expression about one entity is not accepted for another, because the first type parameter of [`Value`]
//! is the entity:
//!
//! ```compile_fail,E0277
//! # use obeya_odata::build::{Clause, Filter, Path, Property, Text};
//! # struct Group;
//! # struct Board;
//! fn list_groups(filter: impl Clause<Filter<Group>>) {}
//! let name: Property<Board, Text> = Path::root().property("name");
//! list_groups(name.eq("Weld"));
//! ```

mod apply;
mod clause;
mod expand;
mod lambda;
mod logic;
mod merge;
mod number;
mod operand;
mod path;
mod text;
mod time;
mod types;
mod value;

#[cfg(test)]
mod tests;

pub use apply::{Aggregate, Compute, count};
pub use clause::{Clause, List, Order, Select};
pub use expand::{Expand, Expansion, ToMany, ToOne};
pub use logic::{all_of, any_of};
pub use operand::Operand;
pub use path::{Many, One, Path, Row};
pub use time::{BinSize, now};
pub use types::{
    Boolean, Calendar, Clock, Date, DateType, Double, Duration, Enum, Guid, Instant, InstantType,
    Int, Number, Ordered, Text, Texts, TimeOfDay, Type,
};
pub use value::{Computed, Filter, Named, Property, Value};
