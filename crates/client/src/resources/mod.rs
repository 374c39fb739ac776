//! The resources and their methods, on top of the generated calls.
//!
//! `cargo xtask regen` writes the plain methods (`operations`); a resource's own file has the hand-written
//! ones. Nothing here sends, retries or decodes.

use crate::Client;

/// Declares a resource: a named handle on the client.
macro_rules! resource {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug)]
        pub struct $name {
            client: $crate::Client,
        }

        impl $name {
            pub(crate) fn new(client: $crate::Client) -> Self {
                Self { client }
            }
        }
    };
}

/// The source of a v2 list: the call, and the id of the parent record, if any.
macro_rules! odata_list {
    ($call:ident) => {
        $crate::list::Source::new(call::$call::OPERATION, None, |client, _, options| {
            Box::pin(async move {
                let new = call::$call::default();
                client
                    .call(&odata_call!($call, options, new))
                    .await
                    .map(Into::into)
            })
        })
    };
    ($call:ident, $parent:expr) => {
        $crate::list::Source::new(
            call::$call::OPERATION,
            Some($parent),
            |client, parent, options| {
                Box::pin(async move {
                    let new = call::$call::new(parent.unwrap_or_default());
                    client
                        .call(&odata_call!($call, options, new))
                        .await
                        .map(Into::into)
                })
            },
        )
    };
}

/// The source of a v1 list that comes in one response.
macro_rules! whole_list {
    ($call:ident) => {
        |client, options| {
            Box::pin(async move {
                options.words.finish(call::$call::OPERATION.id())?;
                let call = call::$call {
                    filter: options.filter.as_deref(),
                    orderby: options.orderby.as_deref(),
                };
                client.call(&call).await
            })
        }
    };
}

/// The source of a v2 record by id.
macro_rules! odata_get {
    (text $call:ident) => {
        $crate::list::RecordSource::new(None, |client, _, id: String, options| {
            Box::pin(async move {
                let new = call::$call::new(&id);
                client.call(&odata_call!($call, options, new)).await
            })
        })
    };
    ($call:ident) => {
        $crate::list::RecordSource::new(None, |client, _, id, options| {
            let new = call::$call::new(id);
            Box::pin(async move { client.call(&odata_call!($call, options, new)).await })
        })
    };
    ($call:ident, $parent:expr) => {
        $crate::list::RecordSource::new(Some($parent), |client, parent, id, options| {
            let new = call::$call::new(parent.unwrap_or_default(), id);
            Box::pin(async move { client.call(&odata_call!($call, options, new)).await })
        })
    };
}

/// A call with all OData options of records, unless their words are refused.
macro_rules! odata_call {
    ($call:ident, $options:ident, $new:ident) => {{
        $options.words.finish(call::$call::OPERATION.id())?;
        call::$call {
            search: $options.search.as_deref(),
            filter: $options.filter.as_deref(),
            select: $options.select.as_deref(),
            top: $options.top,
            skip: $options.skip,
            expand: $options.expand.as_deref(),
            count: $options.count,
            orderby: $options.orderby.as_deref(),
            ..$new
        }
    }};
}

/// Converts the pages of v2 lists to [`Page`](crate::Page).
macro_rules! odata_pages {
    ($($record:ident in $page:ident;)*) => {
        $(
            impl $crate::list::sealed::Resource for $record {
                type Wire = $page;
            }

            impl From<$page> for $crate::Page<$record> {
                fn from(wire: $page) -> Self {
                    Self {
                        items: wire.value,
                        count: wire.odata_count.map(i64::from),
                        next_link: wire.odata_next_link,
                    }
                }
            }
        )*
    };
}

mod boards;
mod comments;
mod datasources;
mod improvements;
mod incidents;
#[rustfmt::skip]
mod operations;
mod tasks;
mod users;

pub use incidents::{Trash, TypeDetail, Types};

impl Client {
    /// Areas (v2).
    #[must_use]
    pub fn areas(&self) -> Areas {
        Areas::new(self.clone())
    }

    /// Boards: listed by v2, in detail by v1.
    #[must_use]
    pub fn boards(&self) -> Boards {
        Boards::new(self.clone())
    }

    /// Groups (v2).
    #[must_use]
    pub fn groups(&self) -> Groups {
        Groups::new(self.clone())
    }

    /// Comments on incidents (v2).
    #[must_use]
    pub fn comments(&self) -> Comments {
        Comments::new(self.clone())
    }

    /// Incidents, their types and the trash (v1).
    #[must_use]
    pub fn incidents(&self) -> Incidents {
        Incidents::new(self.clone())
    }

    /// Improvements (v1).
    #[must_use]
    pub fn improvements(&self) -> Improvements {
        Improvements::new(self.clone())
    }

    /// Data lists and their items (v1).
    #[must_use]
    pub fn data_lists(&self) -> DataLists {
        DataLists::new(self.clone())
    }

    /// Projects and their milestones (v1).
    #[must_use]
    pub fn projects(&self) -> Projects {
        Projects::new(self.clone())
    }

    /// People, and the screens and devices that sign in.
    #[must_use]
    pub fn users(&self) -> Users {
        Users::new(self.clone())
    }

    /// Tasks of boards, projects, incidents and persons.
    #[must_use]
    pub fn tasks(&self) -> Tasks {
        Tasks::new(self.clone())
    }

    /// Datasources and their values (v1).
    #[must_use]
    pub fn datasources(&self) -> Datasources {
        Datasources::new(self.clone())
    }
}

resource! {
    /// Areas of the plant; from [`Client::areas`](crate::Client::areas).
    Areas
}

resource! {
    /// Boards; from [`Client::boards`](crate::Client::boards).
    Boards
}

resource! {
    /// Comments on incidents; from [`Client::comments`](crate::Client::comments).
    Comments
}

resource! {
    /// Data lists; from [`Client::data_lists`](crate::Client::data_lists).
    DataLists
}

resource! {
    /// Datasources; from [`Client::datasources`](crate::Client::datasources).
    Datasources
}

resource! {
    /// Groups of people; from [`Client::groups`](crate::Client::groups).
    Groups
}

resource! {
    /// Improvements; from [`Client::improvements`](crate::Client::improvements).
    Improvements
}

resource! {
    /// Incidents; from [`Client::incidents`](crate::Client::incidents).
    Incidents
}

resource! {
    /// Projects; from [`Client::projects`](crate::Client::projects).
    Projects
}

resource! {
    /// Tasks; from [`Client::tasks`](crate::Client::tasks).
    Tasks
}

resource! {
    /// Users; from [`Client::users`](crate::Client::users).
    Users
}
