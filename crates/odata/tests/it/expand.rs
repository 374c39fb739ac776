//! `$expand`: one statement for each navigation, whatever the number of parents.

use obeya_odata::sql::{self, Scope, Value};
use obeya_odata::{Bound, BoundExpand, Limits, OptionName, Options};

use crate::model::{BOARD, COMMENT, GROUP, INCIDENT};
use crate::store::{Store, bind, int, on_each_engine};

/// The rows of one expand, as (link value, first column).
fn pairs(
    store: &Store,
    expand: &BoundExpand,
    parents: impl IntoIterator<Item = i64>,
) -> Vec<(i64, i64)> {
    let parents: Vec<Value> = parents.into_iter().map(Value::Int).collect();
    let rows = store
        .rows(&sql::expand(
            expand,
            store.dialect(),
            &parents,
            &Scope::default(),
        ))
        .unwrap();
    for row in &rows {
        assert_eq!(row.len(), expand.query.columns().len() + 1);
    }
    rows.iter()
        .map(|row| (int(&row[row.len() - 1]), int(&row[0])))
        .collect()
}

fn only(bound: &Bound) -> &BoundExpand {
    assert_eq!(bound.expands().len(), 1);
    &bound.expands()[0]
}

fn rows_come_with_the_link_that_says_whose_they_are(store: &Store) {
    let bound = bind(&GROUP, "$expand=boards($select=id)").unwrap();
    let boards = only(&bound);
    assert_eq!(bound.columns()[boards.link].name, "id");
    assert_eq!(
        pairs(store, boards, [2, 3, 5]),
        [(2, 1), (2, 2), (3, 3), (3, 7)]
    );
    let bound = bind(&BOARD, "$expand=group($select=id)").unwrap();
    assert_eq!(pairs(store, only(&bound), [2, 2, 7]), [(2, 2), (7, 7)]);
    assert!(pairs(store, only(&bound), []).is_empty());
}

/// OData 4.01 ABNF, `expandOption`: an alias may be an option of the item.
fn an_alias_of_an_item_has_its_value_within_it(store: &Store) {
    let boards = |query: &str| {
        let bound = bind(&GROUP, query).unwrap();
        pairs(store, only(&bound), [2, 3, 5])
    };
    let first = "$expand=boards($select=id;$filter=id lt @most;@most=3)";
    assert_eq!(boards(first), [(2, 1), (2, 2)]);
    let own = "$filter=id lt @most&$expand=boards(@most=@least add 2;$select=id;$filter=id lt @most)&@most=9&@least=1";
    assert_eq!(boards(own), [(2, 1), (2, 2)]);
    let list = "$expand=boards($select=id;@those=[2,7];$filter=id in @those)";
    assert_eq!(boards(list), [(2, 2), (3, 7)]);
    // It also applies to what is expanded inside.
    let bound = bind(
        &GROUP,
        "$expand=parent(@most=3;$expand=boards($select=id;$filter=id lt @most))",
    )
    .unwrap();
    let inner = only(&only(&bound).query);
    assert_eq!(pairs(store, inner, [2, 3]), [(2, 1), (2, 2)]);
    // A printed query means the same.
    let (options, _) = Options::parse(
        &first.replace(' ', "%20"),
        OptionName::ALL,
        &Limits::default(),
    )
    .unwrap();
    assert_eq!(
        bind(&GROUP, &options.to_query())
            .map(|bound| pairs(store, only(&bound), [2, 3, 5]))
            .unwrap(),
        [(2, 1), (2, 2)]
    );
}

fn null_links_to_nothing(store: &Store) {
    let bound = bind(&GROUP, "$expand=children").unwrap();
    let statement = sql::expand(
        only(&bound),
        store.dialect(),
        &[Value::Null],
        &Scope::default(),
    );
    assert!(statement.binds.is_empty() && store.rows(&statement).unwrap().is_empty());
}

fn top_and_skip_count_for_each_parent(store: &Store) {
    let bound = bind(
        &GROUP,
        "$expand=boards($select=id;$orderby=name desc;$top=1)",
    )
    .unwrap();
    // The last board of each group by name: Tasks, daily backup (lower case comes after upper).
    assert_eq!(pairs(store, only(&bound), [2, 3]), [(2, 2), (3, 7)]);
    let bound = bind(&GROUP, "$expand=boards($select=id;$skip=1)").unwrap();
    assert_eq!(pairs(store, only(&bound), [1, 2, 3]), [(2, 2), (3, 7)]);
}

fn nested_options_filter_count_and_order(store: &Store) {
    let bound = bind(&GROUP, "$expand=boards($select=id;$filter=isPublic and group/level eq 1;$orderby=id desc;$count=true)").unwrap();
    let boards = only(&bound);
    assert_eq!(pairs(store, boards, 1..=7), [(3, 7), (3, 3), (2, 1)]);
    assert!(boards.query.count());
    let parents: Vec<Value> = (1..=7).map(Value::Int).collect();
    let mut counts = store
        .rows(&sql::expand_count(
            boards,
            store.dialect(),
            &parents,
            &Scope::default(),
        ))
        .unwrap();
    counts.sort_by_key(|row| int(&row[0]));
    assert_eq!(
        counts,
        [
            [Value::Int(2), Value::Int(1)],
            [Value::Int(3), Value::Int(2)]
        ]
    );
    let bound = bind(&GROUP, "$expand=boards($search=x)").unwrap_err();
    assert_eq!(bound.code(), "odata.option");
}

