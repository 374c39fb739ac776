//! Guesses which field each column is, by its header. Pure functions; nothing is read from the rows.

use super::fields::{Field, Resource};
use super::words::normal;

/// What a column seems to be.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Guess {
    Field(&'static Field),
    /// An earlier column is that field already.
    Taken(&'static Field),
    /// The interface does not take the field.
    NotThroughApi(&'static Field),
    Unknown,
}

/// Guesses each column. Fields with a constant value get no column.
pub(crate) fn guess(
    resource: Resource,
    headers: &[String],
    constants: &[&str],
    through_api: bool,
) -> Vec<Guess> {
    let mut taken: Vec<&str> = constants.to_vec();
    // A header that is the name of a field comes before one that only may mean it: "Id" beside "externalId".
    let mut order: Vec<usize> = (0..headers.len()).collect();
    order.sort_by_key(|&at| {
        let field = field_of(resource, &headers[at]);
        field.map_or((2, 0), |field| (rank(field, &headers[at]), at))
    });
    let mut guesses = vec![Guess::Unknown; headers.len()];
    for at in order {
        guesses[at] = match field_of(resource, &headers[at]) {
            None => Guess::Unknown,
            Some(field) if taken.contains(&field.name) => Guess::Taken(field),
            Some(field) if field.written(through_api).is_none() => Guess::NotThroughApi(field),
            Some(field) => {
                taken.push(field.name);
                Guess::Field(field)
            }
        };
    }
    guesses
}

fn rank(field: &Field, header: &str) -> usize {
    let header = normal(header);
    usize::from(header != normal(field.name) && header != normal(field.property))
}

/// The field that a header means, if any. What stands in brackets, such as a unit, is left out if need be.
pub(crate) fn field_of(resource: Resource, header: &str) -> Option<&'static Field> {
    let means = |header: &str| {
        let header = normal(header);
        resource.fields().iter().find(|field| {
            header == normal(field.name)
                || header == normal(field.property)
                || field.headers().any(|known| known == header)
        })
    };
    let outside = header
        .split(['(', '[', ',', '/'])
        .next()
        .unwrap_or_default();
    means(header).or_else(|| means(outside))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(resource: Resource, through_api: bool, columns: &[(&str, &str)]) {
        let headers: Vec<String> = columns
            .iter()
            .map(|(header, _)| (*header).to_owned())
            .collect();
        let guesses = guess(resource, &headers, &[], through_api);
        for ((header, expected), guess) in columns.iter().zip(guesses) {
            let guessed = match guess {
                Guess::Field(field) => field.name.to_owned(),
                Guess::Taken(field) => format!("taken {}", field.name),
                Guess::NotThroughApi(field) => format!("not {}", field.name),
                Guess::Unknown => String::new(),
            };
            assert_eq!(&guessed, expected, "{header}");
        }
    }

    #[test]
    fn headers_of_three_languages_mean_the_same() {
        for headers in [
            [
                "Title",
                "Incident date",
                "Type",
                "Severity",
                "Area",
                "Responsible",
                "Due date",
            ],
            [
                "Tittel",
                "Hendelsesdato",
                "Avvikstype",
                "Alvorlighetsgrad",
                "Område",
                "Ansvarlig",
                "Frist",
            ],
            [
                "Kurzbeschreibung",
                "Datum",
                "Vorfallsart",
                "Schweregrad",
                "Bereich",
                "Verantwortlicher",
                "Fällig am",
            ],
        ] {
            let fields = [
                "title",
                "incidentDate",
                "incidentType",
                "severity",
                "area",
                "responsible",
                "dueDate",
            ];
            let columns: Vec<(&str, &str)> = headers.into_iter().zip(fields).collect();
            check(Resource::Incidents, false, &columns);
        }
    }

    #[test]
    fn signs_case_and_units_do_not_matter() {
        check(
            Resource::Values,
            false,
            &[
                ("VALUE [kg]", "value"),
                ("value_date", "valueDate"),
                ("Område / sted", "area"),
                ("Farge", ""),
            ],
        );
    }

    #[test]
    fn a_field_has_one_column_and_its_own_name_comes_first() {
        check(
            Resource::Incidents,
            false,
            &[
                ("Nr", "taken externalId"),
                ("External ID", "externalId"),
                ("Date", "incidentDate"),
                ("Dato", "taken incidentDate"),
            ],
        );
    }

    #[test]
    fn what_the_interface_does_not_take_is_said() {
        check(
            Resource::Incidents,
            true,
            &[
                ("Reported date", "not reportedDate"),
                ("Reported by", "reportedBy"),
            ],
        );
        check(
            Resource::Incidents,
            false,
            &[("Reported date", "reportedDate")],
        );
    }

    #[test]
    fn a_constant_needs_no_column() {
        let guesses = guess(
            Resource::Values,
            &["Series".to_owned()],
            &["dataSource"],
            false,
        );
        assert!(matches!(guesses[0], Guess::Taken(_)));
    }
}
