//! Hostile input: refused quickly, or taken as the plain text it is.

use std::time::{Duration, Instant};

use obeya_odata::sql::{self, Scope};
use obeya_odata::{Context, Limits, OptionName, Options};

use crate::harness::DIALECTS;
use crate::model::{AREA, BOARD, GROUP};
use crate::store::{Store, bind, encode, on_each_engine};

/// Generous for an unoptimised build on a busy machine; quadratic or exponential work takes far longer.
const SOON: Duration = Duration::from_millis(500);

fn refused(query: &str, code: &str) {
    let begun = Instant::now();
    let error = bind(&GROUP, query).unwrap_err();
    let shown: String = query.chars().take(60).collect();
    assert_eq!(error.code(), code, "{shown}: {error}");
    assert!(
        begun.elapsed() < SOON,
        "{shown}: took {:?}",
        begun.elapsed()
    );
    assert!(
        error.to_string().len() < 400,
        "{shown}: the message has {} bytes",
        error.to_string().len()
    );
}

#[test]
fn what_is_too_much_is_refused_by_a_limit() {
    for filter in [
        format!("{}true{}", "(".repeat(10_000), ")".repeat(10_000)),
        format!("name eq '{}'", "x".repeat(1 << 20)),
        vec!["true"; 1_000_000].join(" or "),
        format!("{}true", "not ".repeat(1_000)),
        format!("{}level eq 1", "- ".repeat(1_000)),
        format!("level{} eq 1", " add 1".repeat(100)),
        format!("{} eq 1", vec!["parent"; 200].join("/")),
        format!("level in ({})", vec!["1"; 1_001].join(",")),
        format!("{}name{} eq 'x'", "tolower(".repeat(60), ")".repeat(60)),
        "children/any(a:a/children/any(b:b/children/any(c:c/children/any(d:d/level eq 1))))"
            .to_owned(),
    ] {
        refused(&format!("$filter={}", encode(&filter)), "odata.limit");
    }
    refused(
        &format!("$orderby={}", ["level"; 9].join(",")),
        "odata.limit",
    );
    refused(
        &format!("$expand={}", vec!["parent"; 30].join(",")),
        "odata.limit",
    );
    refused(
        &format!(
            "$expand={}x{}",
            "parent($expand=".repeat(200),
            ")".repeat(200)
        ),
        "odata.limit",
    );
    refused(
        &format!("$select={}", vec!["id"; 2_000].join(",")),
        "odata.limit",
    );
    refused(&format!("$search={}", "a ".repeat(30)), "odata.limit");
    refused(
        &format!("$filter={}1{} eq 1", "[".repeat(1_000), "]".repeat(1_000)),
        "odata.limit",
    );
    refused(
        &format!("$filter={}1{}", "case(true:".repeat(500), ")".repeat(500)),
        "odata.limit",
    );
}

/// Large limits must not lift the protection of the stack, and the work must stay linear.
#[test]
fn large_limits_are_safe() {
    let mut limits = Limits::default();
    limits.nodes = 1_000_000;
    limits.depth = 1_000_000;
    limits.option_bytes = 1 << 24;
    let parse = |filter: &str| {
        Options::parse(
            &format!("$filter={}", encode(filter)),
            OptionName::ALL,
            &limits,
        )
    };
    for filter in [
        format!("{}true{}", "(".repeat(100_000), ")".repeat(100_000)),
        format!("level{} eq 1", " add 1".repeat(100_000)),
        format!("{}true", "not ".repeat(100_000)),
    ] {
        assert_eq!(parse(&filter).unwrap_err().code(), "odata.limit");
    }
    let (options, _) = parse(&vec!["level eq 1"; 20_000].join(" or ")).unwrap();
    let bound = options.bind(&GROUP, &Context { now: 0, limits }).unwrap();
    for dialect in DIALECTS {
        let statement = sql::select(&bound, dialect, &Scope::default());
        assert_eq!(statement.binds.len(), 20_000, "{}", dialect.name());
    }
}

/// An expression nested as deeply as can be configured still passes every stage on the stack of a test's
/// thread, 2 MiB, unoptimised.
fn the_deepest_expression_fits_the_stack(store: &Store) {
    let mut limits = Limits::default();
    limits.nodes = 1_000;
    limits.depth = usize::MAX;
    for filter in [
        format!(
            "{}name{} eq 'Welding'",
            "tolower(".repeat(196),
            ")".repeat(196)
        ),
        format!("{}id eq 3{}", "(".repeat(196), ")".repeat(196)),
        format!("{}id eq 3{}", "not (".repeat(98), ")".repeat(98)),
        format!("id eq 3{}", " eq true".repeat(196)),
        format!("{}id eq 3{}", "case(true:".repeat(196), ")".repeat(196)),
    ] {
        let (options, _) = Options::parse(
            &format!("$filter={}", encode(&filter)),
            OptionName::ALL,
            &limits,
        )
        .unwrap();
        let bound = options.bind(&AREA, &Context { now: 0, limits }).unwrap();
        let expected = if filter.starts_with("tolower") { 0 } else { 1 };
        let rows = store
            .rows(&sql::select(&bound, store.dialect(), &Scope::default()))
            .unwrap();
        assert_eq!(rows.len(), expected, "{}", &filter[..40]);
        let printed = encode(&options.filter.as_ref().unwrap().to_string());
        let (again, _) =
            Options::parse(&format!("$filter={printed}"), OptionName::ALL, &limits).unwrap();
        assert_eq!(again, options);
    }
}

