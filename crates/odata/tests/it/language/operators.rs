//! Operators, the numbers they compute with, and the white space around them.

use super::{FALSE, TRUE, check, refused};
use crate::model::AREA;
use crate::store::{Store, on_each_engine};

/// "Each of the special values null, -INF, and INF is equal to itself, and only to itself. The special value
/// NaN is not equal to anything, even to itself. … If any operand is null, the operator returns false. The
/// Boolean value true is greater than false."
fn comparisons(store: &Store) {
    check(
        store,
        &[
            ("null eq null", TRUE),
            ("null ne null", FALSE),
            ("null eq 1", FALSE),
            ("null ne 1", TRUE),
            ("null gt null", FALSE),
            ("null ge null", FALSE),
            ("null lt 1", FALSE),
            ("1 le null", FALSE),
            ("INF eq INF", TRUE),
            ("-INF eq -INF", TRUE),
            ("INF eq -INF", FALSE),
            ("INF gt 1.7976931348623157e308", TRUE),
            ("-INF lt -9223372036854775808", TRUE),
            ("INF ge INF", TRUE),
            ("INF gt INF", FALSE),
            ("NaN eq NaN", FALSE),
            ("NaN ne NaN", TRUE),
            ("NaN eq null", FALSE),
            ("NaN gt 1", FALSE),
            ("NaN le NaN", FALSE),
            ("NaN lt INF", FALSE),
            ("true gt false", TRUE),
            ("false ge true", FALSE),
            ("false le false", TRUE),
            ("true ne false", TRUE),
            ("'a' lt 'b'", TRUE),
            ("'B' lt 'a'", TRUE),
            // By code point: U+1F600 comes after U+FF21, though UTF-16 would have it before.
            ("'\u{1f600}' gt '\u{ff21}'", TRUE),
            ("'' lt 'a'", TRUE),
            ("'a' eq 'A'", FALSE),
            ("'a' eq 'a '", FALSE),
            // Composed and decomposed text is not the same text.
            ("'\u{e5}' eq 'a\u{30a}'", FALSE),
        ],
    );
}

/// "Services SHOULD NOT require explicit cast operations between numeric types used in comparison
/// expressions."
fn numbers(store: &Store) {
    check(
        store,
        &[
            ("5 eq 5.0", TRUE),
            ("5 eq 5e0", TRUE),
            ("1 eq 1.5", FALSE),
            ("-0.0 eq 0", TRUE),
            ("+42 eq 42", TRUE),
            ("+4.2e+1 eq 42", TRUE),
            ("1e-1 eq 0.1", TRUE),
            ("1E3 eq 1000", TRUE),
            ("2147483648 gt 2147483647", TRUE),
            ("9223372036854775807 gt 9223372036854775806", TRUE),
            ("-9223372036854775808 lt 0", TRUE),
            // Beyond 2^53 a whole number is not turned into a double to be compared with one.
            ("9007199254740993 eq 9007199254740992", FALSE),
            ("9007199254740993 eq 9007199254740992.0", FALSE),
            ("0.1 add 0.2 gt 0.3", TRUE),
            ("9007199254740992 add 1 eq 9007199254740992 mul 1.0", FALSE),
            ("9007199254740992 mul 1.0 ne 9007199254740992 add 1", TRUE),
            ("9007199254740992 mul 1.0 lt 9007199254740992 add 1", TRUE),
            (
                "9223372036854775807 sub 0 lt 9223372036854775807 mul 1.0",
                TRUE,
            ),
            ("cast('x',Edm.Int64) eq cast('x',Edm.Double)", TRUE),
            ("cast('x',Edm.Int64) ge cast('x',Edm.Double)", FALSE),
        ],
    );
    refused(&[
        ("1 eq 9223372036854775808", "odata.value"),
        ("1 eq 1e400", "odata.value"),
        ("1 eq '1'", "odata.type"),
        ("1 eq true", "odata.type"),
        ("1 eq .5", "odata.syntax"),
        ("1 eq 1.", "odata.syntax"),
        ("1 eq 0x1", "odata.syntax"),
        ("1 eq 1m", "odata.syntax"),
        ("1 eq + 1", "odata.syntax"),
        ("1 eq inf", "odata.unknown_property"),
        ("1 eq nan", "odata.unknown_property"),
    ]);
}

