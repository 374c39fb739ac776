//! One file for each resource: its calls, typed, over the generated ones.
//!
//! Nothing here sends, retries or decodes by itself.

/// A resource: a handle on the client under a name of its own.
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

/// The [`Resource`](crate::list::Resource) of a v2 record: its list and get operations with all OData options.
macro_rules! odata_resource {
    (
        $record:ident, $page:ident,
        list: |$parent:ident| $(($scope:pat) => $list:ident($($list_arg:expr)?) at $path:expr),+;
        get: $get:ident
    ) => {
        impl $crate::list::sealed::Resource for $record {
            type Wire = $page;

            fn place($parent: Option<i32>) -> (obeya_api::Operation, String) {
                match $parent {
                    $($scope => (obeya_api::call::$list::OPERATION, $path),)+
                }
            }

            fn list(
                client: &$crate::Client,
                $parent: Option<i32>,
                options: $crate::query::Options,
            ) -> futures_core::future::BoxFuture<'_, $crate::Result<Self::Wire>> {
                Box::pin(async move {
                    match $parent {
                        $($scope => {
                            let call = obeya_api::call::$list {
                                search: options.search.as_deref(),
                                filter: options.filter.as_deref(),
                                select: options.select.as_deref(),
                                top: options.top,
                                skip: options.skip,
                                expand: options.expand.as_deref(),
                                count: options.count,
                                orderby: options.orderby.as_deref(),
                                $(..obeya_api::call::$list::new($list_arg))?
                            };
                            $crate::bridge::finish(obeya_api::call::$list::OPERATION, call.send(client.api()).await)
                        })+
                    }
                })
            }

            fn get(
                client: &$crate::Client,
                id: i32,
                options: $crate::query::Options,
            ) -> futures_core::future::BoxFuture<'_, $crate::Result<Self>> {
                Box::pin(async move {
                    let call = obeya_api::call::$get {
                        search: options.search.as_deref(),
                        filter: options.filter.as_deref(),
                        select: options.select.as_deref(),
                        top: options.top,
                        skip: options.skip,
                        expand: options.expand.as_deref(),
                        count: options.count,
                        orderby: options.orderby.as_deref(),
                        ..obeya_api::call::$get::new(id)
                    };
                    $crate::bridge::finish(obeya_api::call::$get::OPERATION, call.send(client.api()).await)
                })
            }

            fn page(wire: Self::Wire) -> $crate::Page<Self> {
                $crate::Page {
                    items: wire.value,
                    count: wire.odata_count.map(i64::from),
                    next_link: wire.odata_next_link,
                }
            }
        }
    };
}

mod areas;
mod boards;
mod comments;
mod datasources;
mod groups;
mod improvements;
mod incidents;

pub use areas::Areas;
pub use boards::Boards;
pub use comments::Comments;
pub use datasources::{DatasourceList, Datasources};
pub use groups::Groups;
pub use improvements::Improvements;
pub use incidents::{Incidents, Trash, TypeDetail, Types};
