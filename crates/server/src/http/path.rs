//! The route table: matches a path segment by segment, without case, and captures its parameters.
//!
//! It is built once at start from the templates of the spec. A literal segment takes precedence over a
//! parameter (`/types/{…}` over `/{id}/…`). OData's notation for a record, `/v2/groups(7)`, is read as
//! `/v2/groups/7`.

use std::ops::Range;

use http::Method;

use super::odata::is_odata;

/// The most parameters a template may have.
const MAX_PARAMETERS: usize = 2;

/// The spans of the parameters in a matched path.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Captures {
    spans: [(u32, u32); MAX_PARAMETERS],
    count: usize,
    /// Whether the first one is a key in parentheses.
    starts_with_key: bool,
}

impl Captures {
    /// The span of the `index`-th parameter in the path.
    pub(crate) fn span(&self, index: usize) -> Option<Range<usize>> {
        let (start, end) = *self.spans[..self.count].get(index)?;
        Some(start as usize..end as usize)
    }

    /// Whether the first parameter is a key in parentheses, where a text has quotation marks.
    pub(crate) fn starts_with_key(&self) -> bool {
        self.starts_with_key
    }
}

/// A node of the route tree.
#[derive(Debug)]
pub(crate) struct Node<T> {
    literals: Vec<(String, Node<T>)>,
    parameter: Option<Box<Node<T>>>,
    routes: Vec<(Method, T)>,
}

impl<T> Default for Node<T> {
    fn default() -> Self {
        Self {
            literals: Vec::new(),
            parameter: None,
            routes: Vec::new(),
        }
    }
}

impl<T: Copy> Node<T> {
    /// Adds a template such as `/v1/Incidents/{id}/causes`.
    pub(crate) fn insert(&mut self, method: Method, template: &str, route: T) {
        let mut node = self;
        for segment in template.trim_start_matches('/').split('/') {
            node = if segment.starts_with('{') {
                node.parameter.get_or_insert_default()
            } else {
                let at = node
                    .literals
                    .iter()
                    .position(|(literal, _)| literal.eq_ignore_ascii_case(segment));
                let at = at.unwrap_or_else(|| {
                    node.literals.push((segment.to_owned(), Self::default()));
                    node.literals.len() - 1
                });
                &mut node.literals[at].1
            };
        }
        node.routes.push((method, route));
    }

    /// The node of a path, which has at least one route; `None` if nothing is served there.
    pub(crate) fn find(&self, path: &str) -> Option<(&Self, Captures)> {
        let start = usize::from(path.starts_with('/'));
        self.descend(path, start, Captures::default())
    }

    /// The node of a path with a key in parentheses, as in OData: `/v2/groups(7)` or `/v2/groups(id=7)`. Call
    /// it before [`Self::find`], which may read the whole segment as an id.
    pub(crate) fn find_by_key(&self, path: &str) -> Option<(&Self, Captures)> {
        let Parentheses { open, end, key } = Parentheses::of(path)?;
        let plain = format!("{}/{}{}", &path[..open], &path[key.clone()], &path[end..]);
        let (node, mut captures) = self.find(&plain)?;
        // The text in parentheses must be the key, and not a literal segment such as `$count`.
        if captures.span(0)?.start != open + 1 {
            return None;
        }
        captures.spans[0] = (u32::try_from(key.start).ok()?, u32::try_from(key.end).ok()?);
        captures.starts_with_key = true;
        Some((node, captures))
    }

    fn descend(&self, path: &str, start: usize, captures: Captures) -> Option<(&Self, Captures)> {
        let mut rest = path.as_bytes()[start..].iter();
        let end = rest
            .position(|byte| *byte == b'/')
            .map_or(path.len(), |slash| start + slash);
        let segment = &path[start..end];
        for (literal, node) in &self.literals {
            if literal.eq_ignore_ascii_case(segment)
                && let Some(found) = node.arrive(path, end, captures)
            {
                return Some(found);
            }
        }
        let node = self.parameter.as_deref()?;
        if segment.is_empty() {
            return None;
        }
        let mut captures = captures;
        *captures.spans.get_mut(captures.count)? =
            (u32::try_from(start).ok()?, u32::try_from(end).ok()?);
        captures.count += 1;
        node.arrive(path, end, captures)
    }

    fn arrive(&self, path: &str, end: usize, captures: Captures) -> Option<(&Self, Captures)> {
        if end == path.len() {
            return (!self.routes.is_empty()).then_some((self, captures));
        }
        self.descend(path, end + 1, captures)
    }

    /// The route for a method; HEAD is served by GET.
    pub(crate) fn route(&self, method: &Method) -> Option<T> {
        let method = if method == Method::HEAD {
            &Method::GET
        } else {
            method
        };
        self.routes
            .iter()
            .find(|(served, _)| served == method)
            .map(|(_, route)| *route)
    }

    /// The value of `Allow`.
    pub(crate) fn allow(&self) -> String {
        let mut methods: Vec<&str> = self
            .routes
            .iter()
            .map(|(method, _)| method.as_str())
            .collect();
        if methods.contains(&"GET") {
            methods.push("HEAD");
        }
        methods.sort_unstable();
        // An address of OData may be that of a described operation too.
        methods.dedup();
        methods.join(", ")
    }
}

/// A key in parentheses, and its offsets.
struct Parentheses {
    open: usize,
    /// The offset after the closing one.
    end: usize,
    /// The key, without an optional name.
    key: Range<usize>,
}

