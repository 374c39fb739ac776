//! The options other than `$filter`, and query strings as a whole.

use insta::assert_snapshot;
use obeya_odata::{Limits, Options};

use super::message;
use crate::model::{BOARD, COMMENT, GROUP};

#[test]
fn others() {
    assert_snapshot!(message(&BOARD, "$fil%ter=id eq 1"), @"$fil%ter: found a `%` at byte 4 of the encoded text without two hexadecimal digits; a plain % is written %25");
    assert_snapshot!(message(&BOARD, "$filtr=true"), @"$filtr: this option is not supported here (did you mean `$filter`?); the options are $search, $filter, $select, $top, $skip, $expand, $count, $orderby");
    assert_snapshot!(message(&BOARD, "$compute=id add 1 as x"), @"$compute: this option is not supported here; the options are $search, $filter, $select, $top, $skip, $expand, $count, $orderby");
    assert_snapshot!(message(&BOARD, "$apply=aggregate(id)"), @"$apply: this option is not supported here; the options are $search, $filter, $select, $top, $skip, $expand, $count, $orderby");
    assert_snapshot!(message(&BOARD, "$index=1"), @"$index: this option is not supported here; the options are $search, $filter, $select, $top, $skip, $expand, $count, $orderby");
    assert_snapshot!(message(&BOARD, "$schemaversion=1"), @"$schemaversion: this option is not supported here; the options are $search, $filter, $select, $top, $skip, $expand, $count, $orderby");
    assert_snapshot!(message(&BOARD, "@=1"), @"@: a parameter alias is `@` and a name of letters, digits and `_`");
    assert_snapshot!(message(&BOARD, "@p="), @"@p at byte 0: found nothing; expected an expression such as `name eq 'x'`");
    assert_snapshot!(message(&BOARD, "@p=1&@p=2"), @"@p: it is given more than once");
}

#[test]
fn where_no_option_is_supported() {
    let limits = Limits::default();
    let error = Options::parse("$top=1", &[], &limits).unwrap_err();
    assert_snapshot!(error.to_string(), @"$top: this option is not supported here; no option is");
}

#[test]
fn pages() {
    assert_snapshot!(message(&BOARD, "$top=-1"), @"$top at byte 0: found `-`; expected a whole number of 0 to 2147483647");
    assert_snapshot!(message(&BOARD, "$top=five"), @"$top at byte 0: found `five`; expected a whole number of 0 to 2147483647");
    assert_snapshot!(message(&BOARD, "$top=1.5"), @"$top at byte 0: found `1.5`; expected a whole number of 0 to 2147483647");
    assert_snapshot!(message(&BOARD, "$top=99999999999"), @"$top at byte 0: found `99999999999`; expected a whole number of 0 to 2147483647");
    assert_snapshot!(message(&BOARD, "$top="), @"$top at byte 0: found the end; expected a whole number of 0 to 2147483647");
    assert_snapshot!(message(&BOARD, "$top=5 or 6"), @"$top at byte 2: found `or`; expected the end");
    assert_snapshot!(message(&BOARD, "$skip=-1"), @"$skip at byte 0: found `-`; expected a whole number of 0 to 2147483647");
    assert_snapshot!(message(&BOARD, "$count=yes"), @"$count at byte 0: found `yes`; expected `true` or `false`");
    assert_snapshot!(message(&BOARD, "$count"), @"$count at byte 0: found the end; expected `true` or `false`");
}

#[test]
fn orders() {
    assert_snapshot!(message(&BOARD, "$orderby=Name"), @"$orderby at byte 0: found `Name`, which is no property of Board; did you mean `name`?");
    assert_snapshot!(message(&BOARD, "$orderby=name up"), @"$orderby at byte 5: found `up`; expected an operator such as `eq` or `and`, `asc`, `desc`, `,` or the end");
    assert_snapshot!(message(&BOARD, "$orderby=name decs"), @"$orderby at byte 5: found `decs`; expected an operator such as `eq` or `and`, `asc`, `desc`, `,` or the end; did you mean `desc`?");
    assert_snapshot!(message(&BOARD, "$orderby=name desc id"), @"$orderby at byte 10: found `id`; expected an operator such as `eq` or `and`, `asc`, `desc`, `,` or the end");
    assert_snapshot!(message(&BOARD, "$orderby=-name"), @"$orderby at byte 0: found `-` before a value of type Edm.String; expected a number or a duration; to order downwards write `desc` behind the key");
    assert_snapshot!(message(&BOARD, "$orderby=name,"), @"$orderby at byte 5: found the end; expected a property, a literal, a function or `(`");
    assert_snapshot!(message(&BOARD, "$orderby="), @"$orderby at byte 0: found the end; expected a property, a literal, a function or `(`");
    assert_snapshot!(message(&BOARD, "$orderby=group"), @"$orderby at byte 0: found the navigation `group` as a value; expected a property of it, such as `group/id`, or `eq null`");
    assert_snapshot!(message(&BOARD, "$orderby=group/boards"), @"$orderby at byte 6: found the navigation `boards` as a value; it leads to many: use `any`, `all` or `$count`");
    assert_snapshot!(message(&BOARD, "$orderby=id eq 'x'"), @"$orderby at byte 6: found Edm.Int32 and Edm.String on the two sides of `eq`, which can't be compared; a number is written without quotes");
}

