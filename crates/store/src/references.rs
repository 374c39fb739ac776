//! Checks that the records a body refers to exist, and belong to the incident's type. All complaints about a
//! body are collected, up to [`MOST_COMPLAINTS`].

mod board;
mod task;

use std::collections::BTreeSet;

use super::grants::{Grants, Kind};
use super::write_error::WriteError;
use super::{Session, StoreError, Value};
use obeya_rules::custom_field::misfit;
use obeya_rules::error::{Complaint, DomainError};

/// Most complaints about one body. After that many nothing more is looked up: a body of a megabyte refers to
/// 75,000 parts, and each is a look-up in the writer's transaction.
pub const MOST_COMPLAINTS: usize = 20;

/// Kinds of records that a body refers to by an integer id.
#[derive(Debug, Clone, Copy)]
pub enum Record {
    /// An area.
    Area,
    /// A group.
    Group,
    /// A category of improvements.
    ImprovementCategory,
    /// An incident type.
    IncidentType,
    /// A project.
    Project,
}

/// Kinds of parts of an incident type.
#[derive(Debug, Clone, Copy)]
pub enum Part {
    /// A category.
    Category,
    /// A consequence.
    Consequence,
    /// A cause.
    Cause,
    /// A custom field.
    CustomField,
}

impl Record {
    /// The kind of grants that restricts which of them a client may name.
    fn kind(self) -> Option<Kind> {
        match self {
            Record::Area => Some(Kind::Area),
            Record::Group => Some(Kind::Group),
            Record::IncidentType => Some(Kind::IncidentType),
            Record::ImprovementCategory | Record::Project => None,
        }
    }

    fn noun_and_sql(self) -> (&'static str, &'static str) {
        match self {
            Record::Area => ("area", "SELECT 1 FROM areas WHERE id = ?1"),
            Record::Group => ("group", "SELECT 1 FROM groups WHERE id = ?1"),
            Record::ImprovementCategory => (
                "improvement category",
                "SELECT 1 FROM improvement_categories WHERE id = ?1",
            ),
            Record::IncidentType => (
                "incident type",
                "SELECT 1 FROM incident_types WHERE id = ?1",
            ),
            Record::Project => ("project", "SELECT 1 FROM projects WHERE id = ?1"),
        }
    }
}

impl Part {
    fn noun_and_sql(self) -> (&'static str, &'static str) {
        match self {
            Part::Category => (
                "category",
                "SELECT incident_type_id FROM type_categories WHERE id = ?1",
            ),
            Part::Consequence => (
                "consequence",
                "SELECT incident_type_id FROM type_consequences WHERE id = ?1",
            ),
            Part::Cause => (
                "cause",
                "SELECT incident_type_id FROM type_causes WHERE id = ?1",
            ),
            Part::CustomField => (
                "custom field",
                "SELECT incident_type_id FROM type_custom_fields WHERE id = ?1",
            ),
        }
    }
}

/// Checks of one body, inside the transaction that will write it.
pub struct References<'s> {
    session: &'s mut dyn Session,
    /// What the client may refer to. Any other record is unknown to it.
    grants: &'s Grants,
    /// Whether look-ups are only prefetched.
    is_prefetching: bool,
    unknown: Vec<Complaint>,
    other_type: Vec<Complaint>,
    duplicate: Vec<Complaint>,
    not_member: Vec<Complaint>,
    misfit: Vec<Complaint>,
}

impl<'s> References<'s> {
    /// Checks without complaints so far.
    pub fn new(session: &'s mut dyn Session, grants: &'s Grants) -> Self {
        References {
            session,
            grants,
            is_prefetching: false,
            unknown: Vec::new(),
            other_type: Vec::new(),
            duplicate: Vec::new(),
            not_member: Vec::new(),
            misfit: Vec::new(),
        }
    }

    /// Makes all these checks. Their look-ups are prefetched first, so over a network they cost one round
    /// trip together.
    pub fn all(
        &mut self,
        checks: impl Fn(&mut Self) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        self.is_prefetching = true;
        checks(self)?;
        self.is_prefetching = false;
        checks(self)
    }