impl Parentheses {
    /// The only parentheses of a path under OData's root. Both may be percent-encoded.
    fn of(path: &str) -> Option<Self> {
        let may_open = |byte: u8| matches!(byte, b'(' | b'%');
        if !path.bytes().any(may_open) || !is_odata(path) {
            return None;
        }
        let first = |signs: [&str; 2], from: usize| {
            let found = signs.map(|sign| Some((from + path[from..].find(sign)?, sign.len())));
            found.into_iter().flatten().min()
        };
        let (open, width) = first(["(", "%28"], 0)?;
        let (close, closing) = first([")", "%29"], open)?;
        let (mut start, end) = (open + width, close + closing);
        for named in ["id=", "id%3D", "id%3d"] {
            if path[start..close].starts_with(named) {
                start += named.len();
            }
        }
        let (key, rest) = (&path[start..close], &path[end..]);
        let is_key = !key.is_empty() && !key.contains('/');
        let goes_on = rest.is_empty() || rest.starts_with('/');
        let are_only = first(["(", "%28"], start).is_none() && first([")", "%29"], end).is_none();
        (is_key && goes_on && are_only).then_some(Self {
            open,
            end,
            key: start..close,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Node<u8> {
        let mut table = Node::default();
        table.insert(Method::GET, "/v2/incidents/comments", 1);
        table.insert(Method::GET, "/v2/incidents/{incidentId}/comments", 2);
        table.insert(Method::GET, "/v2/incidents/comments/{incidentCommentId}", 3);
        table.insert(Method::PUT, "/v1/Incidents/{id}", 4);
        table.insert(Method::GET, "/v1/Incidents/trash", 5);
        table
    }

    fn find(path: &str, method: &Method) -> Option<(u8, Option<String>)> {
        let table = table();
        let (node, captures) = table.find(path)?;
        let id = captures.span(0).map(|span| path[span].to_owned());
        Some((node.route(method)?, id))
    }

    #[test]
    fn literal_wins_over_parameter_and_case_does_not_matter() {
        assert_eq!(
            find("/v2/incidents/comments", &Method::GET),
            Some((1, None))
        );
        assert_eq!(
            find("/V2/Incidents/17/COMMENTS", &Method::GET),
            Some((2, Some("17".into())))
        );
        assert_eq!(
            find("/v2/incidents/comments/9", &Method::GET),
            Some((3, Some("9".into())))
        );
        assert_eq!(
            find("/v1/incidents/x", &Method::PUT),
            Some((4, Some("x".into())))
        );
        assert_eq!(find("/v1/incidents/TRASH", &Method::HEAD), Some((5, None)));
    }

    #[test]
    fn a_key_may_stand_in_parentheses() {
        let mut table = table();
        table.insert(Method::GET, "/v2/groups", 6);
        table.insert(Method::GET, "/v2/groups/{groupId}", 7);
        table.insert(Method::GET, "/v2/groups/$count", 8);
        table.insert(Method::GET, "/v2/groups/{groupId}/boards/$count", 9);
        let find = |path: &str| {
            assert!(table.find(path).is_none(), "{path}");
            let (node, captures) = table.find_by_key(path)?;
            let key = captures.span(0).map(|span| path[span].to_owned())?;
            Some((node.route(&Method::GET)?, key))
        };
        for path in [
            "/v2/groups(7)",
            "/V2/GROUPS(id=7)",
            "/v2/groups%287%29",
            "/v2/groups%28id%3D7)",
        ] {
            assert_eq!(find(path), Some((7, "7".into())), "{path}");
        }
        assert_eq!(find("/v2/incidents/comments(9)"), Some((3, "9".into())));
        assert_eq!(
            find("/v2/groups(id=7)/boards/$count"),
            Some((9, "7".into()))
        );
        assert_eq!(find("/v2/groups(x)"), Some((7, "x".into())));
        assert_eq!(find("/v2/groups(name=7)"), Some((7, "name=7".into())));
        for path in [
            "/v2/groups()",
            "/v2/groups(id=)",
            "/v2/groups(7)(8)",
            "/v2/groups((7))",
            "/v2/groups(7",
            "/v2/groups7)",
            "/v2/groups)7(",
            "/v2/groups(7)/x",
            "/v2/groups(7/8)",
            "/v2/groups(7)boards/$count",
            "/v2/groups(7)/boards(8)/$count",
            "/v2/groups(7)/boards/$count()",
            "/v2/groups($count)",
            "/v2(groups)",
            "/v2/incidents(7)",
            // A literal in parentheses is no key, and the id behind it is not its key.
            "/v2/incidents(comments)/9",
            "/v1/Incidents(7)",
        ] {
            assert_eq!(find(path), None, "{path}");
        }
    }

    #[test]
    fn other_paths_are_not_served() {
        for path in [
            "/",
            "",
            "/v2",
            "/v2/incidents",
            "/v2/incidents/17/comments/",
            "/v1/Incidents/",
            "/v1//Incidents/1",
            "/v1/Incidents/1/2",
        ] {
            assert_eq!(find(path, &Method::GET), None, "{path}");
        }
    }

    #[test]
    fn allow_lists_what_the_path_takes() {
        assert_eq!(
            table()
                .find("/v1/incidents/trash")
                .map(|(node, _)| node.allow())
                .as_deref(),
            Some("GET, HEAD")
        );
        assert_eq!(
            table()
                .find("/v1/incidents/1")
                .map(|(node, _)| node.allow())
                .as_deref(),
            Some("PUT")
        );
    }
}
