//! Paths resolved against the entity model.

use crate::ast::{Expr, ExprKind, Literal, Segment};
use crate::bind::expr::Binder;
use crate::bind::node::{Comparison, Node, NodeKind, Source};
use crate::bind::read_as;
use crate::edm::{Cardinality, EntityType, Navigation, Type};
use crate::error::{Error, ErrorKind, excerpt};
use crate::nearest::{did_you_mean, nearest};

/// A range variable in scope. Without a name it is the member that plain paths start from, inside
/// `$count($filter=…)`.
pub(crate) struct Variable {
    pub name: Option<String>,
    pub entity: &'static EntityType,
    pub number: usize,
}

/// The meaning of a name in an entity.
enum Member {
    Property(&'static crate::edm::Property),
    Navigation(&'static Navigation),
}

impl Binder<'_> {
    /// A path to a property.
    pub(crate) fn property(&self, path: &[Segment]) -> Result<Node, Error> {
        let (source, entity, last) = self.walk(path)?;
        match self.member(entity, last, path.len() == 1)? {
            Member::Property(property) if property.ty == Type::Texts => {
                Err(list_of_texts(property.name, last.at))
            }
            Member::Property(property) => Ok(Node::new(
                path[0].at,
                property.ty,
                NodeKind::Property(source, property),
            )),
            Member::Navigation(navigation) => {
                let hint = match navigation.cardinality {
                    Cardinality::One => format!(
                        "expected a property of it, such as `{}/{}`, or `eq null`",
                        navigation.name, navigation.target.key
                    ),
                    Cardinality::Many => {
                        "it leads to many: use `any`, `all` or `$count`".to_owned()
                    }
                };
                let message = format!(
                    "found the navigation `{}` as a value; {hint}",
                    navigation.name
                );
                Err(Error::new(ErrorKind::Type, last.at, message))
            }
        }
    }

    /// Two operands of which at least one is an entity, which is compared by its key. An entity can only be
    /// compared with one of the same type and with null.
    pub(super) fn references(
        &mut self,
        comparison: Comparison,
        left: &Expr,
        right: &Expr,
    ) -> Result<Option<(Node, Node)>, Error> {
        if !matches!(comparison, Comparison::Eq | Comparison::Ne) {
            return Ok(None);
        }
        let null = |expr: &Expr| self.meant(expr).kind == ExprKind::Literal(Literal::Null);
        let keys = match (self.entity(left), self.entity(right)) {
            (Some(left_key), Some(right_key)) => {
                let (left_entity, right_entity) = (left_key.1, right_key.1);
                if left_entity.name != right_entity.name {
                    let message = format!(
                        "found entities of the types {} and {}, which are never the same; compare properties of them",
                        left_entity.name, right_entity.name
                    );
                    return Err(Error::new(ErrorKind::Type, right.at, message));
                }
                (left_key.0, right_key.0)
            }
            (Some((key, _)), None) if null(right) => (key, self.expr(right)?),
            (None, Some((key, _))) if null(left) => (self.expr(left)?, key),
            _ => return Ok(None),
        };
        Ok(Some(keys))
    }

    /// The value of an alias, unless it is an alias again; any other expression is returned as it is.
    fn meant<'e>(&'e self, mut expr: &'e Expr) -> &'e Expr {
        // A circular alias is refused where its value is bound.
        for _ in 0..=self.limits.safe_lambdas() {
            let ExprKind::Alias(name) = &expr.kind else {
                break;
            };
            let Some(value) = self.aliases.get(name) else {
                break;
            };
            expr = value;
        }
        expr
    }

    /// The key of the entity that a path leads to, if it leads to one: a navigation to one, a range variable,
    /// `$it`. An alias may be the path.
    fn entity(&self, expr: &Expr) -> Option<(Node, &'static EntityType)> {
        let ExprKind::Path(path) = &self.meant(expr).kind else {
            return None;
        };
        // A group is no entity.
        if self.shape.grouped {
            return None;
        }
        let (variable, mut entity, steps) = self.start(path).ok()?;
        let mut source = Source::of(variable);
        for step in steps {
            let navigation = entity
                .navigation(&step.name)
                .filter(|found| found.cardinality == Cardinality::One)?;
            source.path.push(navigation);
            entity = navigation.target;
        }
        let key = entity.key_property()?;
        let node = Node::new(expr.at, key.ty, NodeKind::Property(source, key));
        Some((node, entity))
    }

    /// A path to a collection.
    pub(crate) fn many(
        &self,
        at: usize,
        path: &[Segment],
    ) -> Result<(Source, &'static Navigation), Error> {
        if self.shape.grouped {
            return Err(self.shape.unknown(path));
        }
        let (source, entity, last) = self.walk(path)?;
        match self.member(entity, last, path.len() == 1)? {
            Member::Navigation(navigation) if navigation.cardinality == Cardinality::Many => {
                Ok((source, navigation))
            }
            Member::Property(property) if property.ty == Type::Texts => {
                Err(list_of_texts(property.name, at))
            }
            _ => {
                let message = format!(
                    "found `{}`, which is no collection; expected a navigation that leads to many",
                    excerpt(&last.name)
                );
                Err(Error::new(ErrorKind::Type, at, message))
            }
        }
    }

    /// Follows all names of a path but the last: its start, the navigations on the way, and the entity of the
    /// last name.
    fn walk<'p>(
        &self,
        path: &'p [Segment],
    ) -> Result<(Source, &'static EntityType, &'p Segment), Error> {
        let (variable, mut entity, steps) = self.start(path)?;
        let mut source = Source::of(variable);
        let first = path.len() - steps.len();
        let Some((last, steps)) = steps.split_last() else {
            let message = format!(
                "found `{}` alone; expected a property of it, such as `{0}/{}`",
                excerpt(&path[0].name),
                entity.key
            );
            return Err(Error::new(ErrorKind::Type, path[0].at, message));
        };
        for (index, step) in steps.iter().enumerate() {
            match self.member(entity, step, first + index == 0)? {
                Member::Navigation(navigation) if navigation.cardinality == Cardinality::One => {
                    source.path.push(navigation);
                    entity = navigation.target;
                }
                Member::Navigation(navigation) => {
                    let message = format!(
                        "found `{}/`, which leads to many; expected `any`, `all` or `$count` after it",
                        navigation.name
                    );
                    return Err(Error::new(ErrorKind::Type, step.at, message));
                }
                Member::Property(property) => {
                    let message = format!(
                        "found `/` after `{}`, which is a plain property of {}",
                        property.name, entity.name
                    );
                    return Err(Error::new(ErrorKind::Type, step.at, message));
                }
            }
        }
        Ok((source, entity, last))
    }