/// "The $count segment can be appended to a navigation property name … to return just the count of the
/// related entities. The $filter and $search system query options can be used to limit the number of related
/// entities included in the count."
fn a_number_can_be_expanded_alone(store: &Store) {
    let counts = |query: &str| -> Vec<(i64, i64)> {
        let bound = bind(&GROUP, query).unwrap();
        let boards = only(&bound);
        assert!(boards.count_only && boards.query.count());
        let parents: Vec<Value> = (1..=7).map(Value::Int).collect();
        let statement = sql::expand_count(boards, store.dialect(), &parents, &Scope::default());
        let mut counts: Vec<(i64, i64)> = store
            .rows(&statement)
            .unwrap()
            .iter()
            .map(|row| (int(&row[0]), int(&row[1])))
            .collect();
        counts.sort_unstable();
        counts
    };
    assert_eq!(
        counts("$expand=boards/$count"),
        [(1, 1), (2, 2), (3, 2), (4, 1), (7, 1)]
    );
    assert_eq!(
        counts("expand=boards/$count(filter=isPublic)"),
        [(1, 1), (2, 1), (3, 2), (7, 1)]
    );
    let bound = bind(&GROUP, "$expand=boards,children").unwrap();
    assert!(bound.expands().iter().all(|expand| !expand.count_only));
}

/// The grammar has groups in search expressions, so their parentheses do not end one; here they only separate
/// words.
fn a_search_inside_has_its_own_parentheses(store: &Store) {
    for search in ["oil guard", "(oil guard)", "oil (guard)", "((oil) guard)"] {
        let query = format!("$expand=comments($select=id;$search={search};$orderby=id desc)");
        let bound = bind(&INCIDENT, &query).unwrap();
        let found = pairs(store, only(&bound), [1, 2, 3]);
        assert_eq!(found, [(3, 6), (2, 5), (2, 4), (1, 2), (1, 1)], "{search}");
    }
}

#[test]
fn levels_and_stars_unfold_within_the_limit() {
    let depth = |query: &str| {
        let bound = bind(&GROUP, query).unwrap();
        let (mut depth, mut level) = (0, &bound);
        while let Some(expand) = level
            .expands()
            .iter()
            .find(|expand| expand.navigation.name == "parent")
        {
            (depth, level) = (depth + 1, &expand.query);
        }
        depth
    };
    assert_eq!(depth("$expand=parent"), 1);
    assert_eq!(depth("$expand=parent($levels=2)"), 2);
    assert_eq!(depth("$expand=parent($levels=max;$select=name)"), 3);
    assert_eq!(depth("$expand=parent($expand=parent($expand=parent))"), 3);
    assert_eq!(depth("$expand=*"), 1);
    assert_eq!(bind(&GROUP, "$expand=*").unwrap().expands().len(), 3);
    // A named one takes precedence over the star.
    let bound = bind(&GROUP, "$expand=*,boards($select=id)").unwrap();
    assert_eq!(bound.expands().len(), 3);
    assert_eq!(bound.expands()[0].query.columns().len(), 1);
}

#[test]
fn what_can_not_be_expanded() {
    for (query, code) in [
        ("$expand=parent($levels=4)", "odata.limit"),
        (
            "$expand=parent($expand=parent($expand=parent($expand=parent)))",
            "odata.limit",
        ),
        ("$expand=*($levels=3)", "odata.limit"),
        ("$expand=boards($levels=2)", "odata.option"),
        ("$expand=parent($levels=0)", "odata.value"),
        ("$expand=parent($levels=02)", "odata.value"),
        ("$expand=boards($search=gr(een)", "odata.syntax"),
        ("$expand=name", "odata.type"),
        ("$expand=board", "odata.unknown_property"),
        ("$expand=boards,boards", "odata.option"),
        ("$expand=parent($filter=id eq 1)", "odata.option"),
        ("$expand=parent/$count", "odata.option"),
        ("$expand=boards/$count($count=true)", "odata.option"),
        ("$expand=boards/$count($orderby=id)", "odata.option"),
        ("$expand=boards/$count($levels=2)", "odata.option"),
        ("$expand=boards/$ref", "odata.syntax"),
        ("$expand=boards/group", "odata.syntax"),
        ("$expand=boards($skiptoken=x)", "odata.option"),
        (
            "$expand=boards($filter=id eq 1;$filter=id eq 2)",
            "odata.option",
        ),
        ("$expand=boards($format=json)", "odata.option"),
        ("$expand=boards()", "odata.syntax"),
        (
            "$expand=boards($filter=nope eq 1)",
            "odata.unknown_property",
        ),
        (
            "$expand=boards($filter=$it/id eq 1)",
            "odata.unknown_property",
        ),
        ("$select=boards/id", "odata.option"),
        (
            "$select=boards/nope&$expand=boards",
            "odata.unknown_property",
        ),
    ] {
        let error = bind(&GROUP, query).unwrap_err();
        assert_eq!(error.code(), code, "{query}: {error}");
    }
}

#[test]
fn select_reaches_into_expanded_navigations() {
    let bound = bind(
        &COMMENT,
        "$select=id,parent/text,parent/parent/id&$expand=parent($expand=parent)",
    )
    .unwrap();
    let parent = only(&bound);
    let names: Vec<_> = parent
        .query
        .columns()
        .iter()
        .filter(|column| !column.hidden())
        .map(|column| column.name)
        .collect();
    assert_eq!(names, ["text"]);
    assert_eq!(only(&parent.query).query.columns().len(), 1);
}

on_each_engine!(
    rows_come_with_the_link_that_says_whose_they_are,
    an_alias_of_an_item_has_its_value_within_it,
    null_links_to_nothing,
    top_and_skip_count_for_each_parent,
    nested_options_filter_count_and_order,
    a_number_can_be_expanded_alone,
    a_search_inside_has_its_own_parentheses,
);
