//! Checks the shape of a type's category tree once every category of the line is known. Writes nothing.

use std::collections::HashMap;

use crate::import::error::{ImportError, Location};

/// Most levels of categories. The wire nests them, and JSON readers limit the depth: this is half of what
/// ours allows.
const DEPTH: usize = 64;

/// The categories of one line.
#[derive(Default)]
pub(super) struct Tree {
    /// Each category with its field, in the order of the line.
    nodes: Vec<(String, i32)>,
    /// The parent of each; `None` at the top.
    parents: HashMap<i32, Option<i32>>,
}

impl Tree {
    /// Adds the category in `field`, and its parent.
    pub(super) fn add(&mut self, field: &str, id: i32, parent: Option<i32>) {
        self.nodes.push((field.to_owned(), id));
        self.parents.insert(id, parent);
    }

    /// Refuses a parent that is not in the line, cycles of parents (which no walk from the root would reach),
    /// and a tree that is too deep.
    pub(super) fn check(&self, location: Location<'_>) -> Result<(), ImportError> {
        for (field, id) in &self.nodes {
            if let Some(Some(parent)) = self.parents.get(id)
                && !self.parents.contains_key(parent)
            {
                return Err(location.field_error(
                    &format!("{field}.parentId"),
                    parent,
                    "the id of a category of the same type",
                ));
            }
        }
        for (field, id) in &self.nodes {
            let mut path = vec![*id];
            let mut at = *id;
            while let Some(Some(parent)) = self.parents.get(&at) {
                at = *parent;
                if path.contains(&at) {
                    let found = format_args!("a cycle of parents at {at}");
                    let expected = "parents that end at one without a parent";
                    return Err(location.field_error(
                        &format!("{field}.parentId"),
                        found,
                        expected,
                    ));
                }
                path.push(at);
                if path.len() > DEPTH {
                    return Err(location.field_error(
                        field,
                        format_args!("a category with more than {} above it", DEPTH - 1),
                        format_args!("a tree of at most {DEPTH} levels"),
                    ));
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCATION: Location<'_> = Location {
        file: "incident_types.jsonl",
        line: 4,
    };

    /// A chain of categories, each below the one before.
    fn chain(length: i32) -> Tree {
        let mut tree = Tree::default();
        for id in 1..=length {
            let above = (id > 1).then_some(id - 1);
            tree.add(&format!("categories[{}]", id - 1), id, above);
        }
        tree
    }

    fn fault(tree: &Tree) -> String {
        tree.check(LOCATION).expect_err("a fault").to_string()
    }

    #[test]
    fn a_tree_has_at_most_64_levels() {
        chain(64).check(LOCATION).expect("64 levels");
        assert_eq!(
            fault(&chain(65)),
            "incident_types.jsonl, line 4, field categories[64]: found a category with more than 63 above it, \
             expected a tree of at most 64 levels"
        );
    }

    #[test]
    fn each_others_parents_are_found() {
        let mut tree = chain(1);
        tree.add("categories[1]", 8, Some(9));
        tree.add("categories[2]", 9, Some(8));
        assert_eq!(
            fault(&tree),
            "incident_types.jsonl, line 4, field categories[1].parentId: found a cycle of parents at 8, \
             expected parents that end at one without a parent"
        );
    }
}
