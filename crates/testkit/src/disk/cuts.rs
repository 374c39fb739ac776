//! Power failures to try on a record: where each name changes and at each mark, with every simple loss, and
//! anywhere else with random ones.

use fastrand::Rng;
use tempfile::TempDir;

use super::replay::{Loss, Operation, Replay};

/// What a power failure left.
pub struct Cut {
    /// How many operations were carried out before.
    pub at: usize,
    /// What of them was lost.
    pub loss: Loss,
    /// The marks before.
    pub marks: Vec<String>,
    /// Whether a mark was the last of them: nothing was being done.
    pub is_at_rest: bool,
    /// The files that a loss could have changed.
    pub unsettled: Vec<String>,
    /// The folder.
    pub folder: TempDir,
}

impl std::fmt::Display for Cut {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (at, loss) = (self.at, self.loss);
        write!(
            f,
            "cut after operation {at}, loss {loss:?}, marks {:?}",
            self.marks.len()
        )
    }
}

/// Cuts the power about `most` times, in the order of the operations, and hands over what each leaves.
pub fn cut_power(
    mut replay: Replay,
    operations: &[Operation],
    most: usize,
    random: &mut Rng,
    mut look: impl FnMut(Cut),
) {
    let mut applied = 0;
    for (at, loss) in moments(operations, most, random) {
        operations[applied..at]
            .iter()
            .for_each(|one| replay.apply(one));
        applied = at;
        let folder = tempfile::tempdir().expect("a folder");
        replay.leave(loss, random, folder.path());
        look(Cut {
            at,
            loss,
            marks: replay.marks().to_vec(),
            unsettled: replay.unsettled(),
            is_at_rest: matches!(operations[at - 1], Operation::Mark(_)),
            folder,
        });
    }
}

fn moments(operations: &[Operation], most: usize, random: &mut Rng) -> Vec<(usize, Loss)> {
    let mut moments = Vec::new();
    for (number, operation) in (1..).zip(operations) {
        let losses: &[Loss] = match operation {
            Operation::Rename { .. } | Operation::Link { .. } | Operation::Remove { .. } => {
                &[Loss::Content, Loss::All]
            }
            Operation::Mark(_) => &[Loss::Content, Loss::All, Loss::Names],
            _ => &[],
        };
        moments.extend(losses.iter().map(|loss| (number, *loss)));
    }
    random.shuffle(&mut moments);
    // A mark is a promise; there may be few of them.
    moments.sort_by_key(|(at, _)| !matches!(operations[at - 1], Operation::Mark(_)));
    moments.truncate(most * 2 / 3);
    while moments.len() < most {
        let loss = if random.u8(..8) == 0 {
            Loss::None
        } else {
            Loss::Some
        };
        moments.push((random.usize(1..=operations.len()), loss));
    }
    moments.sort_by_key(|(at, _)| *at);
    moments
}
