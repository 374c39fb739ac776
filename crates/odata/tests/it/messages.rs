//! Good messages: what was found, what was expected, and where close, what was meant.

use insta::assert_snapshot;

use crate::model::{BOARD, COMMENT, DATASOURCE_VALUE, INCIDENT};
use crate::store::bind;

fn board(query: &str) -> String {
    bind(&BOARD, query).unwrap_err().to_string()
}

fn value(query: &str) -> String {
    bind(&DATASOURCE_VALUE, query).unwrap_err().to_string()
}

#[test]
fn names() {
    assert_snapshot!(board("$filter=nmae eq 'x'"), @"$filter at byte 0: found `nmae`, which is no property of Board; did you mean `name`?");
    assert_snapshot!(board("$filter=isPublic and group/levle gt 1"), @"$filter at byte 19: found `levle`, which is no property of Group; did you mean `level`?");
    assert_snapshot!(board("$filter=containz(name,'x')"), @"$filter at byte 0: found `containz(`, which is no function; did you mean `contains`?");
    assert_snapshot!(board("$orderby=Name"), @"$orderby at byte 0: found `Name`, which is no property of Board; did you mean `name`?");
    assert_snapshot!(board("$expand=grup"), @"$expand at byte 0: found `grup`, which is no property of Board; did you mean `group`?");
    assert_snapshot!(board("$filtr=true"), @"$filtr: this option is not offered here (did you mean `$filter`?); the options are $search, $filter, $select, $top, $skip, $expand, $count, $orderby");
    assert_snapshot!(board("$filter=group/boards/name eq 'x'"), @"$filter at byte 6: found `boards/`, which leads to many; expected `any`, `all` or `$count` after it");
    assert_snapshot!(board("$filter=group eq 1"), @"$filter at byte 0: found the navigation `group` as a value; expected a property of it, such as `group/id`, or `eq null`");
    assert_snapshot!(board("$filter=group/boards/any(b:x/id eq 1)"), @"$filter at byte 19: found `x`, which is no property of Board; did you mean `b`?");
    assert_snapshot!(board("$expand=group($filter=id eq 1)"), @"$expand: found $filter for `group`, which leads to one entity; only $select and $expand apply to it");
    assert_snapshot!(board("$expand=group($expand=boards($filter=nam eq 'x'))"), @"$expand at byte 29: $filter of `boards`: found `nam`, which is no property of Board; did you mean `name`?");
}

#[test]
fn types() {
    assert_snapshot!(board("$filter=name gt 5"), @"$filter at byte 8: found Edm.String and Edm.Int32 on the two sides of `gt`, which can't be compared; a string is written in single quotes");
    assert_snapshot!(board("$filter=name"), @"$filter at byte 0: found a value of type Edm.String; expected a condition, such as a comparison");
    assert_snapshot!(board("$filter=not name eq 'x'"), @"$filter at byte 0: found `not` before a value of type Edm.String; expected a condition. `not` binds tighter than comparisons: write `not (… eq …)`");
    assert_snapshot!(board("$filter=contains(name,5)"), @"$filter at byte 14: found a value of type Edm.Int32 as an argument of `contains`; expected a string");
    assert_snapshot!(board("$filter=contains(name)"), @"$filter at byte 0: found 1 as the number of arguments of `contains`; expected 2");
    assert_snapshot!(board("$filter=matchespattern(name,'a(b')"), @"$filter at byte 20: found the pattern 'a(b': unclosed group");
    assert_snapshot!(board("$filter=matchespattern('a',name)"), @"$filter at byte 19: found an expression as the pattern of `matchespattern`; expected a string in quotes");
    assert_snapshot!(value("$filter=valueDate gt '2024-01-01'"), @"$filter at byte 13: found Edm.DateTimeOffset and Edm.String on the two sides of `gt`, which can't be compared; an instant is written without quotes: 2024-01-31T00:00:00Z");
    assert_snapshot!(bind(&INCIDENT, "$filter=incidentDate gt 2024-01-01T00:00:00Z").unwrap_err(), @"$filter at byte 16: found Edm.Date and Edm.DateTimeOffset on the two sides of `gt`, which can't be compared; a date is written 2024-01-31, and `date(…)` gives an instant's date");
    assert_snapshot!(value("$filter=id mod 0 eq 1"), @"$filter at byte 7: found a zero after `mod`, which has no result");
    assert_snapshot!(value("$filter=id eq '5'"), @"$filter at byte 6: found Edm.Int32 and Edm.String on the two sides of `eq`, which can't be compared; a number is written without quotes");
    assert_snapshot!(bind(&INCIDENT, "$filter=severity has X.Severity'Hihg'").unwrap_err(), @"$filter at byte 13: found 'Hihg', which is no member of IncidentSeverity; did you mean `High`?");
}

#[test]
fn grammar() {
    assert_snapshot!(board("$filter=name == 'x'"), @"$filter at byte 5: found `=`; expected an operator such as `eq`, or the end");
    assert_snapshot!(board("$filter=name eq 'x"), @"$filter at byte 8: the string that begins here is not closed; expected ' at its end");
    assert_snapshot!(board("$filter=(name eq 'x'"), @"$filter at byte 12: found the end; expected an operator, or `)` for the `(` that is open");
    assert_snapshot!(board("$filter=name eq 'a' name eq 'b'"), @"$filter at byte 12: found `name`; expected an operator such as `and`, or the end");
    assert_snapshot!(board("$filter=name in 'a'"), @"$filter at byte 8: found the string 'a'; expected a list in parentheses, such as `(1,2)`");
    assert_snapshot!(board("$filter= "), @"$filter at byte 0: found nothing; expected an expression such as `name eq 'x'`");
    assert_snapshot!(board("$filter=group/boards/all()"), @"$filter at byte 17: found `)`; expected a range variable, as in `(x:x/name eq 'a')`");
    assert_snapshot!(value("$filter=valueDate gt 2024-02-30T00:00:00Z"), @"$filter at byte 13: found `2024-02-30T00:00:00Z`: there is no such day in that month");
    assert_snapshot!(value("$filter=valueDate gt 2024-02-03T00:00:00+01:00"), @"$filter at byte 33: found `01:00:00`; expected the end: a `+` before an offset is written %2B in a URL");
    assert_snapshot!(value("$filter=id eq 99999999999999999999"), @"$filter at byte 6: found the whole number `99999999999999999999`; expected one of at most 64 bits");
    assert_snapshot!(board("$top=-1"), @"$top at byte 0: found `-`; expected a whole number of 0 to 2147483647");
    assert_snapshot!(board("$expand=group(select=)"), @"$expand at byte 13: found `)`; expected a property's name or `*`");
    assert_snapshot!(bind(&COMMENT, "$search=press 4").unwrap_err(), @r#"$search at byte 6: found the number `4`; numeric values are put in double quotes: "4""#);
    assert_snapshot!(bind(&COMMENT, "$search=a&$filter=id eq 1").unwrap_err(), @"$search: `$search` and `$filter` can't be used together; use one of them");
}
