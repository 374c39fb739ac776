//! Syntax trees typed against the entity model: every name resolved, every type checked.
//!
//! After this stage, nothing in the request can be refused, except what depends on the rows (see
//! [`crate::functions::ScalarError`]). It writes no SQL.
//!
//! ```
//! use obeya_odata::edm::{Column, EntityType, Property, Type};
//! use obeya_odata::{Context, Limits, OptionName, Options};
//!
//! static AREA: EntityType = EntityType {
//!     name: "Area",
//!     table: "areas",
//!     key: "id",
//!     properties: &[Property { name: "id", ty: Type::Int32, nullable: false, column: Column::Name("id") }],
//!     navigations: &[],
//!     search: None,
//! };
//!
//! let context = Context { now: 0, limits: Limits::default() };
//! let (options, _) = Options::parse("$filter=id gt 'five'&$top=5", OptionName::ALL, &context.limits)?;
//! let error = options.bind(&AREA, &context).unwrap_err();
//! assert_eq!((error.code(), error.position), ("odata.type", Some(6)));
//!
//! let (options, _) = Options::parse("$filter=id gt 5&$top=5", OptionName::ALL, &context.limits)?;
//! assert_eq!(options.bind(&AREA, &context)?.top(), Some(5));
//! # Ok::<(), obeya_odata::Error>(())
//! ```

pub(crate) mod apply;
mod call;
mod case;
mod expand;
mod expr;
mod list;
pub(crate) mod node;
mod operators;
mod path;
mod select;
pub(crate) mod shape;

use std::sync::Arc;

use crate::ast::options::Options;
use crate::ast::{ExprKind, OrderItem, Search};
use crate::edm::{Column, EntityType, Navigation, Property, ReplacedProperty, Type};
use crate::error::{Error, ErrorKind};
use crate::limits::Limits;
use crate::visibility::{RowConditions, Visibility};
use apply::{Applied, Pipeline, Stage};
use expr::Binder;
use node::{Node, NodeKind};
pub use shape::ResultColumn;
use shape::Shape;

/// The input of binding besides the options.
#[derive(Debug, Clone, Copy)]
pub struct Context {
    /// The value of `now()`: ticks of 100 ns since 1970-01-01T00:00Z. The crate has no clock.
    pub now: i64,
    /// The bounds.
    pub limits: Limits,
}

/// A query, typed and complete: it can be turned into statements without failing.
#[derive(Debug, Clone)]
pub struct Bound {
    pub(crate) entity: &'static EntityType,
    pub(crate) filter: Option<Node>,
    pub(crate) search: Option<Search>,
    pub(crate) order: Vec<OrderKey>,
    pub(crate) top: Option<u64>,
    pub(crate) skip: u64,
    pub(crate) count: bool,
    pub(crate) columns: Vec<OutColumn>,
    pub(crate) expands: Vec<BoundExpand>,
    pub(crate) asks_the_time: bool,
    /// The rows that may be shown; `None`: all.
    pub(crate) rows: Option<Arc<RowConditions>>,
    /// The groupings and computed values of `$apply` and `$compute`. With any, filter, order and columns are
    /// those of their result.
    pub(crate) pipeline: Option<Arc<Pipeline>>,
}

/// One key of an ordering.
#[derive(Debug, Clone)]
pub(crate) struct OrderKey {
    pub node: Node,
    pub descending: bool,
}

/// A column of the rows that [`crate::sql::select`] and [`crate::sql::expand`] yield.
#[derive(Debug, Clone, Copy)]
pub struct OutColumn {
    /// The property's name on the wire; for a hidden column, the table's column.
    pub name: &'static str,
    /// The property's type, which fixes how the value is encoded; `None` for a hidden column.
    pub ty: Option<Type>,
    pub(crate) source: Column,
}

impl OutColumn {
    /// Whether the column only serves to attach expanded rows and is not written out.
    #[must_use]
    pub fn hidden(&self) -> bool {
        self.ty.is_none()
    }
}

/// An `$expand` item: a separate query over the navigation's target.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct BoundExpand {
    /// The navigation followed.
    pub navigation: &'static Navigation,
    /// The query over the target; its `$top` and `$skip` count per parent.
    pub query: Bound,
    /// The options of that query, with every alias of the request: requested at the navigation's own address,
    /// they return the same records.
    pub options: Options,
    /// The column of the parent's rows with the link value.
    pub link: usize,
    /// Whether only the number of entities is requested (`boards/$count`); [`Bound::count`] is then true.
    pub count_only: bool,
}