    /// The row a path starts from, and the names that remain. A range variable hides a property of the same
    /// name.
    fn start<'p>(
        &self,
        path: &'p [Segment],
    ) -> Result<(usize, &'static EntityType, &'p [Segment]), Error> {
        let first = &path[0];
        if let Some(variable) = self
            .variables
            .iter()
            .rev()
            .find(|variable| variable.name.as_deref() == Some(&first.name))
        {
            return Ok((variable.number, variable.entity, &path[1..]));
        }
        let innermost = self
            .variables
            .iter()
            .rev()
            .find(|variable| variable.name.is_none());
        let current = innermost.map_or((0, self.entity), |variable| {
            (variable.number, variable.entity)
        });
        match first.name.as_str() {
            "$it" if self.outermost => Ok((0, self.entity, &path[1..])),
            "$it" => {
                let message = "found `$it`, which inside `$expand` would mean the outer entity; only its own properties can be used here";
                Err(Error::new(ErrorKind::UnknownProperty, first.at, message))
            }
            "$this" => Ok((current.0, current.1, &path[1..])),
            _ => Ok((current.0, current.1, path)),
        }
    }

    fn member(
        &self,
        entity: &'static EntityType,
        segment: &Segment,
        is_first: bool,
    ) -> Result<Member, Error> {
        let name = segment.name.as_str();
        if let Some(property) = entity.property(name) {
            return Ok(Member::Property(read_as(entity, property, self.replaced)));
        }
        if let Some(navigation) = entity.navigation(name) {
            return Ok(Member::Navigation(navigation));
        }
        // A first name could also have been meant as a range variable.
        let variables = self
            .variables
            .iter()
            .filter_map(|variable| variable.name.as_deref())
            .filter(|_| is_first);
        Err(unknown(entity, segment, variables))
    }
}

/// The error for a property that can only be selected.
fn list_of_texts(name: &str, at: usize) -> Error {
    let message = format!(
        "found `{name}`, a list of texts, which can be selected only; expected a property with one value"
    );
    Error::new(ErrorKind::Type, at, message)
}

/// The error for a name that an entity does not have.
pub(crate) fn unknown<'a>(
    entity: &EntityType,
    segment: &Segment,
    others: impl Iterator<Item = &'a str>,
) -> Error {
    let names = entity
        .properties
        .iter()
        .map(|p| p.name)
        .chain(entity.navigations.iter().map(|n| n.name));
    let near = nearest(&segment.name, names.chain(others));
    let message = format!(
        "found `{}`, which is no property of {}{}",
        excerpt(&segment.name),
        entity.name,
        did_you_mean(near, "")
    );
    Error::new(ErrorKind::UnknownProperty, segment.at, message)
}
