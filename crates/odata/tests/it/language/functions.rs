//! Functions of strings and numbers, `cast`, `isof` and `case`.

use super::{FALSE, TRUE, check, refused};
use crate::store::{Store, on_each_engine};

/// "If a parameter of a canonical function is null, the function returns null." · "If the start index N is
/// larger than the length of the string/collection, an empty string/collection is returned." · "A negative
/// start index N, if supported, returns a string/collection starting N characters/items before the end". ·
/// "according to Unicode rules".
fn functions_of_strings(store: &Store) {
    check(
        store,
        &[
            ("contains('abc','')", TRUE),
            ("contains('','')", TRUE),
            ("contains('','a')", FALSE),
            ("contains('abc',null)", None),
            ("contains(null,null)", None),
            ("startswith('abc','')", TRUE),
            ("startswith('','a')", FALSE),
            ("startswith('ab','abc')", FALSE),
            ("endswith('abc','bc')", TRUE),
            ("endswith('abc','')", TRUE),
            ("endswith('bc','abc')", FALSE),
            ("endswith('a%','%')", TRUE),
            ("contains('a_b','a_b')", TRUE),
            ("contains('axb','a_b')", FALSE),
            ("indexof('abc','')  eq 0", TRUE),
            ("indexof('','') eq 0", TRUE),
            ("indexof('abc','c') eq 2", TRUE),
            ("indexof('abc','x') eq -1", TRUE),
            ("indexof('abc','C') eq -1", TRUE),
            ("indexof('\u{1f600}b','b') eq 1", TRUE),
            ("indexof(null,'b') eq null", TRUE),
            ("length('') eq 0", TRUE),
            ("length('\u{1f600}\u{d8}') eq 2", TRUE),
            ("length(null) eq null", TRUE),
            ("substring('abc',0) eq 'abc'", TRUE),
            ("substring('abc',1) eq 'bc'", TRUE),
            ("substring('abc',3) eq ''", TRUE),
            ("substring('abc',9) eq ''", TRUE),
            ("substring('abc',-1) eq 'c'", TRUE),
            ("substring('abc',-9) eq 'abc'", TRUE),
            ("substring('abc',1,1) eq 'b'", TRUE),
            ("substring('abc',1,0) eq ''", TRUE),
            ("substring('abc',1,99) eq 'bc'", TRUE),
            ("substring('abc',-2,1) eq 'b'", TRUE),
            ("substring('\u{1f600}bc',1,1) eq 'b'", TRUE),
            ("substring('abc',null) eq null", TRUE),
            ("substring('abc',1,null) eq null", TRUE),
            ("tolower('\u{c5}\u{d8}A') eq '\u{e5}\u{f8}a'", TRUE),
            ("toupper('\u{e5}\u{f8}a') eq '\u{c5}\u{d8}A'", TRUE),
            ("toupper(tolower('Stra\u{df}e')) eq 'STRASSE'", TRUE),
            ("tolower(null) eq null", TRUE),
            ("trim('\t \u{a0}a b \u{2003}') eq 'a b'", TRUE),
            ("trim('') eq ''", TRUE),
            ("concat('a','b') eq 'ab'", TRUE),
            ("concat('','') eq ''", TRUE),
            ("concat('a',null) eq null", TRUE),
            ("concat(concat('a',', '),'b') eq 'a, b'", TRUE),
            ("CONCAT('a','b') eq 'ab'", TRUE),
            ("StartsWith('abc','a')", TRUE),
            ("matchesPattern('Alfreds','^A.*s$')", TRUE),
            ("matchespattern('alfreds','^A.*S$')", FALSE),
            ("matchespattern('alfreds','^A.*S$','i')", TRUE),
            ("matchespattern(null,'a')", None),
            ("contains('a''b','''')", TRUE),
        ],
    );
    refused(&[
        ("substring('abc',1,-1) eq ''", "odata.value"),
        ("substring('abc') eq ''", "odata.unknown_function"),
        ("substring('abc','1') eq ''", "odata.type"),
        ("substring('abc',1.5) eq ''", "odata.type"),
        ("contains('a')", "odata.unknown_function"),
        ("contains('a',1)", "odata.type"),
        ("contains('a','b',1)", "odata.unknown_function"),
        ("length(5) eq 1", "odata.type"),
        ("length() eq 1", "odata.unknown_function"),
        ("tolower(1) eq '1'", "odata.type"),
        ("concat('a',1) eq 'a1'", "odata.type"),
        ("concat('a','b')", "odata.type"),
        ("substringof('a','abc')", "odata.unknown_function"),
        ("replace('a','b','c') eq 'a'", "odata.unknown_function"),
        ("contains 'a'", "odata.syntax"),
        ("name contains 'a'", "odata.syntax"),
        ("name like 'a'", "odata.syntax"),
        ("contains('a','b'", "odata.syntax"),
        ("contains('a' 'b')", "odata.syntax"),
        ("contains('a',,'b')", "odata.syntax"),
        ("contains(,'b')", "odata.syntax"),
    ]);
}

