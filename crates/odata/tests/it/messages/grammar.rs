//! Texts that follow no rule of the grammar.

use insta::assert_snapshot;

use super::message;
use crate::model::{BOARD, DATASOURCE_VALUE, GROUP};

#[test]
fn strings_stand_in_single_quotes() {
    // `string = SQUOTE *( SQUOTE-in-string / pchar-no-SQUOTE ) SQUOTE` (OData ABNF 4.01); double quotes are
    // JSON's, in the array of a list.
    assert_snapshot!(message(&BOARD, "$filter=name eq \"Weld\""), @"$filter at byte 8: found a string in double quotes; a string is put in single quotes, as in 'Weld'");
    assert_snapshot!(message(&BOARD, "$filter=startswith(name,\"W\")"), @"$filter at byte 16: found a string in double quotes; a string is put in single quotes, as in 'Weld'");
    assert_snapshot!(message(&BOARD, "$filter=name in (\"Weld\")"), @"$filter at byte 9: found a string in double quotes; a string is put in single quotes, as in 'Weld'");
    assert_snapshot!(message(&BOARD, "$filter=name eq @p&@p=\"Weld\""), @"@p at byte 0: found a string in double quotes; a string is put in single quotes, as in 'Weld'");
    assert_snapshot!(message(&BOARD, "$filter=name in [\"a\\u0041\"]"), @r#"$filter at byte 11: found the escape `\u`; only \" \\ \/ \n \t \r \b \f are known"#);
}

#[test]
fn texts_follow_the_grammar() {
    assert_snapshot!(message(&BOARD, "$filter=name eqq 'x'"), @"$filter at byte 5: found `eqq`; expected an operator such as `eq` or `and`, or the end; did you mean `eq`?");
    assert_snapshot!(message(&BOARD, "$filter=name equals 'x'"), @"$filter at byte 5: found `equals`; expected an operator such as `eq` or `and`, or the end; write `eq`");
    assert_snapshot!(message(&BOARD, "$filter=name lk 'x'"), @"$filter at byte 5: found `lk`; expected an operator such as `eq` or `and`, or the end");
    assert_snapshot!(message(&BOARD, "$filter=name eq 'x' andd isPublic"), @"$filter at byte 12: found `andd`; expected an operator such as `eq` or `and`, or the end; did you mean `and`?");
    assert_snapshot!(message(&BOARD, "$filter=group/boards/any(b/id eq 1)"), @"$filter at byte 18: found `/`; expected `:` after the range variable");
    assert_snapshot!(message(&BOARD, "$filter=group/boards/$count() gt 1"), @"$filter at byte 20: found `)`; expected `$filter=`, the only option of `$count`");
    assert_snapshot!(message(&BOARD, "$filter=group/boards/$count($top=1) gt 1"), @"$filter at byte 20: found `$top`; expected `$filter=`, the only option of `$count`");
    assert_snapshot!(message(&BOARD, "$filter=group/boards/some(b:b/id eq 1)"), @"$filter at byte 13: found a call of `some` in a path; expected `any`, `all` or a name");
    assert_snapshot!(message(&DATASOURCE_VALUE, "$filter=hour(2024-01-01T00:00:00+01:00) eq 1"), @"$filter at byte 25: found `01:00:00`; expected an operator such as `eq` or `and`, `,` or `)`; a `+` before an offset is written %2B in a URL");
    assert_snapshot!(message(&DATASOURCE_VALUE, "$filter=valueDate gt 2024-02-30T00:00:00Z"), @"$filter at byte 13: found `2024-02-30T00:00:00Z`: there is no such day in that month");
    assert_snapshot!(message(&DATASOURCE_VALUE, "$filter=valueDate gt 2024-02-03T25:00:00Z"), @"$filter at byte 13: found `2024-02-03T25:00:00Z`: the hour is at most 23, minutes and seconds at most 59");
    assert_snapshot!(message(&DATASOURCE_VALUE, "$filter=valueDate gt 2024-02-03T00:00:00+01:00"), @"$filter at byte 33: found `01:00:00`; expected an operator such as `eq` or `and`, or the end; a `+` before an offset is written %2B in a URL");
    assert_snapshot!(message(&DATASOURCE_VALUE, "$filter=valueDate gt 2024-02-03T00:00:00Z01:00"), @"$filter at byte 13: found `2024-02-03T00:00:00Z01`, which is neither a number nor a name");
    assert_snapshot!(message(&DATASOURCE_VALUE, "$filter=valueDate gt 2024-2-3"), @"$filter at byte 17: found `-`; expected an operator such as `eq` or `and`, or the end; subtraction is written `sub`, and a date 2024-01-31");
    assert_snapshot!(message(&DATASOURCE_VALUE, "$filter=valueDate gt 24-02-03"), @"$filter at byte 15: found `-`; expected an operator such as `eq` or `and`, or the end; subtraction is written `sub`, and a date 2024-01-31");
    assert_snapshot!(message(&DATASOURCE_VALUE, "$filter=id eq 99999999999999999999"), @"$filter at byte 6: found the whole number `99999999999999999999`; expected one of at most 64 bits");
    assert_snapshot!(message(&DATASOURCE_VALUE, "$filter=id eq 1e999"), @"$filter at byte 6: found the number `1e999`, which no double can hold");
    assert_snapshot!(message(&DATASOURCE_VALUE, "$filter=id eq 5abc"), @"$filter at byte 6: found `5abc`, which is neither a number nor a name");
    assert_snapshot!(message(&DATASOURCE_VALUE, "$filter=value eq 1,5"), @"$filter at byte 10: found `,`; expected an operator such as `eq` or `and`, or the end; a decimal point is written `.`, and a list only follows `in`");
    assert_snapshot!(message(&DATASOURCE_VALUE, "$filter=value eq .5"), @"$filter at byte 9: found the character `.`, which has no meaning here; a number has a digit before its point: 0.5");
    assert_snapshot!(message(&BOARD, "$filter=name == 'x'"), @"$filter at byte 5: found `=`; expected an operator such as `eq` or `and`, or the end; equality is written `eq`");
    assert_snapshot!(message(&BOARD, "$filter=name = 'x'"), @"$filter at byte 5: found `=`; expected an operator such as `eq` or `and`, or the end; equality is written `eq`");
    assert_snapshot!(message(&BOARD, "$filter=id > 5"), @"$filter at byte 3: found the character `>`, which has no meaning here; write `gt`");
    assert_snapshot!(message(&BOARD, "$filter=id <= 5"), @"$filter at byte 3: found the character `<`, which has no meaning here; write `le`");
    assert_snapshot!(message(&BOARD, "$filter=name != 'x'"), @"$filter at byte 5: found the character `!`, which has no meaning here; write `ne`");
    assert_snapshot!(message(&BOARD, "$filter=!isPublic"), @"$filter at byte 0: found the character `!`, which has no meaning here; write `not`");
    assert_snapshot!(message(&BOARD, "$filter=isPublic %26%26 isMember"), @"$filter at byte 9: found the character `&`, which has no meaning here; write `and`");
    assert_snapshot!(message(&BOARD, "$filter=isPublic || isMember"), @"$filter at byte 9: found the character `|`, which has no meaning here; write `or`");
    assert_snapshot!(message(&BOARD, "$filter=id %2B 1 eq 2"), @"$filter at byte 3: found `+`; expected an operator such as `eq` or `and`, or the end; addition is written `add`");
    assert_snapshot!(message(&BOARD, "$filter=id * 2 eq 2"), @"$filter at byte 3: found `*`; expected an operator such as `eq` or `and`, or the end; multiplication is written `mul`");
    assert_snapshot!(message(&BOARD, "$filter=id - 1 eq 2"), @"$filter at byte 3: found `-`; expected an operator such as `eq` or `and`, or the end; subtraction is written `sub`");
    assert_snapshot!(message(&BOARD, "$filter=id / 2 eq 2"), @"$filter at byte 5: found `2`; expected a name, `any`, `all` or `$count` after `/`; division is written `div`");
    assert_snapshot!(message(&BOARD, "$filter=id %25 2 eq 2"), @"$filter at byte 3: found the character `%`, which has no meaning here; write `mod`, and encode the query string once only");
    assert_snapshot!(message(&BOARD, "$filter=name eq 'x"), @"$filter at byte 8: the string that begins here is not closed; a quote inside a string is doubled: 'O''Neil'");
    assert_snapshot!(message(&BOARD, "$filter=name eq 'O'Neil'"), @"$filter at byte 15: the string that begins here is not closed; a quote inside a string is doubled: 'O''Neil'");
    assert_snapshot!(message(&BOARD, r#"$filter=name eq "x"#), @r#"$filter at byte 8: the string that begins here is not closed; expected " at its end"#);
    assert_snapshot!(message(&BOARD, "$filter=name eq “x”"), @"$filter at byte 8: found the character `“`, which has no meaning here; strings are put in straight quotes (')");
    assert_snapshot!(message(&BOARD, "$filter=name eq %2527x%2527"), @"$filter at byte 8: found the character `%`, which has no meaning here; write `mod`, and encode the query string once only");
    assert_snapshot!(message(&BOARD, "$filter=(name eq 'x'"), @"$filter at byte 12: found the end; expected an operator such as `eq` or `and`, or `)` for the `(` that is open");
    assert_snapshot!(message(&BOARD, "$filter=name eq 'x')"), @"$filter at byte 11: found `)`; expected the end: there is one `)` too many");
    assert_snapshot!(message(&BOARD, "$filter=name eq 'a' name eq 'b'"), @"$filter at byte 12: found `name`; expected an operator such as `eq` or `and`, or the end");
    assert_snapshot!(message(&BOARD, "$filter=name eq"), @"$filter at byte 7: found the end; expected a property, a literal, a function or `(`");
    assert_snapshot!(message(&BOARD, "$filter=eq 'x'"), @"$filter at byte 3: found the string 'x'; expected an operator such as `eq` or `and`, or the end; `eq` has nothing before it to compare or compute with");
    assert_snapshot!(message(&BOARD, "$filter=name 'x'"), @"$filter at byte 5: found the string 'x'; expected an operator such as `eq` or `and`, or the end");
    assert_snapshot!(message(&BOARD, "$filter=id in 1"), @"$filter at byte 6: found `1`; expected a list such as `(1,2)`, or the alias of one such as `@list`");
    assert_snapshot!(message(&BOARD, "$filter=id in ()"), @"$filter at byte 7: found `)`; expected a member of the list; an empty list is written `[]`");
    assert_snapshot!(message(&BOARD, "$filter=id in (1,2"), @"$filter at byte 10: found the end; expected an operator such as `eq` or `and`, `,` before another member of the list, or `)`");
    assert_snapshot!(message(&BOARD, "$filter=id in (1 2)"), @"$filter at byte 9: found `2`; expected an operator such as `eq` or `and`, `,` before another member of the list, or `)`");
    assert_snapshot!(message(&BOARD, "$filter= "), @"$filter at byte 0: found nothing; expected an expression such as `name eq 'x'`");
    assert_snapshot!(message(&BOARD, "$filter=group/boards/all()"), @"$filter at byte 17: found `)`; expected a range variable, as in `(x:x/name eq 'a')`");
    assert_snapshot!(message(&BOARD, "$filter=group/"), @"$filter at byte 6: found the end; expected a name, `any`, `all` or `$count` after `/`; division is written `div`");
    assert_snapshot!(message(&BOARD, "$filter=group/@Core.Messages eq 1"), @"$filter at byte 6: found an annotation; annotations are not supported in expressions");
    assert_snapshot!(message(&BOARD, "$filter=name eq @"), @"$filter at byte 8: found `@` without a name; a parameter alias is written `@name`");
    assert_snapshot!(message(&BOARD, "$filter=contains(name 'x')"), @"$filter at byte 14: found the string 'x'; expected an operator such as `eq` or `and`, `,` or `)`");
    assert_snapshot!(message(&BOARD, "$filter=contains(name,'x'"), @"$filter at byte 17: found the end; expected an operator such as `eq` or `and`, `,` or `)`");
    assert_snapshot!(message(&BOARD, "$filter=case(isPublic,1) eq 1"), @"$filter at byte 13: found `,`; expected an operator such as `eq` or `and`, or `:` and a value, as in `case(level gt 1:'deep',true:'flat')`");
    assert_snapshot!(message(&GROUP, "$filter=case(level gt 10:20,true:1) eq 1"), @"$filter at byte 19: found `,`; expected an operator such as `eq` or `and`, or `:` and a value, as in `case(level gt 1:'deep',true:'flat')`; digits on both sides of a `:` are a time of day: put a space before it, as in `case(level gt 10 :20)`");
    assert_snapshot!(message(&BOARD, "$filter=name eq binary'AA'"), @"$filter at byte 8: found `binary` before a string; only `duration` and qualified type names may stand there; no property is binary");
    assert_snapshot!(message(&BOARD, r#"$filter=name eq {"a":1}"#), @"$filter at byte 8: found the character `{`, which has no meaning here; objects are not supported as values");
    assert_snapshot!(message(&BOARD, "$filter=not"), @"$filter at byte 3: found the end; expected a property, a literal, a function or `(`");
    assert_snapshot!(message(&BOARD, "$filter=id eq 1;$top=5"), @"$filter at byte 7: found `;`; expected an operator such as `eq` or `and`, or the end");
    assert_snapshot!(message(&BOARD, "$filter=isPublic%00"), @"$filter at byte 8: found a NUL character, which is not allowed");
    assert_snapshot!(message(&BOARD, "$filter=%ff"), @"$filter: the decoded value is not UTF-8");
    assert_snapshot!(message(&BOARD, "$filter=%zz"), @"$filter: found a `%` at byte 0 of the encoded text without two hexadecimal digits; a plain % is written %25");
    assert_snapshot!(message(&BOARD, "$filter=id eq 1&filter=id eq 2"), @"$filter: it is given more than once");
    assert_snapshot!(message(&BOARD, "$filter=name in [1,2)"), @"$filter at byte 12: found `)`; expected an operator such as `eq` or `and`, `,` before another member of the list, or `]`");
    assert_snapshot!(message(&BOARD, "$filter=name between 1"), @"$filter at byte 5: found `between`; expected an operator such as `eq` or `and`, or the end; write `ge` and `le`");
    assert_snapshot!(message(&BOARD, "$filter=name like 'x%25'"), @"$filter at byte 5: found `like`; expected an operator such as `eq` or `and`, or the end; write `contains(name,'x')`");
    assert_snapshot!(message(&BOARD, "$filter=name contains 'x'"), @"$filter at byte 5: found `contains`; expected an operator such as `eq` or `and`, or the end; write `contains(name,'x')`");
    assert_snapshot!(message(&BOARD, "$filter=id gte 5"), @"$filter at byte 3: found `gte`; expected an operator such as `eq` or `and`, or the end; write `ge`");
}
