//! The plans of PostgreSQL. Its planner considers the sizes of tables, so these are large enough for an index
//! to be worth while.

use obeya_odata::edm::EntityType;
use obeya_odata::sql::{self, Scope, Statement, Value};

use crate::model::{BOARD, COMMENT, INCIDENT};
use crate::store::{Store, bind};

/// The plan of the rows of a query, and of each statement of what follows a keyset position.
fn plan(store: &Store, entity: &'static EntityType, query: &str) -> String {
    let bound = bind(entity, query).unwrap();
    store.plan(&sql::select(&bound, store.dialect(), &Scope::default()))
}

/// Three boards share a name; some have none.
fn boards() -> Store {
    let store = Store::postgres();
    store.execute(
        r#"INSERT INTO boards (id, name, "boardType", "isPublic", "groupId")
           SELECT n, CASE WHEN n % 100 > 0 THEN 'Board ' || lpad((n / 3)::text, 5, '0') END, 'Weekly', n % 2, n / 1000
           FROM generate_series(1000, 30000) AS n;
           CREATE UNIQUE INDEX by_id ON boards (id);
           CREATE INDEX by_name ON boards (name NULLS FIRST, id);
           CREATE INDEX by_group ON boards ("groupId" NULLS FIRST, id);
           ANALYZE boards"#,
    );
    store
}

/// Comments of a few words, one in a thousand about a bearing. New entries are in the pending list of a GIN
/// index until it is cleaned up, and the list is read in full.
fn comments() -> Store {
    let store = Store::postgres();
    store.execute(
        r#"INSERT INTO "incidentComments" (id, text, level)
           SELECT n, 'comment ' || n || CASE WHEN n % 1000 = 0 THEN ' on a worn bearing' ELSE ' on oil' END, n % 2
           FROM generate_series(1000, 30000) AS n;
           INSERT INTO comment_words
           SELECT id, odata_terms(' ' || text || ' '), ' ' || text || ' ' FROM "incidentComments" WHERE id >= 1000;
           CREATE UNIQUE INDEX comment_by_id ON "incidentComments" (id);
           CREATE INDEX comment_by_level ON "incidentComments" (level, id);
           SELECT gin_clean_pending_list('comment_words_found'), gin_clean_pending_list('comment_parts_found');
           ANALYZE "incidentComments", comment_words, comment_parts"#,
    );
    store
}

/// Rows that the steps of a statement read, in a plan that is made without the values, as the service's
/// statements have it.
fn rows_read(store: &Store, statement: &Statement) -> f64 {
    let values: Vec<String> = statement
        .binds
        .iter()
        .map(|value| match value {
            Value::Int(number) => number.to_string(),
            Value::Text(text) => format!("'{}'", text.replace('\'', "''")),
            other => panic!("{other:?} is bound"),
        })
        .collect();
    let (sql, values) = (statement.sql.replace('?', "$"), values.join(", "));
    store.execute(&format!(
        "SET plan_cache_mode = force_generic_plan; SET jit = off; PREPARE asked AS {sql}"
    ));
    let explain = Statement {
        sql: format!(
            "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) EXECUTE asked ({values})"
        ),
        binds: Vec::new(),
    };
    let lines = store.rows(&explain).unwrap();
    store.execute("DEALLOCATE asked");
    let (mut read, mut loops) = (0.0, 0.0);
    for line in lines.iter().flatten() {
        let Value::Text(line) = line else {
            continue;
        };
        let number = |after: &str| -> Option<f64> {
            let (_, text) = line.split_once(after)?;
            let end = text.find([' ', ')']).unwrap_or(text.len());
            text[..end].parse().ok()
        };
        if let (Some(rows), Some(turns)) = (number("actual rows="), number("loops=")) {
            // A node above a scan reads nothing itself.
            loops = turns;
            read += if line.contains("Scan") {
                rows * turns
            } else {
                0.0
            };
        }
        read += number("Rows Removed by Filter: ").unwrap_or_default() * loops;
    }
    read
}

