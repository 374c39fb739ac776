//! The front page: what this service is, whether it is well, and where to go on.

/// What the front page shows.
#[derive(Debug, Clone, Copy)]
pub struct FrontPage<'p> {
    /// The version of the service.
    pub version: &'p str,
    /// The address of the service, without a trailing slash.
    pub base: &'p str,
    /// The address of the token endpoint.
    pub token_url: &'p str,
    /// Whether the service is ready to answer.
    pub is_ready: bool,
    /// Whether it serves the explorer.
    pub has_explorer: bool,
    /// Whether it serves the guide.
    pub has_guide: bool,
}

const TEMPLATE: &str = include_str!("../templates/front.html");
const EXPLORER_LINK: &str =
    "<li><a href=\"docs\">Explorer</a> <span>Call every operation from this browser</span></li>";

const GUIDE_LINK: &str = "<li><a href=\"guide/\">Guide</a> <span>Concepts, operation, SDKs and the reference</span></li>";

impl FrontPage<'_> {
    /// The page as HTML.
    #[must_use]
    pub fn html(&self) -> String {
        let (health, health_class) = if self.is_ready {
            ("ready", "ready")
        } else {
            ("not ready", "unready")
        };
        let explorer = if self.has_explorer { EXPLORER_LINK } else { "" };
        let guide = if self.has_guide { GUIDE_LINK } else { "" };
        // The addresses come last: they may be anything.
        TEMPLATE
            .replace("{health-class}", health_class)
            .replace("{health}", health)
            .replace("{explorer}", explorer)
            .replace("{guide}", guide)
            .replace("{version}", &escaped(self.version))
            .replace("{token-url}", &escaped(self.token_url))
            .replace("{base}", &escaped(self.base))
    }
}

/// Text for the content and the attributes of HTML.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            // A token address with braces must not become a placeholder.
            '{' => escaped.push_str("&#123;"),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: FrontPage<'_> = FrontPage {
        version: "1.2.3",
        base: "http://127.0.0.1:8080",
        token_url: "http://127.0.0.1:8080/connect/token",
        is_ready: true,
        has_explorer: true,
        has_guide: true,
    };

    #[test]
    fn it_shows_version_health_links_and_the_request_for_a_token() {
        let html = PAGE.html();
        for expected in [
            "1.2.3",
            "class=\"ready\"",
            "href=\"docs\"",
            "href=\"openapi.json\"",
            "href=\"v2\"",
            "http://127.0.0.1:8080/connect/token",
        ] {
            assert!(html.contains(expected), "{expected} in {html}");
        }
        assert!(!html.contains('{'), "{html}");
    }

    #[test]
    fn it_says_when_the_service_is_not_ready_and_omits_an_explorer_that_is_off() {
        let page = FrontPage {
            is_ready: false,
            has_explorer: false,
            ..PAGE
        };
        let html = page.html();
        assert!(html.contains("class=\"unready\""), "{html}");
        assert!(!html.contains("href=\"docs\""), "{html}");
    }

    #[test]
    fn addresses_are_text() {
        let page = FrontPage {
            base: "http://<script>\"'&{version}",
            token_url: "{base}",
            ..PAGE
        };
        let html = page.html();
        assert!(
            html.contains("http://&lt;script&gt;&quot;&#39;&amp;&#123;version}"),
            "{html}"
        );
        assert!(html.contains("&#123;base}"), "{html}");
    }
}
