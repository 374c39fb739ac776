//! The operations on users, called through the SDK as the others are in `calls.rs` and `wrong.rs`.

use futures_util::future::BoxFuture;
use obeya::model::{
    Patch, UserCreateV1, UserCreateV2, UserPatch, UserType, UserUpdateV1, UserUpdateV2, UserV2,
};
use obeya::{Client, Error};

use super::calls::{Ask, Ids, asked, narrowed, unique};
use super::wrong::is;

const INGRID: &str = "ingrid.solheim";
const ADDRESS: &str = "someone@nordvik.example";

/// Calls an operation on users by its id as it succeeds on the plant; `None` for another operation.
pub fn call<'a>(
    client: &'a Client,
    operation: &str,
    ids: Ids,
    ask: Ask,
) -> Option<BoxFuture<'a, Result<(), Error>>> {
    let users = client.users();
    let id = ids.user();
    Some(match operation {
        "listUsersV2" => asked!(users.list(), ask),
        "getUserV2" => asked!(users.get(id), ask),
        "createUserV2" => Box::pin(async move {
            let body = create_v2(&unique("new"));
            users.create(&body, false).await.map(drop)
        }),
        "updateUserV2" => Box::pin(async move {
            let body = UserUpdateV2 {
                external_id: Patch::Value("HR-117".to_owned()),
                ..update_v2("tomas.berg")
            };
            users.update(id, &body).await.map(drop)
        }),
        "patchUser" => Box::pin(async move {
            let body = UserPatch {
                external_id: Patch::Null,
                ..UserPatch::default()
            };
            users.patch(id, &body).await.map(drop)
        }),
        "deleteUserV2" => Box::pin(async move {
            let id = own(client, ids).await.unwrap_or(id.to_owned());
            users.delete(&id).await
        }),
        "listUsersV1" => narrowed!(users.list_v1(), ask),
        "createUserV1" => Box::pin(async move {
            let body = create_v1(&unique("new"));
            users.create_v1(&body).await.map(drop)
        }),
        "updateUserByUserName" => Box::pin(async move {
            let name = match ids {
                Ids::Known => "Tomas.Berg",
                Ids::Unknown => "nobody",
            };
            let body = update_v1("tomas.berg");
            users.update_by_user_name(name, &body).await.map(drop)
        }),
        "getUserV1" => Box::pin(async move { users.get_v1(id).await.map(drop) }),
        "updateUserV1" => Box::pin(async move {
            let body = update_v1("tomas.berg");
            users.update_v1(id, &body).await.map(drop)
        }),
        "deleteUserV1" => Box::pin(async move {
            let id = own(client, ids).await.unwrap_or(id.to_owned());
            users.delete_v1(&id).await.map(drop)
        }),
        "listGroupsOfUser" => Box::pin(async move { users.groups(id).await.map(drop) }),
        "listUsersOfRole" => {
            Box::pin(async move { users.of_role("Administrator").await.map(drop) })
        }
        "addUserRole" => Box::pin(async move { users.add_role(id, "Team leader").await.map(drop) }),
        "removeUserRole" => Box::pin(async move {
            let _ = users.add_role(id, "Auditor").await;
            users.remove_role(id, "Auditor").await.map(drop)
        }),
        _ => return None,
    })
}

/// The errors of users that are not those of every operation.
pub async fn refused(all: &Client) {
    let users = all.users();
    is(users.create_v1(&create_v1(INGRID)).await, "user.exists");
    is(users.create(&create_v2(INGRID), true).await, "user.exists");
    let ingrid = update_v1(INGRID);
    is(users.update_v1("u-117", &ingrid).await, "user.exists");
    let by_name = users.update_by_user_name("tomas.berg", &ingrid).await;
    is(by_name, "user.exists");
    is(
        users.update("u-117", &update_v2(INGRID)).await,
        "user.exists",
    );
    is(users.patch("u-117", &rename(INGRID)).await, "user.exists");

    let gone = own(all, Ids::Known).await.expect("a user");
    let gone = users.get(&gone).await.expect("a user");
    let (id, name) = named(gone);
    users.delete(&id).await.expect("deleted");
    is(users.create_v1(&create_v1(&name)).await, "user.deleted");
    is(users.create(&create_v2(&name), false).await, "user.deleted");
    let theirs = update_v1(&name);
    is(users.update_v1("u-117", &theirs).await, "user.deleted");
    let by_name = users.update_by_user_name("tomas.berg", &theirs).await;
    is(by_name, "user.deleted");
    is(
        users.update("u-117", &update_v2(&name)).await,
        "user.deleted",
    );
    is(users.patch("u-117", &rename(&name)).await, "user.deleted");

    let many = own(all, Ids::Known).await.expect("a user");
    for role in 0..100 {
        let added = users.add_role(&many, &format!("role {role}")).await;
        added.expect("a role");
    }
    is(users.add_role(&many, "one more").await, "user.roles");
}

impl Ids {
    /// The id of a user.
    fn user(self) -> &'static str {
        match self {
            Self::Known => "u-117",
            Self::Unknown => "nobody",
        }
    }
}

/// The id of a user for this call alone, because the call deletes it; `None` for a client that may not create
/// one, or that requests an unknown one.
async fn own(client: &Client, ids: Ids) -> Option<String> {
    match ids {
        Ids::Known => {
            let body = create_v2(&unique("day"));
            client.users().create(&body, false).await.ok()?.id
        }
        Ids::Unknown => None,
    }
}

fn named(user: UserV2) -> (String, String) {
    user.id.zip(user.user_name).expect("its properties")
}

fn create_v1(user_name: &str) -> UserCreateV1 {
    UserCreateV1::new(user_name, ADDRESS, "Some", "One")
}

fn update_v1(user_name: &str) -> UserUpdateV1 {
    UserUpdateV1::new(user_name, ADDRESS, "Some", "One")
}

fn create_v2(user_name: &str) -> UserCreateV2 {
    UserCreateV2::new("Some", "One", UserType::Normal, user_name, ADDRESS)
}

fn update_v2(user_name: &str) -> UserUpdateV2 {
    UserUpdateV2::new("Some", "One", UserType::Normal, user_name, ADDRESS)
}

fn rename(user_name: &str) -> UserPatch {
    UserPatch {
        user_name: Some(user_name.to_owned()),
        ..UserPatch::default()
    }
}