/// "The mid-point between two integers is rounded away from zero, i.e. 0.5 is rounded to 1 and -0.5 is
/// rounded to -1."
fn functions_of_numbers(store: &Store) {
    check(
        store,
        &[
            ("round(0.5) eq 1", TRUE),
            ("round(-0.5) eq -1", TRUE),
            ("round(1.5) eq 2", TRUE),
            ("round(2.5) eq 3", TRUE),
            ("round(-2.5) eq -3", TRUE),
            ("round(2.4999) eq 2", TRUE),
            ("round(0.49999999999999994) eq 0", TRUE),
            ("round(5) eq 5", TRUE),
            ("floor(-0.5) eq -1", TRUE),
            ("floor(2.9) eq 2", TRUE),
            ("floor(-3) eq -3", TRUE),
            ("ceiling(-0.5) eq 0", TRUE),
            ("ceiling(2.1) eq 3", TRUE),
            ("round(null) eq null", TRUE),
            ("floor(INF) eq INF", TRUE),
            ("ceiling(-INF) eq -INF", TRUE),
            ("round(NaN) eq NaN", FALSE),
            ("round(5 divby 2) eq 3", TRUE),
        ],
    );
    refused(&[
        ("round('1') eq 1", "odata.type"),
        ("round(1,2) eq 1", "odata.unknown_function"),
        ("abs(-1) eq 1", "odata.unknown_function"),
    ]);
}

