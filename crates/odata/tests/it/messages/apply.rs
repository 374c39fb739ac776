//! `$apply`: its own grammar, names that transformations give and take away, types of aggregates.

use insta::assert_snapshot;
use obeya_odata::edm::EntityType;

use crate::model::{BOARD, GROUP, INCIDENT};
use crate::store::bind_paged;

fn message(entity: &'static EntityType, query: &str) -> String {
    bind_paged(entity, query).unwrap_err().to_string()
}

#[test]
fn transformations_are_written_in_their_grammar() {
    assert_snapshot!(message(&GROUP, "$apply="), @"$apply at byte 0: found the end; expected a transformation such as `groupby((…),aggregate(…))`");
    assert_snapshot!(message(&GROUP, "$apply=agregate($count as n)"), @"$apply at byte 0: found `agregate`, which is no transformation that is supported; did you mean `aggregate`?");
    assert_snapshot!(message(&GROUP, "$apply=topcount(2,level)"), @"$apply at byte 0: found `topcount`, which is no transformation that is supported; expected one of `aggregate`, `compute`, `concat`, `filter`, `groupby`");
    assert_snapshot!(message(&GROUP, "$apply=concat(aggregate($count as n))"), @"$apply at byte 29: found `)`; expected `/` before another transformation, or `,` before a second sequence of `concat`");
    assert_snapshot!(message(&GROUP, "$apply=concat(aggregate($count as n),)"), @"$apply at byte 30: found `)`; expected a transformation such as `groupby((…),aggregate(…))`");
    assert_snapshot!(message(&GROUP, "$apply=concat(aggregate($count as n),filter(id gt 1))"), @"$apply: found records as the result of sequence 2 of `concat`; expected groups, as `groupby` and `aggregate` make them");
    assert_snapshot!(message(&GROUP, "$apply=concat(filter(id gt 1),aggregate($count as n))"), @"$apply: found records as the result of sequence 1 of `concat`; expected groups, as `groupby` and `aggregate` make them");
    assert_snapshot!(message(&GROUP, "$apply=concat(aggregate($count as n),aggregate(level with average as n))"), @"$apply at byte 62: found `n` of type Edm.Double in sequence 2 of `concat`; expected Edm.Int64, as in a sequence before");
    assert_snapshot!(message(&GROUP, "$apply=concat(aggregate($count as n),concat(groupby((level)),groupby((type))))"), @"$apply at byte 30: found a second `concat`; expected one, with all sequences");
    assert_snapshot!(message(&GROUP, "$apply=concat(aggregate($count as n),groupby((level)))/concat(groupby((level)),groupby((type)))"), @"$apply at byte 48: found a second `concat`; expected one, with all sequences");
    assert_snapshot!(message(&GROUP, "$apply=concat(groupby((level)),groupby((type)))&$filter=id gt 1"), @"$filter at byte 0: found `id`, which the result does not have; expected one of `level`, `type`");
    let list = vec!["1"; 1000].join(",");
    let sequences = ["aggregate($count as n)"; 6].join(",");
    assert_snapshot!(message(&GROUP, &format!("$apply=filter(id in ({list}))/concat({sequences})")), @"$apply: what comes before `concat` has too many parts, as each of its sequences repeats it; the limit is 4000");
    let days: Vec<String> = (1..=9)
        .map(|day| format!("d eq 2026-01-0{day}T00:00:00Z"))
        .collect();
    let days = days.join(" or ");
    assert_snapshot!(message(&INCIDENT, &format!("$apply=compute(bin(dueDate,'day','Europe/Oslo') as d)/filter({days})/filter({days})/concat({sequences})")), @"$apply at byte 465: the computed values have too many parts where they are used; the limit is 800");
    let many = "filter(id gt 1)/".repeat(3);
    assert_snapshot!(message(&GROUP, &format!("$apply=concat({many}groupby((level)),{many}groupby((type)),{many}groupby((type)))")), @"$apply at byte 152: there are too many transformations; the limit is 10");
    assert_snapshot!(message(&GROUP, "$apply=groupby(level)"), @"$apply at byte 8: found `level`; expected the properties to group by in parentheses, as in `groupby((status,area/name))`");
    assert_snapshot!(message(&GROUP, "$apply=groupby((level),filter(id gt 1))"), @"$apply at byte 16: found `filter`; expected `aggregate(…)`, the only transformation that may be applied to each group");
    assert_snapshot!(message(&GROUP, "$apply=groupby((year(level)))"), @"$apply at byte 9: found a call of `year`; expected a property: name the value of a function first, as in `compute(year(…) as x)/groupby((x))`");
    assert_snapshot!(message(&INCIDENT, "$apply=groupby((rollup(area/name,status)))"), @"$apply at byte 9: found `rollup`, which is not supported; expected the path of a property, such as `area/name`");
    assert_snapshot!(message(&GROUP, "$apply=groupby((level))filter(id gt 1)"), @"$apply at byte 16: found `filter`; expected `/` before another transformation, or the end");
    assert_snapshot!(message(&GROUP, "$apply=aggregate(level as n)"), @"$apply at byte 16: found `as`; expected an operator such as `eq` or `and`, or `with` and a method, as in `level with max as x`");
    assert_snapshot!(message(&GROUP, "$apply=aggregate(level with sum)"), @"$apply at byte 24: found `)`; expected `as` and a name, as in `$count as n`");
    assert_snapshot!(message(&GROUP, "$apply=aggregate(level with sum from id with max as n)"), @"$apply at byte 25: found `from`, which is not supported; expected `as` and a name, as in `$count as n`");
    assert_snapshot!(message(&GROUP, "$apply=aggregate(Sum(level add 1) as n)"), @"$apply at byte 10: found a call of `sum`; expected the method after its value, as in `level add 1 with sum as x`");
    assert_snapshot!(message(&GROUP, "$apply=aggregate(year(level) as n)"), @"$apply at byte 22: found `as`; expected an operator such as `eq` or `and`, or `with` and a method, as in `year(level) with max as x`");
    assert_snapshot!(message(&GROUP, "$apply=aggregate(level with medain as n)"), @"$apply at byte 21: found `medain`, which is no method of `aggregate`; expected one of `sum`, `average`, `min`, `max`, `countdistinct`");
    assert_snapshot!(message(&GROUP, "$apply=aggregate(level with mni as n)"), @"$apply at byte 21: found `mni`, which is no method of `aggregate`; did you mean `min`?");
    assert_snapshot!(message(&GROUP, "$apply=aggregate($count as $n)"), @"$apply at byte 20: found `$n`; expected a name of at most 128 letters, digits and `_` that begins with no digit");
    assert_snapshot!(message(&GROUP, "$apply=compute(level)"), @"$apply at byte 13: found `)`; expected an operator such as `eq` or `and`, or `as` and a name, as in `year(dueDate) as y`");
    assert_snapshot!(message(&GROUP, "$apply=filter(level gt 1"), @"$apply at byte 17: found the end; expected an operator such as `eq` or `and`, or `)`");
    assert_snapshot!(message(&GROUP, "$expand=boards($apply=aggregate($count as n))"), @"$expand at byte 7: found `$apply`, which is no option of an expanded navigation");
    let many = "/filter(id gt 1)".repeat(11);
    assert_snapshot!(message(&GROUP, &format!("$apply={}", &many[1..])), @"$apply at byte 160: there are too many transformations; the limit is 10");
}

