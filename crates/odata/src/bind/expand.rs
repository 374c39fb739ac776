//! `$expand`: the navigations to follow, each as a separate query.

use std::borrow::Cow;

use crate::ast::options::{OptionName, Options};
use crate::ast::{ExpandItem, ExpandTarget, Segment, SelectItem};
use crate::bind::path::unknown;
use crate::bind::{BoundExpand, Level, OutColumn, Used, query};
use crate::edm::{Cardinality, Column, EntityType, Navigation};
use crate::error::{Error, ErrorKind};

/// Binds the items of one level, and adds the link columns they need to `columns`.
pub(crate) fn expand(
    level: &Level<'_>,
    options: &Options,
    entity: &'static EntityType,
    narrowed: &[Vec<Segment>],
    columns: &mut Vec<OutColumn>,
    used: &mut Used,
) -> Result<Vec<BoundExpand>, Error> {
    let items = options.expand.as_deref().unwrap_or_default();
    let mut bound: Vec<BoundExpand> = Vec::new();
    for (navigation, item) in resolve(entity, items)? {
        let at = match &item.target {
            ExpandTarget::All => None,
            ExpandTarget::Navigation(segment) => Some(segment.at),
        };
        used.expands += 1;
        let limits = &level.context.limits;
        if used.expands > limits.expands {
            return Err(Error::limit(
                at,
                "too many navigations are expanded",
                limits.expands,
            ));
        }
        if level.depth + 1 > limits.safe_expand_depth() {
            return Err(Error::limit(
                at,
                "the navigations are nested too deeply",
                limits.safe_expand_depth(),
            ));
        }
        if navigation.cardinality == Cardinality::One {
            check_one(navigation, item, at)?;
        }
        if item.count_only {
            check_counted(navigation, item, at)?;
        }
        let mut nested = nested_options(level, entity, navigation, item, at, narrowed)?;
        let mut aliases = Cow::Borrowed(level.aliases);
        if !nested.aliases.is_empty() {
            aliases.to_mut().extend(nested.aliases.clone());
        }
        let inner = Level {
            depth: level.depth + 1,
            aliases: &aliases,
            ..*level
        };
        let query = query(&inner, &nested, navigation.target, used)
            .map_err(|error| inside(error, navigation))?;
        nested.aliases.clone_from(&aliases);
        bound.push(BoundExpand {
            navigation,
            query,
            options: nested,
            link: link_column(columns, navigation),
            count_only: item.count_only,
        });
    }
    Ok(bound)
}

