//! Grants: the records to which an operator restricts a client, such as one datasource or some areas.
//!
//! A client without grants of a kind is not restricted by that kind. [`crate::entities`] knows how each kind
//! applies to each entity; here are only the grants and the checks of single records.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use obeya_odata::edm::EntityType;
use obeya_odata::{RowConditions, sql};

use super::RecordId;
use super::engine::{Session, StoreError, Value};
pub use super::entities::Kind;
use super::entities::row_conditions;

/// The most grants of one client: every statement of the client binds them.
pub const MOST_GRANTS: usize = 200;

impl Kind {
    const ALL: [Self; 4] = [
        Self::Area,
        Self::Datasource,
        Self::Group,
        Self::IncidentType,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Area => "area",
            Self::Datasource => "datasource",
            Self::Group => "group",
            Self::IncidentType => "incident-type",
        }
    }
}

/// One record that is granted, written as `area=3`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct GrantedRecord {
    /// Its kind.
    pub kind: Kind,
    /// Its id.
    pub id: i32,
}

/// A text is no grant.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "found `{0}`, expected area, datasource, group or incident-type with an id, such as area=3"
)]
pub struct InvalidGrant(String);

impl FromStr for GrantedRecord {
    type Err = InvalidGrant;

    fn from_str(text: &str) -> Result<Self, InvalidGrant> {
        let invalid = || InvalidGrant(text.to_owned());
        let (name, id) = text.split_once('=').ok_or_else(invalid)?;
        let kind = Kind::ALL.into_iter().find(|kind| kind.name() == name);
        Ok(Self {
            kind: kind.ok_or_else(invalid)?,
            id: id.parse().map_err(|_| invalid())?,
        })
    }
}

impl fmt::Display for GrantedRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.kind.name(), self.id)
    }
}

/// The grants of a client. The default restricts nothing.
#[derive(Debug, Clone, Default)]
pub struct Grants {
    ids: BTreeMap<Kind, BTreeSet<i32>>,
    rows: Option<Arc<RowConditions>>,
}

impl FromIterator<GrantedRecord> for Grants {
    fn from_iter<I: IntoIterator<Item = GrantedRecord>>(records: I) -> Self {
        let mut ids: BTreeMap<Kind, BTreeSet<i32>> = BTreeMap::new();
        for GrantedRecord { kind, id } in records {
            ids.entry(kind).or_default().insert(id);
        }
        let rows = (!ids.is_empty()).then(|| Arc::new(row_conditions(&ids)));
        Self { ids, rows }
    }
}

impl FromStr for Grants {
    type Err = InvalidGrant;

    /// Reads the notation of [`fmt::Display`].
    fn from_str(text: &str) -> Result<Self, InvalidGrant> {
        text.split_ascii_whitespace().map(str::parse).collect()
    }
}

/// The granted records in a fixed order, separated by single spaces; equal grants have the same text.
impl fmt::Display for Grants {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, record) in self.records().enumerate() {
            write!(f, "{}{record}", if index == 0 { "" } else { " " })?;
        }
        Ok(())
    }
}

impl PartialEq for Grants {
    fn eq(&self, other: &Self) -> bool {
        self.ids == other.ids
    }
}

impl Eq for Grants {}

impl Grants {
    /// The granted records.
    pub fn records(&self) -> impl Iterator<Item = GrantedRecord> {
        let each = |(&kind, ids): (&Kind, &BTreeSet<i32>)| {
            let ids: Vec<i32> = ids.iter().copied().collect();
            ids.into_iter().map(move |id| GrantedRecord { kind, id })
        };
        self.ids.iter().flat_map(each)
    }

    /// Whether the client may see every record that its scopes allow.
    pub fn are_unrestricted(&self) -> bool {
        self.ids.is_empty()
    }

    /// The conditions for the rows that the client may see; `None`: all.
    pub fn rows(&self) -> Option<&Arc<RowConditions>> {
        self.rows.as_ref()
    }

    /// Whether the client may refer to a record of this kind.
    pub fn allow(&self, kind: Kind, id: i32) -> bool {
        self.ids.get(&kind).is_none_or(|ids| ids.contains(&id))
    }

    /// Whether the client may not see every record of an entity.
    pub fn restrict(&self, entity: &EntityType) -> bool {
        let rows = self.rows.as_ref();
        rows.is_some_and(|rows| rows.of(entity).is_some())
    }

    /// Whether the client may see the record of an entity with this id. True of a record that does not exist
    /// only if nothing restricts its entity.
    pub fn show(
        &self,
        session: &mut dyn Session,
        entity: &EntityType,
        id: impl Into<RecordId>,
    ) -> Result<bool, StoreError> {
        let Some(condition) = self.rows.as_ref().and_then(|rows| rows.of(entity)) else {
            return Ok(true);
        };
        let mut sql = format!(
            "SELECT 1 FROM \"{}\" AS t WHERE t.id = ?1 AND (",
            entity.table
        );
        let id = id.into();
        let mut binds = vec![Value::from(&id)];
        let text = condition.sql.replace("{t}", "t");
        for (index, part) in text.split('?').enumerate() {
            if index > 0 {
                sql.push_str(&format!("?{}", index + 1));
            }
            sql.push_str(part);
        }
        sql.push(')');
        binds.extend(condition.binds.iter().map(|value| match value {
            sql::Value::Int(id) => Value::Int(*id),
            // Grants are integers.
            _ => Value::Null,
        }));
        Ok(session.first(&sql, &binds, |_| Ok(()))?.is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grants_are_read_as_they_are_written() {
        let grants: Grants = "group=7 area=30 area=4 area=4".parse().expect("grants");
        assert_eq!(grants.to_string(), "area=4 area=30 group=7");
        assert_eq!(grants.to_string().parse(), Ok(grants.clone()));
        assert!(grants.allow(Kind::Area, 30) && !grants.allow(Kind::Area, 7));
        // Nothing is granted of this kind, so it restricts nothing.
        assert!(grants.allow(Kind::Datasource, 1));
        assert!(!grants.are_unrestricted() && Grants::default().are_unrestricted());
        for text in [
            "area",
            "area=",
            "area=x",
            "areas=3",
            "Area=3",
            "area=3,4",
            "=3",
            "area=99999999999",
        ] {
            assert_eq!(
                text.parse::<Grants>(),
                Err(InvalidGrant(text.to_owned())),
                "{text}"
            );
        }
    }
}