/// "The null value can be cast to any type. Primitive types are cast to Edm.String … by using the literal
/// representation used in payloads. … Numeric primitive types are cast to each other with appropriate
/// rounding. The cast fails if the integer part doesn't fit into the target type. … If the cast fails, the
/// cast function returns null." · "If the string value does not contain a time-zone offset, it is treated as
/// UTC."
fn casts(store: &Store) {
    check(
        store,
        &[
            ("cast(null,Edm.Int32) eq null", TRUE),
            ("cast(5,Edm.String) eq '5'", TRUE),
            ("cast(2.5,Edm.String) eq '2.5'", TRUE),
            ("cast(true,Edm.String) eq 'true'", TRUE),
            ("cast(INF,Edm.String) eq 'INF'", TRUE),
            ("cast(NaN,Edm.String) eq 'NaN'", TRUE),
            ("cast(2024-02-29,Edm.String) eq '2024-02-29'", TRUE),
            (
                "cast(2024-02-29T12:00:00Z,Edm.String) eq '2024-02-29T12:00:00Z'",
                TRUE,
            ),
            ("cast(12:30,Edm.String) eq '12:30:00'", TRUE),
            ("cast(duration'P1DT2H',Edm.String) eq 'P1DT2H'", TRUE),
            ("cast('5',Edm.Int32) eq 5", TRUE),
            ("cast('5.5',Edm.Int32) eq null", TRUE),
            ("cast('x',Edm.Double) eq null", TRUE),
            ("cast('2.5',Edm.Double) eq 2.5", TRUE),
            ("cast('2.5',Edm.Decimal) eq 2.5", TRUE),
            ("cast('true',Edm.Boolean)", TRUE),
            ("cast('yes',Edm.Boolean) eq null", TRUE),
            ("cast('2024-02-30',Edm.Date) eq null", TRUE),
            ("cast('2024-02-29',Edm.Date) eq 2024-02-29", TRUE),
            (
                "cast('2024-02-29T12:00:00',Edm.DateTimeOffset) eq 2024-02-29T12:00:00Z",
                TRUE,
            ),
            ("cast('12:30',Edm.TimeOfDay) eq 12:30", TRUE),
            ("cast('PT1H',Edm.Duration) eq duration'PT1H'", TRUE),
            ("cast(2.5,Edm.Int32) eq 3", TRUE),
            ("cast(1e10,Edm.Int32) eq null", TRUE),
            ("cast(1e10,Edm.Int64) eq 10000000000", TRUE),
            ("cast(1e30,Edm.Int64) eq null", TRUE),
            ("cast(5,Edm.Double) div 2 eq 2.5", TRUE),
            ("isof(5,Edm.Int32)", TRUE),
            ("isof(5,Edm.Int64)", TRUE),
            ("isof('a',Edm.String)", TRUE),
            ("isof('a',Edm.Date)", FALSE),
            ("isof(null,Edm.String)", FALSE),
            ("ISOF(5,Edm.Double)", TRUE),
        ],
    );
    refused(&[
        ("cast(5) eq 5", "odata.unknown_function"),
        ("cast(5,'Edm.String') eq '5'", "odata.type"),
        ("cast(5,Edm.Strin) eq '5'", "odata.type"),
        ("cast(5,String) eq '5'", "odata.type"),
        ("cast(true,Edm.Int32) eq 1", "odata.type"),
        ("Edm.String eq 'x'", "odata.type"),
    ]);
}

/// "evaluates the condition in each pair, starting with the leftmost pair, and stops as soon as a condition
/// evaluates to true. It then returns the value of the result of this pair. It returns null if none of the
/// conditions in any pair evaluates to true."
fn cases(store: &Store) {
    check(
        store,
        &[
            ("case(true:1) eq 1", TRUE),
            ("case(false:1,true:2) eq 2", TRUE),
            ("case(true:1,true:2) eq 1", TRUE),
            ("case(false:1) eq null", TRUE),
            ("case(null:1,true:2) eq 2", TRUE),
            ("case(1 gt 2:'a',1 lt 2:'b') eq 'b'", TRUE),
            ("case(false:1,true:2.5) eq 2.5", TRUE),
            ("case(true:null,true:1) eq null", TRUE),
            ("case(true:NaN,false:1) gt 0", FALSE),
            ("case(true:NaN,false:1) in (1,2)", FALSE),
            ("case(true:true)", TRUE),
            ("case(true:null)", None),
            ("case(false:true)", None),
            ("case(true:1 lt 2) eq true", TRUE),
            ("CASE( true : 'a' , true : 'b' ) eq 'a'", TRUE),
            ("case(true:case(false:1,true:2)) add 1 eq 3", TRUE),
            ("case(12:30 eq 12:30 : 1) eq 1", TRUE),
            ("case(false:duration'PT1H',true:'PT2H') eq 'PT2H'", TRUE),
        ],
    );
    refused(&[
        ("case() eq 1", "odata.syntax"),
        ("case(true) eq 1", "odata.syntax"),
        ("case(true:1,) eq 1", "odata.syntax"),
        ("case(1:1) eq 1", "odata.type"),
        ("case(true:1,true:'a') eq 1", "odata.type"),
        ("case(true:1)", "odata.type"),
    ]);
}

on_each_engine!(functions_of_strings, functions_of_numbers, casts, cases,);
