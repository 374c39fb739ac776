//! Checks a value of a datasource against its schema beyond the types. `elements` checks it against its
//! datasource.

use obeya_model::bounds::operations::{
    create_datasource_values, delete_datasource_values, replace_datasource_values,
};
use obeya_model::bounds::schemas::datasource_value_input as bounds;

use super::error::{Complaint, DomainError};
use super::validate::{Check, may_misfit};

/// Most values in one request, and most ids.
pub const BATCH_MAX: usize = {
    let most = *create_datasource_values::body::ITEMS.end();
    // One size for all three keeps them one rule.
    assert!(most == *replace_datasource_values::body::ITEMS.end());
    assert!(most == *delete_datasource_values::body::ITEMS.end());
    most
};
/// Most complaints about a batch; each names its value.
pub const BATCH_COMPLAINTS: usize = 100;

/// A value without its id and registration.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs, reason = "the fields have the names of the contract")]
pub struct DatasourceValue {
    pub value: f64,
    /// In ticks.
    pub value_date: i64,
    pub area_id: Option<i32>,
    pub asset_id: Option<i32>,
    pub project_id: Option<i32>,
    pub description: Option<String>,
    pub dimensions: [Option<String>; 4],
    pub external_id: Option<String>,
}

/// Position of a value in a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValuePosition {
    /// The body is the value.
    Body,
    /// The value is the item of a list.
    Item(usize),
}

impl ValuePosition {
    /// The path of a property, as an error names it: `dimension`, `[17].dimension`.
    pub fn field(self, property: &str) -> String {
        match self {
            ValuePosition::Body => property.to_owned(),
            ValuePosition::Item(index) => format!("[{index}].{property}"),
        }
    }
}

impl DatasourceValue {
    /// Checks one value that is the whole body.
    pub fn check(&self) -> Result<(), DomainError> {
        let mut check = Check::default();
        self.complain(ValuePosition::Body, &mut check);
        check.finish(Some(()))
    }

    fn complain(&self, position: ValuePosition, check: &mut Check) {
        let [first, second, third, fourth] = &self.dimensions;
        let texts = [
            (
                "description",
                &self.description,
                bounds::description::LENGTH,
            ),
            ("dimension", first, bounds::dimension::LENGTH),
            ("dimension2", second, bounds::dimension2::LENGTH),
            ("dimension3", third, bounds::dimension3::LENGTH),
            ("dimension4", fourth, bounds::dimension4::LENGTH),
            ("externalId", &self.external_id, bounds::external_id::LENGTH),
        ];
        for (property, text, allowed) in texts {
            // Most texts need no counting, and then the name of the field is not needed.
            if let Some(text) = text.as_deref().filter(|text| may_misfit(text, &allowed)) {
                check.length(&position.field(property), text, &allowed);
            }
        }
    }
}

/// Checks the values of a batch, and if a period is given that each is in it, both ends included.
pub fn check_batch(
    values: &[DatasourceValue],
    period: Option<(i64, i64)>,
) -> Result<(), DomainError> {
    check_size(values.len(), "values")?;
    let mut check = Check::default();
    for (index, value) in values.iter().enumerate() {
        let position = ValuePosition::Item(index);
        value.complain(position, &mut check);
        if period.is_some_and(|(from, to)| value.value_date < from || value.value_date > to) {
            check.refuse(
                position.field("valueDate"),
                "expected an instant from `from` to `to`, found one outside of the period that is replaced",
            );
        }
        if check.count() >= BATCH_COMPLAINTS {
            break;
        }
    }
    check.finish(Some(())).map_err(DomainError::of_batch)
}

/// Checks that a list is not longer than one request may be.
pub fn check_size(found: usize, what: &str) -> Result<(), DomainError> {
    if found <= BATCH_MAX {
        return Ok(());
    }
    Err(DomainError::Invalid(vec![Complaint {
        field: "body".to_owned(),
        text: format!(
            "expected at most {BATCH_MAX} {what}, found {found}; send them in several requests"
        ),
    }]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value() -> DatasourceValue {
        DatasourceValue {
            value: 1.0,
            value_date: 50,
            area_id: None,
            asset_id: None,
            project_id: None,
            description: None,
            dimensions: [None, None, None, None],
            external_id: None,
        }
    }

    fn fields(outcome: Result<(), DomainError>) -> Vec<String> {
        let complaints = match outcome {
            Ok(()) => Vec::new(),
            Err(DomainError::OfBatch(fault)) => match *fault {
                DomainError::Invalid(complaints) => complaints,
                other => panic!("{other:?}"),
            },
            Err(DomainError::Invalid(complaints)) => complaints,
            Err(other) => panic!("{other:?}"),
        };
        complaints.into_iter().map(|c| c.field).collect()
    }

    #[test]
    fn texts_are_as_long_as_the_interface_has_room_for() {
        let long = |count: usize| Some("ø".repeat(count));
        let most = DatasourceValue {
            description: long(255),
            dimensions: [long(100), long(100), long(100), long(100)],
            external_id: long(255),
            ..value()
        };
        assert_eq!(most.check(), Ok(()));
        let over = DatasourceValue {
            description: long(256),
            dimensions: [long(101), long(101), long(101), long(101)],
            external_id: long(256),
            ..value()
        };
        assert_eq!(
            fields(over.check()),
            [
                "description",
                "dimension",
                "dimension2",
                "dimension3",
                "dimension4",
                "externalId"
            ]
        );
        assert_eq!(fields(check_batch(&[most, over], None))[1], "[1].dimension");
    }

    #[test]
    fn both_ends_of_a_replaced_period_are_in_it() {
        let at = |value_date| DatasourceValue {
            value_date,
            ..value()
        };
        let values = [at(9), at(10), at(20), at(21)];
        assert_eq!(
            fields(check_batch(&values, Some((10, 20)))),
            ["[0].valueDate", "[3].valueDate"]
        );
    }

    #[test]
    fn no_more_than_a_hundred_complaints_are_reported() {
        let over = DatasourceValue {
            external_id: Some("x".repeat(256)),
            ..value()
        };
        let fields = fields(check_batch(&vec![over; 10_000], None));
        assert_eq!(fields.len(), 100);
        assert_eq!(fields[99], "[99].externalId");
    }

    #[test]
    fn a_batch_has_the_size_of_a_page() {
        assert_eq!(check_size(10_000, "values"), Ok(()));
        assert_eq!(fields(check_size(10_001, "values")), ["body"]);
    }
}
