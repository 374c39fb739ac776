//! Whole query strings: the options beside `$filter`, and what the caller adds.
