//! CSDL in XML, version 4.0, which most tools read.

use super::{
    AGGREGATION, CAPABILITIES, Container, EntitySet, Model, VOCABULARIES, VOCABULARIES_AT,
    constraint, fraction_digits, restrictions,
};
use crate::edm::{Cardinality, EntityType, EnumType, Navigation, Property};
use crate::parse::apply::TRANSFORMATIONS;

const EDMX: &str = "http://docs.oasis-open.org/odata/ns/edmx";
const EDM: &str = "http://docs.oasis-open.org/odata/ns/edm";

/// The description of the container and the types it leads to.
pub(super) fn write(container: &Container) -> String {
    let model = Model::of(container);
    let mut xml = Xml::new();
    xml.within(
        "edmx:Edmx",
        &[("xmlns:edmx", EDMX), ("Version", "4.0")],
        |xml| {
            for namespace in VOCABULARIES {
                let vocabulary = format!("{VOCABULARIES_AT}/{namespace}.xml");
                xml.within("edmx:Reference", &[("Uri", &vocabulary)], |xml| {
                    xml.empty("edmx:Include", &[("Namespace", namespace)]);
                });
            }
            xml.within("edmx:DataServices", &[], |xml| {
                let attributes = [("xmlns", EDM), ("Namespace", container.namespace)];
                xml.within("Schema", &attributes, |xml| {
                    for entity in &model.entities {
                        entity_type(xml, container, entity);
                    }
                    for of in &model.enums {
                        enum_type(xml, of);
                    }
                    xml.within("EntityContainer", &[("Name", container.name)], |xml| {
                        for set in container.sets {
                            entity_set(xml, container, set);
                        }
                        supported_transformations(xml, "ApplySupportedDefaults");
                    });
                });
            });
        },
    );
    xml.out
}

fn entity_type(xml: &mut Xml, container: &Container, entity: &EntityType) {
    xml.within("EntityType", &[("Name", entity.name)], |xml| {
        xml.within("Key", &[], |xml| {
            xml.empty("PropertyRef", &[("Name", entity.key)]);
        });
        for of in entity.properties {
            property(xml, container, of);
        }
        for of in entity.navigations {
            navigation(xml, container, entity, of);
        }
    });
}

fn property(xml: &mut Xml, container: &Container, property: &Property) {
    let ty = container.type_name(property.ty);
    let digits = fraction_digits(property.ty).map(|digits| digits.to_string());
    let mut attributes = vec![("Name", property.name), ("Type", ty.as_str())];
    if !property.nullable {
        attributes.push(("Nullable", "false"));
    }
    if let Some(digits) = &digits {
        attributes.push(("Precision", digits));
    }
    xml.empty("Property", &attributes);
}

fn navigation(xml: &mut Xml, container: &Container, entity: &EntityType, navigation: &Navigation) {
    let target = container.qualified(navigation.target.name);
    let ty = match navigation.cardinality {
        Cardinality::One => target,
        Cardinality::Many => format!("Collection({target})"),
    };
    let mut attributes = vec![("Name", navigation.name), ("Type", ty.as_str())];
    if container.contains(navigation) {
        attributes.push(("ContainsTarget", "true"));
    }
    match constraint(entity, navigation) {
        None => xml.empty("NavigationProperty", &attributes),
        Some((dependent, principal)) => xml.within("NavigationProperty", &attributes, |xml| {
            let attributes = [("Property", dependent), ("ReferencedProperty", principal)];
            xml.empty("ReferentialConstraint", &attributes);
        }),
    }
}

fn enum_type(xml: &mut Xml, of: &EnumType) {
    xml.within("EnumType", &[("Name", of.name)], |xml| {
        // The values are never sent, but several readers cannot do without.
        for (value, member) in of.members.iter().enumerate() {
            xml.empty("Member", &[("Name", member), ("Value", &value.to_string())]);
        }
    });
}

fn entity_set(xml: &mut Xml, container: &Container, set: &EntitySet) {
    let ty = container.qualified(set.entity.name);
    let attributes = [("Name", set.name), ("EntityType", ty.as_str())];
    xml.within("EntitySet", &attributes, |xml| {
        for (path, target) in container.bindings(set) {
            let attributes = [("Path", path.as_str()), ("Target", target)];
            xml.empty("NavigationPropertyBinding", &attributes);
        }
        for (restriction, property) in restrictions(set) {
            let term = format!("{CAPABILITIES}.{restriction}");
            xml.within("Annotation", &[("Term", &term)], |xml| {
                xml.within("Record", &[], |xml| {
                    xml.empty(
                        "PropertyValue",
                        &[("Property", property), ("Bool", "false")],
                    );
                });
            });
        }
        supported_transformations(xml, "ApplySupported");
    });
}

/// The annotation of a set, or of the container: the defaults for all its lists, also of contained records.
fn supported_transformations(xml: &mut Xml, term: &str) {
    let term = format!("{AGGREGATION}.{term}");
    xml.within("Annotation", &[("Term", &term)], |xml| {
        xml.within("Record", &[], |xml| {
            let property = [("Property", "Transformations")];
            xml.within("PropertyValue", &property, |xml| {
                xml.within("Collection", &[], |xml| {
                    for name in TRANSFORMATIONS {
                        xml.text("String", name);
                    }
                });
            });
            let none = format!("{AGGREGATION}.RollupType/None");
            xml.empty(
                "PropertyValue",
                &[("Property", "Rollup"), ("EnumMember", &none)],
            );
            xml.empty("PropertyValue", &[("Property", "From"), ("Bool", "false")]);
        });
    });
}

/// A document that grows element by element.
struct Xml {
    out: String,
    depth: usize,
}

impl Xml {
    fn new() -> Self {
        Self {
            out: "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".to_owned(),
            depth: 0,
        }
    }

    fn empty(&mut self, name: &str, attributes: &[(&str, &str)]) {
        self.tag(name, attributes, "/>\n");
    }

    fn within(&mut self, name: &str, attributes: &[(&str, &str)], write: impl FnOnce(&mut Self)) {
        self.tag(name, attributes, ">\n");
        self.depth += 1;
        write(self);
        self.depth -= 1;
        self.indent();
        self.out.push_str("</");
        self.out.push_str(name);
        self.out.push_str(">\n");
    }

    /// An element with a text.
    fn text(&mut self, name: &str, text: &str) {
        self.tag(name, &[], ">");
        self.escaped(text);
        self.out.push_str("</");
        self.out.push_str(name);
        self.out.push_str(">\n");
    }

    fn tag(&mut self, name: &str, attributes: &[(&str, &str)], end: &str) {
        self.indent();
        self.out.push('<');
        self.out.push_str(name);
        for (attribute, value) in attributes {
            self.out.push(' ');
            self.out.push_str(attribute);
            self.out.push_str("=\"");
            self.escaped(value);
            self.out.push('"');
        }
        self.out.push_str(end);
    }

    fn indent(&mut self) {
        for _ in 0..self.depth {
            self.out.push_str("  ");
        }
    }

    fn escaped(&mut self, text: &str) {
        for character in text.chars() {
            match character {
                '&' => self.out.push_str("&amp;"),
                '<' => self.out.push_str("&lt;"),
                '>' => self.out.push_str("&gt;"),
                '"' => self.out.push_str("&quot;"),
                // A reader would turn these into spaces.
                '\t' | '\n' | '\r' => {
                    self.out.push_str(&format!("&#{};", u32::from(character)));
                }
                other => self.out.push(other),
            }
        }
    }
}
