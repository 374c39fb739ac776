//! The words of `$search` and of the texts it looks through: one rule for both.

/// The tokens of a text: runs of alphanumeric characters (Unicode), in lower case.
pub fn tokens(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
}

/// A text as it is stored in a full-text index: its tokens, separated by single spaces.
#[must_use]
pub fn document(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for token in tokens(text) {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(&token);
    }
    out
}
