//! The limits of a query. Every loop and recursion of this crate is bounded by one of these numbers.

/// The bounds of one request's options. Past any of them the request is refused with `odata.limit`.
///
/// ```
/// use obeya_odata::{Limits, OptionName, Options};
///
/// let mut limits = Limits::default();
/// limits.list = 2;
/// let error = Options::parse("$filter=id in (1,2,3)", OptionName::ALL, &limits).unwrap_err();
/// assert_eq!(error.code(), "odata.limit");
/// assert_eq!(error.to_string(), "$filter at byte 11: the list has too many members; the limit is 2");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Nodes of all expressions of a request together.
    pub nodes: usize,
    /// Nesting of parentheses, calls and operators; also bounds recursion, so values above 200 are read as
    /// 200.
    pub depth: usize,
    /// Members of one `in` list.
    pub list: usize,
    /// Nesting of `any` and `all`, and of aliases in aliases. Both are recursion, so values above 20 are read
    /// as 20.
    pub lambdas: usize,
    /// Nesting of `$expand`, counting `$levels`; also bounds recursion, so values above 20 are read as 20.
    pub expand_depth: usize,
    /// Navigations expanded in a request, all levels together.
    pub expands: usize,
    /// Keys of one `$orderby`.
    pub order_keys: usize,
    /// Transformations of `$apply`, with those of the sequences of `concat`. Each grouping is a query over
    /// that of the one before, and each sequence repeats what comes before the `concat`.
    pub transformations: usize,
    /// Patterns of `matchespattern` in one request, each use counted, and again for each level of `$levels`.
    /// A thread caches eight compiled ones, and a ninth would make it compile all of them again for every
    /// row, so values above 8 are treated as 8. Each takes at most 64 KiB compiled, whatever is set here.
    pub patterns: usize,
    /// Words of `$search`; each ten characters of a script without spaces count as one.
    pub search_words: usize,
    /// Bytes of one option's decoded value.
    pub option_bytes: usize,
}

/// The upper bound of patterns in one query, whatever is configured: a thread caches as many compiled ones.
pub(crate) const MAX_PATTERNS: usize = 8;

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
            transformations: 10,
            patterns: 8,
            search_words: 20,
            option_bytes: 8 * 1024,
        }
    }
}

impl Limits {
    /// The number of patterns that is enforced.
    pub(crate) fn safe_patterns(&self) -> usize {
        self.patterns.min(MAX_PATTERNS)
    }

    /// The nesting of lambdas and of aliases that is enforced.
    pub(crate) fn safe_lambdas(&self) -> usize {
        self.lambdas.min(20)
    }

    /// The nesting of `$expand` that is enforced.
    pub(crate) fn safe_expand_depth(&self) -> usize {
        self.expand_depth.min(20)
    }

    /// The depth that is enforced: no configuration may make the recursive stages overflow a 2 MiB stack.
    pub(crate) fn safe_depth(&self) -> usize {
        self.depth.min(200)
    }
}