/// "If an operand of an arithmetic operator is null, the result is null." · "If both operands to div are of
/// an integer type, the result is an integer representing the whole number of times the right operator fits
/// into the left operator." · "The sign of the result is the same as the sign of the left operand." · "divby
/// … promotes both operands to decimal before computing the result, may yield a fractional result, and does
/// not fail for divby zero".
fn arithmetic(store: &Store) {
    check(
        store,
        &[
            ("5 div 2 eq 2", TRUE),
            ("-5 div 2 eq -2", TRUE),
            ("5 div -2 eq -2", TRUE),
            ("5 div 2.0 eq 2.5", TRUE),
            ("5.0 div 2 eq 2.5", TRUE),
            ("5 divby 2 eq 2.5", TRUE),
            ("4 divby 2 eq 2", TRUE),
            ("1 divby 0 eq INF", TRUE),
            ("-1 divby 0 eq -INF", TRUE),
            ("1.0 div 0 eq INF", TRUE),
            ("-1.0 div 0 eq -INF", TRUE),
            ("0.0 div 0 gt 0", FALSE),
            ("5 mod 3 eq 2", TRUE),
            ("-5 mod 3 eq -2", TRUE),
            ("5 mod -3 eq 2", TRUE),
            ("5.5 mod 2 eq 1.5", TRUE),
            ("-5.5 mod 2 eq -1.5", TRUE),
            ("null add 1 eq null", TRUE),
            ("null div 1 eq null", TRUE),
            ("-null eq null", TRUE),
            ("1 add 2 mul 3 eq 7", TRUE),
            ("(1 add 2) mul 3 eq 9", TRUE),
            ("8 div 4 div 2 eq 1", TRUE),
            ("10 sub 4 add 3 eq 9", TRUE),
            ("-2 mul -3 eq 6", TRUE),
            ("-(2 add 3) eq -5", TRUE),
            ("2 sub -3 eq 5", TRUE),
            ("2 sub - 3 eq 5", TRUE),
            ("7 mod 4 mul 2 eq 6", TRUE),
            ("2 MUL 3 EQ 6", TRUE),
            ("7 DivBy 2 Eq 3.5", TRUE),
            ("INF sub 1 eq INF", TRUE),
            ("9223372036854775807 add 1 gt 9223372036854775806", TRUE),
            // Values out of range continue in a wider type: whole numbers in a wider one, doubles as an
            // infinity or as zero.
            ("9223372036854775807 mul 2 gt 9223372036854775807", TRUE),
            ("-9223372036854775808 sub 1 lt -9223372036854775807", TRUE),
            ("-(-9223372036854775808) gt 9223372036854775806", TRUE),
            ("1e308 add 1e308 eq INF", TRUE),
            ("-1e308 sub 1e308 eq -INF", TRUE),
            ("1e308 mul -10 eq -INF", TRUE),
            ("1e308 div 0.1 eq INF", TRUE),
            ("1e-200 mul 1e-200 eq 0", TRUE),
            ("1e-300 div 1e300 eq 0", TRUE),
            ("INF sub INF gt 0", FALSE),
            ("INF mul 0 le 0", FALSE),
            ("NaN add 1 eq 1", FALSE),
            ("round(2.5) mul 2 eq 6", TRUE),
            ("round(5) mul 2 div 4 eq 2.5", TRUE),
            ("case(false:2.5,true:1) div 2 eq 0.5", TRUE),
            ("length('abc') mul 9223372036854775807 gt 1", TRUE),
        ],
    );
    refused(&[
        ("1 div 0 eq 1", "odata.value"),
        ("1 mod 0 eq 1", "odata.value"),
        ("1.5 mod 0 eq 1", "odata.value"),
        ("1.5 mod 0.0 eq 1", "odata.value"),
        ("'a' add 'b' eq 'ab'", "odata.type"),
        ("'5' mul 2 eq 10", "odata.type"),
        ("true add 1 eq 2", "odata.type"),
        ("-'a' eq 'a'", "odata.type"),
        ("-true", "odata.type"),
        ("1 + 1 eq 2", "odata.syntax"),
        ("1 * 1 eq 1", "odata.syntax"),
    ]);
}

/// "The null value is treated as unknown, so if one operand evaluates to null and the other operand to false,
/// the and operator returns false. All other combinations with null return null." The same for `or` with
/// true; "not null returns null".
fn logic(store: &Store) {
    check(
        store,
        &[
            ("true and null", None),
            ("false and null", FALSE),
            ("null and false", FALSE),
            ("null and null", None),
            ("true or null", TRUE),
            ("null or true", TRUE),
            ("false or null", None),
            ("not null", None),
            ("not not true", TRUE),
            ("not(true)", FALSE),
            ("NOT false AND true", TRUE),
            ("not false and false", FALSE),
            ("true or false and false", TRUE),
            ("(true or false) and false", FALSE),
            ("true eq true and false eq false", TRUE),
            ("null eq null or null", TRUE),
            ("(null and true) eq null", TRUE),
            // Relational operators bind tighter than equality.
            ("1 lt 2 eq true", TRUE),
            ("true eq 2 gt 1", TRUE),
        ],
    );
    refused(&[
        ("not 1", "odata.type"),
        ("not 1 eq 1", "odata.type"),
        ("1 and true", "odata.type"),
        ("'a' or true", "odata.type"),
        ("true and", "odata.syntax"),
        ("and true", "odata.syntax"),
        ("true true", "odata.syntax"),
        ("1 lt 2 lt 3", "odata.type"),
        ("true xor false", "odata.syntax"),
    ]);
}

