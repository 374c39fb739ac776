//! The results as a table.

use std::fmt::{self, Display};

/// One line for each figure.
#[derive(Default)]
pub struct Table {
    rows: Vec<[String; 5]>,
}

impl Table {
    /// A result with its baseline. `goal`: the ratio, its bound, and whether that is the lowest (or the
    /// highest).
    pub fn row(
        &mut self,
        name: &str,
        figure: f64,
        peer: f64,
        unit: &str,
        goal: Option<(f64, f64, bool)>,
    ) {
        let (ratio, target) = match goal {
            Some((ratio, bound, true)) => (ratio, judged(">=", bound, ratio >= bound)),
            Some((ratio, bound, false)) => (ratio, judged("<=", bound, ratio <= bound)),
            None => (figure / peer, String::new()),
        };
        self.rows.push([
            name.to_owned(),
            shown(figure),
            format!("{} {unit}", shown(peer)),
            format!("{ratio:.2}"),
            target,
        ]);
    }

    /// A result with an upper limit, with its baseline.
    pub fn limited(&mut self, name: &str, figure: f64, peer: f64, unit: &str, limit: f64) {
        self.row(name, figure, peer, unit, None);
        if let Some([.., target]) = self.rows.last_mut() {
            *target = format!("{} here", judged("<=", limit, figure <= limit));
        }
    }

    /// A figure whose peer cannot be measured here, and why.
    pub fn alone(&mut self, name: &str, figure: f64, why: &str) {
        self.rows.push([
            name.to_owned(),
            shown(figure),
            why.to_owned(),
            String::new(),
            String::new(),
        ]);
    }

    /// A figure under a limit.
    pub fn limit(&mut self, name: &str, figure: f64, unit: &str, limit: f64) {
        self.rows.push([
            name.to_owned(),
            format!("{} {unit}", shown(figure)),
            String::new(),
            String::new(),
            judged("<=", limit, figure <= limit),
        ]);
    }
}

fn judged(sign: &str, bound: f64, holds: bool) -> String {
    format!("{sign} {bound}{}", if holds { "" } else { "  MISSED" })
}

fn shown(figure: f64) -> String {
    if figure >= 100.0 {
        format!("{figure:.0}")
    } else {
        format!("{figure:.2}")
    }
}

impl Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let head = ["figure", "here", "beside it", "ratio", "target"].map(str::to_owned);
        let lines = || std::iter::once(&head).chain(&self.rows);
        let widths: Vec<usize> = (0..5)
            .map(|column| lines().map(|line| line[column].len()).max().unwrap_or(0))
            .collect();
        for line in lines() {
            for (cell, width) in line.iter().zip(&widths) {
                write!(f, "{cell:<width$}  ")?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}
