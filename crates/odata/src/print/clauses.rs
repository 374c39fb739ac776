//! The options other than expressions as text: the part after the `=`.

use std::fmt::{self, Display, Formatter, Write as _};

use super::{write_list, write_path};
use crate::ast::options::{OptionName, Options};
use crate::ast::{ExpandItem, ExpandTarget, Search, SelectItem};

impl Display for SelectItem {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_char('*'),
            Self::Path(path) => write_path(f, path),
        }
    }
}

impl Display for ExpandItem {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.target {
            ExpandTarget::All => f.write_char('*')?,
            ExpandTarget::Navigation(segment) => f.write_str(&segment.name)?,
        }
        if self.count_only {
            f.write_str("/$count")?;
        }
        let mut options = self.options.written();
        options.extend(self.options.aliases());
        match self.levels {
            1 => {}
            usize::MAX => options.push("$levels=max".to_owned()),
            levels => options.push(format!("$levels={levels}")),
        }
        if options.is_empty() {
            return Ok(());
        }
        write!(f, "({})", options.join(";"))
    }
}

impl Display for Search {
    /// Every phrase in quotes, which single words may have too.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write_list(f, &self.phrases, " ", |f, phrase| {
            let end = if phrase.is_prefix { "*" } else { "" };
            write!(f, "\"{}\"{end}", phrase.words.join(" "))
        })
    }
}

impl Options {
    /// The options and aliases as a query string, percent-encoded and without the `?`: it parses to the same
    /// options.
    ///
    /// ```
    /// use obeya_odata::{Limits, OptionName, Options};
    ///
    /// let written = "FILTER=((id)) eq @a and isPublic&select=id&@a=5";
    /// let (options, _) = Options::parse(written, OptionName::ALL, &Limits::default())?;
    /// assert_eq!(options.to_query(), "$filter=id%20eq%20@a%20and%20isPublic&$select=id&@a=5");
    /// # Ok::<(), obeya_odata::Error>(())
    /// ```
    #[must_use]
    pub fn to_query(&self) -> String {
        let parameters: Vec<String> = self
            .written()
            .into_iter()
            .chain(self.aliases())
            .map(|parameter| encode(&parameter))
            .collect();
        parameters.join("&")
    }

    fn aliases(&self) -> impl Iterator<Item = String> {
        let aliases = self.aliases.iter();
        aliases.map(|(name, value)| format!("@{name}={value}"))
    }

    /// The given options, each as `$name=value` and none percent-encoded; aliases are not included.
    fn written(&self) -> Vec<String> {
        fn list<T: Display>(items: &[T]) -> String {
            let items: Vec<String> = items.iter().map(ToString::to_string).collect();
            items.join(",")
        }
        let apply = self.apply.as_ref().map(|transformations| {
            let all: Vec<String> = transformations.iter().map(ToString::to_string).collect();
            all.join("/")
        });
        let values = [
            (OptionName::Apply, apply),
            (OptionName::Compute, self.compute.as_deref().map(list)),
            (
                OptionName::Search,
                self.search.as_ref().map(ToString::to_string),
            ),
            (
                OptionName::Filter,
                self.filter.as_ref().map(ToString::to_string),
            ),
            (OptionName::Select, self.select.as_deref().map(list)),
            (OptionName::Expand, self.expand.as_deref().map(list)),
            (OptionName::OrderBy, self.orderby.as_deref().map(list)),
            (OptionName::Count, self.count.map(|count| count.to_string())),
            (OptionName::Skip, self.skip.map(|skip| skip.to_string())),
            (OptionName::Top, self.top.map(|top| top.to_string())),
            (OptionName::SkipToken, self.skip_token.clone()),
        ];
        values
            .into_iter()
            .filter_map(|(name, value)| Some(format!("{}={}", name.as_str(), value?)))
            .collect()
    }
}

/// Everything but letters, digits and characters without a meaning in a query string; the first `=` is after
/// the name.
fn encode(parameter: &str) -> String {
    let mut out = String::with_capacity(parameter.len() * 2);
    let mut named = false;
    for byte in parameter.bytes() {
        let plain = byte.is_ascii_alphanumeric()
            || matches!(
                byte,
                b'$' | b'@' | b'-' | b'.' | b'_' | b'~' | b'(' | b')' | b',' | b':' | b'/' | b'*'
            )
            || byte == b'=' && !named;
        named |= byte == b'=';
        if plain {
            out.push(char::from(byte));
        } else {
            // Writing to a string can't fail.
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}
