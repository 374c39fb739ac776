//! Merges parts of `$expand` that begin with the same link: `incident().area()` and `incident().group()` both
//! go through `incident`, which may be expanded only once.
//!
//! It works on text, because callers may pass parts as text, and splits it only into names, options and
//! commas. Parts that cannot be merged stay separate, and the service refuses them.

/// One link with its options.
struct Item<'a> {
    name: &'a str,
    options: Vec<(&'a str, String)>,
}

/// The parts as one list, in which every link occurs once if possible.
pub(super) fn links(parts: &[String]) -> String {
    let joined = parts.join(",");
    merged(&joined).unwrap_or(joined)
}

/// `None` if nothing can be merged or the text is not understood.
fn merged(text: &str) -> Option<String> {
    let mut found = false;
    let mut items: Vec<Item<'_>> = Vec::new();
    for part in split(text, ',')? {
        let item = Item::read(part)?;
        let merged = items
            .iter_mut()
            .filter(|known| known.name == item.name)
            .any(|known| known.take(&item));
        found |= merged;
        if !merged {
            items.push(item);
        }
    }
    let texts: Vec<String> = items.iter().map(Item::text).collect();
    found.then(|| texts.join(","))
}

impl<'a> Item<'a> {
    fn read(text: &'a str) -> Option<Self> {
        let Some((name, rest)) = text.split_once('(') else {
            return Some(Self {
                name: text.trim(),
                options: Vec::new(),
            });
        };
        let options = split(rest.trim_end().strip_suffix(')')?, ';')?
            .into_iter()
            .map(|option| {
                let (name, value) = option.split_once('=')?;
                Some((name.trim(), value.to_owned()))
            })
            .collect::<Option<_>>()?;
        Some(Self {
            name: name.trim(),
            options,
        })
    }

    /// Merges the options of another item, unless the two conflict.
    fn take(&mut self, other: &Self) -> bool {
        // `$levels` repeats all options of its item, so no other may be added to it.
        let levels = |item: &Self| item.option("$levels").cloned();
        let plain = self.options.is_empty() || other.options.is_empty();
        if !plain && levels(self) != levels(other) {
            return false;
        }
        let mut all = self.options.clone();
        for (name, value) in &other.options {
            match all.iter_mut().find(|(known, _)| known == name) {
                None => all.push((name, value.clone())),
                Some((_, known)) if known == value => {}
                Some((_, known)) if *name == "$expand" => {
                    *known = links(&[known.clone(), value.clone()]);
                }
                Some(_) => return false,
            }
        }
        self.options = all;
        true
    }

    fn option(&self, name: &str) -> Option<&String> {
        let mut options = self.options.iter();
        options
            .find(|(known, _)| *known == name)
            .map(|(_, value)| value)
    }

    fn text(&self) -> String {
        if self.options.is_empty() {
            return self.name.to_owned();
        }
        let options: Vec<String> = self
            .options
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        format!("{}({})", self.name, options.join(";"))
    }
}

/// The pieces between separators outside of parentheses, brackets and quotes; `None` if one of these is not
/// closed.
fn split(text: &str, at: char) -> Option<Vec<&str>> {
    let (mut pieces, mut begin, mut open, mut quote) = (Vec::new(), 0, 0_usize, None);
    for (index, c) in text.char_indices() {
        match (quote, c) {
            (Some(by), _) if by == c => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(c),
            (None, '(' | '[') => open += 1,
            (None, ')' | ']') => open = open.checked_sub(1)?,
            (None, _) if c == at && open == 0 => {
                pieces.push(&text[begin..index]);
                begin = index + c.len_utf8();
            }
            _ => {}
        }
    }
    pieces.push(&text[begin..]);
    (open == 0 && quote.is_none()).then_some(pieces)
}

#[cfg(test)]
mod tests {
    use super::links;

    #[test]
    fn what_leads_through_one_link_is_written_in_one_item() {
        for (parts, expected) in [
            (&["a($expand=b)", "a($expand=c)"][..], "a($expand=b,c)"),
            (
                &["a($expand=b($expand=c))", "x,a($expand=b($expand=d))"],
                "a($expand=b($expand=c,d)),x",
            ),
            (&["a", "a($expand=b)"], "a($expand=b)"),
            (
                &["a($top=1;$expand=b)", "a($expand=c)", "a"],
                "a($top=1;$expand=b,c)",
            ),
            (
                &["a($filter=n eq '),;(''')", "a($select=n)"],
                "a($filter=n eq '),;(''';$select=n)",
            ),
            (&["a($levels=2)", "a"], "a($levels=2)"),
            (&["*", "*"], "*"),
            // Nothing to merge, or a conflict: unchanged.
            (&["a", "b", "*", "a/$count"], "a,b,*,a/$count"),
            (&["a($top=1)", "a($top=2)"], "a($top=1),a($top=2)"),
            (
                &["a($levels=2)", "a($expand=b)"],
                "a($levels=2),a($expand=b)",
            ),
            (&["a( $select = n )"], "a( $select = n )"),
            (&["a(", "a('"], "a(,a('"),
        ] {
            let parts: Vec<String> = parts.iter().map(|part| (*part).to_owned()).collect();
            assert_eq!(links(&parts), expected);
        }
    }
}
