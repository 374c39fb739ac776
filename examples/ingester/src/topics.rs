//! The file that says where the values of each topic go. Nothing here reads a line.

use std::collections::HashMap;
use std::path::Path;

use anyhow::{Context, Result, bail};
use obeya::model::DatasourceValueInput;
use serde::Deserialize;

use crate::line::Reading;

/// All topics by their names.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Topics {
    topics: HashMap<String, Target>,
}

/// Where the values of a topic go, and what is the same for each of them.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Target {
    datasource: i32,
    area: Option<i32>,
    dimension: Option<String>,
    dimension2: Option<String>,
    dimension3: Option<String>,
    dimension4: Option<String>,
}

impl Topics {
    /// Reads the file.
    ///
    /// # Errors
    /// It cannot be read, is no TOML of this form, or has no topic.
    pub fn read(file: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(file).with_context(|| file.display().to_string())?;
        Self::parse(&text).with_context(|| file.display().to_string())
    }

    /// Reads the text of the file.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn parse(text: &str) -> Result<Self> {
        let topics: Self = toml::from_str(text)?;
        if topics.topics.is_empty() {
            bail!("found no topic, expected one at least, such as [topics.\"plant/press-2/oee\"]");
        }
        Ok(topics)
    }

    /// The datasource of a reading and its value, or `None` for a topic that the file does not have.
    pub fn value(&self, reading: &Reading<'_>) -> Option<(i32, DatasourceValueInput)> {
        let target = self.topics.get(reading.topic)?;
        let mut value = DatasourceValueInput::new(reading.value, reading.time);
        value.area_id = target.area;
        value.dimension.clone_from(&target.dimension);
        value.dimension2.clone_from(&target.dimension2);
        value.dimension3.clone_from(&target.dimension3);
        value.dimension4.clone_from(&target.dimension4);
        Some((target.datasource, value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_setting_is_named() {
        let error = Topics::parse("[topics.t]\ndatasource = 1\ndimension5 = \"x\"").unwrap_err();
        assert!(
            error.to_string().contains("unknown field `dimension5`"),
            "{error}"
        );
        let error = Topics::parse("[topics]").unwrap_err();
        assert!(error.to_string().starts_with("found no topic"), "{error}");
    }
}
