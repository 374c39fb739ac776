//! The next links of expanded lists that end before their last record.
//!
//! A link leads to the same list at the address of its navigation, `/v2/groups(7)/boards`, with the options
//! of the `$expand` item and the position of the last record that was written. No statement runs here.

use obeya_odata::csdl::EntitySet;
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
    /// The longest URL that the service accepts.
    most_bytes: usize,
}

/// Makes the next links of one expanded navigation.
pub(super) struct ListLinks<'a> {
    of_answer: &'a ExpandedNextLinks,
    item: &'a BoundExpand,
    /// The set of the records from which the navigation starts.
    set: &'static EntitySet,
    /// The options that identify the list; see [`obeya_odata::Options::listing`].
    listing: String,
    /// The options as a query string.
    query: String,
    /// The records of a list that are in the answer.
    records: usize,
}

impl ExpandedNextLinks {
    /// For the answer to a request with this query and value of `now()`; `None` if it expands nothing.
    pub(super) fn of(request: &ReadRequest<'_>, query: &Bound, now: i64) -> Option<Self> {
        (!query.expands().is_empty()).then(|| Self {
            base_url: (request.base_url)().into_owned(),
            signer: request.links.clone(),
            now,
            most_bytes: request.uri_bytes,
        })
    }

    /// For lists of which the first `records` are in the answer; `None` if the records of `owner` have no
    /// address.
    pub(super) fn of_list<'a>(
        &'a self,
        owner: &EntityType,
        item: &'a BoundExpand,
        records: usize,
    ) -> Option<ListLinks<'a>> {
        let mut options = item.options.clone();
        options.skip = None;
        let mut query = options.to_query();
        if !query.is_empty() {
            query.push('&');
        }
        Some(ListLinks {
            of_answer: self,
            item,
            set: CONTAINER.set_of(owner)?,
            listing: options.listing(),
            query,
            records,
        })
    }
}

impl ListLinks<'_> {
    /// The URL of the records of the owner with this id after the one with these keys. `None` if the service
    /// would not accept it.
    pub(super) fn after(&self, id: &RecordId, keys: Vec<sql::Value>) -> Option<String> {
        let key = id.key();
        // A path has one pair of parentheses, that of a key, also if they are percent-encoded.
        if key.contains(['(', ')']) {
            return None;
        }
        let parent = Parent::of_navigation(self.set, self.item.navigation, id.clone());
        // Without a use, the time would make each answer, and its tag, another one.
        let now = self.item.query.asks_the_time();
        let now = now.then_some(self.of_answer.now);
        let left = self.item.query.top();
        let page = NextPage {
            list: list_name(self.item.navigation.target, Some(&parent), &self.listing),
            position: ListPosition {
                keys: keys.into_iter().map(PositionKey::of).collect(),
                left: left.map(|top| top.saturating_sub(self.records as u64)),
                page_size: None,
                now: now.unwrap_or_default(),
            },
        };
        let link = format!(
            "{}{ROOT}/{}({})/{}?{}$skiptoken={}",
            self.of_answer.base_url,
            self.set.name,
            utf8_percent_encode(&key, IN_A_KEY),
            self.item.navigation.name,
            self.query,
            page.token(&self.of_answer.signer)
        );
        (link.len() <= self.of_answer.most_bytes).then_some(link)
    }
}
