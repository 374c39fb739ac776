//! Builds the tree of categories from a flat list.

use std::collections::HashMap;

use obeya_model::Category;

/// A category as it is stored.
#[derive(Debug, Clone)]
pub(super) struct Flat {
    pub(super) id: i32,
    pub(super) title: String,
    pub(super) description: Option<String>,
    pub(super) sort_order: i32,
    pub(super) parent_id: Option<i32>,
}

/// Deeper trees are cut here: the answer is written by recursion.
const MAX_DEPTH: usize = 64;

/// The roots, each with its children; siblings stay in the order of the list. A category whose parent is not
/// in the list is a root.
pub(super) fn tree(flat: Vec<Flat>) -> Vec<Category> {
    let ids: HashMap<i32, ()> = flat.iter().map(|category| (category.id, ())).collect();
    let mut below: HashMap<Option<i32>, Vec<Flat>> = HashMap::new();
    for category in flat {
        let parent = category.parent_id.filter(|parent| ids.contains_key(parent));
        below.entry(parent).or_default().push(category);
    }
    grow(None, &mut below, MAX_DEPTH)
}

fn grow(
    parent: Option<i32>,
    below: &mut HashMap<Option<i32>, Vec<Flat>>,
    depth: usize,
) -> Vec<Category> {
    if depth == 0 {
        return Vec::new();
    }
    // Removed from the list, so that a stored cycle ends.
    let children = below.remove(&parent).unwrap_or_default();
    let grown = children.into_iter().map(|category| Category {
        children: grow(Some(category.id), below, depth - 1),
        id: category.id,
        title: category.title,
        description: category.description,
        sort_order: category.sort_order,
        parent_id: category.parent_id,
    });
    grown.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flat(id: i32, parent_id: Option<i32>) -> Flat {
        Flat {
            id,
            title: format!("c{id}"),
            description: None,
            sort_order: 0,
            parent_id,
        }
    }

    fn ids(categories: &[Category]) -> String {
        categories
            .iter()
            .map(|c| format!("{}({})", c.id, ids(&c.children)))
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[test]
    fn children_follow_their_parents_in_the_order_given() {
        let grown = tree(vec![
            flat(3, Some(1)),
            flat(1, None),
            flat(2, Some(1)),
            flat(4, Some(3)),
            flat(5, None),
        ]);
        assert_eq!(ids(&grown), "1(3(4()) 2()) 5()");
    }

    #[test]
    fn a_circle_ends_and_a_lost_parent_makes_a_top() {
        assert_eq!(
            ids(&tree(vec![
                flat(1, Some(2)),
                flat(2, Some(1)),
                flat(3, Some(99))
            ])),
            "3()"
        );
    }
}
