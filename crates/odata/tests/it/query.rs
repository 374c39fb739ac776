//! Whole query strings: the options other than `$filter`, the caller's additions, and the resulting
//! statements.

use insta::assert_snapshot;
use obeya_odata::edm::Column;
use obeya_odata::sql::{self, Direction, Postgres, Predicate, Scope, Sqlite, Value};

use crate::model::{BOARD, COMMENT, DATASOURCE_VALUE, GROUP, INCIDENT};
use crate::store::{Store, bind, int, on_each_engine};

fn top_and_skip_page_and_count_does_not_care(store: &Store) {
    assert_eq!(store.ids(&BOARD, "$top=3&$skip=2").unwrap(), [3, 4, 5]);
    assert_eq!(store.ids(&BOARD, "$skip=6").unwrap(), [7, 8]);
    assert!(store.ids(&BOARD, "$top=0").unwrap().is_empty());
    let bound = bind(&BOARD, "$top=1&$skip=1&$count=true&$filter=isPublic").unwrap();
    assert!(bound.count());
    let rows = store
        .rows(&sql::count(&bound, store.dialect(), &Scope::default()))
        .unwrap();
    assert_eq!(rows, [[Value::Int(5)]]);
}

fn the_caller_adds_conditions_an_order_and_its_own_paging(store: &Store) {
    let scope = Scope {
        predicates: vec![Predicate::new(
            "{t}.\"dataSourceId\" = ? AND {t}.id < ?",
            [Value::Int(1), Value::Int(9)],
        )],
        default_order: &[("valueDate", Direction::Descending)],
        limit: Some(3),
        offset: 1,
        ..Scope::default()
    };
    let ids = |query: &str| -> Vec<i64> {
        let bound = bind(&DATASOURCE_VALUE, query).unwrap();
        store
            .rows(&sql::select(&bound, store.dialect(), &scope))
            .unwrap()
            .iter()
            .map(|row| int(&row[0]))
            .collect()
    };
    // Values 8 to 1 by falling date, the first left out, three at most.
    assert_eq!(ids("$select=id"), [7, 6, 5]);
    assert_eq!(ids("$select=id&$skip=1&$top=2"), [6, 5]);
    assert_eq!(ids("$select=id&$orderby=id"), [2, 3, 4]);
    assert_eq!(ids("$select=id&$filter=value%20gt%205"), [6, 5, 1]);
    let bound = bind(&DATASOURCE_VALUE, "").unwrap();
    assert_eq!(
        store
            .rows(&sql::count(&bound, store.dialect(), &scope))
            .unwrap(),
        [[Value::Int(8)]]
    );
}

fn a_column_that_is_no_property_may_come_first(store: &Store) {
    let scope = Scope {
        default_column: Some((Column::Expr("({t}.id % 3)"), Direction::Descending)),
        default_order: &[("valueDate", Direction::Descending)],
        ..Scope::default()
    };
    let ids = |query: &str| -> Vec<i64> {
        let bound = bind(&DATASOURCE_VALUE, query).unwrap();
        let rows = store
            .rows(&sql::select(&bound, store.dialect(), &scope))
            .unwrap();
        rows.iter().map(|row| int(&row[0])).collect()
    };
    // By the remainder of three downwards, then by falling date, as in the test above.
    assert_eq!(ids("$select=id&$filter=id%20lt%207"), [5, 2, 4, 1, 6, 3]);
    assert_eq!(ids("$select=id&$filter=id%20lt%204&$orderby=id"), [1, 2, 3]);
}

fn orderings_go_over_paths_and_expressions(store: &Store) {
    // Groups of the boards: 2, 2, 3, 1, 4, none, 3, 7; their names Plant, Production, Maintenance, Lean 2025,
    // 100%….
    assert_eq!(
        store
            .ids(&BOARD, "$orderby=group/name desc,id desc")
            .unwrap(),
        [2, 1, 4, 7, 3, 5, 8, 6]
    );
    assert_eq!(
        store
            .ids(&GROUP, "$orderby=boards/$count desc,length(name)")
            .unwrap(),
        [2, 3, 1, 4, 7, 6, 5]
    );
    assert_eq!(
        store
            .ids(&GROUP, "$orderby=level eq 1 desc,id desc")
            .unwrap(),
        [3, 2, 7, 6, 5, 4, 1]
    );
    assert_eq!(
        store.ids(&GROUP, "$orderby=1,'x' desc,id desc").unwrap(),
        [7, 6, 5, 4, 3, 2, 1]
    );
}