impl Bound {
    /// The columns of each row, in order: selected properties first, then hidden link columns. None
    /// if there is a [`Bound::result`].
    #[must_use]
    pub fn columns(&self) -> &[OutColumn] {
        &self.columns
    }

    /// The expanded navigations of each row.
    #[must_use]
    pub fn expands(&self) -> &[BoundExpand] {
        &self.expands
    }

    /// The entity queried.
    #[must_use]
    pub fn entity(&self) -> &'static EntityType {
        self.entity
    }

    /// `$top`.
    #[must_use]
    pub fn top(&self) -> Option<u64> {
        self.top
    }

    /// `$skip`, 0 unless given.
    #[must_use]
    pub fn skip(&self) -> u64 {
        self.skip
    }

    /// The query for all rows, whatever `$top` and `$skip` are.
    #[must_use]
    pub fn without_window(self) -> Self {
        Self {
            top: None,
            skip: 0,
            ..self
        }
    }

    /// Whether `$count=true` was given.
    #[must_use]
    pub fn count(&self) -> bool {
        self.count
    }

    /// Whether `now()` is used, here or in an expanded query: the same options then make another query at
    /// another time.
    #[must_use]
    pub fn asks_the_time(&self) -> bool {
        self.asks_the_time
    }

    /// The columns of each row of a result of `$apply` or `$compute` that has other values than the entity.
    #[must_use]
    pub fn result(&self) -> Option<&[ResultColumn]> {
        self.pipeline.as_ref().map(|pipeline| &pipeline.columns[..])
    }

    /// Whether the rows are groups, which are no entities.
    #[must_use]
    pub fn is_grouped(&self) -> bool {
        self.last_stage().is_some()
    }

    pub(crate) fn last_stage(&self) -> Option<&Stage> {
        self.pipeline.as_ref()?.stages.last()
    }

    /// Whether the request has an `$orderby`.
    #[must_use]
    pub fn ordered(&self) -> bool {
        !self.order.is_empty()
    }
}

impl Options {
    /// Types the options against an entity.
    ///
    /// # Errors
    /// Unknown names, types that do not fit, `$search` with `$filter` or without an index, and limits passed.
    pub fn bind(&self, entity: &'static EntityType, context: &Context) -> Result<Bound, Error> {
        self.bind_within(entity, context, &Visibility::default())
    }

    /// The same for a caller who sees only a part of the data.
    ///
    /// # Errors
    /// Those of [`Self::bind`].
    pub fn bind_within(
        &self,
        entity: &'static EntityType,
        context: &Context,
        visibility: &Visibility,
    ) -> Result<Bound, Error> {
        bind(self, entity, context, visibility)
    }
}

fn bind(
    options: &Options,
    entity: &'static EntityType,
    context: &Context,
    visibility: &Visibility,
) -> Result<Bound, Error> {
    let mut used = Used::default();
    query(
        &Level {
            context,
            visibility,
            aliases: &options.aliases,
            depth: 0,
        },
        options,
        entity,
        &mut used,
    )
}

/// The position of a query in the tree of `$expand`.
#[derive(Clone, Copy)]
pub(crate) struct Level<'a> {
    pub context: &'a Context,
    /// What the caller sees.
    pub visibility: &'a Visibility,
    /// The aliases of the request, and those of the `$expand` items around this level.
    pub aliases: &'a std::collections::BTreeMap<String, crate::ast::Expr>,
    /// 0 for the outermost query.
    pub depth: usize,
}

/// The property that is read where the query names `property` of an entity.
pub(crate) fn read_as(
    entity: &EntityType,
    property: &'static Property,
    replaced: &'static [ReplacedProperty],
) -> &'static Property {
    let mut replaced = replaced.iter();
    let found = replaced.find(|it| it.entity == entity.name && it.by.name == property.name);
    found.map_or(property, |it| &it.by)
}

/// The amounts that all levels of a request have used together.
#[derive(Debug, Default)]
pub(crate) struct Used {
    /// Navigations expanded.
    pub expands: usize,
    /// Parts of the values of aliases that were bound in place of their names.
    pub alias_nodes: usize,
    /// Parts of operands that are written once for each member of a list.
    pub repeated: usize,
    /// Parts of what comes before `concat`, again for each of its sequences but the first.
    pub concatenated: usize,
    /// Patterns matched.
    pub patterns: usize,
    /// Members of lists given by aliases.
    pub listed: usize,
    /// Whether `now()` was used.
    pub now: bool,
}

