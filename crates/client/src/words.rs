//! Words of enumerations in query options, checked before a request is sent.
//!
//! An option is bound as the service binds it, to the same records: so both refuse the same words, with the
//! same message. Nothing else is refused here. What else this version does not know, a newer service may.

use obeya_odata::build::Clause;
use obeya_odata::edm::EntityType;
use obeya_odata::{Context, ErrorKind, Limits, OptionName, Options};

use crate::error::{Error, Result};

/// A record that conditions are about. Implemented by this crate for its records only.
pub trait Entity: sealed::Entity {}

impl<T: sealed::Entity> Entity for T {}

pub(crate) mod sealed {
    use super::EntityType;

    /// What the check needs from a record.
    pub trait Entity {
        /// Its properties and links.
        fn entity_type() -> &'static EntityType;
    }
}

mod generated {
    use obeya_odata::edm::{Cardinality, Column, EntityType, EnumType, Navigation, Property, Type};

    use super::sealed::Entity;

    include!(concat!(env!("OUT_DIR"), "/entity_types.rs"));

    /// Nothing is read from a table here, so no column has a name.
    const fn property(name: &'static str, ty: Type) -> Property {
        Property {
            name,
            ty,
            nullable: true,
            column: Column::Name(""),
        }
    }

    const fn link(
        name: &'static str,
        target: &'static EntityType,
        cardinality: Cardinality,
    ) -> Navigation {
        Navigation {
            name,
            target,
            cardinality,
            from: "",
            to: "",
        }
    }
}

/// A word in a condition that is no member of the enumeration it is compared with.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(transparent)]
pub struct UnknownWord(obeya_odata::Error);

/// Checks the words of a condition on the records `T`, as the text of `$filter`.
///
/// ```
/// use obeya::fields::check_words;
/// use obeya::model::IncidentV1;
///
/// assert_eq!(
///     check_words::<IncidentV1>("severity eq 'high'").unwrap_err().to_string(),
///     "$filter at byte 12: found 'high', which is no member of IncidentSeverity; did you mean `High`?"
/// );
/// assert!(check_words::<IncidentV1>("severity eq 'High'").is_ok());
/// ```
///
/// # Errors
/// A word that the enumeration does not have in this version. Other faults are left to the service.
pub fn check_words<T: Entity>(condition: &str) -> Result<(), UnknownWord> {
    check::<T>(OptionName::Filter, condition)
}

fn check<T: Entity>(option: OptionName, text: &str) -> Result<(), UnknownWord> {
    let context = Context {
        now: 0,
        limits: Limits::default(),
    };
    let bound = Options::of(option, text, &context.limits)
        .and_then(|options| options.bind(T::entity_type(), &context));
    match bound {
        Err(error) if error.kind == ErrorKind::Member => Err(UnknownWord(error)),
        _ => Ok(()),
    }
}

/// The unknown words in the options of a request.
#[derive(Clone, Debug, Default)]
pub(crate) struct WordCheck(Vec<(OptionName, UnknownWord)>);

impl WordCheck {
    /// The text of an option, which replaces the one given before. Texts are not checked.
    pub(crate) fn text<T: Entity, O>(
        &mut self,
        option: OptionName,
        clause: impl Clause<O>,
    ) -> Option<String> {
        let is_typed = clause.is_typed();
        let text = clause.text();
        self.0.retain(|(of, _)| *of != option);
        if is_typed && let Some(text) = &text {
            let unknown = check::<T>(option, text).err();
            self.0.extend(unknown.map(|word| (option, word)));
        }
        text
    }

    /// Refuses a request with an unknown word.
    pub(crate) fn finish(&self, operation: &'static str) -> Result<()> {
        match self.0.first() {
            None => Ok(()),
            Some((_, word)) => Err(Error::Request {
                operation,
                reason: word.to_string(),
            }),
        }
    }
}