#[test]
fn select_chooses_columns_in_the_order_of_the_model() {
    let names = |query: &str| -> Vec<&str> {
        bind(&BOARD, query)
            .unwrap()
            .columns()
            .iter()
            .map(|column| column.name)
            .collect()
    };
    assert_eq!(names("$select=name,id,name"), ["id", "name"]);
    assert_eq!(names("$select=name,*"), names(""));
    // The link to the expanded group is needed, and not returned unless selected.
    let bound = bind(&BOARD, "$select=name&$expand=group").unwrap();
    let columns: Vec<_> = bound
        .columns()
        .iter()
        .map(|column| (column.name, column.hidden()))
        .collect();
    assert_eq!(columns, [("name", false), ("groupId", true)]);
    assert_eq!(bound.expands()[0].link, 1);
    assert_eq!(
        bind(&BOARD, "$select=groupId&$expand=group")
            .unwrap()
            .columns()
            .len(),
        1
    );
    // A navigation alone selects no property, but a row needs a column.
    let bound = bind(&BOARD, "$select=group").unwrap();
    assert!(bound.columns().len() == 1 && bound.columns()[0].hidden());
}

fn search_matches_any_word_or_phrase_and_no_part_of_one(store: &Store) {
    assert_eq!(
        store.ids(&COMMENT, "$search=OIL guard").unwrap(),
        [1, 2, 4, 5, 6]
    );
    assert_eq!(
        store
            .ids(&COMMENT, "$search=%22oil leak%22 mounted")
            .unwrap(),
        [1, 5]
    );
    assert_eq!(store.ids(&COMMENT, "$search=%224%22").unwrap(), [1]);
    assert_eq!(store.ids(&COMMENT, "$search=It%27s").unwrap(), [8]);
    assert!(store.ids(&COMMENT, "$search=gua lea").unwrap().is_empty());
    assert_eq!(store.ids(&COMMENT, "$search=gua* lea*").unwrap(), [1, 4, 5]);
    assert_eq!(store.ids(&COMMENT, "$search=%22oil l%22*").unwrap(), [1]);
    // Both words, in any order.
    let turned = store.ids(&COMMENT, "$search=%22leak oil%22");
    assert!(turned.unwrap().is_empty());
    assert_eq!(
        store
            .ids(&COMMENT, "$search=oil&$orderby=id desc&$top=1")
            .unwrap(),
        [6]
    );
    for (query, code) in [
        ("$search=oil&$filter=id eq 1", "odata.search_with_filter"),
        ("$search=4", "odata.syntax"),
        ("$search=%224", "odata.syntax"),
    ] {
        assert_eq!(bind(&COMMENT, query).unwrap_err().code(), code, "{query}");
    }
    assert_eq!(
        bind(&BOARD, "$search=oil").unwrap_err().code(),
        "odata.option"
    );
}

fn aliases_stand_for_expressions(store: &Store) {
    assert_eq!(
        store
            .ids(
                &BOARD,
                "$filter=boardType eq @t and id gt @i&@t='Kanban'&@i=@j add 1&@j=1"
            )
            .unwrap(),
        [3, 8]
    );
    for (query, code) in [
        ("$filter=id eq @x", "odata.unknown_property"),
        ("$filter=id eq @x&@x=@x", "odata.value"),
        ("$filter=id eq @x&@x='a'", "odata.type"),
        ("@x=1&@x=2", "odata.option"),
    ] {
        assert_eq!(bind(&BOARD, query).unwrap_err().code(), code, "{query}");
    }
    for (query, expected) in [
        // "a single expression that resolves to a collection", as JSON and as the list in parentheses that
        // `in` itself takes.
        ("$filter=id in @l&@l=[1,3,99]", vec![1, 3]),
        ("$filter=id in @l&@l=(1,3)", vec![1, 3]),
        ("$filter=id in @l&@l=(3)", vec![3]),
        ("$filter=id in @l&@l=[]", vec![]),
        ("$filter=name in @l&@l=[\"Daily\",\"Quality\"]", vec![1, 8]),
        ("$filter=name in @l&@l=('Daily',null)", vec![1, 6]),
        (
            "$filter=not (id in @l) and id lt 4&@l=[1,id add 1]",
            vec![2, 3],
        ),
        ("$filter=id in @l&@l=@m&@m=[2]", vec![2]),
        ("$filter=id in (@a,@b)&@a=1&@b=2", vec![1, 2]),
        (
            "$filter=projectId in @l or id in @l&@l=[10,77,1]",
            vec![1, 5, 7, 8],
        ),
        ("$orderby=id in @l desc,id&$top=2&@l=[5,4]", vec![4, 5]),
    ] {
        assert_eq!(store.ids(&BOARD, query), Ok(expected), "{query}");
    }
    for (query, code) in [
        ("$filter=id in @l", "odata.unknown_property"),
        ("$filter=id in @l&@l=@l", "odata.value"),
        ("$filter=id in @l&@l=[1,'a']", "odata.type"),
        ("$filter=id eq @l&@l=[1]", "odata.type"),
        ("$filter=@l eq null&@l=(1,2)", "odata.type"),
        ("@=1", "odata.option"),
        ("@a b=1", "odata.option"),
    ] {
        assert_eq!(bind(&BOARD, query).unwrap_err().code(), code, "{query}");
    }
    // A list of a thousand is within the limits, and used five times it is not.
    let list = vec!["1"; 1_000].join(",");
    let uses = |times: usize| {
        format!(
            "$filter={}&@l=[{list}]",
            vec!["id in @l"; times].join(" or ")
        )
    };
    assert_eq!(bind(&BOARD, &uses(4)).err(), None);
    assert_eq!(bind(&BOARD, &uses(5)).unwrap_err().code(), "odata.limit");
    // Each text is short; substituted into each other they have 1,600 parts.
    let uses = |name: &str| [name; 40].join(" add ");
    let bomb = format!("$filter=id eq @a&@a={}&@b={}", uses("@b"), uses("1"));
    let error = bind(&BOARD, &bomb).unwrap_err();
    assert!(
        error.code() == "odata.limit" && error.message.contains("aliases"),
        "{error}"
    );
}

