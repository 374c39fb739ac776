//! What the builder makes, printed and parsed again.

mod model;
mod random;

use std::time::{Duration as StdDuration, SystemTime};

use self::model::{binds, binds_as};
use super::*;
use crate::ast::Expr;
use crate::ast::options::{OptionName, Options};
use crate::limits::Limits;
use crate::parse::{Budget, expression};

struct Group;
struct Board;

struct GroupRow<R>(Path<R>);
struct BoardRow<R>(Path<R>);

/// A word of an enumeration.
#[derive(Clone, Copy)]
struct Kind(&'static str);

impl std::fmt::Display for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0)
    }
}

impl<R> Row for GroupRow<R> {
    type Root = R;
    type Entity = Group;

    fn at(path: Path<R>) -> Self {
        Self(path)
    }
}

impl<R> Row for BoardRow<R> {
    type Root = R;
    type Entity = Board;

    fn at(path: Path<R>) -> Self {
        Self(path)
    }
}

impl<R> GroupRow<R> {
    fn name(&self) -> Property<R, Text> {
        self.0.property("name")
    }
    fn level(&self) -> Property<R, Int> {
        self.0.property("level")
    }
    fn share(&self) -> Property<R, Double> {
        self.0.property("share")
    }
    fn member(&self) -> Property<R, Boolean> {
        self.0.property("isMember")
    }
    fn kind(&self) -> Property<R, Enum<Kind>> {
        self.0.property("type")
    }
    fn made(&self) -> Property<R, Instant> {
        self.0.property("made")
    }
    fn day(&self) -> Property<R, Date> {
        self.0.property("day")
    }
    fn starts(&self) -> Property<R, TimeOfDay> {
        self.0.property("starts")
    }
    fn lasts(&self) -> Property<R, Duration> {
        self.0.property("lasts")
    }
    fn key(&self) -> Property<R, Guid> {
        self.0.property("key")
    }
    fn parent(&self) -> One<GroupRow<R>> {
        self.0.one("parent")
    }
    fn boards(&self) -> Many<BoardRow<R>> {
        self.0.many("boards")
    }
    fn children(&self) -> Many<GroupRow<R>> {
        self.0.many("children")
    }
    /// A property called like the variable that `boards` would give.
    fn b(&self) -> Property<R, Int> {
        self.0.property("b")
    }
}

impl<R> BoardRow<R> {
    fn name(&self) -> Property<R, Text> {
        self.0.property("name")
    }
    fn public(&self) -> Property<R, Boolean> {
        self.0.property("isPublic")
    }
    fn group(&self) -> One<GroupRow<R>> {
        self.0.one("group")
    }
}

fn group() -> GroupRow<Group> {
    GroupRow::at(Path::root())
}

fn board() -> BoardRow<Board> {
    BoardRow::at(Path::root())
}