/// Binds the options of one level.
pub(crate) fn query(
    level: &Level<'_>,
    options: &Options,
    entity: &'static EntityType,
    used: &mut Used,
) -> Result<Bound, Error> {
    if options.search.is_some() {
        check_search(options, entity)?;
    }
    let mut binder = Binder {
        entity,
        aliases: level.aliases,
        replaced: level.visibility.replaced,
        limits: &level.context.limits,
        now: level.context.now,
        outermost: level.depth == 0,
        variables: Vec::new(),
        numbered: 0,
        depth: 0,
        alias_depth: 0,
        shape: Shape::default(),
        used,
    };
    let applied = match &options.apply {
        None => Applied::default(),
        Some(all) => {
            apply::transformations(&mut binder, all).map_err(|error| error.of("$apply"))?
        }
    };
    if let Some(items) = &options.compute {
        apply::compute(&mut binder, items).map_err(|error| error.of("$compute"))?;
    }
    let filter = match &options.filter {
        None => None,
        Some(filter) => Some(
            binder
                .predicate(filter)
                .map_err(|error| error.of("$filter"))?,
        ),
    };
    let filter = apply::both(applied.filter, filter);
    let order = order(&mut binder, options.orderby.as_deref().unwrap_or_default())
        .map_err(|error| error.of("$orderby"))?;
    if let Some(shape) = apply::result(&mut binder) {
        apply::check_expand(options)?;
        let columns = apply::selected(shape, options).map_err(|error| error.of("$select"))?;
        let stages = applied.stages;
        return Ok(Bound {
            search: options.search.clone(),
            pipeline: Some(Arc::new(Pipeline { stages, columns })),
            ..of(level, options, entity, used.now, filter, order)
        });
    }
    let selection = select::select(options, entity, level.visibility.replaced)
        .map_err(|error| error.of("$select"))?;
    let mut columns = selection.columns;
    let expands = expand::expand(
        level,
        options,
        entity,
        &selection.narrowed,
        &mut columns,
        used,
    )
    .map_err(|error| error.of("$expand"))?;
    select::check_narrowed(&selection.narrowed, &expands).map_err(|error| error.of("$select"))?;
    select::never_empty(&mut columns, entity);
    Ok(Bound {
        search: options.search.clone(),
        columns,
        expands,
        ..of(level, options, entity, used.now, filter, order)
    })
}

/// A query without columns.
fn of(
    level: &Level<'_>,
    options: &Options,
    entity: &'static EntityType,
    asks_the_time: bool,
    filter: Option<Node>,
    order: Vec<OrderKey>,
) -> Bound {
    Bound {
        entity,
        filter,
        search: None,
        order,
        top: options.top,
        skip: options.skip.unwrap_or(0),
        count: options.count.unwrap_or(false),
        columns: Vec::new(),
        expands: Vec::new(),
        asks_the_time,
        rows: level.visibility.rows.clone(),
        pipeline: None,
    }
}

fn check_search(options: &Options, entity: &EntityType) -> Result<(), Error> {
    if options.filter.is_some() || options.apply.is_some() {
        let other = if options.filter.is_some() {
            "$filter"
        } else {
            "$apply"
        };
        let message = format!("`$search` and `{other}` can't be used together; use one of them");
        return Err(Error::new(ErrorKind::SearchWithFilter, None, message).of("$search"));
    }
    if entity.search.is_none() {
        let message = format!("{} can't be searched; use `$filter`", entity.name);
        return Err(Error::new(ErrorKind::Option, None, message).of("$search"));
    }
    Ok(())
}

fn order(binder: &mut Binder<'_>, items: &[OrderItem]) -> Result<Vec<OrderKey>, Error> {
    let mut keys = Vec::with_capacity(items.len());
    for item in items {
        let node = binder.expr(&item.expr).map_err(|mut error| {
            // Elsewhere a minus orders downwards.
            if matches!(item.expr.kind, ExprKind::Negate(_)) && error.kind == ErrorKind::Type {
                error
                    .message
                    .push_str("; to order downwards write `desc` behind the key");
            }
            error
        })?;
        // A literal orders nothing, and as a bare number SQL would read it as a column's position.
        if !matches!(
            node.kind,
            NodeKind::Null | NodeKind::Boolean(_) | NodeKind::Value(_)
        ) {
            keys.push(OrderKey {
                node,
                descending: item.descending,
            });
        }
    }
    Ok(keys)
}
