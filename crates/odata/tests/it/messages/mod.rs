//! Good messages: the option, where in it, what was found, what was expected and, where close, what was
//! meant.
//!
//! One of each kind of fault. Whoever changes one reads it as somebody who has never seen the parser.

mod grammar;
mod names;
mod options;
mod types;

use obeya_odata::edm::EntityType;

use crate::store::bind;

fn message(entity: &'static EntityType, query: &str) -> String {
    bind(entity, query).unwrap_err().to_string()
}
