//! Walks two documents side by side and applies the rules to each pair of nodes. Schemas may be circular.

use std::collections::{BTreeSet, HashSet};
use std::ptr::from_ref;

use serde_json::Value;

use super::document::{Node, Operation, operations};
use super::operation_rules::response;
use super::rules::{Break, Direction, Find, RULES};
use super::schema::Schema;

/// One change that breaks clients.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Finding {
    /// What changed, by its old name: `IncidentUpdate.title`, `GET /v1/Incidents page`.
    pub(super) at: String,
    /// The name of the rule.
    pub(super) rule: &'static str,
    /// What was and what is.
    pub(super) message: String,
}

/// Everything that breaks clients of the old document under the new one.
pub(super) fn compare(old: &Value, new: &Value) -> BTreeSet<Finding> {
    let mut comparison = Comparison::default();
    comparison.documents(old, new);
    comparison.findings
}

#[derive(Default)]
struct Comparison {
    findings: BTreeSet<Finding>,
    /// Pairs of schemas that were compared, or that are being compared: the addresses of both nodes.
    seen: HashSet<(*const Value, *const Value, Direction)>,
}

impl Comparison {
    fn documents(&mut self, old: &Value, new: &Value) {
        let (old_root, new_root) = (Node::root(old), Node::root(new));
        self.apply("", |find| match find {
            Find::Document(find) => find(old_root, new_root),
            _ => Vec::new(),
        });
        let new = operations(new);
        for (key, operation) in operations(old) {
            if let Some(now) = new.get(&key) {
                self.operations(&operation, now);
            }
        }
    }

    fn operations(&mut self, old: &Operation<'_>, new: &Operation<'_>) {
        let at = &old.address;
        self.apply(at, |find| match find {
            Find::Operation(find) => find(old, new),
            _ => Vec::new(),
        });
        for (key, parameter) in &old.parameters {
            if let Some(now) = new.parameters.get(key) {
                let at = match parameter.component {
                    Some(name) => format!("parameter {name}"),
                    None => format!("{at} {}", parameter.text("name")),
                };
                self.parameters(&at, *parameter, *now);
            }
        }
        if let (Some(body), Some(now)) = (old.node.get("requestBody"), new.node.get("requestBody"))
        {
            self.contents(&format!("{at} body"), Direction::Request, body, now);
        }
        let statuses = old.node.members("responses").into_keys();
        let statuses: BTreeSet<&str> = statuses
            .chain(new.node.members("responses").into_keys())
            .collect();
        for status in statuses {
            if let (Some(was), Some(is)) = (response(old, status), response(new, status)) {
                let at = match was.component {
                    Some(name) => format!("response {name}"),
                    None => format!("{at} {status}"),
                };
                self.responses(&at, was, is);
            }
        }
    }

    fn parameters(&mut self, at: &str, old: Node<'_>, new: Node<'_>) {
        self.apply(at, |find| match find {
            Find::Parameter(find) => find(old, new),
            _ => Vec::new(),
        });
        self.schemas_of(at, Direction::Request, old, new);
    }

    fn responses(&mut self, at: &str, old: Node<'_>, new: Node<'_>) {
        self.apply(at, |find| match find {
            Find::Response(find) => find(old, new),
            _ => Vec::new(),
        });
        let headers = new.members("headers");
        for (name, header) in old.members("headers") {
            if let Some(now) = headers.get(name) {
                self.schemas_of(&format!("{at} {name}"), Direction::Response, header, *now);
            }
        }
        self.contents(at, Direction::Response, old, new);
    }

    fn contents(&mut self, at: &str, direction: Direction, old: Node<'_>, new: Node<'_>) {
        self.apply(at, |find| match find {
            Find::Content(find) => find(old, new),
            _ => Vec::new(),
        });
        let content = new.members("content");
        for (media_type, body) in old.members("content") {
            if let Some(now) = content.get(media_type) {
                self.schemas_of(at, direction, body, *now);
            }
        }
    }

    fn schemas_of(&mut self, at: &str, direction: Direction, old: Node<'_>, new: Node<'_>) {
        if let (Some(old), Some(new)) = (old.get("schema"), new.get("schema")) {
            self.schemas(at, direction, old, new);
        }
    }

    /// Two uses of schemas. What both refer to is compared once, under its own name; whether null is allowed
    /// belongs to the use, since it may be written there or in a twin of the schema.
    fn schemas(&mut self, at: &str, direction: Direction, old: Node<'_>, new: Node<'_>) {
        match (Schema::reference(old), Schema::reference(new)) {
            (Some((beside, target)), Some((beside_now, now))) => {
                self.apply_to_schemas(at, direction, &beside, &beside_now);
                let at = target.component.unwrap_or(at);
                if self.is_new(direction, target, now) {
                    let [mut old, mut new] = [target, now].map(Schema::of);
                    (old.nullable, new.nullable) = (false, false);
                    self.whole_schemas(at, direction, &old, &new);
                }
            }
            _ if self.is_new(direction, old, new) => {
                self.whole_schemas(at, direction, &Schema::of(old), &Schema::of(new));
            }
            _ => {}
        }
    }

    fn is_new(&mut self, direction: Direction, old: Node<'_>, new: Node<'_>) -> bool {
        let pair = (from_ref(old.value), from_ref(new.value), direction);
        self.seen.insert(pair)
    }

    fn whole_schemas(
        &mut self,
        at: &str,
        direction: Direction,
        old: &Schema<'_>,
        new: &Schema<'_>,
    ) {
        self.apply_to_schemas(at, direction, old, new);
        for (name, property) in &old.properties {
            if let Some(now) = new.properties.get(name) {
                self.schemas(&format!("{at}.{name}"), direction, *property, *now);
            }
        }
        if let (Some(old), Some(new)) = (old.items, new.items) {
            self.schemas(&format!("{at}[]"), direction, old, new);
        }
        if let (Some(old), Some(new)) = (old.additional, new.additional) {
            self.schemas(&format!("{at}.*"), direction, old, new);
        }
        for (old, new) in old.alternatives.iter().zip(&new.alternatives) {
            self.schemas(&format!("{at}|"), direction, *old, *new);
        }
    }

    fn apply_to_schemas(
        &mut self,
        at: &str,
        direction: Direction,
        old: &Schema<'_>,
        new: &Schema<'_>,
    ) {
        self.apply(at, |find| match find {
            Find::Schema(only, find) if only.is_none_or(|only| only == direction) => find(old, new),
            _ => Vec::new(),
        });
    }

    /// Applies the rules that `run` selects, and files their findings under the node's name.
    fn apply(&mut self, at: &str, run: impl Fn(&Find) -> Vec<Break>) {
        for rule in &RULES {
            self.findings
                .extend(run(&rule.find).into_iter().map(|(about, message)| Finding {
                    at: format!("{at}{about}"),
                    rule: rule.name,
                    message,
                }));
        }
    }
}
