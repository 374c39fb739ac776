//! The demo's randomness: one seed, the same plant on every machine.
//!
//! Only additions, multiplications and comparisons are used on floats: `sin` or `ln` differ in their last
//! digit between platforms, and two people comparing their demo screens should see the same figures.

use fastrand::Rng;

/// A generator for one part of the plant. Each part has its own, so that changing one leaves the others as
/// they were.
pub(crate) struct Dice(Rng);

impl Dice {
    /// The generator of the part with this number.
    pub(crate) fn new(part: u64) -> Self {
        Self(Rng::with_seed(0x0BE1_A000 + part))
    }

    /// A whole number from `low` to `high`, both included.
    pub(crate) fn between(&mut self, low: i64, high: i64) -> i64 {
        self.0.i64(low..=high)
    }

    /// True in `percent` of 100 cases.
    pub(crate) fn chance(&mut self, percent: u32) -> bool {
        self.0.u32(0..100) < percent
    }

    /// One of `items`, all equally likely. `items` must not be empty.
    pub(crate) fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.0.usize(0..items.len())]
    }

    /// One of `items`, as often as its weight says. The weights must not sum to zero.
    pub(crate) fn weighted<'a, T>(&mut self, items: &'a [(T, u32)]) -> &'a T {
        let total: u32 = items.iter().map(|(_, weight)| weight).sum();
        let mut point = self.0.u32(0..total);
        for (item, weight) in items {
            if point < *weight {
                return item;
            }
            point -= weight;
        }
        &items[items.len() - 1].0
    }

    /// A bell-shaped number: the sum of twelve uniform ones has a standard deviation of 1.
    pub(crate) fn around(&mut self, mean: f64, deviation: f64) -> f64 {
        let sum: f64 = (0..12).map(|_| self.0.f64()).sum();
        mean + deviation * (sum - 6.0)
    }

    /// An identifier of the usual 8-4-4-4-12 form.
    pub(crate) fn guid(&mut self) -> String {
        let (a, b) = (self.0.u64(..), self.0.u64(..));
        format!(
            "{:08x}-{:04x}-4{:03x}-a{:03x}-{:012x}",
            a >> 32,
            (a >> 16) & 0xffff,
            a & 0xfff,
            b >> 52,
            b & 0xffff_ffff_ffff
        )
    }
}

/// `number` with `digits` decimals, as a person would have typed it.
pub(crate) fn rounded(number: f64, digits: u32) -> f64 {
    let scale = f64::from(10_u32.pow(digits));
    (number * scale).round() / scale
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_part_gives_the_same_numbers_and_another_part_others() {
        let draw = |part| {
            let mut dice = Dice::new(part);
            (0..8)
                .map(|_| dice.between(0, 1_000_000))
                .collect::<Vec<_>>()
        };
        assert_eq!(draw(1), draw(1));
        assert_ne!(draw(1), draw(2));
    }

    #[test]
    fn bell_shaped_numbers_have_the_mean_and_deviation_asked_for() {
        let mut dice = Dice::new(9);
        let drawn: Vec<f64> = (0..20_000).map(|_| dice.around(70.0, 4.0)).collect();
        let mean = drawn.iter().sum::<f64>() / 20_000.0;
        let variance = drawn.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / 20_000.0;
        assert!((mean - 70.0).abs() < 0.2, "mean {mean}");
        assert!((variance - 16.0).abs() < 1.0, "variance {variance}");
    }
}
