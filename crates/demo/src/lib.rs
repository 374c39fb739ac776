//! A made-up but plausible plant, generated from a fixed seed: two years of incidents, improvements and
//! values, written as a folder in the import format.
//!
//! To serve the plant, import the folder, as a user would. This crate does not depend on the service and
//! prints nothing; the command line and the Python package present the plant.

mod attachments;
mod calendar;
mod dice;
mod folder;
mod improvements;
mod incidents;
mod plant;
mod tasks;
mod types;
mod values;

use std::io;
use std::path::Path;

use calendar::Calendar;
use folder::Folder;
use plant::Plant;

pub use jiff::civil::Date;

/// The id of the datasource with the most values: energy, one for each hour and meter.
pub const ENERGY: i32 = 1 + values::ENERGY as i32;

/// Properties of the generated plant that callers need.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Written {
    /// The newest improvement that is implemented and not yet evaluated.
    pub implemented: i32,
    /// The total number of values of all datasources.
    pub values: u32,
}

/// Today in UTC, the usual argument of [`write`].
#[must_use]
pub fn today() -> Date {
    calendar::today()
}

/// Writes the plant to an existing, empty folder. Its two years end the day before `today`, and the same day
/// produces the same bytes.
///
/// # Errors
/// A file cannot be written; the error names it.
pub fn write(folder: &Path, today: Date) -> io::Result<Written> {
    let folder = &Folder::new(folder);
    let calendar = Calendar::ending(today);
    let plant = Plant::new();
    plant.write(folder, calendar)?;
    types::write(folder)?;
    incidents::write(folder, &plant, calendar)?;
    let implemented = improvements::write(folder, &plant, calendar)?;
    tasks::write(folder, &plant, calendar)?;
    attachments::write(folder, calendar)?;
    let values = values::write(folder, calendar)?;
    Ok(Written {
        implemented,
        values,
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use jiff::civil::date;

    fn written(today: Date) -> (Written, BTreeMap<String, Vec<u8>>) {
        let folder = tempfile::tempdir().expect("a folder");
        let written = write(folder.path(), today).expect("written");
        let files = std::fs::read_dir(folder.path())
            .expect("a folder")
            .map(|file| file.expect("a file").path())
            .filter(|path| path.is_file())
            .map(|path| {
                let name = path
                    .file_name()
                    .expect("a name")
                    .to_string_lossy()
                    .into_owned();
                (name, std::fs::read(path).expect("readable"))
            })
            .collect();
        (written, files)
    }

    #[test]
    fn the_same_day_gives_the_same_bytes_and_the_next_day_the_same_people() {
        let (first, files) = written(date(2026, 3, 1));
        assert_eq!((first, files.clone()), written(date(2026, 3, 1)));
        let (_, next) = written(date(2026, 3, 2));
        assert_eq!(files["users.jsonl"], next["users.jsonl"]);
        assert_ne!(files["incidents.jsonl"], next["incidents.jsonl"]);
    }

    #[test]
    fn a_file_that_cannot_be_written_is_named() {
        for file in ["users.jsonl", "datasource_values.csv"] {
            let folder = tempfile::tempdir().expect("a folder");
            let path = folder.path().join(file);
            std::fs::create_dir(&path).expect("in its way");
            let error = write(folder.path(), date(2026, 3, 1)).expect_err("no file");
            let message = error.to_string();
            let name = format!("{}: ", path.display());
            assert!(message.starts_with(&name), "{message}");
        }
    }

    #[test]
    fn what_is_said_of_the_folder_is_true_of_it() {
        let (said, files) = written(date(2026, 3, 1));
        let lines = |name: &str| {
            let text = String::from_utf8(files[name].clone()).expect("text");
            text.lines().map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(
            lines("datasource_values.csv").len(),
            said.values as usize + 1
        );
        let improvement = lines("improvements.jsonl")
            .into_iter()
            .map(|line| serde_json::from_str::<serde_json::Value>(&line).expect("JSON"))
            .find(|line| line["id"] == said.implemented)
            .expect("it is there");
        assert_eq!(improvement["status"], "Implemented");
        let energy = &lines("datasources.jsonl")[usize::try_from(ENERGY).expect("positive") - 1];
        assert!(energy.contains("\"title\":\"Energi\""), "{energy}");
    }
}
