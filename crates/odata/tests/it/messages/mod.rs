//! Good messages: the option, the position in it, what was found, what was expected and, if similar, what was
//! meant.
//!
//! One of each kind of error. If you change one, read it as a user who has never seen the parser.

mod apply;
mod grammar;
mod names;
mod options;
mod types;

use obeya_odata::edm::EntityType;

use crate::store::bind;

fn message(entity: &'static EntityType, query: &str) -> String {
    bind(entity, query).unwrap_err().to_string()
}
