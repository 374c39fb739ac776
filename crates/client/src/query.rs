//! The OData options of a read.
//!
//! Typed expressions are serialized here, and their words checked; texts are passed to the service unchanged
//! and unparsed.

use crate::words::WordCheck;

/// The options of a read; `None` is not sent.
#[derive(Clone, Debug, Default)]
pub struct Options {
    pub(crate) search: Option<String>,
    pub(crate) filter: Option<String>,
    pub(crate) select: Option<String>,
    pub(crate) top: Option<i32>,
    pub(crate) skip: Option<i32>,
    pub(crate) expand: Option<String>,
    pub(crate) count: Option<bool>,
    pub(crate) orderby: Option<String>,
    pub(crate) words: WordCheck,
}

/// A condition together with `id gt` this id.
pub(crate) fn after_id(condition: Option<String>, id: Option<i32>) -> Option<String> {
    match (condition, id) {
        (condition, None) => condition,
        (None, Some(id)) => Some(format!("id gt {id}")),
        (Some(condition), Some(id)) => Some(format!("({condition}) and id gt {id}")),
    }
}

/// Whether a condition calls `now()`, so that its result changes without a change of the records. May be
/// true for a text literal that looks like the call.
pub(crate) fn depends_on_now(filter: Option<&str>) -> bool {
    let filter = filter.unwrap_or_default().to_ascii_lowercase();
    let mut parts = filter.split("now").skip(1);
    parts.any(|after| after.trim_start().starts_with('('))
}

/// The builder methods of a request for records `T` that has `options: Options`.
macro_rules! option_methods {
    () => {
        /// `$search`: words to look for, any of which suffices; quote numbers and phrases, and end the
        /// beginning of a word with `*`. Case and diacritics make no difference. Not together with
        /// [`filter`](Self::filter).
        pub fn search(mut self, words: impl Into<String>) -> Self {
            self.options.search = Some(words.into());
            self
        }

        /// `$filter`: a condition made of [`fields`](crate::fields), or the text of an OData expression, for
        /// example `name eq 'Line 2'`.
        pub fn filter(mut self, condition: impl Clause<Filter<T>>) -> Self {
            self.options.filter = self
                .options
                .words
                .text::<T, _>(OptionName::Filter, condition);
            self
        }

        /// `$select`: the properties to return, of [`fields`](crate::fields) or a comma-separated text; all
        /// others are then absent (`None`). An empty list counts as not set.
        pub fn select(mut self, properties: impl Clause<Select<T>>) -> Self {
            self.options.select = properties.text();
            self
        }

        /// `$expand`: the related records to include, links of [`fields`](crate::fields) or a text, for
        /// example `group`. An empty list counts as not set.
        pub fn expand(mut self, links: impl Clause<Expansion<T>>) -> Self {
            self.options.expand = self.options.words.text::<T, _>(OptionName::Expand, links);
            self
        }

        /// `$orderby`: the sort keys, made of [`fields`](crate::fields) or a text, for example `name desc,
        /// id`. An empty list counts as not set.
        pub fn orderby(mut self, keys: impl Clause<Order<T>>) -> Self {
            self.options.orderby = self.options.words.text::<T, _>(OptionName::OrderBy, keys);
            self
        }

        /// `$top`: at most this many records.
        pub fn top(mut self, records: i32) -> Self {
            self.options.top = Some(records);
            self
        }

        /// `$skip`: skips this many records at the beginning.
        pub fn skip(mut self, records: i32) -> Self {
            self.options.skip = Some(records);
            self
        }

        /// `$count`: whether to return the total number of matching records
        /// ([`Page::count`](crate::Page::count)).
        pub fn count(mut self, wanted: bool) -> Self {
            self.options.count = Some(wanted);
            self
        }
    };
}

pub(crate) use option_methods;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_that_ask_for_the_time_are_known() {
        assert!(depends_on_now(Some("valueDate lt Now ( )")));
        assert!(!depends_on_now(Some("dimension eq 'know-how (now)'")));
        assert!(!depends_on_now(None));
    }

    #[test]
    fn a_condition_stands_in_parentheses_beside_another() {
        let own = || Some("name eq 'a' or name eq 'b'".to_owned());
        let both = "(name eq 'a' or name eq 'b') and id gt 7";
        assert_eq!(after_id(own(), Some(7)).as_deref(), Some(both));
        assert_eq!(after_id(None, Some(7)).as_deref(), Some("id gt 7"));
        assert_eq!(after_id(own(), None), own());
    }
}
