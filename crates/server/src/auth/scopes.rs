//! The scopes of the API, as a bit set: checked on every request, written as text only at the token endpoint.

use crate::spec::Operation;

/// Every scope. The bit of a scope is its index, so new names are only appended.
pub(crate) const NAMES: [&str; 16] = [
    "public.api.read",
    "public.api.write",
    "Boards.Read",
    "Boards.ReadWrite",
    "Improvements.Read",
    "Improvements.ReadWrite",
    "Incidents.Read",
    "Incidents.ReadWrite",
    "Data.Read",
    "Data.ReadWrite",
    "Projects.Read",
    "Projects.ReadWrite",
    "Tasks.Read",
    "Tasks.ReadWrite",
    "UserManagement.Read",
    "UserManagement.ReadWrite",
];

/// A set of scopes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Scopes(u32);

impl Scopes {
    /// The set of these names; the error is the first name that is no scope.
    pub(crate) fn from_names<'a>(
        names: impl IntoIterator<Item = &'a str>,
    ) -> Result<Self, &'a str> {
        names.into_iter().try_fold(Self::default(), |set, name| {
            let bit = NAMES.iter().position(|known| *known == name).ok_or(name)?;
            Ok(Self(set.0 | 1 << bit))
        })
    }

    /// The set of a space-separated list; unknown names are ignored.
    pub(crate) fn parse_known(list: &str) -> Self {
        let known = list.split(' ').filter(|name| NAMES.contains(name));
        Self::from_names(known).unwrap_or_default()
    }

    /// The scopes of which any one suffices for an operation.
    pub(crate) fn accepted_by(operation: Operation) -> Self {
        Self::from_names(operation.scopes().iter().copied()).unwrap_or_default()
    }

    /// The scopes of which any one lets a client read the records that an operation writes: those of its
    /// family, and `public.api.read`.
    pub(crate) fn to_read_what_it_writes(operation: Operation) -> Self {
        let is_of = |family: &str, name: &str| {
            matches!(name.strip_prefix(family), Some(".Read" | ".ReadWrite"))
        };
        let names = NAMES.into_iter().filter(|name| {
            let mut written = operation.scopes().iter();
            *name == "public.api.read"
                || written.any(|scope| {
                    let family = scope.strip_suffix(".ReadWrite");
                    family.is_some_and(|family| is_of(family, name))
                })
        });
        Self::from_names(names).unwrap_or_default()
    }

    /// Whether the two have a scope in common.
    pub(crate) fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// The scopes that are in both.
    pub(crate) fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Whether every scope of `other` is in here.
    pub(crate) fn covers(self, other: Self) -> bool {
        other.0 & !self.0 == 0
    }

    /// The names, separated by spaces.
    pub(crate) fn list(self) -> String {
        self.names().join(" ")
    }

    /// The names.
    pub(crate) fn names(self) -> Vec<&'static str> {
        NAMES
            .iter()
            .enumerate()
            .filter(|(bit, _)| self.0 & 1 << bit != 0)
            .map(|(_, name)| *name)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A scope of the spec that is missing in `NAMES` would silently close its operation.
    #[test]
    fn every_scope_of_the_spec_is_known() {
        for operation in Operation::ALL {
            assert_eq!(
                Scopes::from_names(operation.scopes().iter().copied())
                    .map(Scopes::names)
                    .map(|names| names.len()),
                Ok(operation.scopes().len())
            );
            assert!(!operation.scopes().is_empty(), "{} is open", operation.id());
        }
    }

    /// The specification says for each family which scopes its reads accept.
    #[test]
    fn what_an_operation_writes_is_read_with_the_scopes_of_the_reads() {
        for (write, read) in [
            (Operation::CreateIncident, Operation::GetIncidentV1),
            (Operation::RestoreIncident, Operation::GetIncidentV1),
            (Operation::UpdateImprovement, Operation::GetImprovementV1),
            (
                Operation::UpdateDatasourceValue,
                Operation::ListDatasourceValuesV1,
            ),
        ] {
            assert_eq!(
                Scopes::to_read_what_it_writes(write),
                Scopes::accepted_by(read),
                "{}",
                write.id()
            );
        }
    }

    #[test]
    fn sets_compare_by_name() {
        let set = Scopes::from_names(["Data.Read", "Boards.Read"]).expect("known");
        assert_eq!(set.list(), "Boards.Read Data.Read");
        assert!(set.covers(Scopes::parse_known("Data.Read Nothing.Read")));
        assert!(!set.covers(Scopes::parse_known("Data.Read Data.ReadWrite")));
        assert!(set.intersects(Scopes::parse_known("Data.Read Data.ReadWrite")));
        assert_eq!(Scopes::from_names(["data.read"]), Err("data.read"));
    }
}
