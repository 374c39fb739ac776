//! The names of the records in a database, for callers that know records by their names. Changes nothing.

use obeya_store::engine::{Session, StoreError};
use obeya_store::{Store, StoreOptions};

use super::error::ImportError;

/// The kinds of records that have names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the kinds are the resources of the interface")]
pub enum Named {
    Area,
    Group,
    User,
    Project,
    Datasource,
    IncidentType,
    /// Part of an incident type.
    Category,
    /// Part of an incident type.
    Cause,
    /// Part of an incident type.
    Consequence,
    /// Part of an incident type.
    CustomField,
    ImprovementCategory,
}

/// A name of a record. A record may have several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    /// What has the name.
    pub named: Named,
    /// The id of the record.
    pub id: String,
    /// The name.
    pub name: String,
    /// The incident type that it is a part of.
    pub owner: Option<i32>,
}

impl Named {
    /// Whether it is a part of an incident type.
    pub fn is_part_of_type(self) -> bool {
        use Named::{Category, Cause, Consequence, CustomField};
        matches!(self, Category | Cause | Consequence | CustomField)
    }

    /// A query of id, owner and names.
    fn sql(self) -> &'static str {
        match self {
            Self::Area => "SELECT id, NULL, name FROM areas",
            Self::Group => "SELECT id, NULL, name FROM groups",
            Self::User => {
                "SELECT id, NULL, display_name, user_name, email, first_name || ' ' || last_name \
                 FROM users WHERE deleted_date IS NULL"
            }
            Self::Project => "SELECT id, NULL, name, project_number FROM projects",
            Self::Datasource => "SELECT id, NULL, title FROM datasources",
            Self::IncidentType => "SELECT id, NULL, title FROM incident_types",
            Self::Category => "SELECT id, incident_type_id, title FROM type_categories",
            Self::Cause => "SELECT id, incident_type_id, title FROM type_causes",
            Self::Consequence => "SELECT id, incident_type_id, title FROM type_consequences",
            Self::CustomField => "SELECT id, incident_type_id, label FROM type_custom_fields",
            Self::ImprovementCategory => "SELECT id, NULL, title FROM improvement_categories",
        }
    }

    /// How many names a record of this kind may have.
    fn names(self) -> usize {
        match self {
            Self::User => 4,
            Self::Project => 2,
            _ => 1,
        }
    }
}

/// The names of the records of these kinds, of a database that exists.
///
/// # Errors
/// The database cannot be read.
pub async fn names(db_url: &str, kinds: Vec<Named>) -> Result<Vec<Name>, ImportError> {
    let options = StoreOptions {
        make_tables: false,
        ..StoreOptions::default()
    };
    let store = Store::open(db_url, &options).await?;
    let names = store
        .read(move |session| {
            let mut names = Vec::new();
            for &kind in &kinds {
                names.extend(of_kind(session, kind)?);
            }
            Ok::<_, StoreError>(names)
        })
        .await;
    store.close().await;
    Ok(names?)
}

fn of_kind(session: &mut dyn Session, named: Named) -> Result<Vec<Name>, StoreError> {
    let rows = session.all(named.sql(), &[], |row| {
        let id = match named {
            Named::User => row.string(0)?,
            _ => row.int(0)?.map(|id| id.to_string()),
        };
        let id = id.unwrap_or_default();
        let owner = match named.is_part_of_type() {
            true => row.int(1)?.and_then(|owner| i32::try_from(owner).ok()),
            false => None,
        };
        let mut names = Vec::new();
        for column in 2..2 + named.names() {
            names.extend(row.string(column)?.filter(|name| !name.is_empty()));
        }
        // A record without a name is known by its id.
        if names.is_empty() {
            names.push(id.clone());
        }
        let name = |name| Name {
            named,
            id: id.clone(),
            name,
            owner,
        };
        Ok(names.into_iter().map(name).collect::<Vec<_>>())
    })?;
    Ok(rows.into_iter().flatten().collect())
}
