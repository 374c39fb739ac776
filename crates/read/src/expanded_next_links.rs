//! The next links of expanded lists that end before their last record.
//!
//! A link leads to the same list at the address of its navigation, `/v2/groups(7)/boards`, with the options
//! of the `$expand` item and the position of the last record that was written. No statement runs here.

use obeya_odata::edm::EntityType;
use obeya_odata::{Bound, BoundExpand, sql};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::parent::{Parent, list_name};
use super::request::ReadRequest;
use super::skip_token::{ListPosition, NextPage, PositionKey, TokenSigner};
use obeya_store::RecordId;
use obeya_store::entity_sets::{CONTAINER, ROOT};

/// What is encoded in the key of a path: all but the marks around a text and those of most ids.
const IN_A_KEY: &AsciiSet = &NON_ALPHANUMERIC.remove(b'\'').remove(b'-').remove(b'_');

/// Makes the next links of the expanded lists of one answer.
pub(super) struct ExpandedNextLinks {
    base_url: String,
    signer: TokenSigner,
    /// The value of `now()`.
    now: i64,
}

impl ExpandedNextLinks {
    /// For the answer to a request with this query and value of `now()`; `None` if it expands nothing.
    pub(super) fn of(request: &ReadRequest<'_>, query: &Bound, now: i64) -> Option<Self> {
        (!query.expands().is_empty()).then(|| Self {
            base_url: request.base_url.to_string(),
            signer: request.links.clone(),
            now,
        })
    }

    /// The URL of the records of a list after its first `rows`, the last of which has these `keys`. `None` if
    /// the records of `owner` have no address.
    pub(super) fn after(
        &self,
        owner: &EntityType,
        id: &RecordId,
        item: &BoundExpand,
        rows: u64,
        keys: Vec<sql::Value>,
    ) -> Option<String> {
        let set = CONTAINER.set_of(owner)?;
        let mut options = item.options.clone();
        options.skip = None;
        // Without a use, the time would make each answer, and its tag, another one.
        let now = item.query.asks_the_time().then_some(self.now);
        let parent = Parent::of_navigation(set, item.navigation, id.clone());
        let page = NextPage {
            list: list_name(item.navigation.target, Some(&parent), &options.listing()),
            position: ListPosition {
                keys: keys.into_iter().map(PositionKey::of).collect(),
                left: item.query.top().map(|top| top.saturating_sub(rows)),
                page_size: None,
                now: now.unwrap_or_default(),
            },
        };
        let query = options.to_query();
        Some(format!(
            "{}{ROOT}/{}({})/{}?{query}{}$skiptoken={}",
            self.base_url,
            set.name,
            utf8_percent_encode(&id.key(), IN_A_KEY),
            item.navigation.name,
            if query.is_empty() { "" } else { "&" },
            page.token(&self.signer)
        ))
    }
}