/// Answers worked out by hand from the specification, beyond the fixture's own cases.
fn further_semantics(store: &Store) {
    let everything: Vec<i64> = (1..=10).collect();
    for (filter, expected) in [
        // NaN equals nothing; infinities are ordered around all numbers.
        ("value ne NaN", everything.clone()),
        ("value eq NaN or NaN eq NaN", vec![]),
        ("value lt INF and value gt -INF", everything.clone()),
        ("value div 0 eq INF and id le 3", vec![1]),
        ("id divby 0 eq INF", everything.clone()),
        // Null among the members of a list; not-null members; an empty list.
        ("areaId in (null,4)", vec![4, 7, 8]),
        ("not (areaId in (null,4))", vec![1, 2, 3, 5, 6, 9, 10]),
        ("areaId in (dataSourceId,3)", vec![1, 2, 5, 6]),
        ("areaId in []", vec![]),
        // Durations and instants.
        ("registrationDate sub valueDate gt duration'PT6H'", vec![9]),
        (
            "valueDate add duration'P1D' gt 2025-01-02T23:00:00Z",
            vec![10],
        ),
        (
            "totalseconds(registrationDate sub valueDate) eq 21600",
            vec![1, 2, 3, 10],
        ),
        (
            "date(valueDate) sub duration'PT1S' eq 2023-12-31",
            vec![1, 2],
        ),
        ("registrationDate sub valueDate lt 'PT0S'", vec![4, 5, 6, 7]),
        // Literals in other zones, casts, type tests.
        (
            "valueDate lt 2024-01-02 or valueDate in (2024-01-02,2025-01-02)",
            vec![1, 2, 3, 10],
        ),
        ("valueDate eq 2024-12-31T18:30:00-05:00", vec![7]),
        (
            "cast(id,Edm.String) eq '10' or cast('x',Edm.Int32) eq id",
            vec![10],
        ),
        ("cast(value,Edm.Int32) eq 100", vec![6]),
        (
            "isof(id,Edm.Int64) and not isof(value,Edm.String) and id eq 4",
            vec![4],
        ),
        // Conditions as values; precedence of `in` over `not`.
        ("(value gt 5) eq (id gt 5)", vec![2, 3, 4, 6, 7, 10]),
        ("not id in (1,2,3)", vec![4, 5, 6, 7, 8, 9, 10]),
        (
            "substring(description,-4) eq 'ight' or substring(description,1,3) eq 'irs'",
            vec![1, 6],
        ),
        ("startswith(description,null) or null", vec![]),
        ("value add null eq null and id eq 1", vec![1]),
    ] {
        assert_eq!(
            store.filter(&DATASOURCE_VALUE, filter),
            Ok(expected),
            "{filter}"
        );
    }
    for (filter, expected) in [
        ("parent eq null", vec![1, 6]),
        ("null ne parent/parent", vec![4, 5, 7]),
        ("children/any(c:c/sortOrder gt sortOrder)", vec![1, 2]),
        (
            "children/any(c:c/sortOrder gt $it/sortOrder and c/parent/id eq id)",
            vec![1, 2],
        ),
        (
            "boards/$count($filter=isPublic and group/isMember) eq 1",
            vec![1, 2, 7],
        ),
        // Groups 1 and 6 are nobody's children, so a failure for them has no effect.
        ("children/any(c:1 div (c/id sub 1) ge 0)", vec![1, 2, 3]),
        (
            "children/all(c:1 div (c/id sub 6) ge -5)",
            vec![1, 2, 3, 4, 5, 6, 7],
        ),
        (
            "children/$count($filter=1 div (id sub 1) ge 0) ge 1",
            vec![1, 2, 3],
        ),
        ("isMember gt isSystemGroup", vec![2, 4, 7]),
        ("isMember in (false)", vec![3, 5, 6]),
    ] {
        assert_eq!(store.filter(&GROUP, filter), Ok(expected), "{filter}");
    }
    for (filter, expected) in [
        (
            "matchesPattern(title,'^oil','i') and not matchespattern(text,'slip')",
            vec![3],
        ),
        ("severity in ('Low',Any.Name'Medium')", vec![2, 3]),
        ("contains(severity,'ig')", vec![1, 5]),
        // A function of a member is text, and may be compared with any text.
        ("tolower(severity) eq 'high'", vec![1, 5]),
        ("tolower(severity) in ('high','of no member')", vec![1, 5]),
        ("severity eq concat('Hi','gh')", vec![1, 5]),
        ("startswith(severity,'hi')", vec![]),
        ("severity ge 'a'", vec![]),
        ("day(incidentDate) add 1 eq 30", vec![1]),
    ] {
        assert_eq!(store.filter(&INCIDENT, filter), Ok(expected), "{filter}");
    }
}

