//! Every limit: the largest valid request is accepted, one more is refused with a message that has the limit.

use obeya_odata::{Context, Error, Limits, OptionName, Options};

use crate::model::COMMENT;

fn ask(query: &str, limits: Limits) -> Result<(), Error> {
    let (options, _) = Options::parse(query, OptionName::ALL, &limits)?;
    options
        .bind(&COMMENT, &Context { now: 0, limits })
        .map(drop)
}

fn check(limits: Limits, limit: usize, fits: &str, passes: &str) {
    assert_eq!(ask(fits, limits), Ok(()), "{fits}");
    let error = ask(passes, limits).expect_err(passes);
    assert_eq!(error.code(), "odata.limit", "{passes}: {error}");
    let ending = format!("; the limit is {limit}");
    assert!(error.message.ends_with(&ending), "{passes}: {error}");
    // Requests that are refused here are accepted with the default limit.
    assert_eq!(ask(passes, Limits::default()), Ok(()), "{passes}");
}

#[test]
fn each_holds_where_it_is_set_and_says_so() {
    let usual = Limits::default();
    let with = |change: fn(&mut Limits)| {
        let mut limits = usual;
        change(&mut limits);
        limits
    };
    let nodes = with(|limits| limits.nodes = 3);
    check(nodes, 3, "$filter=id eq 1", "$filter=not (id eq 1)");
    // All options of a request count together.
    check(nodes, 3, "$filter=id eq 1", "$filter=id eq 1&$orderby=id");
    check(
        nodes,
        3,
        "$orderby=id&@a=1&@b=2",
        "$orderby=id&@a=1&@b=2&@c=3",
    );
    let depth = with(|limits| limits.depth = 3);
    check(depth, 3, "$filter=((true))", "$filter=(((true)))");
    check(depth, 3, "$filter=not true", "$filter=not not not true");
    let list = with(|limits| limits.list = 2);
    check(list, 2, "$filter=id in (1,2)", "$filter=id in (1,2,3)");
    check(list, 2, "$filter=id in [1,2]", "$filter=id in [1,2,3]");
    check(
        list,
        2,
        "$filter=id in @l&@l=[1,2]",
        "$filter=id in @l&@l=[1,2,3]",
    );
    check(list, 2, "$select=id,text", "$select=id,text,id");
    let lambdas = with(|limits| limits.lambdas = 1);
    check(
        lambdas,
        1,
        "$filter=incident/comments/any(c:c/id eq 1)",
        "$filter=incident/comments/any(c:c/incident/comments/any(d:d/id eq 1))",
    );
    check(
        lambdas,
        1,
        "$filter=incident/comments/$count($filter=id eq 1) eq 1",
        "$filter=incident/comments/all(c:c/incident/comments/$count($filter=id eq 1) eq 1)",
    );
    let expand_depth = with(|limits| limits.expand_depth = 1);
    check(
        expand_depth,
        1,
        "$expand=parent",
        "$expand=parent($expand=parent)",
    );
    check(
        expand_depth,
        1,
        "$expand=parent($levels=max)",
        "$expand=parent($levels=2)",
    );
    let expands = with(|limits| limits.expands = 1);
    check(expands, 1, "$expand=parent", "$expand=parent,incident");
    check(expands, 1, "$expand=parent", "$expand=*");
    let order_keys = with(|limits| limits.order_keys = 1);
    check(order_keys, 1, "$orderby=id", "$orderby=id,text");
    let patterns = with(|limits| limits.patterns = 1);
    let pattern = "matchespattern(text,'a')";
    check(
        patterns,
        1,
        &format!("$filter={pattern}"),
        &format!("$filter={pattern} or {pattern}"),
    );
    // The number of cached compiled patterns bounds it, whatever is set.
    let many = with(|limits| limits.patterns = 100);
    let patterns = |count: usize| format!("$filter={}", vec![pattern; count].join(" or "));
    assert_eq!(ask(&patterns(8), many), Ok(()));
    assert_eq!(ask(&patterns(9), many).unwrap_err().code(), "odata.limit");
    let search_words = with(|limits| limits.search_words = 2);
    check(
        search_words,
        2,
        "$search=oil leak",
        "$search=oil \"press 4\"",
    );
    let option_bytes = with(|limits| limits.option_bytes = 10);
    check(option_bytes, 10, "$filter=id eq 1", "$filter=id eq 10000");
    check(
        option_bytes,
        10,
        "$search=0123abcdef",
        "$search=0123abcdefg",
    );
    check(option_bytes, 10, "$orderby=id", "$orderby=id,id,id,id");
    check(option_bytes, 10, "@a='12345678'", "@a='123456789'");
}

