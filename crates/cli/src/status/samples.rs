//! The samples of the text format of Prometheus, as far as the status needs them.

use std::collections::BTreeMap;

use serde_json::{Value, json};

/// Samples by the name of their metric.
pub(super) struct Samples(BTreeMap<String, Vec<Sample>>);

struct Sample {
    labels: Vec<(String, String)>,
    value: f64,
}

impl Samples {
    /// Reads the text; lines of another form are left out.
    pub(super) fn read(text: &str) -> Self {
        let mut samples = BTreeMap::<String, Vec<Sample>>::new();
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let read = || {
                // A timestamp may follow the value; the labels may contain spaces.
                let (name, rest) = line.split_at(line.find(['{', ' '])?);
                let (labels, rest) = match rest.strip_prefix('{') {
                    Some(rest) => labels(rest)?,
                    None => (Vec::new(), rest),
                };
                let value = rest.split_whitespace().next()?.parse().ok()?;
                Some((name, Sample { labels, value }))
            };
            if let Some((name, sample)) = read() {
                samples.entry(name.to_owned()).or_default().push(sample);
            }
        }
        Self(samples)
    }

    /// The value of a metric without labels.
    pub(super) fn value(&self, name: &str) -> Option<f64> {
        let mut samples = self.0.get(name)?.iter();
        samples
            .find(|sample| sample.labels.is_empty())
            .map(|sample| sample.value)
    }

    /// The value of the sample with this label.
    pub(super) fn labelled(&self, name: &str, label: &str, text: &str) -> Option<f64> {
        let mut samples = self.0.get(name)?.iter();
        let is_it = |sample: &&Sample| {
            sample
                .labels
                .iter()
                .any(|(key, value)| key == label && value == text)
        };
        samples.find(is_it).map(|sample| sample.value)
    }

    /// The text of a label of the first sample of a metric.
    pub(super) fn label(&self, name: &str, label: &str) -> Option<&str> {
        let labels = &self.0.get(name)?.first()?.labels;
        let found = labels.iter().find(|(key, _)| key == label);
        found.map(|(_, value)| &**value)
    }

    /// The metrics without labels, as a JSON object.
    pub(super) fn without_labels(&self) -> Value {
        let values = self
            .0
            .keys()
            .filter_map(|name| Some((name.clone(), json!(self.value(name)?))));
        Value::Object(values.collect())
    }
}

/// The labels up to the closing brace, and what follows it.
fn labels(mut rest: &str) -> Option<(Vec<(String, String)>, &str)> {
    let mut labels = Vec::new();
    loop {
        rest = rest.trim_start_matches([',', ' ']);
        if let Some(rest) = rest.strip_prefix('}') {
            return Some((labels, rest));
        }
        let (name, quoted) = rest.split_once("=\"")?;
        let mut value = String::new();
        let mut letters = quoted.char_indices();
        let end = loop {
            match letters.next()? {
                (end, '"') => break end,
                (_, '\\') => value.push(match letters.next()?.1 {
                    'n' => '\n',
                    other => other,
                }),
                (_, letter) => value.push(letter),
            }
        };
        labels.push((name.to_owned(), value));
        rest = &quoted[end + 1..];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines in the form of <https://prometheus.io/docs/instrumenting/exposition_formats/>.
    const TEXT: &str = "# HELP http_requests_total The total number of HTTP requests.\n\
        # TYPE http_requests_total counter\n\
        http_requests_total{method=\"post\",code=\"200\"} 1027 1395066363000\n\
        http_requests_total{method=\"post\",code=\"400\"}    3 1395066363000\n\
        msdos_file_access_time_seconds{path=\"C:\\\\DIR\\\\FILE.TXT\",error=\"Cannot find file:\\n\\\"FILE } TXT\\\"\"} 1.458255915e9\n\
        metric_without_timestamp_and_labels 12.47\n\
        something_weird{problem=\"division by zero\"} +Inf -3982045\n\
        broken{problem=\"\n";

    #[test]
    fn the_examples_of_the_format_are_read() {
        let samples = Samples::read(TEXT);
        assert_eq!(
            samples.labelled("http_requests_total", "code", "400"),
            Some(3.0)
        );
        assert_eq!(samples.value("http_requests_total"), None);
        assert_eq!(
            samples.value("metric_without_timestamp_and_labels"),
            Some(12.47)
        );
        let label = |label| samples.label("msdos_file_access_time_seconds", label);
        assert_eq!(label("path"), Some(r"C:\DIR\FILE.TXT"));
        assert_eq!(label("error"), Some("Cannot find file:\n\"FILE } TXT\""));
        let weird = samples.labelled("something_weird", "problem", "division by zero");
        assert_eq!(weird, Some(f64::INFINITY));
        assert_eq!(samples.label("broken", "problem"), None);
        assert_eq!(
            samples.without_labels(),
            json!({"metric_without_timestamp_and_labels": 12.47})
        );
    }
}
