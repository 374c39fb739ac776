//! The closed enums of the specification, generated from it. On the wire they are open, so that a new variant
//! breaks no reader; to be written, a variant must be known.

/// An enum whose variants are all in the specification.
pub trait ClosedEnum: Copy + 'static {
    /// Every variant, in the order of the contract.
    const ALL: &'static [Self];
    /// The name of every variant on the wire and in the store, in the same order.
    const ALL_NAMES: &'static [&'static str];

    /// The name on the wire and in the store.
    fn name(self) -> &'static str;

    /// The variant of that name; letter case counts.
    fn parse(text: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|variant| variant.name() == text)
    }
}

/// The variants of an enum that may be stored: all of a [`ClosedEnum`], or some of them.
pub trait VariantSet: Copy + 'static {
    /// The name of every variant that may be stored.
    const NAMES: &'static [&'static str];
}

impl<T: ClosedEnum> VariantSet for T {
    const NAMES: &'static [&'static str] = T::ALL_NAMES;
}

mod generated {
    #![allow(dead_code, reason = "the service does not write every enum")]

    use super::ClosedEnum;

    include!(concat!(env!("OUT_DIR"), "/enums.rs"));
}

pub use generated::{
    BoardType, DatasourceElementType as ElementKind, EvaluationStatusV1 as Evaluation,
    GroupRole as MemberRole, GroupType, ImprovementPriorityStatus as Priority, ImprovementStatus,
    IncidentSeverity as Severity, IncidentStatus, TaskStatus, UserType,
};

/// Status of an improvement as it is stored: `Activated` requests a change and is never stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoredImprovementStatus;

impl VariantSet for StoredImprovementStatus {
    const NAMES: &'static [&'static str] =
        &without::<7>(ImprovementStatus::ALL_NAMES, &["Activated"]);
}

/// Stage that an archived improvement goes back to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stage;

impl VariantSet for Stage {
    const NAMES: &'static [&'static str] =
        &without::<6>(ImprovementStatus::ALL_NAMES, &["Activated", "Archived"]);
}

/// The names that are not in `left_out`. `N` is how many remain; another number does not compile.
const fn without<const N: usize>(names: &[&'static str], left_out: &[&str]) -> [&'static str; N] {
    let mut remaining = [""; N];
    let (mut from, mut to) = (0, 0);
    while from < names.len() {
        if !contains(left_out, names[from]) {
            remaining[to] = names[from];
            to += 1;
        }
        from += 1;
    }
    assert!(to == N, "the enum has another number of variants");
    remaining
}

const fn contains(names: &[&str], name: &str) -> bool {
    let mut at = 0;
    while at < names.len() {
        if is_same(names[at].as_bytes(), name.as_bytes()) {
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
