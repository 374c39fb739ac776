//! How much a query may ask for. Every loop and recursion of this crate is bounded by one of these numbers.

/// The bounds of one request's options. Past any of them the request is refused with `odata.limit`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Nodes of all expressions of a request together.
    pub nodes: usize,
    /// Nesting of parentheses, calls and operators; also bounds recursion, so values above 200 are read as 200.
    pub depth: usize,
    /// Members of one `in` list.
    pub list: usize,
    /// Nesting of `any` and `all`.
    pub lambdas: usize,
    /// Nesting of `$expand`, counting `$levels`.
    pub expand_depth: usize,
    /// Navigations expanded in a request, all levels together.
    pub expands: usize,
    /// Keys of one `$orderby`.
    pub order_keys: usize,
    /// Words of `$search`.
    pub search_words: usize,
    /// Bytes of one option's decoded value.
    pub option_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            nodes: 200,
            depth: 50,
            list: 1_000,
            lambdas: 3,
            expand_depth: 3,
            expands: 20,
            order_keys: 8,
            search_words: 20,
            option_bytes: 8 * 1024,
        }
    }
}

impl Limits {
    /// The depth that is enforced: no configuration may make the recursive stages overflow a 2 MiB stack.
    pub(crate) fn safe_depth(&self) -> usize {
        self.depth.min(200)
    }
}