/// A repeated part of `$expand` costs each time, so it counts each time.
#[test]
fn all_levels_of_a_request_count_together() {
    let limits = Limits::default();
    let pattern = "matchespattern(text,'a')";
    let patterns = |count: usize| vec![pattern; count].join(" or ");
    let nested = |outer: usize, inner: usize| {
        format!(
            "$filter={}&$expand=incident($expand=comments($filter={}))",
            patterns(outer),
            patterns(inner)
        )
    };
    assert_eq!(ask(&nested(4, 4), limits), Ok(()));
    assert_eq!(
        ask(&nested(4, 5), limits).unwrap_err().code(),
        "odata.limit"
    );
    let mut limits = Limits::default();
    limits.list = 2;
    let lists = |count: usize| vec!["id in @l"; count].join(" or ");
    let nested = |outer: usize, inner: usize| {
        format!(
            "$filter={}&$expand=incident($expand=comments($filter={}))&@l=[1,2]",
            lists(outer),
            lists(inner)
        )
    };
    // Four times two members are allowed.
    assert_eq!(ask(&nested(2, 2), limits), Ok(()));
    assert_eq!(
        ask(&nested(2, 3), limits).unwrap_err().code(),
        "odata.limit"
    );
}

/// No configuration lifts the protection of the stack, 2 MiB in a test's thread: each of these recurses as
/// deeply as any value lets it.
#[test]
fn no_limit_is_too_large() {
    let mut limits = Limits::default();
    limits.nodes = usize::MAX;
    limits.depth = usize::MAX;
    limits.list = usize::MAX;
    limits.lambdas = usize::MAX;
    limits.expand_depth = usize::MAX;
    limits.expands = 100_000;
    limits.order_keys = usize::MAX;
    limits.patterns = usize::MAX;
    limits.search_words = usize::MAX;
    limits.option_bytes = 1 << 24;
    let refused = |query: &str| {
        assert_eq!(ask(query, limits).unwrap_err().code(), "odata.limit");
    };
    // The deepest condition at the deepest level.
    let deep = format!("{}id eq 3{}", "not (".repeat(94), ")".repeat(94));
    let levels = |count: usize| {
        format!(
            "$expand=parent($levels={count};$expand=incident($expand=comments($filter={deep})))"
        )
    };
    assert_eq!(ask(&levels(18), limits), Ok(()));
    refused(&levels(19));
    refused("$expand=parent($levels=5000)");
    assert_eq!(ask("$expand=parent($levels=20)", limits), Ok(()));
    assert_eq!(ask("$expand=parent($levels=max)", limits), Ok(()));
    let nested = |count: usize| {
        format!(
            "$expand={}parent{}",
            "parent($expand=".repeat(count - 1),
            ")".repeat(count - 1)
        )
    };
    assert_eq!(ask(&nested(20), limits), Ok(()));
    for count in [21, 190, 5_000] {
        refused(&nested(count));
    }
    refused(&format!("$select={}id", "incident/".repeat(5_000)));
    let any = |count: usize| {
        format!(
            "$filter={}true{}",
            (0..count)
                .map(|n| {
                    let from = if n == 0 {
                        String::new()
                    } else {
                        format!("v{}/", n - 1)
                    };
                    format!("{from}incident/comments/any(v{n}:")
                })
                .collect::<String>(),
            ")".repeat(count)
        )
    };
    assert_eq!(ask(&any(20), limits), Ok(()));
    for count in [21, 5_000] {
        refused(&any(count));
    }
    // Aliases of aliases, each nested as deeply as one may be.
    let chain = |count: usize, before: &str, behind: &str| {
        let aliases: String = (0..count)
            .map(|n| format!("&@a{n}={before}@a{}{behind}", n + 1))
            .collect();
        format!("$filter=@a0{aliases}&@a{count}=id eq 3")
    };
    assert_eq!(ask(&chain(15, "", ""), limits), Ok(()));
    assert_eq!(ask(&chain(15, "not (", ")"), limits), Ok(()));
    refused(&chain(15, &"not (".repeat(90), &")".repeat(90)));
    assert!(ask(&chain(5_000, "", ""), limits).is_err());
    assert!(ask(&chain(5_000, "id in ", ""), limits).is_err());
}

/// The defaults of the interface; a change of one changes which requests are accepted.
#[test]
fn the_usual_limits() {
    let mut expected = Limits::default();
    expected.nodes = 200;
    expected.depth = 50;
    expected.list = 1_000;
    expected.lambdas = 3;
    expected.expand_depth = 3;
    expected.expands = 20;
    expected.order_keys = 8;
    expected.patterns = 8;
    expected.search_words = 20;
    expected.option_bytes = 8 * 1024;
    assert_eq!(Limits::default(), expected);
}