fn parse(text: &str) -> Expr {
    let limits = Limits {
        nodes: 10_000,
        depth: 200,
        option_bytes: 1 << 20,
        ..Limits::default()
    };
    expression(text, &limits, &mut Budget::default())
        .unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// The text, which must parse to the very tree that was built.
fn round_trip<R, T, K>(value: &Value<R, T, K>) -> String {
    let text = value.to_string();
    assert_eq!(parse(&text), *value.expr(), "{text}");
    text
}

/// Whole options are read by the rules of the query string, after an encoding that hides nothing.
fn parse_option(name: OptionName, text: &str) -> Options {
    let encoded: String = text.bytes().map(|byte| format!("%{byte:02X}")).collect();
    let raw = format!("{}={encoded}", name.as_str());
    match Options::parse(&raw, OptionName::ALL, &Limits::default()) {
        Ok((options, _)) => options,
        Err(error) => panic!("{text}: {error}"),
    }
}

#[test]
fn conditions_are_written_as_the_url_conventions_have_them() {
    let cases = [
        (group().name().eq("O'Neil"), "name eq 'O''Neil'"),
        (
            group().name().eq(group().parent().name()),
            "name eq parent/name",
        ),
        (
            group().level().ge(1).and(group().name().contains("Weld")),
            "level ge 1 and contains(name,'Weld')",
        ),
        (group().level().in_([1, -2]), "level in (1,-2)"),
        (group().name().in_(["a", ""]), "name in ('a','')"),
        (group().level().in_(Vec::<i32>::new()), "false"),
        (group().member().not(), "not isMember"),
        (
            !group().level().eq(1) | group().member() & true,
            "not (level eq 1) or isMember and true",
        ),
        (group().kind().eq(Kind("GENERAL")), "type eq 'GENERAL'"),
        (group().kind().has(Kind("GENERAL")), "type has 'GENERAL'"),
        (
            group()
                .parent()
                .is_null()
                .or(group().parent().parent().not_null()),
            "parent eq null or parent/parent ne null",
        ),
        (group().level().is_null(), "level eq null"),
        (group().level().gt(group().share()), "level gt share"),
        (group().share().lt(1), "share lt 1"),
        (
            group().level().negate().add(1).mul(i64::MIN).ne(0),
            "(-level add 1) mul -9223372036854775808 ne 0",
        ),
        (group().level().modulo(2).eq(0), "level mod 2 eq 0"),
        (
            group().level().div(2).eq(group().level().div_by(2)),
            "level div 2 eq level divby 2",
        ),
        (
            group().level().to_double().div(2).round().gt(0.5),
            "round(cast(level,Edm.Double) div 2) gt 0.5",
        ),
        (
            group().share().floor().eq(group().share().ceiling()),
            "floor(share) eq ceiling(share)",
        ),
        (
            group()
                .name()
                .to_int()
                .add(group().name().to_double().to_text().to_int())
                .eq(2),
            "cast(name,Edm.Int64) add cast(cast(cast(name,Edm.Double),Edm.String),Edm.Int64) eq 2",
        ),
        (
            group()
                .name()
                .substring(1)
                .to_lower()
                .starts_with(group().name().substring_of(0, 2).to_upper()),
            "startswith(tolower(substring(name,1)),toupper(substring(name,0,2)))",
        ),
        (
            group().name().trim().concat("!").ends_with("x!"),
            "endswith(concat(trim(name),'!'),'x!')",
        ),
        (
            group().name().length().gt(group().name().index_of("a")),
            "length(name) gt indexof(name,'a')",
        ),
        (
            group().name().matches_pattern("^W.*d$"),
            "matchespattern(name,'^W.*d$')",
        ),
        (
            group()
                .made()
                .year()
                .eq(2024)
                .and(group().day().month().eq(2)),
            "year(made) eq 2024 and month(day) eq 2",
        ),
        (
            group().made().date().eq(Value::from_days(19_782)),
            "date(made) eq 2024-02-29",
        ),
        (
            group().made().time().ge(StdDuration::from_secs(6 * 3600)),
            "time(made) ge 06:00:00",
        ),
        (
            group().made().lt(now().sub(StdDuration::from_secs(90))),
            "made lt now() sub duration'PT1M30S'",
        ),
        (
            group()
                .made()
                .gt(Value::min_date_time())
                .and(group().made().lt(Value::max_date_time())),
            "made gt mindatetime() and made lt maxdatetime()",
        ),
        (
            group()
                .made()
                .since(Value::from_ticks(0))
                .total_seconds()
                .gt(1e9),
            "totalseconds(made sub 1970-01-01T00:00:00Z) gt 1000000000.0",
        ),
        (
            group().made().bin(BinSize::Minutes(15)).eq(now()),
            "bin(made,duration'PT15M') eq now()",
        ),
        (
            group()
                .made()
                .bin_in(BinSize::Month, "Europe/Oslo")
                .lt(now()),
            "bin(made,'month','Europe/Oslo') lt now()",
        ),
        (
            group().starts().hour().eq(group().made().minute()),
            "hour(starts) eq minute(made)",
        ),
        (
            group()
                .made()
                .second()
                .eq(0)
                .and(group().starts().fractional_seconds().eq(0)),
            "second(made) eq 0 and fractionalseconds(starts) eq 0",
        ),
        (
            group()
                .day()
                .day()
                .eq(group().made().total_offset_minutes()),
            "day(day) eq totaloffsetminutes(made)",
        ),
        (
            group()
                .day()
                .add(group().lasts().mul(2))
                .gt(Value::from_days(0)),
            "day add lasts mul 2 gt 1970-01-01",
        ),
        (
            group()
                .lasts()
                .negate()
                .sub(group().lasts().div(2))
                .lt(group().lasts().add(StdDuration::ZERO)),
            "-lasts sub lasts div 2 lt lasts add duration'PT0S'",
        ),
        (
            group()
                .key()
                .eq(0x3f25_04e0_4f89_11d3_9a0c_0305_e82c_3301_u128),
            "key eq 3f2504e0-4f89-11d3-9a0c-0305e82c3301",
        ),
    ];
    for (filter, text) in cases {
        assert_eq!(round_trip(&filter), text);
        binds(&filter);
    }
}

#[test]
fn a_link_to_many_takes_conditions_about_its_members() {
    let cases = [
        (group().boards().exists(), "boards/any()"),
        (
            group().boards().any(|board| board.name().contains("x")),
            "boards/any(b:contains(b/name,'x'))",
        ),
        (
            group().boards().all(|board| board.public()),
            "boards/all(b:b/isPublic)",
        ),
        (
            group()
                .parent()
                .boards()
                .any(|board| board.group().name().eq(group().name())),
            "parent/boards/any(b:b/group/name eq name)",
        ),
        (group().boards().count().gt(3), "boards/$count gt 3"),
        (
            group()
                .boards()
                .count_where(board().public())
                .eq(group().children().count()),
            "boards/$count($filter=isPublic) eq children/$count",
        ),
        // The inner variable has the letter first, as it is done first.
        (
            group().children().any(|child| {
                child
                    .children()
                    .all(|grandchild| grandchild.level().gt(child.level()))
            }),
            "children/any(c2:c2/children/all(c:c/level gt c2/level))",
        ),
        // A variable would hide the property.
        (
            group()
                .boards()
                .any(|board| board.group().level().eq(group().b())),
            "boards/any(b2:b2/group/level eq b)",
        ),
        // A condition that was made elsewhere comes with a variable of its own.
        (
            {
                let inner = group().boards().any(|board| board.public());
                group()
                    .boards()
                    .all(|board| board.name().ne("x").and(inner))
            },
            "boards/all(b2:b2/name ne 'x' and boards/any(b:b/isPublic))",
        ),
        (
            group()
                .children()
                .any(|child| child.boards().count_where(board().group().b().eq(1)).gt(0)),
            "children/any(c:c/boards/$count($filter=group/b eq 1) gt 0)",
        ),
    ];
    for (filter, text) in cases {
        assert_eq!(round_trip(&filter), text);
        binds(&filter);
    }
}

#[test]
fn values_that_odata_can_not_write_are_the_nearest_that_it_can() {
    let first = group().made().eq(Value::from_ticks(i64::MIN));
    assert_eq!(round_trip(&first), "made eq 0000-01-01T00:00:00Z");
    let last = group().made().eq(Value::from_ticks(i64::MAX));
    assert_eq!(round_trip(&last), "made eq 9999-12-31T23:59:59.9999999Z");
    let days = [i64::MIN, i64::MAX].map(Value::from_days);
    assert_eq!(
        round_trip(&group().day().in_(days)),
        "day in (0000-01-01,9999-12-31)"
    );
    let midnight = group().starts().eq(StdDuration::from_secs(86_400));
    assert_eq!(round_trip(&midnight), "starts eq 23:59:59.9999999");
    // 2^63 − 1 ticks are 10,675,199 days, 2 h 48 min 5.4775807 s.
    let longest = group().lasts().lt(StdDuration::MAX);
    assert_eq!(
        round_trip(&longest),
        "lasts lt duration'P10675199DT2H48M5.4775807S'"
    );
}

#[test]
fn instants_of_the_system_are_cut_to_the_tick_they_fall_in() {
    let text = |time: SystemTime| round_trip(&group().made().eq(time));
    let epoch = SystemTime::UNIX_EPOCH;
    assert_eq!(
        text(epoch + StdDuration::from_nanos(199)),
        "made eq 1970-01-01T00:00:00.0000001Z"
    );
    assert_eq!(
        text(epoch - StdDuration::from_nanos(1)),
        "made eq 1969-12-31T23:59:59.9999999Z"
    );
}

#[test]
fn numbers_that_are_none_are_written_and_read() {
    for (number, text) in [
        (f64::NAN, "NaN"),
        (f64::INFINITY, "INF"),
        (f64::NEG_INFINITY, "-INF"),
        (-0.0, "-0.0"),
    ] {
        let filter = group().share().eq(number);
        assert_eq!(filter.to_string(), format!("share eq {text}"));
        // NaN differs from itself, so the texts are compared.
        assert_eq!(parse(&filter.to_string()).to_string(), filter.to_string());
        let members = group().share().in_([number]);
        assert_eq!(parse(&members.to_string()).to_string(), members.to_string());
    }
}

#[test]
fn conditions_are_joined_without_nesting() {
    let level = |number: i32| group().level().ne(number);
    let chain = (1..2_000).fold(level(0), |all, number| all.and(level(number)));
    assert_eq!(*chain.expr(), *all_of((0..2_000).map(level)).expr());
    assert_eq!(
        round_trip(&level(1).and(level(2).and(level(3)))),
        "level ne 1 and level ne 2 and level ne 3"
    );
    assert_eq!(
        round_trip(&level(1).and(level(2)).or(level(3)).and(level(4))),
        "(level ne 1 and level ne 2 or level ne 3) and level ne 4"
    );
    assert_eq!(round_trip(&any_of([level(1)])), "level ne 1");
    assert_eq!(all_of(Vec::<Filter<Group>>::new()).to_string(), "true");
    assert_eq!(any_of(Vec::<Filter<Group>>::new()).to_string(), "false");
}

fn order(keys: impl Clause<Order<Group>>) -> Option<String> {
    keys.text()
}

fn select(properties: impl Clause<Select<Group>>) -> Option<String> {
    properties.text()
}

fn expand(links: impl Clause<Expansion<Group>>) -> Option<String> {
    links.text()
}

#[test]
fn orders_and_selections_are_lists_of_parts() {
    let keys = (
        group().parent().name().asc(),
        [group().level().add(1).desc()],
    );
    let text = order(keys.clone()).unwrap();
    assert_eq!(text, "parent/name,level add 1 desc");
    let parsed = parse_option(OptionName::OrderBy, &text).orderby.unwrap();
    let [second] = keys.1;
    assert_eq!(parsed, [keys.0.into_item(), second.into_item()]);
    binds_as(OptionName::OrderBy, &text);

    let text = select((group().name(), group().level(), group().parent().name())).unwrap();
    assert_eq!(text, "name,level,parent/name");
    assert_eq!(
        parse_option(OptionName::Select, &text)
            .select
            .unwrap()
            .len(),
        3
    );
    assert_eq!(
        select((Select::all(), group().parent().name())).unwrap(),
        "*,parent/name"
    );
    assert_eq!(select(vec![group().name()]).unwrap(), "name");
    // An option without a value would be refused.
    assert_eq!(order(Vec::<Order<Group>>::new()), None);
    assert_eq!(select([Vec::<Property<Group, Text>>::new()]), None);
    assert_eq!(order("name desc"), Some("name desc".to_owned()));
}

#[test]
fn links_are_expanded_with_options_of_their_own() {
    let public = group()
        .boards()
        .expand()
        .filter(board().public().and(board().name().ne("a;b)")))
        .select((board().name(), board().public()))
        .orderby(board().name().desc())
        .top(7)
        .top(u32::MAX)
        .skip(1)
        .count(true);
    let cases = [
        (expand(group().boards()), "boards"),
        (
            expand((group().boards(), group().parent())),
            "boards,parent",
        ),
        (expand(Expansion::all()), "*"),
        (
            expand(public),
            "boards($filter=isPublic and name ne 'a;b)';$select=name,isPublic;$orderby=name desc;$top=2147483647;$skip=1;$count=true)",
        ),
        (expand(group().parent().parent()), "parent($expand=parent)"),
        (
            expand(group().parent().boards().expand().top(1)),
            "parent($expand=boards($top=1))",
        ),
        // Each link occurs once: the binder refuses duplicates.
        (
            expand((
                group().parent().boards(),
                group().parent().children(),
                group().parent(),
            )),
            "parent($expand=boards,children)",
        ),
        (
            expand((
                group().parent().expand().select(group().name()),
                [group().parent().boards().expand().top(1)],
            )),
            "parent($select=name;$expand=boards($top=1))",
        ),
        (
            expand(group().children().expand().levels(0)),
            "children($levels=1)",
        ),
        (
            expand(
                group()
                    .parent()
                    .expand()
                    .levels(2)
                    .select(group().name())
                    .expand(group().boards()),
            ),
            "parent($levels=2;$select=name;$expand=boards)",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(text.as_deref(), Some(expected));
        let items = parse_option(OptionName::Expand, expected).expand.unwrap();
        assert!(!items.is_empty());
        binds_as(OptionName::Expand, expected);
    }
}

#[test]
fn a_name_that_would_be_read_as_something_else_is_refused() {
    for name in ["", "a b", "a/b", "1a", "$it", "null", "NaN", "Not", "a'"] {
        let made = std::panic::catch_unwind(|| Path::<Group>::root().property::<Text>(name));
        assert!(made.is_err(), "{name}");
    }
    for name in ["_", "Ønske", "eq", "desc", "any"] {
        round_trip(&Path::<Group>::root().property::<Text>(name).eq("x"));
    }
}

#[test]
fn parts_of_apply_are_what_the_parser_reads() {
    let row = || GroupRow::<Group>::at(Path::root());
    let computed = (
        row().level().add(1).named("next"),
        row().name().length().named("l"),
    );
    let items = (
        count("n"),
        row().share().sum("total"),
        row().level().average("mean"),
        row().name().min("first"),
        row().share().max("most"),
        row().member().count_distinct("kinds"),
    );
    assert!(items.is_typed() && computed.is_typed());
    let text = format!(
        "compute({})/groupby((name),aggregate({}))",
        computed.text().expect("two"),
        items.text().expect("six")
    );
    assert_eq!(
        text,
        "compute(level add 1 as next,length(name) as l)/groupby((name),aggregate($count as n,share with sum as total,\
         level with average as mean,name with min as first,share with max as most,member with countdistinct as kinds))"
            .replace("member", "isMember")
    );
    let options = Options::of(OptionName::Apply, &text, &Limits::default()).expect("it is read");
    let read = options.apply.expect("two transformations");
    let printed: Vec<String> = read.iter().map(ToString::to_string).collect();
    assert_eq!(printed.join("/"), text);
}