/// "When applied to operands of entity types, the eq operator returns true if both operands represent the
/// same entity, or both operands represent null."
fn entities_are_compared_by_what_they_are(store: &Store) {
    for (filter, expected) in [
        ("parent eq parent", vec![1, 2, 3, 4, 5, 6, 7]),
        ("parent ne parent/parent", vec![2, 3, 4, 5, 7]),
        ("children/any(c:c/parent eq $it)", vec![1, 2, 3]),
        ("boards/any(b:b/group ne $it)", vec![]),
        (
            "boards/any(b:b/group/parent eq parent)",
            vec![1, 2, 3, 4, 7],
        ),
        ("children/any(c:c ne null)", vec![1, 2, 3]),
        ("$it ne null and id eq 1", vec![1]),
        (
            "case(parent eq null:'top',level gt 1:'deep',true:'middle') eq 'middle'",
            vec![2, 3],
        ),
        ("case(isMember:level,true:sortOrder) gt 1", vec![4, 5, 6, 7]),
    ] {
        assert_eq!(store.filter(&GROUP, filter), Ok(expected), "{filter}");
    }
    // An alias means the same as its value.
    for (query, expected) in [
        ("$filter=parent eq @n&@n=null", vec![1, 6]),
        ("$filter=@n ne parent/parent&@n=@m&@m=null", vec![4, 5, 7]),
        ("$filter=@p eq null&@p=parent", vec![1, 6]),
        (
            "$filter=children/any(c:c/parent eq @i)&@i=$it",
            vec![1, 2, 3],
        ),
    ] {
        assert_eq!(store.ids(&GROUP, query), Ok(expected), "{query}");
    }
    for (query, code) in [
        ("$filter=parent eq @n&@n=@n", "odata.type"),
        ("$filter=parent eq @n", "odata.type"),
        ("$filter=parent eq @n&@n=1", "odata.type"),
    ] {
        assert_eq!(bind(&GROUP, query).unwrap_err().code(), code, "{query}");
    }
    for filter in [
        "parent gt $it",
        "parent eq 1",
        "boards eq null",
        "boards/any(b:b eq $it)",
    ] {
        let error = bind(&GROUP, &format!("$filter={filter}")).unwrap_err();
        assert_eq!(error.code(), "odata.type", "{filter}");
    }
}

fn what_depends_on_the_rows_fails_there(store: &Store) {
    for filter in [
        "id mod (dataSourceId sub 1) eq 0",
        "1 div (id sub 5) eq 0",
        "substring(description,0,id sub 2) eq ''",
    ] {
        let fault = store.filter(&DATASOURCE_VALUE, filter).unwrap_err();
        let (message, _) = fault.split_once(": SELECT ").expect("message: statement");
        assert!(
            message.ends_with(" in at least one row"),
            "{filter}: {fault}"
        );
    }
}