#[test]
fn a_page_reads_few_rows_however_many_match() {
    let store = comments();
    // In one comment of 29,000, in none, in 29, in nearly all; a phrase; in the last two comments, which come
    // after all others.
    for (matching, is_common) in [
        ("$search=%2217500%22", false),
        ("$search=absent", false),
        ("$search=bearing", false),
        ("$search=oil", true),
        ("$search=%22worn bearing%22", false),
        ("$search=%2229999%22 %2229998%22", false),
        ("$search=bear*", false),
        ("$search=o*", true),
        ("$search=abs*", false),
        ("$filter=contains(text,'t 17500')", false),
        ("$filter=contains(text,'absent')", false),
        ("$filter=contains(text,'bear')", false),
        ("$filter=contains(text,'on o')", true),
        (
            "$filter=endswith(text,'29999 on oil') or endswith(text,'29998 on oil')",
            false,
        ),
    ] {
        for order in ["", "&$orderby=id desc"] {
            let bound = bind(&COMMENT, &format!("{matching}{order}&$top=50")).unwrap();
            let scope = Scope {
                limit: Some(51),
                ..Scope::default()
            };
            let first = sql::page(&bound, store.dialect(), &scope);
            let after = [Value::Int(15_000)];
            let next = sql::page_after(&bound, store.dialect(), &scope, &after).unwrap();
            let count = sql::count(&bound, store.dialect(), &Scope::default());
            for statement in first.statements.iter().chain(&next.statements) {
                let read = rows_read(&store, statement);
                assert!(
                    read < 2_500.0,
                    "{matching}{order}: {read} rows read by {}",
                    statement.sql
                );
            }
            // All matches are counted, and nothing else is read.
            let most = if is_common { 90_000.0 } else { 200.0 };
            let read = rows_read(&store, &count);
            assert!(read < most, "{matching}: {read} rows read by {}", count.sql);
        }
    }
}

#[test]
fn a_page_of_a_search_in_another_order_reads_few_rows_however_many_match() {
    let store = comments();
    for search in [
        "%2217500%22",
        "absent",
        "bearing",
        "oil",
        "%22worn bearing%22",
        "bear*",
        "o*",
    ] {
        let query = format!("$search={search}&$orderby=level&$top=50");
        let bound = bind(&COMMENT, &query).unwrap();
        let scope = Scope {
            limit: Some(51),
            ..Scope::default()
        };
        let first = sql::page(&bound, store.dialect(), &scope);
        let after = [Value::Int(0), Value::Int(15_000)];
        let next = sql::page_after(&bound, store.dialect(), &scope, &after).unwrap();
        for statement in first.statements.iter().chain(&next.statements) {
            let read = rows_read(&store, statement);
            // A thousand matches are gathered, and read again to be counted; the index names all of them
            // before.
            let most = if search.starts_with('o') {
                35_000.0
            } else {
                5_000.0
            };
            assert!(
                read < most,
                "{search}: {read} rows read by {}",
                statement.sql
            );
        }
    }
}

/// What a query looks for in a text.
enum Matching {
    /// One of these parts.
    Parts(Vec<String>),
    /// One of these phrases; the last word of one with a `*` is the beginning of words.
    Phrases(Vec<String>),
}

impl Matching {
    /// Whether a text, which has a space before and after it, is looked for.
    fn is_met(&self, text: &str) -> bool {
        match self {
            Self::Parts(parts) => parts.iter().any(|part| text.trim().contains(part)),
            Self::Phrases(phrases) => phrases.iter().any(|phrase| match phrase.strip_suffix('*') {
                Some(beginning) => text.contains(&format!(" {beginning}")),
                None => text.contains(&format!(" {phrase} ")),
            }),
        }
    }
}

