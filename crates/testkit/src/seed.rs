//! The seeds of random tests.

use fastrand::Rng;

/// The variable that names the seed of a run to repeat.
const SEED: &str = "OBEYA_TEST_SEED";

/// A new seed, or the one that `OBEYA_TEST_SEED` names. It is printed, so the output of a test that fails
/// shows how to repeat it.
///
/// # Panics
/// If the variable is set and is no number.
#[must_use]
pub fn seed() -> u64 {
    let seed = given().unwrap_or_else(|| fastrand::u64(..));
    println!("{SEED}={seed}");
    seed
}

/// One seed for each round of a test; a single round if `OBEYA_TEST_SEED` names the seed.
///
/// # Panics
/// If the variable is set and is no number.
pub fn seeds(rounds: usize) -> impl Iterator<Item = u64> {
    let rounds = if given().is_some() { 1 } else { rounds };
    (0..rounds).map(|_| seed())
}

/// A generator with the seed of [`seed`].
///
/// # Panics
/// If `OBEYA_TEST_SEED` is set and is no number.
#[must_use]
pub fn rng() -> Rng {
    Rng::with_seed(seed())
}

/// Whether the tests may take long (`OBEYA_TEST_LONG`, which `cargo xtask test --long` sets).
#[must_use]
pub fn is_long() -> bool {
    std::env::var_os("OBEYA_TEST_LONG").is_some()
}

fn given() -> Option<u64> {
    let text = std::env::var(SEED).ok()?;
    let seed = text.parse();
    Some(seed.unwrap_or_else(|_| panic!("{SEED} is {text:?}, expected a number")))
}
