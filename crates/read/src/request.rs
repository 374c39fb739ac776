//! The input of the read engine from a request, and the query of its options.

use std::borrow::Cow;

use obeya_odata::csdl;
use obeya_odata::edm::EntityType;
use obeya_odata::{Bound, Context, Limits, OptionName, Options, Parameters, Visibility};

use super::error::ReadError;
use super::query_cache::QueryCache;
use super::skip_token::TokenSigner;
use super::{ReadCaches, json};
use obeya_store::Store;
use obeya_store::entities::WITHOUT_USER_NAMES;
use obeya_store::entity_sets::{CONTAINER, ROOT};
use obeya_store::grants::Grants;

/// The input from which a read is prepared.
pub struct ReadRequest<'r> {
    /// The query string as it arrived, still percent-encoded.
    pub query: &'r str,
    /// The value of `now()`, in ticks.
    pub now: i64,
    /// The limits of the options.
    pub limits: Limits,
    /// The most bytes of a URL.
    pub uri_bytes: usize,
    /// The most records on one page of a v2 list.
    pub page_records: u32,
    /// The page size that the client prefers.
    pub page_size: Option<u32>,
    /// The media type of the answer.
    pub media: &'r str,
    /// The base URL of the service as the client sees it. Most answers do not need it.
    pub base_url: &'r dyn Fn() -> Cow<'r, str>,
    /// Whether the answer begins with `@odata.context`.
    pub wants_context: bool,
    /// Whether the caller sees the names with which users sign in. They are null otherwise, also in
    /// conditions and orders.
    pub shows_user_names: bool,
    /// The records to which the caller is restricted, in every option. The record in the path is not checked
    /// here.
    pub grants: &'r Grants,
    /// The caches.
    pub caches: &'r ReadCaches,
    /// Signs the tokens of next links, and verifies them.
    pub links: &'r TokenSigner,
    /// The store in which the read will run.
    pub store: &'r Store,
}

impl ReadRequest<'_> {
    /// The allowed options and the decoded parameters that are no options.
    pub(super) fn options(
        &self,
        allowed: &[OptionName],
    ) -> Result<(Options, Parameters), ReadError> {
        Ok(Options::parse(self.query, allowed, &self.limits)?)
    }

    /// Binds the options.
    pub(super) fn bind(
        &self,
        options: &Options,
        entity: &'static EntityType,
    ) -> Result<Bound, ReadError> {
        self.bind_at(self.now, options, entity)
    }

    /// The same with another value of `now()`.
    pub(super) fn bind_at(
        &self,
        now: i64,
        options: &Options,
        entity: &'static EntityType,
    ) -> Result<Bound, ReadError> {
        let limits = self.limits;
        let visibility = Visibility {
            replaced: match self.shows_user_names {
                true => &[],
                false => &WITHOUT_USER_NAMES,
            },
            rows: self.grants.rows().cloned(),
        };
        Ok(options.bind_within(entity, &Context { now, limits }, &visibility)?)
    }

    /// Whether the caller sees every property of a record of this entity.
    pub(super) fn shows_all_of(&self, entity: &EntityType) -> bool {
        self.shows_user_names
            || WITHOUT_USER_NAMES
                .iter()
                .all(|replaced| replaced.entity != entity.name)
    }

    /// The cached plans for callers who see the same properties.
    pub(super) fn queries(&self) -> &QueryCache {
        match self.shows_user_names {
            true => &self.caches.queries,
            false => &self.caches.queries_without_user_names,
        }
    }

    /// The query string and the grants: a plan, with its count, belongs to callers who see the same rows.
    pub(super) fn cache_key(&self) -> Cow<'_, str> {
        if self.grants.are_unrestricted() {
            Cow::Borrowed(self.query)
        } else {
            // No query string has a space.
            Cow::Owned(format!("{} {}", self.grants, self.query))
        }
    }

    /// The query of one v2 record. Every option must be valid, but only `$select` and `$expand` have an
    /// effect on a single record; the result has no others.
    pub(super) fn record_query(&self, entity: &'static EntityType) -> Result<Bound, ReadError> {
        let (mut options, _) = self.options(OptionName::ALL)?;
        self.bind(&options, entity)?;
        options.search = None;
        options.filter = None;
        options.top = None;
        options.skip = None;
        options.count = None;
        options.orderby = None;
        self.bind(&options, entity)
    }

    /// The member `"@odata.context":"…"`, if the client asked for it. `context` returns the context relative
    /// to the service.
    pub(super) fn context(&self, context: impl FnOnce() -> Option<String>) -> Option<Vec<u8>> {
        if !self.wants_context {
            return None;
        }
        Some(context_member(&(self.base_url)(), &context()?))
    }
}

/// Checks the syntax of the options of an operation that does not use them. Any but the `offered` ones are
/// refused.
pub fn check_options(
    query: &str,
    offered: &[OptionName],
    limits: &Limits,
) -> Result<(), ReadError> {
    Options::parse(query, offered, limits)?;
    Ok(())
}

/// The member `"@odata.context":"…"` with a context relative to the service at this base URL.
fn context_member(base: &str, context: &str) -> Vec<u8> {
    let mut member = b"\"@odata.context\":".to_vec();
    json::string(&mut member, &format!("{base}{ROOT}/{context}"));
    member
}

/// The member `"@odata.context":"…"` of a whole record of an entity, such as `$metadata#groups/$entity`.
/// `None` if the entity has no set.
#[must_use]
pub fn whole_record_context(base: &str, entity: &EntityType) -> Option<Vec<u8>> {
    let set = CONTAINER.set_of(entity)?;
    Some(context_member(base, &csdl::whole_record_context(set.name)))
}

/// Inserts `member` as the first member of a record, which has no white space.
pub fn with_context(record: Vec<u8>, member: Option<&[u8]>) -> Vec<u8> {
    let Some(member) = member else {
        return record;
    };
    let mut out = Vec::with_capacity(record.len() + member.len() + 1);
    out.push(b'{');
    out.extend_from_slice(member);
    if record.len() > 2 {
        out.push(b',');
    }
    out.extend_from_slice(&record[1..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_context_comes_first() {
        let opened = |record: &[u8], member: Option<&[u8]>| {
            let opened = with_context(record.to_vec(), member);
            String::from_utf8(opened).expect("UTF-8")
        };
        assert_eq!(opened(b"{\"id\":1}", None), r#"{"id":1}"#);
        assert_eq!(
            opened(b"{\"id\":1}", Some(b"\"c\":\"x\"")),
            r#"{"c":"x","id":1}"#
        );
        assert_eq!(opened(b"{}", Some(b"\"c\":\"x\"")), r#"{"c":"x"}"#);
    }
}
