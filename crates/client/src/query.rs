//! The OData options of a read, collected by name.
//!
//! Texts go to the service as they are: what an expression means is not looked at here.

/// The options of one read; what is `None` is not sent.
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
}

/// The builder methods of a request that has `options: Options`.
macro_rules! option_methods {
    () => {
        /// `$search`: words to look for, any of which suffices; numbers and phrases stand in quotes. Not together
        /// with [`filter`](Self::filter).
        pub fn search(mut self, words: impl Into<String>) -> Self {
            self.options.search = Some(words.into());
            self
        }

        /// `$filter`: an OData expression, for example `name eq 'Line 2'`.
        pub fn filter(mut self, expression: impl Into<String>) -> Self {
            self.options.filter = Some(expression.into());
            self
        }

        /// `$select`: the properties to give, separated by commas; all others are then absent (`None`).
        pub fn select(mut self, properties: impl Into<String>) -> Self {
            self.options.select = Some(properties.into());
            self
        }

        /// `$expand`: the related records to include, for example `group`.
        pub fn expand(mut self, navigations: impl Into<String>) -> Self {
            self.options.expand = Some(navigations.into());
            self
        }

        /// `$orderby`: properties to sort by, for example `name desc, id`.
        pub fn orderby(mut self, keys: impl Into<String>) -> Self {
            self.options.orderby = Some(keys.into());
            self
        }

        /// `$top`: at most this many records.
        pub fn top(mut self, records: i32) -> Self {
            self.options.top = Some(records);
            self
        }

        /// `$skip`: leaves out this many records at the beginning.
        pub fn skip(mut self, records: i32) -> Self {
            self.options.skip = Some(records);
            self
        }

        /// `$count`: whether to say how many records match in all ([`Page::count`](crate::Page::count)).
        pub fn count(mut self, wanted: bool) -> Self {
            self.options.count = Some(wanted);
            self
        }
    };
}

pub(crate) use option_methods;