/// The navigations the items name. A named one takes precedence over `*`.
fn resolve<'a>(
    entity: &'static EntityType,
    items: &'a [ExpandItem],
) -> Result<Vec<(&'static Navigation, &'a ExpandItem)>, Error> {
    let mut found: Vec<(&'static Navigation, &ExpandItem)> = Vec::new();
    for item in items {
        let ExpandTarget::Navigation(segment) = &item.target else {
            continue;
        };
        let Some(navigation) = entity.navigation(&segment.name) else {
            if entity.property(&segment.name).is_some() {
                let message = format!(
                    "found `{}`, which is a plain property of {}; only navigations can be expanded",
                    segment.name, entity.name
                );
                return Err(Error::new(ErrorKind::Type, segment.at, message));
            }
            return Err(unknown(entity, segment, std::iter::empty()));
        };
        if found.iter().any(|(other, _)| other.name == navigation.name) {
            let message = format!("`{}` is expanded more than once", navigation.name);
            return Err(Error::new(ErrorKind::Option, segment.at, message));
        }
        found.push((navigation, item));
    }
    for item in items.iter().filter(|item| item.target == ExpandTarget::All) {
        for navigation in entity.navigations {
            if !found.iter().any(|(other, _)| other.name == navigation.name) {
                found.push((navigation, item));
            }
        }
    }
    Ok(found)
}

/// The options that apply to a collection only, where they are given.
fn options_of_many(options: &Options) -> [(bool, OptionName); 6] {
    [
        (options.search.is_some(), OptionName::Search),
        (options.filter.is_some(), OptionName::Filter),
        (options.top.is_some(), OptionName::Top),
        (options.skip.is_some(), OptionName::Skip),
        (options.count.is_some(), OptionName::Count),
        (options.orderby.is_some(), OptionName::OrderBy),
    ]
}

/// One related entity can't be filtered, ordered or counted.
fn check_one(navigation: &Navigation, item: &ExpandItem, at: Option<usize>) -> Result<(), Error> {
    if item.count_only {
        let message = format!(
            "found `/$count` after `{}`, which leads to one entity; only many can be counted",
            navigation.name
        );
        return Err(Error::new(ErrorKind::Option, at, message));
    }
    match options_of_many(&item.options)
        .iter()
        .find(|(given, _)| *given)
    {
        None => Ok(()),
        Some((_, option)) => {
            let message = format!(
                "found {} for `{}`, which leads to one entity; only $select and $expand apply to it",
                option.as_str(),
                navigation.name
            );
            Err(Error::new(ErrorKind::Option, at, message))
        }
    }
}

/// "The $filter and $search system query options can be used to limit the number of related entities included
/// in the count."
fn check_counted(
    navigation: &Navigation,
    item: &ExpandItem,
    at: Option<usize>,
) -> Result<(), Error> {
    let options = &item.options;
    let others = [
        (options.select.is_some(), "$select"),
        (options.expand.is_some(), "$expand"),
        (item.levels != 1, "$levels"),
    ];
    let of_many = options_of_many(options)
        .into_iter()
        .filter(|(_, option)| !matches!(option, OptionName::Filter | OptionName::Search))
        .map(|(given, option)| (given, option.as_str()));
    match of_many.chain(others).find(|(given, _)| *given) {
        None => Ok(()),
        Some((_, option)) => {
            let message = format!(
                "found {option} for `{}/$count`; only $filter and $search apply to it",
                navigation.name
            );
            Err(Error::new(ErrorKind::Option, at, message))
        }
    }
}

/// The options of the next level: those in parentheses, those that `$select` paths add, and those that
/// `$levels` repeats.
fn nested_options(
    level: &Level<'_>,
    entity: &'static EntityType,
    navigation: &'static Navigation,
    item: &ExpandItem,
    at: Option<usize>,
    narrowed: &[Vec<Segment>],
) -> Result<Options, Error> {
    let mut nested = item.options.clone();
    if item.count_only {
        nested.count = Some(true);
        nested.top = Some(0);
    }
    for path in narrowed
        .iter()
        .filter(|path| path[0].name == navigation.name)
    {
        nested
            .select
            .get_or_insert_default()
            .push(SelectItem::Path(path[1..].to_vec()));
    }
    if item.levels > 1 {
        let all = item.target == ExpandTarget::All;
        if !all && navigation.target.name != entity.name {
            let message = format!(
                "found $levels for `{}`, which does not lead back to {}",
                navigation.name, entity.name
            );
            return Err(Error::new(ErrorKind::Option, at, message));
        }
        let deepest = level.context.limits.safe_expand_depth();
        let room = deepest - level.depth;
        if item.levels != usize::MAX && item.levels > room {
            return Err(Error::limit(
                at,
                &format!("found $levels={}", item.levels),
                deepest,
            ));
        }
        if room > 1 {
            // A number also for `max`: the options of the inner level are used at its own address, too.
            let levels = item.levels.min(room) - 1;
            nested.expand.get_or_insert_default().push(ExpandItem {
                levels,
                ..item.clone()
            });
        }
    }
    Ok(nested)
}

/// Positions inside an item are positions in `$expand`, whatever the inner option; the message has the name
/// of the inner option.
fn inside(error: Error, navigation: &Navigation) -> Error {
    let message = if error.option.is_empty() || error.option == "$expand" {
        error.message
    } else {
        format!(
            "{} of `{}`: {}",
            error.option, navigation.name, error.message
        )
    };
    Error {
        option: "$expand".to_owned(),
        message,
        ..error
    }
}

/// The column with the link value: a selected one, or a hidden one.
fn link_column(columns: &mut Vec<OutColumn>, navigation: &Navigation) -> usize {
    let same =
        |column: &OutColumn| matches!(column.source, Column::Name(name) if name == navigation.from);
    columns.iter().position(same).unwrap_or_else(|| {
        columns.push(OutColumn {
            name: navigation.from,
            ty: None,
            source: Column::Name(navigation.from),
        });
        columns.len() - 1
    })
}