/// "The in operator returns true if the left operand is a member of the right operand. The right operand MUST
/// be either a comma-separated list of primitive values, enclosed in parentheses, or a single expression that
/// resolves to a collection."
fn membership(store: &Store) {
    check(
        store,
        &[
            ("1 in (1)", TRUE),
            ("1 in (2,1.0)", TRUE),
            ("1 in [1, 2]", TRUE),
            ("'a' in [\"a\",'b']", TRUE),
            ("'O''Neil' in ('x', 'O''Neil')", TRUE),
            ("1 in []", FALSE),
            ("null in (1)", FALSE),
            ("null in (1,null)", TRUE),
            ("1 in (null)", FALSE),
            ("NaN in (NaN)", FALSE),
            ("2.5 in (2,2.5)", TRUE),
            ("2 in (1.5,2.0)", TRUE),
            ("9007199254740993 in (9007199254740992.0)", FALSE),
            ("9007199254740993 in (9007199254740993,null)", TRUE),
            ("INF in (1,INF)", TRUE),
            ("true in (false,true)", TRUE),
            ("not (1 in (1,2))", FALSE),
            ("not 1 in (1,2)", FALSE),
            ("2024-01-01 in (2024-01-01)", TRUE),
            ("-1 in (1,-1)", TRUE),
            ("1 IN (1)", TRUE),
            ("(1 in (1)) eq true", TRUE),
            ("duration'PT60S' in ('PT1M')", TRUE),
        ],
    );
    refused(&[
        ("1 in ()", "odata.syntax"),
        ("1 in 1", "odata.syntax"),
        ("1 in (1,)", "odata.syntax"),
        ("1 in (1", "odata.syntax"),
        ("1 in ('a')", "odata.type"),
        ("1 in (1,'a')", "odata.type"),
        ("1 in [1,2)", "odata.syntax"),
        ("[1] eq [1]", "odata.type"),
        ("[1,2] in [[1,2]]", "odata.type"),
    ]);
}

/// RWS and BWS are spaces and tabs, in any number.
fn white_space_and_case(store: &Store) {
    for query in [
        "$filter=id%20eq%201",
        "$filter=id+eq+1",
        "$filter=id%09eq%091",
        "$filter=id%20%20eq%20%09%201%20",
        "$filter=%20(%20id%20eq%201%20)%20",
        "%24filter=id%20eq%201",
        "filter=id%20Eq%201",
        "$FILTER=id%20EQ%201",
        "$filter=(id)eq(1)",
        "$filter=id%20in(1)",
        "$filter=id%20in%20(%201%20)",
        "$filter=startswith(%20name%20,%20'As'%20)",
        "$filter=id%20eq%20%2B1",
        "$filter=name%20eq%20%27Assembly%27",
        "$filter=id%20eq%20@a&@a=1",
        "$filter=id%20eq%20%40a&%40a=1",
    ] {
        assert_eq!(store.ids(&AREA, query), Ok(vec![1]), "{query}");
    }
    refused(&[
        ("ideq 1", "odata.syntax"),
        ("id eq1", "odata.syntax"),
        ("name eq'Assembly'", "odata.syntax"),
        ("Id eq 1", "odata.unknown_property"),
        ("", "odata.syntax"),
        (" ", "odata.syntax"),
        ("()", "odata.syntax"),
        ("((id eq 1)", "odata.syntax"),
        ("(id eq 1))", "odata.syntax"),
        ("id eq 1;", "odata.syntax"),
        ("id eq 1,", "odata.syntax"),
        ("name eq \u{2018}x\u{2019}", "odata.syntax"),
        ("name eq 'x\u{0}'", "odata.option"),
        ("id = 1", "odata.syntax"),
        ("id > 1", "odata.syntax"),
        ("id eq 1 && id eq 1", "odata.syntax"),
        ("id eq 1 || id eq 1", "odata.syntax"),
        ("!(id eq 1)", "odata.syntax"),
        ("id eq", "odata.syntax"),
        ("id eq eq 1", "odata.syntax"),
        ("id/x eq 1", "odata.type"),
        ("/id eq 1", "odata.syntax"),
        ("id/ eq 1", "odata.syntax"),
        ("id eq 1/0", "odata.syntax"),
    ]);
}

on_each_engine!(
    comparisons,
    numbers,
    arithmetic,
    logic,
    membership,
    white_space_and_case,
);