#[test]
fn after_a_grouping_only_its_values_have_names() {
    let after = |apply: &str, more: &str| message(&INCIDENT, &format!("$apply={apply}{more}"));
    let grouped = "groupby((status,area/name),aggregate($count as n))";
    assert_snapshot!(after(grouped, "&$filter=severity eq 'High'"), @"$filter at byte 0: found `severity`, which the result does not have; expected one of `status`, `area/name`, `n`");
    assert_snapshot!(after(grouped, "&$filter=status eq 'Nwe'"), @"$filter at byte 10: found 'Nwe', which is no member of IncidentStatus; did you mean `New`?");
    assert_snapshot!(after(grouped, "&$orderby=area/id"), @"$orderby at byte 0: found `area/id`, which the result does not have; expected one of `status`, `area/name`, `n`");
    assert_snapshot!(after(grouped, "&$orderby=nn"), @"$orderby at byte 0: found `nn`, which the result does not have; expected one of `status`, `area/name`, `n`");
    assert_snapshot!(after(grouped, "&$select=title"), @"$select at byte 0: found `title`, which the result does not have; expected one of `status`, `area/name`, `n`");
    assert_snapshot!(after(grouped, "&$expand=area"), @"$expand: `$expand` does not apply to a result with groups or computed values; name properties of the navigation in it, as in `groupby((area/name))` or `area/name as areaName`");
    assert_snapshot!(after(grouped, "&$search=pump"), @"$search: `$search` and `$apply` can't be used together; use one of them");
    assert_snapshot!(after(grouped, "/filter(comments/any())"), @"$apply at byte 58: found `comments`, which the result does not have; expected one of `status`, `area/name`, `n`");
    assert_snapshot!(after(grouped, "/groupby((severity))"), @"$apply at byte 60: found `severity`, which the result does not have; expected one of `status`, `area/name`, `n`");
    assert_snapshot!(message(&GROUP, "$apply=compute(level mul 2 as twice)/groupby((twise))"), @"$apply at byte 39: found `twise`, which is no property of Group; did you mean `twice`?");
}

