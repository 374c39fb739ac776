//! Metrics in the text format of Prometheus (version 0.0.4), made of OpenMetrics, which the registry writes.
//!
//! Both formats have the same samples. They differ in the lines about a metric: OpenMetrics names its family
//! (`obeya_tokens_issued`), the text format its samples (`obeya_tokens_issued_total`), and the text format has
//! neither the type `info` nor units nor an end.

/// The text format of what is OpenMetrics.
pub(crate) fn prometheus_text(openmetrics: &str) -> String {
    let mut text = String::with_capacity(openmetrics.len());
    // The help of a family comes before its type, on which the name of its samples depends.
    let mut help = "";
    for line in openmetrics.lines() {
        if let Some(rest) = line.strip_prefix("# HELP ") {
            help = rest.split_once(' ').map_or("", |(_, help)| help);
        } else if let Some((family, kind)) = line
            .strip_prefix("# TYPE ")
            .and_then(|rest| rest.split_once(' '))
        {
            let (suffix, kind) = match kind {
                "counter" => ("_total", kind),
                "info" => ("_info", "gauge"),
                _ => ("", kind),
            };
            text += &format!("# HELP {family}{suffix} {help}\n# TYPE {family}{suffix} {kind}\n");
        } else if !line.starts_with('#') {
            text += line;
            text.push('\n');
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `promtool check metrics` accepts the second text and refuses the first.
    #[test]
    fn lines_about_a_metric_name_its_samples() {
        let openmetrics = "\
# HELP obeya_build The version.
# TYPE obeya_build info
obeya_build_info{version=\"0.1.0\"} 1
# HELP obeya_tokens_issued Tokens issued.
# TYPE obeya_tokens_issued counter
obeya_tokens_issued_total 3
# HELP obeya_store_commit_duration_seconds Time of a commit.
# TYPE obeya_store_commit_duration_seconds histogram
# UNIT obeya_store_commit_duration_seconds seconds
obeya_store_commit_duration_seconds_sum 0.5
obeya_store_commit_duration_seconds_count 1
obeya_store_commit_duration_seconds_bucket{le=\"+Inf\"} 1
# EOF
";
        let text = "\
# HELP obeya_build_info The version.
# TYPE obeya_build_info gauge
obeya_build_info{version=\"0.1.0\"} 1
# HELP obeya_tokens_issued_total Tokens issued.
# TYPE obeya_tokens_issued_total counter
obeya_tokens_issued_total 3
# HELP obeya_store_commit_duration_seconds Time of a commit.
# TYPE obeya_store_commit_duration_seconds histogram
obeya_store_commit_duration_seconds_sum 0.5
obeya_store_commit_duration_seconds_count 1
obeya_store_commit_duration_seconds_bucket{le=\"+Inf\"} 1
";
        assert_eq!(prometheus_text(openmetrics), text);
    }
}
