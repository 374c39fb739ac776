//! What the read engine gets of a request, and the query that its options make.

use std::borrow::Cow;

use obeya_odata::edm::EntityType;
use obeya_odata::{Bound, Context, Limits, OptionName, Options, Parameters};

use super::error::ReadError;
use super::position::Signer;
use super::{ReadCaches, json};
use obeya_store::Store;
use obeya_store::entity_sets::ROOT;

/// What a read is prepared from.
pub struct ReadRequest<'r> {
    /// The query string as it arrived, still percent-encoded.
    pub query: &'r str,
    /// What `now()` means, in ticks.
    pub now: i64,
    /// Bounds of the options.
    pub limits: Limits,
    /// Records of one page of a v2 list at most.
    pub page_records: u32,
    /// The page size that the caller prefers.
    pub page_size: Option<u32>,
    /// The media type of the answer.
    pub media: &'r str,
    /// The URL the caller reached the service under, if the answer is to begin with `@odata.context`.
    pub context_base: Option<Cow<'r, str>>,
    /// What earlier reads left behind.
    pub caches: &'r ReadCaches,
    /// Reads the positions of next links.
    pub links: &'r Signer,
    /// Where the read will run.
    pub store: &'r Store,
}

impl ReadRequest<'_> {
    /// The allowed options as they were written, and the parameters that are none, decoded.
    pub(super) fn options(
        &self,
        allowed: &[OptionName],
    ) -> Result<(Options, Parameters), ReadError> {
        Ok(Options::parse(self.query, allowed, &self.limits)?)
    }

    /// The query that options make.
    pub(super) fn bind(
        &self,
        options: &Options,
        entity: &'static EntityType,
    ) -> Result<Bound, ReadError> {
        self.bind_at(self.now, options, entity)
    }

    /// The same with another meaning of `now()`.
    pub(super) fn bind_at(
        &self,
        now: i64,
        options: &Options,
        entity: &'static EntityType,
    ) -> Result<Bound, ReadError> {
        let limits = self.limits;
        Ok(options.bind(entity, &Context { now, limits })?)
    }

    /// The query of one v2 record. Every option is accepted and must be right, but only `$select` and
    /// `$expand` mean something for a single record; the others are left out of what is returned.
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

    /// `"@odata.context":"…"`, to open an object with; nothing when the caller did not ask for it. `context`
    /// gives it relative to the service.
    pub(super) fn context(&self, context: impl FnOnce() -> Option<String>) -> Option<Vec<u8>> {
        let base = self.context_base.as_ref()?;
        let address = format!("{base}{ROOT}/{}", context()?);
        let mut member = b"\"@odata.context\":".to_vec();
        json::string(&mut member, &address);
        Some(member)
    }
}

/// Whether the options of v2 are well-formed, where there is no record that they could be about.
pub fn check_options(query: &str, limits: &Limits) -> Result<(), ReadError> {
    Options::parse(query, OptionName::ALL, limits)?;
    Ok(())
}

/// A record, an object without white space, with `member` as its first.
pub(super) fn with_context(record: Vec<u8>, member: Option<&[u8]>) -> Vec<u8> {
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