#[test]
fn selections() {
    assert_snapshot!(message(&BOARD, "$select=nmae"), @"$select at byte 0: found `nmae`, which is no property of Board; did you mean `name`?");
    assert_snapshot!(message(&BOARD, "$select=name id"), @"$select at byte 5: found `id`; expected `/`, `,` or the end");
    assert_snapshot!(message(&BOARD, "$select=name,"), @"$select at byte 5: found the end; expected a property's name or `*`");
    assert_snapshot!(message(&BOARD, "$select=group/name"), @"$select at byte 0: found a path into `group`, which is not expanded; add `$expand=group`");
    assert_snapshot!(message(&BOARD, "$select=name/first"), @"$select at byte 0: found `/` after `name`, which is a plain property of Board");
    assert_snapshot!(message(&BOARD, "$select=group(name)"), @"$select at byte 5: found `(`; expected `/`, `,` or the end");
    assert_snapshot!(message(&BOARD, "$select='name'"), @"$select at byte 0: found the string 'name'; expected a property's name or `*`");
}

#[test]
fn expansions() {
    assert_snapshot!(message(&BOARD, "$expand=grup"), @"$expand at byte 0: found `grup`, which is no property of Board; did you mean `group`?");
    assert_snapshot!(message(&BOARD, "$expand=name"), @"$expand at byte 0: found `name`, which is a plain property of Board; only navigations can be expanded");
    assert_snapshot!(message(&BOARD, "$expand=group/parent"), @"$expand at byte 6: found a path; expected a navigation's name alone: the next one is expanded in parentheses, as in `group($expand=parent)`");
    assert_snapshot!(message(&BOARD, "$expand=group/$ref"), @"$expand at byte 6: found `$ref`; references to entities are not supported: their keys can be selected, as in `boards($select=id)`");
    assert_snapshot!(message(&BOARD, "$expand=group/$count"), @"$expand at byte 0: found `/$count` after `group`, which leads to one entity; only many can be counted");
    assert_snapshot!(message(&GROUP, "$expand=boards/$count($top=1)"), @"$expand at byte 0: found $top for `boards/$count`; only $filter and $search apply to it");
    assert_snapshot!(message(&BOARD, "$expand=group,group"), @"$expand at byte 6: `group` is expanded more than once");
    assert_snapshot!(message(&BOARD, "$expand=group($filter=id eq 1)"), @"$expand at byte 0: found $filter for `group`, which leads to one entity; only $select and $expand apply to it");
    assert_snapshot!(message(&BOARD, "$expand=group($select=nmae)"), @"$expand at byte 14: $select of `group`: found `nmae`, which is no property of Group; did you mean `name`?");
    assert_snapshot!(message(&BOARD, "$expand=group($expand=boards($filter=nam eq 'x'))"), @"$expand at byte 29: $filter of `boards`: found `nam`, which is no property of Board; did you mean `name`?");
    assert_snapshot!(message(&BOARD, "$expand=group($selct=name)"), @"$expand at byte 6: found `$selct`, which is no option of an expanded navigation; did you mean `$select`?");
    assert_snapshot!(message(&BOARD, "$expand=group($top=1,$skip=1)"), @"$expand at byte 12: found `,`; expected `;` before another option, or `)`");
    assert_snapshot!(message(&BOARD, "$expand=group(name)"), @"$expand at byte 10: found `)`; expected `=` after the option's name");
    assert_snapshot!(message(&BOARD, "$expand=group()"), @"$expand at byte 6: found `)`; expected an option such as `$select=`");
    assert_snapshot!(message(&BOARD, "$expand=group($select=name"), @"$expand at byte 18: found the end; expected `;` before another option, or `)`");
    assert_snapshot!(message(&BOARD, "$expand=group($select=)"), @"$expand at byte 14: found `)`; expected a property's name or `*`");
    assert_snapshot!(message(&BOARD, "$expand=group($levels=2)"), @"$expand at byte 0: found $levels for `group`, which does not lead back to Board");
    assert_snapshot!(message(&GROUP, "$expand=parent($levels=9)"), @"$expand at byte 0: found $levels=9; the limit is 3");
    assert_snapshot!(message(&GROUP, "$expand=parent($levels=0)"), @"$expand at byte 15: found `0`; expected `max` or a whole number from 1");
    assert_snapshot!(message(&GROUP, "$expand=boards($filter=$it/id eq id)"), @"$expand at byte 15: $filter of `boards`: found `$it`, which inside `$expand` would mean the outer entity; only its own properties can be used here");
    assert_snapshot!(message(&GROUP, "$expand=boards($skiptoken=x)"), @"$expand at byte 7: found `$skiptoken`, which is no option of an expanded navigation");
    assert_snapshot!(message(&GROUP, "$expand=boards(@c)"), @"$expand at byte 9: found `)`; expected `=` and the value of the alias");
    assert_snapshot!(message(&GROUP, "$expand=boards(@c=)"), @"$expand at byte 10: found `)`; expected a property, a literal, a function or `(`");
    assert_snapshot!(message(&GROUP, "$expand=boards(@c=1;@c=2)"), @"$expand at byte 12: `@c` is given more than once");
    assert_snapshot!(message(&GROUP, "$expand=boards(@c=1 2)"), @"$expand at byte 12: found `2`; expected an operator such as `eq` or `and`, `;` before another option, or `)`");
    assert_snapshot!(message(&GROUP, "$filter=id eq @c&$expand=boards(@c=1)"), @"$filter at byte 6: found `@c`, which the request gives no value");
    assert_snapshot!(message(&GROUP, "$expand=boards($filter=name eq @c;@c=1)"), @"$expand at byte 23: $filter of `boards`: found Edm.String and Edm.Int32 on the two sides of `eq`, which can't be compared; a string is written in single quotes");
    assert_snapshot!(message(&GROUP, "$expand=boards($filter=id eq 1;$filter=id eq 2)"), @"$expand at byte 23: it is given more than once");
    assert_snapshot!(message(&GROUP, "$expand=boards($search='x')"), @"$expand at byte 15: found a string in single quotes; a phrase is put in double quotes");
    assert_snapshot!(message(&GROUP, "$expand=parent($expand=parent($expand=parent($expand=parent)))"), @"$expand at byte 45: the navigations are nested too deeply; the limit is 3");
    assert_snapshot!(message(&GROUP, "$expand=boards($orderby=name decs)"), @"$expand at byte 21: found `decs`; expected an operator such as `eq` or `and`, `;` before another option, or `)`; did you mean `desc`?");
    assert_snapshot!(message(&GROUP, "$expand=boards($filter=isPublic eq 1;$top=1)"), @"$expand at byte 27: $filter of `boards`: found Edm.Boolean and Edm.Int32 on the two sides of `eq`, which can't be compared; a truth value is written `true` or `false`");
    assert_snapshot!(message(&GROUP, "$expand=boards($top=-1)"), @"$expand at byte 12: found `-`; expected a whole number of 0 to 2147483647");
}

#[test]
fn searches() {
    assert_snapshot!(message(&COMMENT, "$search=press 4"), @r#"$search at byte 6: found the number `4`; numeric values are put in double quotes: "4""#);
    assert_snapshot!(message(&COMMENT, r#"$search="open"#), @r#"$search at byte 0: the phrase that begins here is not closed; expected " at its end"#);
    assert_snapshot!(message(&COMMENT, "$search=---"), @"$search at byte 0: found no word; expected words, or phrases in double quotes");
    assert_snapshot!(message(&COMMENT, "$search="), @"$search at byte 0: found no word; expected words, or phrases in double quotes");
    assert_snapshot!(message(&COMMENT, "$search=a&$filter=id eq 1"), @"$search: `$search` and `$filter` can't be used together; use one of them");
    assert_snapshot!(message(&BOARD, "$search=a"), @"$search: Board can't be searched; use `$filter`");
}