#[test]
fn statements_bind_values_and_leave_indexes_usable() {
    let sql = |query: &str| {
        let statement = sql::select(
            &bind(&BOARD, query).unwrap(),
            &Sqlite,
            &Scope {
                limit: Some(9),
                ..Scope::default()
            },
        );
        format!("{}\n{:?}", statement.sql, statement.binds)
    };
    assert_snapshot!(sql("$select=id&$filter=name eq 'Daily' and isPublic eq true&$top=5"), @r#"SELECT t0."id" FROM "boards" AS t0 WHERE ((t0."name" = ?1) AND (t0."isPublic" = 1)) ORDER BY t0."id" LIMIT ?2 OFFSET ?3
[Text("Daily"), Int(5), Int(0)]"#);
    assert_snapshot!(sql("$select=id&$filter=not (name ne null or name eq 'x')&$orderby=name desc"), @r#"SELECT t0."id" FROM "boards" AS t0 WHERE (NOT ((t0."name" IS NOT NULL) OR (t0."name" IS ?1))) ORDER BY t0."name" DESC, t0."id" LIMIT ?2 OFFSET ?3
[Text("x"), Int(9), Int(0)]"#);
    assert_snapshot!(sql("$select=id&$filter=group/parent/name eq 'Plant' and group/boards/any(b:b/name eq name)"), @r#"SELECT t0."id" FROM "boards" AS t0 LEFT JOIN "groups" AS t1 ON t1."id" = t0."groupId" LEFT JOIN "groups" AS t2 ON t2."id" = t1."parentId" WHERE ((t2."name" = ?1) AND EXISTS (SELECT 1 FROM "boards" AS t3 WHERE t3."groupId" = t1."id" AND (t3."name" IS t0."name"))) ORDER BY t0."id" LIMIT ?2 OFFSET ?3
[Text("Plant"), Int(9), Int(0)]"#);
}

/// The casts that a database with types needs, and the collation that no database's default order of texts
/// may replace.
#[test]
fn statements_for_postgres_say_types_and_collations() {
    let sql = |query: &str| {
        let bound = bind(&BOARD, query).unwrap();
        sql::select(&bound, &Postgres, &Scope::default()).sql
    };
    assert_snapshot!(
        sql("$select=id&$filter=name lt 'b' and isPublic eq true and id gt 5.0&$orderby=name desc,boardType,isMember eq true"),
        @r#"SELECT t0."id" FROM "boards" AS t0 WHERE ((t0."name" COLLATE "C" < ?1::text) AND (t0."isPublic" = 1) AND (t0."id" > ?2::bigint)) ORDER BY t0."name" COLLATE "C" DESC NULLS LAST, t0."boardType" COLLATE "C" NULLS FIRST, ((t0."isMember" = 1))::integer::bigint, t0."id""#
    );
}

/// The table of a zone is in a statement only if its periods are not those of UTC.
#[test]
fn statements_for_postgres_have_the_zones_that_matter() {
    let has_table = |call: &str| {
        let filter = format!("$filter=bin(valueDate,{call}) gt 2025-01-01T00:00:00Z");
        let bound = bind(&DATASOURCE_VALUE, &filter).unwrap();
        let sql = sql::select(&bound, &Postgres, &Scope::default()).sql;
        sql.contains("bigint[]")
    };
    for (call, expected) in [
        ("'hour','Europe/Oslo'", false),
        ("duration'PT15M','Asia/Kolkata'", false),
        ("'hour','Asia/Kolkata'", true),
        ("'day','Europe/Oslo'", true),
        ("'day','UTC'", false),
    ] {
        assert_eq!(has_table(call), expected, "{call}");
    }
}

#[test]
fn a_query_knows_whether_it_asks_the_time() {
    for (query, asks) in [
        ("$filter=name eq 'now()'&$orderby=name", false),
        ("$filter=mindatetime() lt maxdatetime()", false),
        ("$filter=year(NOW()) gt id", true),
        ("$filter=year(n%6Fw()) gt id", true),
        ("$filter=year(@p) gt id&@p=now()", true),
        ("@p=now()", false),
        ("$orderby=day(now()) add id", true),
    ] {
        assert_eq!(
            bind(&BOARD, query).unwrap().asks_the_time(),
            asks,
            "{query}"
        );
    }
    let nested = bind(&GROUP, "$expand=boards($filter=year(now()) gt id)").unwrap();
    assert!(nested.asks_the_time());
}

on_each_engine!(
    top_and_skip_page_and_count_does_not_care,
    the_caller_adds_conditions_an_order_and_its_own_paging,
    a_column_that_is_no_property_may_come_first,
    orderings_go_over_paths_and_expressions,
    search_matches_any_word_or_phrase_and_no_part_of_one,
    aliases_stand_for_expressions,
    further_semantics,
    entities_are_compared_by_what_they_are,
    what_depends_on_the_rows_fails_there,
);
