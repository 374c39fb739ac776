//! The words of SQL texts, as far as translating our own schema needs them. Knows no statement and no engine.

/// A statement, or a part of one: words, quoted texts, signs and the spaces between them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Statement<'a>(Vec<&'a str>);

/// The statements of a text, without its comments and semicolons.
pub(super) fn statements(text: &str) -> Vec<Statement<'_>> {
    let mut statements = vec![Statement(Vec::new())];
    let mut rest = text;
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(length(rest));
        rest = after;
        if piece == ";" {
            statements.push(Statement(Vec::new()));
        } else if let Some(Statement(pieces)) = statements.last_mut()
            && !piece.starts_with("--")
            && !(pieces.is_empty() && is_space(piece))
        {
            pieces.push(piece);
        }
    }
    for Statement(pieces) in &mut statements {
        while pieces.pop_if(|last| is_space(last)).is_some() {}
    }
    statements.retain(|statement| !statement.0.is_empty());
    statements
}

/// Bytes of the piece that a text begins with.
fn length(text: &str) -> usize {
    let up_to = |end: fn(char) -> bool| text.find(end).unwrap_or(text.len());
    match text.chars().next() {
        _ if text.starts_with("--") => up_to(|c| c == '\n'),
        Some(quote @ ('\'' | '"')) => text[1..].find(quote).map_or(text.len(), |end| end + 2),
        Some(c) if c.is_whitespace() => up_to(|c| !c.is_whitespace()),
        Some(c) if is_of_word(c) => up_to(|c| !is_of_word(c)),
        first => first.map_or(0, char::len_utf8),
    }
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn is_space(piece: &str) -> bool {
    piece.chars().all(char::is_whitespace)
}

impl<'a> Statement<'a> {
    /// As it was written, but for comments.
    pub(super) fn text(&self) -> String {
        self.0.concat()
    }

    /// Everything but spaces.
    pub(super) fn significant(&self) -> Vec<&'a str> {
        self.0
            .iter()
            .copied()
            .filter(|piece| !is_space(piece))
            .collect()
    }

    /// The first of these.
    pub(super) fn words(&self, most: usize) -> Vec<&'a str> {
        let mut words = self.significant();
        words.truncate(most);
        words
    }

    /// What stands before the first parenthesis.
    pub(super) fn before_parenthesis(&self) -> String {
        self.0
            .iter()
            .take_while(|piece| **piece != "(")
            .copied()
            .collect()
    }

    /// What the first parenthesis holds, and what follows it.
    pub(super) fn parenthesis(&self) -> (Statement<'a>, Statement<'a>) {
        let mut depth = 0_usize;
        let (mut inside, mut after) = (Vec::new(), Vec::new());
        let mut is_past = false;
        for piece in &self.0 {
            match *piece {
                _ if is_past => after.push(*piece),
                ")" if depth == 1 => is_past = true,
                "(" if depth == 0 => depth = 1,
                other if depth > 0 => {
                    depth = match other {
                        "(" => depth + 1,
                        ")" => depth - 1,
                        _ => depth,
                    };
                    inside.push(other);
                }
                _ => {}
            }
        }
        (Statement(inside), Statement(after))
    }

    /// The parts between commas that stand in no parenthesis of their own.
    pub(super) fn items(&self) -> Vec<Statement<'a>> {
        let mut depth = 0_usize;
        let mut items = vec![Statement(Vec::new())];
        for piece in &self.0 {
            match *piece {
                "(" => depth += 1,
                ")" => depth = depth.saturating_sub(1),
                _ => {}
            }
            if *piece == "," && depth == 0 {
                items.push(Statement(Vec::new()));
            } else if let Some(Statement(item)) = items.last_mut() {
                item.push(piece);
            }
        }
        items
    }

    /// With every word replaced; the first word that `replace` does not know is the error. Quoted texts and signs stay.
    pub(super) fn replaced(&self, replace: fn(&str) -> Option<&str>) -> Result<String, String> {
        let pieces = self.0.iter().map(|piece| {
            if piece.starts_with(is_of_word) {
                replace(piece).ok_or_else(|| (*piece).to_owned())
            } else {
                Ok(*piece)
            }
        });
        pieces.collect()
    }
}
