//! The closed sets of words that the domain knows, generated from the specification. On the wire they are
//! open, so that a new word breaks no reader; to be written, a word must be known.

/// A member of a closed set.
pub trait Word: Copy + 'static {
    /// Every member, in the order of the contract.
    const ALL: &'static [Self];
    /// Every member as it stands on the wire and in the store, in the same order.
    const ALL_WORDS: &'static [&'static str];

    /// As it stands on the wire and in the store.
    fn word(self) -> &'static str;

    /// The member of that name; letter case counts.
    fn parse(text: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|member| member.word() == text)
    }
}

/// A fixed set of words of the wire.
pub trait WordSet: Copy + 'static {
    /// Every word that may be stored.
    const WORDS: &'static [&'static str];
}

impl<T: Word> WordSet for T {
    const WORDS: &'static [&'static str] = T::ALL_WORDS;
}

mod generated {
    #![allow(dead_code, reason = "not every set is written by the service")]

    use super::Word;

    include!(concat!(env!("OUT_DIR"), "/words.rs"));
}

pub use generated::{
    BoardType, DatasourceElementType as ElementKind, EvaluationStatus as Evaluation, GroupType,
    ImprovementPriorityStatus as Priority, ImprovementStatus, IncidentSeverity as Severity,
    IncidentStatus,
};

/// Status of an improvement as it is stored: `Activated` asks for a change and is never stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoredImprovementStatus;

impl WordSet for StoredImprovementStatus {
    const WORDS: &'static [&'static str] =
        &without::<7>(ImprovementStatus::ALL_WORDS, &["Activated"]);
}

/// Stage that an archived improvement goes back to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stage;

impl WordSet for Stage {
    const WORDS: &'static [&'static str] =
        &without::<6>(ImprovementStatus::ALL_WORDS, &["Activated", "Archived"]);
}

/// The words that are none of `left_out`, for a set within a set. `N` is how many remain; another number does
/// not compile.
const fn without<const N: usize>(words: &[&'static str], left_out: &[&str]) -> [&'static str; N] {
    let mut remaining = [""; N];
    let (mut from, mut to) = (0, 0);
    while from < words.len() {
        if !contains(left_out, words[from]) {
            remaining[to] = words[from];
            to += 1;
        }
        from += 1;
    }
    assert!(to == N, "the set has another number of words");
    remaining
}

const fn contains(words: &[&str], word: &str) -> bool {
    let mut at = 0;
    while at < words.len() {
        if is_same(words[at].as_bytes(), word.as_bytes()) {
            return true;
        }
        at += 1;
    }
    false
}

const fn is_same(one: &[u8], other: &[u8]) -> bool {
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    at == one.len() && at == other.len()
}
