//! Context addresses: the part of the model that an answer contains, as a fragment of the metadata document's
//! address.
//!
//! The rules are those for answers of OData 4.0: an expanded navigation without options is left out of the
//! list, because the client requested it, and a list of expanded navigations only means all properties.

use crate::bind::Bound;

/// The context of a list that answers `query`, such as `$metadata#groups(id,boards(name))`, relative to the
/// address of the service.
///
/// `source` is the name of the set the entities are in, or the path they are contained under, such as
/// `groups(7)/users`.
#[must_use]
pub fn list_context(source: &str, query: &Bound) -> String {
    match selected(query).as_str() {
        "" => format!("$metadata#{source}"),
        list => format!("$metadata#{source}({list})"),
    }
}

/// The context of a single record that answers `query`, such as `$metadata#groups/$entity`. `source` is as
/// for [`list_context`].
#[must_use]
pub fn record_context(source: &str, query: &Bound) -> String {
    format!("{}/$entity", list_context(source, query))
}

/// The context of a single record with all its properties, such as `$metadata#groups/$entity`. `source` is as
/// for [`list_context`].
#[must_use]
pub fn whole_record_context(source: &str) -> String {
    format!("$metadata#{source}/$entity")
}

/// The returned properties of each entity, separated by commas; empty for every property.
fn selected(query: &Bound) -> String {
    if let Some(result) = query.result() {
        let paths: Vec<&[String]> = result.iter().map(|column| &column.path[..]).collect();
        return listed(&paths);
    }
    let columns = query.columns().iter().filter(|column| !column.hidden());
    let names: Vec<&str> = columns.map(|column| column.name).collect();
    let mut parts: Vec<String> = if names.len() == query.entity().properties.len() {
        Vec::new()
    } else {
        names.iter().map(|name| (*name).to_owned()).collect()
    };
    for expand in query.expands() {
        let name = expand.navigation.name;
        // With navigations alone selected there is no property to name, and no name at all would mean all of
        // them.
        if names.is_empty() {
            parts.push(name.to_owned());
        }
        let nested = selected(&expand.query);
        if !nested.is_empty() {
            parts.push(format!("{name}({nested})"));
        }
    }
    if names.is_empty() && parts.is_empty() {
        parts.push(query.entity().key.to_owned());
    }
    parts.join(",")
}

/// The values of each group, such as `area(name),n`: a navigation once, with what is behind it.
fn listed(paths: &[&[String]]) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut seen: Vec<&String> = Vec::new();
    for path in paths {
        let Some((first, rest)) = path.split_first() else {
            continue;
        };
        if rest.is_empty() {
            parts.push(first.clone());
        } else if !seen.contains(&first) {
            seen.push(first);
            let inside = paths
                .iter()
                .filter(|other| other.len() > 1 && other[0] == *first);
            let inside: Vec<&[String]> = inside.map(|other| &other[1..]).collect();
            parts.push(format!("{first}({})", listed(&inside)));
        }
    }
    parts.join(",")
}