#[test]
fn values_have_the_types_of_their_methods() {
    assert_snapshot!(message(&GROUP, "$apply=aggregate(name with sum as s)"), @"$apply at byte 10: found a value of type Edm.String before `with sum`; expected a number");
    assert_snapshot!(message(&INCIDENT, "$apply=aggregate(incidentDate with average as s)"), @"$apply at byte 10: found a value of type Edm.Date before `with average`; expected a number");
    assert_snapshot!(message(&GROUP, "$apply=aggregate(isMember with max as s)"), @"$apply at byte 10: found a value of type Edm.Boolean before `with max`; expected a number, a text, a date or an instant");
    assert_snapshot!(message(&INCIDENT, "$apply=aggregate(resolvedDate sub dueDate with max as s)"), @"$apply at byte 10: found a value of type Edm.Duration, which a result cannot have; expected a number, as `totalseconds` and `hour` return");
    assert_snapshot!(message(&GROUP, "$apply=compute(null as nothing)/groupby((nothing))"), @"$apply at byte 8: found null, which has no type; expected a property or an expression of one");
    assert_snapshot!(message(&GROUP, "$apply=groupby((parent))"), @"$apply at byte 9: found the navigation `parent` as a value; expected a property of it, such as `parent/id`, or `eq null`");
    assert_snapshot!(message(&GROUP, "$apply=groupby((boards/name))"), @"$apply at byte 9: found `boards/`, which leads to many; expected `any`, `all` or `$count` after it");
}

#[test]
fn names_are_new() {
    assert_snapshot!(message(&GROUP, "$apply=aggregate($count as id)"), @"$apply at byte 20: found the name `id`, which Group has as a property; expected a new one");
    assert_snapshot!(message(&BOARD, "$apply=aggregate($count as group)"), @"$apply at byte 20: found the name `group`, which Board has as a property; expected a new one");
    assert_snapshot!(message(&GROUP, "$apply=aggregate($count as n,level with sum as n)"), @"$apply at byte 40: found the name `n`, which another value of the result has; expected a new one");
    assert_snapshot!(message(&GROUP, "$apply=compute(level as x)/compute(level as x)"), @"$apply at byte 37: found the name `x`, which another value of the result has; expected a new one");
    assert_snapshot!(message(&GROUP, "$apply=aggregate($count as Null)"), @"$apply at byte 20: found `Null`, which is read as a literal or an operator where it is used; expected another name");
    assert_snapshot!(message(&GROUP, "$apply=groupby(($it/level))"), @"$apply at byte 9: found `$it`; expected the path of a property without it, as in `area/name`");
    assert_snapshot!(message(&GROUP, "$apply=groupby((level,level))"), @"$apply at byte 15: found a property that is named before; expected each one once");
}

#[test]
fn computed_values() {
    assert_snapshot!(message(&GROUP, "$compute="), @"$compute at byte 0: found the end; expected a property, a literal, a function or `(`");
    assert_snapshot!(message(&GROUP, "$compute=level"), @"$compute at byte 5: found the end; expected an operator such as `eq` or `and`, or `as` and a name, as in `year(dueDate) as y`");
    assert_snapshot!(message(&GROUP, "$compute=level as x,"), @"$compute at byte 11: found the end; expected a property, a literal, a function or `(`");
    assert_snapshot!(message(&GROUP, "$compute=level as x/filter(x gt 1)"), @"$compute at byte 10: found `/`; expected `,` or the end");
    assert_snapshot!(message(&GROUP, "$compute=level as id"), @"$compute at byte 9: found the name `id`, which Group has as a property; expected a new one");
    assert_snapshot!(message(&GROUP, "$compute=level as x,x as y"), @"$compute at byte 11: found `x`, which is no property of Group");
    assert_snapshot!(message(&GROUP, "$compute=level as x&$select=y"), @"$select at byte 0: found `y`, which the result does not have; expected one of `id`, `type`, `name`, `description`, `par…`");
    assert_snapshot!(message(&GROUP, "$compute=level as x&$filter=xx gt 1"), @"$filter at byte 0: found `xx`, which is no property of Group");
    assert_snapshot!(message(&GROUP, "$compute=level as x&$expand=boards"), @"$expand: `$expand` does not apply to a result with groups or computed values; name properties of the navigation in it, as in `groupby((area/name))` or `area/name as areaName`");
    assert_snapshot!(message(&GROUP, "$compute=level as x&$search=oil&$filter=x gt 1"), @"$search: `$search` and `$filter` can't be used together; use one of them");
    assert_snapshot!(message(&GROUP, "$apply=groupby((type))&$compute=level as x"), @"$compute at byte 0: found `level`, which the result does not have; expected one of `type`");
    assert_snapshot!(message(&GROUP, "$compute=level as x&$compute=level as y"), @"$compute: it is given more than once");
    assert_snapshot!(message(&GROUP, "$expand=boards($compute=id as x)"), @"$expand at byte 7: found `$compute`, which is no option of an expanded navigation");
}