#[test]
fn a_page_has_the_rows_that_match() {
    let store = comments();
    // Rows that only the index still knows are no rows.
    store.execute(r#"DELETE FROM "incidentComments" WHERE id % 7 = 3 OR id < 1000"#);
    let text = |id: i64| {
        let rest = if id % 1000 == 0 {
            "on a worn bearing"
        } else {
            "on oil"
        };
        format!(" comment {id} {rest} ")
    };
    let ids: Vec<i64> = (1000..=30_000).filter(|id| id % 7 != 3).collect();
    let mut dice = 7_u64;
    let mut roll = |sides: u64| {
        dice = dice
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (dice >> 33) % sides
    };
    for turn in 0..300 {
        // Words of any frequency, alone and together.
        let number = 1000 + roll(30_000);
        let (option, matching) = if turn % 3 == 0 {
            let parts = match turn % 5 {
                0 => vec!["on o".to_owned()],
                1 => vec!["worn bear".to_owned()],
                2 => vec![number.to_string(), "absent".to_owned()],
                3 => vec![
                    format!(" {} on", number),
                    format!(" {} on", number + 1 + roll(3_000)),
                ],
                _ => vec![format!("nt {}", number / 100)],
            };
            let conditions = parts.iter().map(|part| format!("contains(text,'{part}')"));
            let conditions = conditions.collect::<Vec<_>>().join(" or ");
            (format!("$filter={conditions}"), Matching::Parts(parts))
        } else {
            let phrases = match turn % 10 {
                0 => vec!["oil".to_owned()],
                1 => vec!["bearing".to_owned()],
                2 => vec![number.to_string()],
                3 => vec![number.to_string(), (number + 1 + roll(3_000)).to_string()],
                4 => vec!["worn bearing".to_owned(), number.to_string()],
                5 => vec!["absent".to_owned()],
                6 => vec!["comment".to_owned(), "bearing".to_owned()],
                7 => vec![format!("{}*", number / 10)],
                8 => vec![
                    "a worn bear*".to_owned(),
                    format!("comment {}*", number / 100),
                ],
                _ => vec![format!("{number} on oil"), "bearing worn".to_owned()],
            };
            let search: Vec<String> = phrases
                .iter()
                .map(|phrase| match phrase.strip_suffix('*') {
                    Some(beginning) => format!("%22{beginning}%22*"),
                    None => format!("%22{phrase}%22"),
                })
                .collect();
            (
                format!("$search={}", search.join(" ")),
                Matching::Phrases(phrases),
            )
        };
        let descending = roll(2) == 1;
        let after = (roll(3) == 0).then(|| 1000 + roll(29_000) as i64);
        let (top, skip) = (1 + roll(5).pow(4), roll(2) * roll(60));
        // By id, or by level and then by id.
        let by_level = roll(2) == 1;
        let order = match (by_level, descending) {
            (false, false) => "id",
            (false, true) => "id desc",
            (true, false) => "level",
            (true, true) => "level desc,id desc",
        };
        let query = format!("{option}&$orderby={order}&$top={top}&$skip={skip}&$select=id");
        let bound = bind(&COMMENT, &query).unwrap();

        let place = |id: i64| (if by_level { id % 2 } else { 0 }, id);
        let lies_behind = |id: i64| {
            after.is_none_or(|after| {
                if descending {
                    place(id) < place(after)
                } else {
                    place(id) > place(after)
                }
            })
        };
        let mut expected: Vec<i64> = ids
            .iter()
            .copied()
            .filter(|&id| matching.is_met(&text(id)))
            .collect();
        let counted = expected.len() as i64;
        expected.retain(|&id| lies_behind(id));
        expected.sort_by_key(|&id| place(id));
        if descending {
            expected.reverse();
        }
        let skip = if after.is_some() { 0 } else { skip };
        let expected: Vec<Vec<Value>> = expected
            .into_iter()
            .skip(skip as usize)
            .take(top as usize)
            .map(|id| vec![Value::Int(id)])
            .collect();

        let scope = Scope::default();
        let page = match after {
            None => sql::page(&bound, store.dialect(), &scope),
            Some(id) => {
                let keys = [Value::Int(id % 2), Value::Int(id)];
                let keys = if by_level { &keys[..] } else { &keys[1..] };
                sql::page_after(&bound, store.dialect(), &scope, keys).unwrap()
            }
        };
        let mut found = Vec::new();
        for statement in &page.statements {
            // The order's keys are columns, too.
            let rows = store.rows(statement).unwrap();
            found.extend(rows.into_iter().map(|row| vec![row[0].clone()]));
        }
        found.truncate(top as usize);
        assert_eq!(found, expected, "{query} after {after:?}");
        let count = sql::count(&bound, store.dialect(), &scope);
        assert_eq!(
            store.rows(&count),
            Ok(vec![vec![Value::Int(counted)]]),
            "{query}"
        );
    }
}

#[test]
fn a_far_page_is_a_place_in_an_index() {
    let store = boards();
    let id = Value::Int(20_000);
    let name = Value::Text("Board 06666".into());
    for (query, place, index) in [
        ("", vec![id.clone()], "by_id"),
        ("$orderby=id desc", vec![id.clone()], "by_id"),
        ("$orderby=name", vec![name.clone(), id.clone()], "by_name"),
        ("$orderby=name", vec![Value::Null, id.clone()], "by_name"),
        (
            "$orderby=name desc,id desc",
            vec![name, id.clone()],
            "by_name",
        ),
        ("$orderby=groupId", vec![Value::Int(20), id], "by_group"),
    ] {
        let bound = bind(&BOARD, query).unwrap();
        let scope = Scope {
            limit: Some(100),
            ..Scope::default()
        };
        let page = sql::page_after(&bound, store.dialect(), &scope, &place).unwrap();
        for statement in &page.statements {
            let plan = store.plan(statement);
            let seeks = plan.contains(index) && plan.contains("Index Cond: ");
            assert!(seeks, "{}\n{plan}", statement.sql);
            // Sorted rows were read before; filtered rows were read in vain.
            let in_vain = plan.contains("Sort") || plan.contains("Filter: ");
            assert!(!in_vain, "{}\n{plan}", statement.sql);
        }
    }
}

#[test]
fn literals_of_any_kind_are_looked_up() {
    let store = boards();
    for (filter, index) in [
        ("id eq 5000", "by_id"),
        // A double compared with a whole number, which would convert the column to a double.
        ("id eq 5000.0", "by_id"),
        ("id in (5000,5001.0)", "by_id"),
        ("id gt 29000 and id lt 29010", "by_id"),
        ("name eq 'Board 01234'", "by_name"),
        ("name in ('Board 01234','Board 01235')", "by_name"),
        ("name ge 'Board 09990'", "by_name"),
        ("name eq null", "by_name"),
    ] {
        let plan = plan(&store, &BOARD, &format!("$filter={filter}"));
        assert!(
            plan.contains(index) && plan.contains("Index Cond: "),
            "{filter}\n{plan}"
        );
    }
}

#[test]
fn words_and_parts_are_found_by_their_indexes() {
    let store = comments();
    let many: Vec<String> = (0..60)
        .map(|n| format!("contains(text,'a worn part {n:02}')"))
        .collect();
    let many = format!("$filter={}", many.join(" or "));
    for (query, index) in [
        (many.as_str(), "comment_parts_found"),
        ("$search=bearing", "comment_words_found"),
        ("$search=bearing absent", "comment_words_found"),
        ("$search=\"worn bearing\"", "comment_words_found"),
        ("$search=\"worn bearing\" absent", "comment_words_found"),
        ("$search=bear* absent", "comment_words_found"),
        ("$filter=contains(text,'bearing')", "comment_parts_found"),
        ("$filter=endswith(text,'bearing')", "comment_parts_found"),
        (
            "$filter=contains(text,'bearing') and level eq 0",
            "comment_parts_found",
        ),
        (
            "$filter=contains(text,'bearing') or contains(text,'absent')",
            "comment_parts_found",
        ),
    ] {
        let query = query.replace('"', "%22");
        let plan = plan(&store, &COMMENT, &query);
        assert!(
            plan.contains(&format!("Bitmap Index Scan on {index}")),
            "{query}\n{plan}"
        );
    }
    for query in [
        "$filter=contains(text,'be')",
        "$filter=contains(text,'bearing') or level eq 0",
        "$filter=not contains(text,'bearing')",
    ] {
        let plan = plan(&store, &COMMENT, query);
        assert!(!plan.contains("comment_parts"), "{query}\n{plan}");
    }
}

#[test]
fn few_members_lead_to_their_rows() {
    let store = comments();
    let any = "$filter=comments/any(c:contains(c/text,'bearing'))";
    for query in [any.to_owned(), format!("{any}&$top=5")] {
        let plan = plan(&store, &INCIDENT, &query);
        let found = "Bitmap Index Scan on comment_parts_found";
        assert_eq!(plan.matches(found).count(), 1, "{query}\n{plan}");
    }
    for query in [
        "$filter=comments/any(c:c/level eq id)&$top=5",
        "$filter=not comments/any(c:contains(c/text,'bearing'))&$top=5",
    ] {
        let plan = plan(&store, &INCIDENT, query);
        assert!(!plan.contains("CTE"), "{query}\n{plan}");
    }
}

/// 1.3 MB of words: the last ones in their order do not fit a row of the index.
#[test]
fn a_document_with_more_words_than_the_index_holds_is_found_by_any_of_them() {
    let store = comments();
    store.execute(
        r#"INSERT INTO comment_words
           SELECT 1000, odata_terms(document), document
           FROM (SELECT ' ' || string_agg('w' || lpad(n::text, 8, '0'), ' ') || ' ' AS document
                 FROM generate_series(1, 130000) AS n) AS long
           ON CONFLICT (rowid) DO UPDATE SET words = excluded.words, document = excluded.document"#,
    );
    for (word, expected) in [
        ("w00000001", vec![vec![Value::Int(1000)]]),
        ("w00130000", vec![vec![Value::Int(1000)]]),
        ("w0013*", vec![vec![Value::Int(1000)]]),
        ("w00130001", vec![]),
    ] {
        let bound = bind(&COMMENT, &format!("$search={word}&$select=id")).unwrap();
        let found = store.rows(&sql::select(&bound, store.dialect(), &Scope::default()));
        assert_eq!(found, Ok(expected), "{word}");
    }
}
