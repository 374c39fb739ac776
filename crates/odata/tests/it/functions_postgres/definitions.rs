//! The definitions, and how the server accepts them.

use super::server::Server;

#[test]
fn functions_may_be_defined_again_and_ask_for_no_rights() {
    let mut server = Server::new();
    server.define();
    let sql = "SELECT proname, lanname, lanpltrusted OR lanname = 'sql', provolatile = 'i', proparallel = 's' \
        FROM pg_proc JOIN pg_language ON pg_language.oid = prolang WHERE pronamespace = current_schema()::regnamespace";
    let mut found = std::collections::BTreeSet::new();
    for row in server.client.query(sql, &[]).unwrap() {
        let name: String = row.get(0);
        let language: String = row.get(1);
        assert!(
            ["sql", "plpgsql"].contains(&language.as_str()),
            "{name}: {language}"
        );
        for place in 2..=4 {
            assert!(row.get::<_, bool>(place), "{name}: {place}");
        }
        found.insert(name);
    }
    assert_eq!(found, obeya_odata::functions::postgres::names());
}

#[test]
fn what_most_filters_call_is_laid_into_the_statement() {
    let mut server = Server::new();
    server
        .client
        .batch_execute("CREATE TEMPORARY TABLE rows (n bigint, m bigint, x double precision, y double precision, t text, u text)")
        .unwrap();
    for call in [
        "odata_int_div(n, m)",
        "odata_int_mod(n, m)",
        "odata_round(x)",
        "odata_floor(x)",
        "odata_ceiling(x)",
        "odata_round(n)",
        "odata_year(n)",
        "odata_month(n)",
        "odata_day(n)",
        "odata_hour(n)",
        "odata_minute(n)",
        "odata_second(n)",
        "odata_fraction(n)",
        "odata_date(n)",
        "odata_time(n)",
        "odata_bin(n, 36000000000)",
        "odata_bin(n, 'day')",
        "odata_bin(n, 'week')",
        "odata_bin(n, 'month')",
        "odata_bin(n, 'quarter')",
        "odata_bin(n, 'year')",
        "odata_bin(n, 'day', '{-9,9}'::bigint[], '{1,2}'::bigint[], '{-9,9}'::bigint[], '{1,2}'::bigint[])",
        "odata_bin(n, 'month', '{-9,9}'::bigint[], '{1,2}'::bigint[], '{-9,9}'::bigint[], '{1,2}'::bigint[])",
        "odata_bin(n, 'quarter', '{-9,9}'::bigint[], '{1,2}'::bigint[], '{-9,9}'::bigint[], '{1,2}'::bigint[])",
        "odata_bin(n, 'year', '{-9,9}'::bigint[], '{1,2}'::bigint[], '{-9,9}'::bigint[], '{1,2}'::bigint[])",
        "odata_date_year(n)",
        "odata_date_month(n)",
        "odata_date_day(n)",
        "odata_date_add(n, m)",
        "odata_total_seconds(n)",
        "odata_duration_mul(n, m)",
        "odata_duration_mul(n, x)",
        "odata_duration_div(n, x)",
        "odata_trim(t)",
        "odata_substring(t, n)",
        "odata_substring(t, 2)",
        "odata_substring(t, 2, 5)",
        "odata_starts_with(t, u)",
        "odata_ends_with(t, u)",
        "odata_matches(t, 'a', '')",
        "odata_cast_text(t, 'Edm.String', 'Edm.Guid')",
        "odata_cast_text(n, 'Edm.Int32', 'Edm.String')",
        "odata_cast_real(n, 'Edm.Int32', 'Edm.Double')",
        "odata_cast_whole(x, 'Edm.Double', 'Edm.Int32')",
    ] {
        let plan = plan(&mut server, call);
        assert!(!plan.contains("odata_"), "{call}: {plan}");
    }
    // Only the rare ones of these are calls.
    for call in [
        "odata_exact(x)",
        "odata_whole_part(x)",
        "odata_fraction(x)",
        "odata_remainder(x)",
        "odata_lower(t)",
        "odata_upper(t)",
        "odata_real_div(x, y)",
    ] {
        let plan = plan(&mut server, call);
        assert!(plan.contains("CASE WHEN"), "{call}: {plan}");
    }
}

fn plan(server: &mut Server, call: &str) -> String {
    let sql = format!("EXPLAIN (VERBOSE, COSTS FALSE) SELECT {call} FROM rows");
    let rows = server.client.query(&sql, &[]).unwrap();
    let lines: Vec<String> = rows.iter().map(|row| row.get(0)).collect();
    lines.join("\n")
}