    /// Checks that the record exists, if the body refers to one.
    pub fn record(
        &mut self,
        field: &str,
        record: Record,
        id: Option<i32>,
    ) -> Result<(), StoreError> {
        let Some(id) = id else { return Ok(()) };
        let (noun, sql) = record.noun_and_sql();
        let is_granted = record.kind().is_none_or(|kind| self.grants.allow(kind, id));
        if !is_granted && self.is_prefetching {
            return Ok(());
        }
        if !is_granted || matches!(self.look(sql, &[id.into()])?, Found::Nothing) {
            self.unknown
                .push(complaint(field, format!("there is no {noun} {id}")));
        }
        Ok(())
    }

    /// Checks that the user exists, if the body refers to one.
    pub fn user(&mut self, field: &str, id: Option<&str>) -> Result<(), StoreError> {
        let Some(id) = id else { return Ok(()) };
        let sql = "SELECT 1 FROM users WHERE id = ?1 AND deleted_date IS NULL";
        if let Found::Nothing = self.look(sql, &[id.into()])? {
            self.unknown.push(complaint(
                field,
                format!("there is no user `{}`", shortened(id)),
            ));
        }
        Ok(())
    }

    /// Checks that the user exists and is not a screen, if the body makes one responsible.
    pub fn person(&mut self, field: &str, id: Option<&str>) -> Result<(), StoreError> {
        let Some(id) = id else { return Ok(()) };
        let sql = "SELECT CASE type WHEN 'SCREEN' THEN 1 ELSE 0 END FROM users WHERE id = ?1 AND deleted_date IS NULL";
        let shown = shortened(id);
        match self.look(sql, &[id.into()])? {
            Found::Nothing => {
                let text = format!("there is no user `{shown}`");
                self.unknown.push(complaint(field, text));
            }
            Found::Number(1) => {
                let text = format!("user `{shown}` is a screen, which cannot be responsible");
                self.unknown.push(complaint(field, text));
            }
            Found::Number(_) | Found::Later => {}
        }
        Ok(())
    }

    /// Checks that the responsible user, if there is one, is a member of the follow-up group, and not one who
    /// only views it. A group that is
    /// not granted has no members for the client, unless both are stored in the record already.
    pub fn responsible(
        &mut self,
        user: Option<&str>,
        group: Option<i32>,
        are_stored: bool,
    ) -> Result<(), StoreError> {
        let Some(user) = user else { return Ok(()) };
        let Some(group) = group else {
            if self.is_prefetching {
                return Ok(());
            }
            self.not_member.push(complaint(
                "responsibleUserId",
                "a responsible user needs a follow-up group".to_owned(),
            ));
            return Ok(());
        };
        let sql =
            "SELECT 1 FROM group_members WHERE group_id = ?1 AND user_id = ?2 AND role <> 'Viewer'";
        let is_hidden = !are_stored && !self.grants.allow(Kind::Group, group);
        if is_hidden && self.is_prefetching {
            return Ok(());
        }
        if is_hidden
            || matches!(
                self.look(sql, &[group.into(), user.into()])?,
                Found::Nothing
            )
        {
            // The message includes neither id: one of them may be stored in the record, which the caller may
            // not be allowed to read.
            self.not_member.push(complaint(
                "responsibleUserId",
                "the responsible user is not a member of the follow-up group, or only views it"
                    .to_owned(),
            ));
        }
        Ok(())
    }

