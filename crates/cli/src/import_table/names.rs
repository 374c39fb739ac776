//! Resolves the names of drafts to ids, among the records that exist. A pure function; who reads the records
//! is no matter here.

use std::collections::HashMap;

use obeya_server::import::{Name, Named};
use serde_json::{Map as Object, Value};

use super::convert::{Draft, NameIn};
use super::faults::{Fault, one};

/// A record that can be stored.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Record {
    pub(crate) line: u64,
    /// Properties in the form of the wire, without the id.
    pub(crate) object: Object<String, Value>,
}

/// The records that a name may mean.
#[derive(Debug, Default)]
pub(crate) struct Directory {
    /// Names in lower case, and ids, each with what it names and whose part that is.
    ids: HashMap<(Named, Option<i32>, String), Match>,
}

#[derive(Debug, Clone, PartialEq)]
enum Match {
    One(Value),
    /// Records of the same name.
    Several,
}

impl Directory {
    /// A directory of these names.
    pub(crate) fn new(names: impl IntoIterator<Item = Name>) -> Self {
        let mut directory = Self::default();
        let mut by_id = Vec::new();
        for name in names {
            let named = name.named;
            let id = match name.id.parse::<i32>() {
                Ok(id) if named != Named::User => Value::from(id),
                _ => Value::from(&*name.id),
            };
            by_id.push(((named, name.owner, name.id.clone()), id.clone()));
            let key = (named, name.owner, folded(&name.name));
            let entry = directory
                .ids
                .entry(key)
                .or_insert_with(|| Match::One(id.clone()));
            if *entry != Match::One(id) {
                *entry = Match::Several;
            }
        }
        // An id always means its record, even if another one has it as its name.
        for (key, id) in by_id {
            directory.ids.insert(key, Match::One(id));
        }
        directory
    }

    /// Resolves the names of a draft.
    pub(crate) fn resolve(&self, draft: Draft) -> Result<Record, Vec<Fault>> {
        let mut object = draft.object;
        let mut faults = Vec::new();
        let mut owner = None;
        // The parts of a type are looked up among those of the type, so the type comes first.
        let (types, others): (Vec<NameIn>, Vec<NameIn>) = draft
            .names
            .into_iter()
            .partition(|name| name.named == Named::IncidentType);
        let is_type_known = types.iter().all(|name| self.find(name, None).is_ok());
        for name in types.into_iter().chain(others) {
            let is_part = name.named.is_part_of_type();
            if is_part && !is_type_known {
                // The fault is the type's.
                continue;
            }
            match self.find(&name, owner.filter(|_| is_part)) {
                Ok(id) => {
                    if name.named == Named::IncidentType {
                        owner = id.as_i64().and_then(|id| i32::try_from(id).ok());
                    }
                    put(&mut object, &name, id);
                }
                Err(None) if name.or_text.is_some() => {
                    let property = name.or_text.unwrap_or_default().to_owned();
                    object.insert(property, name.name.into());
                }
                Err(found) => faults.push(Fault {
                    unknown: found.is_none().then(|| (name.named, name.name.clone())),
                    ..Fault::cell(
                        draft.line,
                        &name.column,
                        found.unwrap_or_default(),
                        format!(
                            "the id, or a name that only one has, of {}",
                            one(name.named)
                        ),
                    )
                }),
            }
        }
        match faults.is_empty() {
            true => Ok(Record {
                line: draft.line,
                object,
            }),
            false => Err(faults),
        }
    }

    /// The id of a name; otherwise what was found, if it is several records.
    fn find(&self, name: &NameIn, owner: Option<i32>) -> Result<Value, Option<String>> {
        let exact = (name.named, owner, name.name.clone());
        let folded = (name.named, owner, folded(&name.name));
        match self.ids.get(&exact).or_else(|| self.ids.get(&folded)) {
            Some(Match::One(id)) => Ok(id.clone()),
            Some(Match::Several) => Err(Some(format!("\"{}\", the name of several", name.name))),
            None => Err(None),
        }
    }
}

fn put(object: &mut Object<String, Value>, name: &NameIn, id: Value) {
    if !name.is_list {
        object.insert(name.property.to_owned(), id);
        return;
    }
    let part = match name.named {
        Named::Group => id,
        _ => serde_json::json!({ "id": id }),
    };
    let list = object
        .entry(name.property)
        .or_insert_with(|| Value::Array(Vec::new()));
    if let Value::Array(parts) = list
        && !parts.contains(&part)
    {
        parts.push(part);
    }
}

