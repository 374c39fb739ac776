//! Heavy lists of one client, each sent again as soon as it was answered: what the probe of a load balancer,
//! token requests, records and lists of other clients take, and how soon a revoked client is refused.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::longest;
use crate::Bench;
use crate::overload::Filters;
use crate::probe::{Answer, ask, closed_loop, closing, get};
use crate::process::{Child, token_request};
use crate::table::Table;

/// How long the probes are measured alone.
const ALONE: Duration = Duration::from_secs(5);
/// How long under the load: more than a service takes to see that a client was revoked.
const TIME: Duration = Duration::from_secs(20);
/// The pause between two requests of a probe.
const PAUSE: Duration = Duration::from_millis(50);
/// The seconds until a revoked client is refused: the service reads the list every 15 seconds.
const REVOKED: f64 = 16.0;

pub fn measure(table: &mut Table, bench: &Bench, lists: usize) {
    let [other, leaving] =
        ["other", "leaving"].map(|name| bench.client(name, &["public.api.read"]));
    let service = Child::service(&bench.plant.db);
    let address = service.address.as_str();
    let (token, left) = (service.token_of(&other), service.token_of(&leaving));
    let number = AtomicUsize::new(0);
    let heavy = Filters::of(address, bench.token.clone(), &number);

    let probes = [
        ("/readyz", get("/readyz", "")),
        ("a token", closing(&token_request(&other))),
        ("a record of another", get("/v2/groups/1", &token)),
        (
            "a list of another",
            get(
                "/v2/boards?$filter=isPublic%20eq%20true&$count=true",
                &token,
            ),
        ),
        (
            "a long list of another",
            get("/v1/Incidents?pageSize=10000", &token),
        ),
    ];
    let run = |time| {
        std::thread::scope(|scope| {
            let probe = |request| {
                let paced = move || {
                    std::thread::sleep(PAUSE);
                    ask(address, request)
                };
                scope.spawn(move || closed_loop(1, time, paced))
            };
            let probes: Vec<_> = probes.iter().map(|(_, request)| probe(request)).collect();
            let probes = probes.into_iter();
            let answers = probes.map(|probe| probe.join().expect("no panic"));
            answers.collect::<Vec<_>>()
        })
    };
    let alone = run(ALONE);
    let is_over = AtomicBool::new(false);
    let (loaded, revoked) = std::thread::scope(|scope| {
        for _ in 0..lists {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    heavy.ask();
                }
            });
        }
        // The load is there.
        std::thread::sleep(Duration::from_secs(2));
        let leaver = scope.spawn(|| until_refused(address, &left, || bench.revoke(&leaving)));
        let loaded = run(TIME);
        let revoked = leaver.join().expect("no panic");
        is_over.store(true, Ordering::Relaxed);
        (loaded, revoked)
    });
    let load = format!("{lists} heavy lists of a client");
    for (((name, _), alone), loaded) in probes.iter().zip(alone).zip(loaded) {
        longest(table, &format!("{load}: {name}, longest"), &alone, &loaded);
    }
    let name = format!("{load}: 401 of a revoked client");
    table.limit(&name, revoked, "s", REVOKED);
}

/// Revokes a client; the seconds until its token is refused, and infinite if it was answered with anything
/// but a record before.
fn until_refused(address: &str, token: &str, revoke: impl FnOnce()) -> f64 {
    let request = get("/v2/groups/1", token);
    let began = Instant::now();
    revoke();
    while began.elapsed() < 2 * TIME {
        let Answer { status, .. } = ask(address, &request);
        match status {
            200 => std::thread::sleep(PAUSE),
            401 => return began.elapsed().as_secs_f64(),
            _ => break,
        }
    }
    f64::INFINITY
}