    /// Checks that each part exists, is listed once and belongs to the type; after [`MOST_COMPLAINTS`] the
    /// rest is not checked. `field` is the path of item `index`, such as `causes[0].id`.
    pub fn parts(
        &mut self,
        part: Part,
        incident_type_id: i32,
        ids: impl IntoIterator<Item = i32>,
        field: impl Fn(usize) -> String,
    ) -> Result<(), StoreError> {
        let (noun, sql) = part.noun_and_sql();
        let mut seen = BTreeSet::new();
        for (index, id) in ids.into_iter().enumerate() {
            // Prefetches no more than would be looked up if all were wrong.
            if self.is_full() || (self.is_prefetching && index >= MOST_COMPLAINTS) {
                break;
            }
            if !seen.insert(id) {
                if self.is_prefetching {
                    continue;
                }
                self.duplicate.push(complaint(
                    &field(index),
                    format!("{noun} {id} is named twice"),
                ));
                continue;
            }
            match self.look(sql, &[id.into()])? {
                Found::Nothing => self
                    .unknown
                    .push(complaint(&field(index), format!("there is no {noun} {id}"))),
                Found::Number(owner) if !self.may_name_type(owner) => self
                    .unknown
                    .push(complaint(&field(index), format!("there is no {noun} {id}"))),
                Found::Number(owner) if owner != i64::from(incident_type_id) => {
                    let text = format!(
                        "{noun} {id} belongs to incident type {owner}, not to {incident_type_id}"
                    );
                    self.other_type.push(complaint(&field(index), text));
                }
                Found::Number(_) | Found::Later => {}
            }
        }
        Ok(())
    }

    /// Checks that each value fits the type of its custom field; [`Self::parts`] checks the fields. `field`
    /// is the path of item `index`.
    pub fn field_values<'v>(
        &mut self,
        values: impl IntoIterator<Item = (i32, &'v str)>,
        field: impl Fn(usize) -> String,
    ) -> Result<(), StoreError> {
        const KIND: &str = "SELECT type FROM type_custom_fields WHERE id = ?1";
        for (index, (id, text)) in values.into_iter().enumerate() {
            if self.is_full() || (self.is_prefetching && index >= MOST_COMPLAINTS) {
                break;
            }
            if self.is_prefetching {
                self.session.prefetch(KIND, &[id.into()])?;
                continue;
            }
            let kind = self
                .session
                .first(KIND, &[id.into()], |row| row.string(0))?;
            let expected = kind.flatten().and_then(|kind| misfit(&kind, text));
            if let Some(expected) = expected {
                let text = format!("expected {expected}, found `{}`", shortened(text));
                self.misfit.push(complaint(&field(index), text));
            }
        }
        Ok(())
    }

    /// Whether a complaint may name an incident type.
    fn may_name_type(&self, id: i64) -> bool {
        i32::try_from(id).is_ok_and(|id| self.grants.allow(Kind::IncidentType, id))
    }

    fn look(&mut self, sql: &str, binds: &[Value<'_>]) -> Result<Found, StoreError> {
        if self.is_prefetching {
            self.session.prefetch(sql, binds)?;
            return Ok(Found::Later);
        }
        let found = self.session.first(sql, binds, |row| row.int(0))?;
        Ok(found.flatten().map_or(Found::Nothing, Found::Number))
    }

    fn is_full(&self) -> bool {
        let complaints = [
            &self.unknown,
            &self.other_type,
            &self.duplicate,
            &self.not_member,
            &self.misfit,
        ];
        complaints.map(Vec::len).iter().sum::<usize>() >= MOST_COMPLAINTS
    }

    /// Refuses if there was a complaint: unknown records first, since the other complaints may follow from
    /// them.
    pub fn finish(self) -> Result<(), WriteError> {
        let by_code = [
            ("reference.unknown", self.unknown),
            ("reference.other_type", self.other_type),
            ("reference.duplicate", self.duplicate),
            ("responsible.not_member", self.not_member),
            ("custom_field.value", self.misfit),
        ];
        match by_code
            .into_iter()
            .find(|(_, complaints)| !complaints.is_empty())
        {
            Some((code, complaints)) => Err(DomainError::Unprocessable { code, complaints }.into()),
            None => Ok(()),
        }
    }
}

/// The result of a look-up.
enum Found {
    Nothing,
    Number(i64),
    /// It was only prefetched.
    Later,
}

fn complaint(field: &str, text: String) -> Complaint {
    Complaint {
        field: field.to_owned(),
        text,
    }
}

/// The first characters of a caller's text.
fn shortened(text: &str) -> &str {
    text.char_indices()
        .nth(40)
        .map_or(text, |(end, _)| &text[..end])
}