/// A name as it is compared: lower case, one space between words.
fn folded(name: &str) -> String {
    let words: Vec<String> = name.split_whitespace().map(str::to_lowercase).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(named: Named, id: &str, name: &str, owner: Option<i32>) -> Name {
        Name {
            named,
            id: id.to_owned(),
            name: name.to_owned(),
            owner,
        }
    }

    fn directory() -> Directory {
        Directory::new([
            name(Named::Group, "3", "Team 3", None),
            name(Named::Group, "4", "Assembly", None),
            name(Named::Group, "5", "assembly", None),
            name(Named::Group, "6", "4", None),
            name(Named::User, "12", "Ola Nordmann", None),
            name(Named::User, "12", "ola@x.example", None),
            name(Named::IncidentType, "1", "Fall", None),
            name(Named::IncidentType, "2", "Fire", None),
            name(Named::Category, "10", "Stairs", Some(1)),
            name(Named::Category, "20", "Stairs", Some(2)),
        ])
    }

    fn resolve(names: &[(Named, &'static str, &str)]) -> Result<Value, Vec<Fault>> {
        let named = |(named, property, text): &(Named, &'static str, &str)| NameIn {
            column: "H".to_owned(),
            property,
            named: *named,
            name: (*text).to_owned(),
            is_list: *named == Named::Category,
            or_text: (*property == "by").then_some("byText"),
        };
        let draft = Draft {
            line: 9,
            object: Object::new(),
            names: names.iter().map(named).collect(),
        };
        directory()
            .resolve(draft)
            .map(|record| Value::from(record.object))
    }

    #[test]
    fn names_and_ids_are_found_whatever_the_case_and_spaces() {
        let found = resolve(&[
            (Named::Group, "g", "TEAM  3"),
            (Named::User, "u", "ola nordmann"),
            (Named::Group, "h", "4"),
        ]);
        assert_eq!(found, Ok(serde_json::json!({"g": 3, "u": "12", "h": 4})));
        let found = resolve(&[(Named::User, "u", "12")]);
        assert_eq!(found, Ok(serde_json::json!({"u": "12"})));
    }

    #[test]
    fn parts_are_those_of_the_type_of_the_line() {
        for (kind, id) in [("Fall", 10), ("Fire", 20)] {
            let found = resolve(&[
                (Named::Category, "categories", "stairs"),
                (Named::IncidentType, "t", kind),
            ])
            .unwrap();
            assert_eq!(
                found["categories"],
                serde_json::json!([{"id": id}]),
                "{kind}"
            );
        }
        let faults = resolve(&[
            (Named::Category, "categories", "Stairs"),
            (Named::IncidentType, "t", "Flood"),
        ])
        .unwrap_err();
        assert_eq!(faults.len(), 1, "only the type: {faults:?}");
        assert_eq!(
            faults[0].unknown,
            Some((Named::IncidentType, "Flood".to_owned()))
        );
    }

    #[test]
    fn beside_its_parts_a_type_may_have_other_names_and_a_part_is_listed_once() {
        let found = resolve(&[
            (Named::IncidentType, "t", "Fall"),
            (Named::Group, "g", "Team 3"),
            (Named::Category, "categories", "Stairs"),
            (Named::Category, "categories", "10"),
        ]);
        let categories = serde_json::json!([{"id": 10}]);
        let expected = serde_json::json!({"t": 1, "g": 3, "categories": categories});
        assert_eq!(found, Ok(expected));
    }

    #[test]
    fn a_name_of_several_or_of_none_is_a_fault() {
        let faults = resolve(&[
            (Named::Group, "g", "Assembly"),
            (Named::Group, "h", "Team 9"),
        ])
        .unwrap_err();
        assert_eq!(faults[0].found, "\"Assembly\", the name of several");
        assert_eq!(faults[0].unknown, None);
        assert_eq!(faults[1].unknown, Some((Named::Group, "Team 9".to_owned())));
    }

    #[test]
    fn a_person_who_is_no_user_stays_a_text_where_that_is_possible() {
        let found = resolve(&[(Named::User, "by", "Kari Nordmann")]);
        assert_eq!(found, Ok(serde_json::json!({"byText": "Kari Nordmann"})));
        let found = resolve(&[(Named::User, "by", "Ola Nordmann")]);
        assert_eq!(found, Ok(serde_json::json!({"by": "12"})));
    }
}