/// An operand that is written once may be needed twice in SQL; nested, that must not double at every level.
#[test]
fn statements_grow_no_faster_than_what_they_are_made_from() {
    let nested = |inner: &str, open: &str, close: &str, levels: usize| {
        format!("{}{inner}{}", open.repeat(levels), close.repeat(levels))
    };
    let begun = Instant::now();
    for filter in [
        nested(
            "endswith(name,'g')",
            "endswith(cast(",
            ",Edm.String),'e')",
            20,
        ),
        nested(
            "startswith(name,'g')",
            "startswith('true',cast(",
            ",Edm.String))",
            20,
        ),
        nested("(name eq 'x')", "(", " in (true,null))", 20),
        nested(
            "name eq 'x'",
            "(cast(",
            ",Edm.String) in ('true',null))",
            20,
        ),
        nested(
            "name eq 'x'",
            "(cast(",
            ",Edm.String) in (name,description,name))",
            15,
        ),
        nested("id eq 1", "(true in (", ",false))", 20),
    ] {
        match bind(&AREA, &format!("$filter={}", encode(&filter))) {
            Ok(bound) => {
                for dialect in DIALECTS {
                    let sql = sql::select(&bound, dialect, &Scope::default()).sql;
                    assert!(sql.len() < 100_000, "{filter}: {} bytes", sql.len());
                }
            }
            Err(error) => assert_eq!(error.code(), "odata.limit", "{filter}: {error}"),
        }
    }
    assert!(begun.elapsed() < SOON, "took {:?}", begun.elapsed());
}

fn text_stays_text_wherever_it_stands(store: &Store) {
    let all = store.ids(&AREA, "").unwrap();
    for text in [
        "'; DROP TABLE areas; --",
        "\"; DROP TABLE areas; --",
        "' OR '1'='1",
        "%",
        "_",
        "\\",
        "?1",
        "{t}",
        "*/ --",
        "\u{2028}\u{202e}",
        "%27",
        "NULL",
    ] {
        let quoted = text.replace('\'', "''");
        for filter in [
            format!("name eq '{quoted}'"),
            format!("name in ('{quoted}')"),
            format!("startswith(name,'{quoted}')"),
            format!("endswith(name,'{quoted}')"),
            format!("concat(name,'{quoted}') eq name"),
            format!("substring('{quoted}',0) eq name"),
            format!("tolower('{quoted}') eq name"),
        ] {
            assert_eq!(store.filter(&AREA, &filter), Ok(vec![]), "{filter}");
        }
        assert_eq!(
            store.filter(&AREA, &format!("name ne '{quoted}'")),
            Ok(all.clone()),
            "{text}"
        );
        let statement = sql::select(
            &bind(&AREA, &format!("$filter=name eq '{}'", encode(&quoted))).unwrap(),
            store.dialect(),
            &Scope::default(),
        );
        assert!(
            !statement.sql.contains("DROP") && !statement.sql.contains('\''),
            "{}",
            statement.sql
        );
    }
    assert_eq!(store.ids(&AREA, "").unwrap(), all);
}

/// Found by the fuzz targets: a quoted text ends in logs and on terminals, where control characters have
/// effects.
#[test]
fn messages_hold_no_control_characters() {
    for query in [
        "$filter=duration'-P%1b%5b31mDT2H' eq null",
        "$filter=name 'l%09eva%0a'",
        "$filter=cast(id,Edm.%07) eq 1",
        "$filter=severity has X.Severity'%08High'",
        "$%1b%5b2J=1",
        "$select='%0d%0ax'",
        "$search=%221%1b",
        "@%7f=1",
    ] {
        let error = bind(&BOARD, query).unwrap_err();
        let text = error.to_string();
        assert!(!text.contains(char::is_control), "{text:?}");
    }
}

#[test]
fn names_are_never_taken_from_the_request() {
    for query in [
        // Cyrillic а, fullwidth ｉｄ, a quoted identifier, a column that is no property.
        "$filter=n\u{430}me eq 'x'",
        "$filter=\u{ff49}\u{ff44} eq 1",
        "$orderby=rowid",
        "$select=rowid",
        "$filter=name\u{200b} eq 'x'",
        "$orderby=id;DROP",
        "$orderby=\"id\"\"",
        "$filter=sqlite_version() eq 'x'",
        "$filter=odata_lower(name) eq 'x'",
        "$filter=%2527 eq 1",
        "$filter=name eq %2527x%2527",
    ] {
        assert!(bind(&BOARD, query).is_err(), "{query}");
    }
}

on_each_engine!(
    the_deepest_expression_fits_the_stack,
    text_stays_text_wherever_it_stands,
);
