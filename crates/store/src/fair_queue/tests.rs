use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use super::*;

const WAIT: Duration = Duration::from_secs(5);

/// Twelve permits, as many as 16 readers have for long work.
fn twelve() -> Arc<FairQueue> {
    queue(12, 50)
}

/// Of which a client may hold all that it leaves to others.
fn queue(permits: usize, share_percent: u8) -> Arc<FairQueue> {
    queue_for(permits, usize::MAX, share_percent)
}

fn queue_for(permits: usize, most: usize, share_percent: u8) -> Arc<FairQueue> {
    let limits = ClientLimits {
        most,
        share_percent,
        parallel: None,
        wait: WAIT,
    };
    Arc::new(FairQueue::new(permits, limits))
}

/// Twelve permits, of which a client may hold two for each processor, and one while others want some.
fn queue_on(processors: usize) -> Arc<FairQueue> {
    let limits = ClientLimits {
        most: 2 * processors,
        share_percent: 50,
        parallel: Some(processors),
        wait: WAIT,
    };
    Arc::new(FairQueue::new(12, limits))
}

fn client(name: &str) -> Client {
    Some(name.into())
}

/// As many permits as the client gets now.
fn all(queue: &Arc<FairQueue>, client: &Client) -> Vec<FairPermit> {
    std::iter::from_fn(|| queue.try_acquire(client)).collect()
}

fn poll<T>(future: Pin<&mut impl Future<Output = T>>) -> Poll<T> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}

/// The numbers of these waits in the order in which they get a permit, each of which is released.
fn in_order<F: Future<Output = Option<FairPermit>>>(
    mut waits: Vec<(usize, Pin<Box<F>>)>,
) -> Vec<usize> {
    let mut served = Vec::new();
    while !waits.is_empty() {
        let mut done = Vec::new();
        waits.retain_mut(|(at, wait)| match poll(wait.as_mut()) {
            Poll::Ready(permit) => {
                done.push((*at, permit.expect("open")));
                false
            }
            Poll::Pending => true,
        });
        assert!(!done.is_empty(), "nobody was served of {}", waits.len());
        served.extend(done.iter().map(|(at, _)| *at));
    }
    served
}

fn is_free(queue: &FairQueue, permits: usize) -> bool {
    let state = queue.lock();
    state.free == permits && state.clients.is_empty() && state.turns.is_empty()
}

#[test]
fn alone_a_client_takes_more_than_its_share_and_leaves_some_to_who_comes_later() {
    let queue = twelve();
    let (heavy, other) = (client("heavy"), client("other"));
    let held = all(&queue, &heavy);
    assert_eq!(held.len(), 9);
    let late = all(&queue, &other);
    assert_eq!(late.len(), 3);
    drop((held, late));
    assert!(is_free(&queue, 12));
}

#[test]
fn while_others_ask_a_client_takes_half() {
    let queue = twelve();
    let (heavy, other) = (client("heavy"), client("other"));
    let one = queue.try_acquire(&other).expect("a permit");
    let held = all(&queue, &heavy);
    assert_eq!(held.len(), 6);
    assert_eq!(all(&queue, &other).len(), 5);
    drop(one);
    // The other may ask again.
    assert!(all(&queue, &heavy).is_empty());
    age_left(&queue);
    // Alone again.
    assert_eq!(all(&queue, &heavy).len(), 3);
}

/// One request after the other: between two of them the client holds nothing and does not wait.
#[test]
fn a_client_with_one_request_at_a_time_counts_between_them() {
    let queue = twelve();
    let (heavy, other) = (client("heavy"), client("other"));
    drop(queue.try_acquire(&other));
    let mut held = all(&queue, &heavy);
    assert_eq!(held.len(), 6);
    let mut more = pin!(queue.acquire(&heavy));
    for _ in 0..3 {
        let one = queue.try_acquire(&other).expect("a permit");
        assert!(poll(more.as_mut()).is_pending());
        drop(one);
    }
    assert!(poll(more.as_mut()).is_pending());
    age_left(&queue);
    // The next release looks again.
    held.pop();
    let Poll::Ready(Some(_sixth)) = poll(more.as_mut()) else {
        panic!("no permit for the client that is alone");
    };
    assert_eq!(all(&queue, &heavy).len(), 3);
}

/// A client that holds more than its share gets nothing until it is below, whoever waits first.
#[test]
fn what_is_released_goes_to_who_has_less_than_its_share() {
    let queue = twelve();
    let (heavy, other) = (client("heavy"), client("other"));
    let mut held = all(&queue, &heavy);
    let late = all(&queue, &other);
    let mut first = pin!(queue.acquire(&heavy));
    assert!(poll(first.as_mut()).is_pending());
    let mut second = pin!(queue.acquire(&other));
    assert!(poll(second.as_mut()).is_pending());
    held.pop();
    assert!(poll(first.as_mut()).is_pending());
    let Poll::Ready(Some(_fourth)) = poll(second.as_mut()) else {
        panic!("no permit for the other client");
    };
    // From eight to five: below the share.
    held.truncate(5);
    assert!(poll(first.as_mut()).is_ready());
    drop(late);
}

#[test]
fn waiting_clients_take_turns_however_much_each_asks() {
    let queue = queue(2, 50);
    let clients = ["a", "b", "c"].map(client);
    let held =
        [&clients[0], &clients[1]].map(|client| queue.try_acquire(client).expect("a permit"));
    // Four requests of `a` before one of each other client.
    let order = [0, 0, 0, 0, 1, 2];
    let mut waits: Vec<_> = order
        .iter()
        .map(|&at| (at, Box::pin(queue.acquire(&clients[at]))))
        .collect();
    for (_, wait) in &mut waits {
        assert!(poll(wait.as_mut()).is_pending());
    }
    drop(held);
    assert_eq!(in_order(waits), [0, 1, 0, 2, 0, 0]);
    assert!(is_free(&queue, 2));
}

#[test]
fn a_wait_that_is_given_up_leaves_nothing_and_lets_others_be_alone() {
    let queue = twelve();
    let (heavy, other) = (client("heavy"), client("other"));
    let mut held = all(&queue, &heavy);
    let late = all(&queue, &other);
    let mut more = pin!(queue.acquire(&heavy));
    assert!(poll(more.as_mut()).is_pending());
    {
        let mut wait = pin!(queue.acquire(&other));
        assert!(poll(wait.as_mut()).is_pending());
        drop(late);
        // It was granted, and nobody takes it.
    }
    age_left(&queue);
    held.truncate(8);
    assert!(poll(more.as_mut()).is_ready());
    drop(held);
    assert!(is_free(&queue, 12));
}

#[test]
fn the_service_itself_has_no_share_and_a_closed_queue_gives_nothing() {
    let queue = twelve();
    let held = all(&queue, &None);
    assert_eq!(held.len(), 12);
    let other = client("other");
    let mut wait = pin!(queue.acquire(&other));
    assert!(poll(wait.as_mut()).is_pending());
    queue.close();
    assert!(matches!(poll(wait.as_mut()), Poll::Ready(None)));
    drop(held);
    assert!(queue.try_acquire(&other).is_none());
}

#[test]
fn few_permits_are_shared_as_far_as_that_goes() {
    let most = [1, 2, 3, 4, 8].map(|permits| {
        let queue = queue(permits, 50);
        let alone = all(&queue, &client("heavy"));
        let late = all(&queue, &client("other"));
        (alone.len(), late.len())
    });
    assert_eq!(most, [(1, 0), (1, 1), (2, 1), (3, 1), (6, 2)]);
    let unshared = queue(8, 100);
    assert_eq!(all(&unshared, &client("heavy")).len(), 8);
}

/// As many as there are processors: more of them would only slow each other down, and others.
#[test]
fn a_client_never_holds_more_than_its_limit() {
    let (heavy, other) = (client("heavy"), client("other"));
    let held = [(1, 50), (4, 50), (4, 100), (20, 50)].map(|(most, share)| {
        let queue = queue_for(12, most, share);
        let alone = all(&queue, &heavy);
        let late = all(&queue, &other);
        drop(alone);
        let shared = all(&queue, &heavy);
        (late.len(), shared.len())
    });
    // The other, and then the first again, hold a share of the limit.
    assert_eq!(held, [(1, 1), (2, 2), (4, 4), (3, 6)]);
    let alone = [1, 4, 20].map(|most| all(&queue_for(12, most, 50), &heavy).len());
    assert_eq!(alone, [1, 4, 9]);
}

/// Two requests of the heavy client and one of the other on two processors would take 1.5 times as long.
#[test]
fn a_client_with_few_requests_is_not_slowed_down_by_one_with_many() {
    let (heavy, other) = (client("heavy"), client("other"));
    let held = [2, 4].map(|processors| {
        let queue = queue_on(processors);
        let one = used_for(&queue, &other, WAIT / 4);
        let beside_one = all(&queue, &heavy);
        drop(one);
        // The other may ask again.
        let more = all(&queue, &heavy).len();
        let one = used_for(&queue, &other, WAIT / 4);
        drop(one);
        age_left(&queue);
        let alone = all(&queue, &heavy).len();
        (beside_one.len(), more, alone)
    });
    assert_eq!(held, [(1, 0, 3), (3, 0, 5)]);
}

/// Its holder waits for a client that takes its answer slowly, and uses no processor.
#[test]
fn a_permit_that_is_used_for_long_limits_nobody() {
    let queue = queue_on(2);
    let (heavy, other) = (client("heavy"), client("other"));
    let _slow = used_for(&queue, &other, WAIT / 2);
    assert_eq!(all(&queue, &heavy).len(), 2);
}

/// A client that reads for a moment, again and again, needs no processor in between.
#[test]
fn a_client_that_has_left_counts_as_long_as_it_used_its_permit() {
    let (heavy, other) = (client("heavy"), client("other"));
    let held = [Duration::ZERO, WAIT / 4].map(|time| {
        let queue = queue_on(2);
        drop(used_for(&queue, &other, time));
        for left in &mut queue.lock().left {
            left.since = before(left.since, Duration::from_millis(100));
        }
        all(&queue, &heavy).len()
    });
    // Not more than its share, in both cases.
    assert_eq!(held, [2, 1]);
}

/// No permit is released while it waits.
#[tokio::test]
async fn a_client_below_its_share_gets_a_permit_once_another_one_has_left_for_long() {
    let limits = ClientLimits {
        most: 4,
        share_percent: 50,
        parallel: Some(2),
        wait: Duration::from_secs(2),
    };
    let queue = Arc::new(FairQueue::new(12, limits));
    let (heavy, other) = (client("heavy"), client("other"));
    let _held = queue.try_acquire(&heavy);
    drop(used_for(&queue, &other, Duration::from_millis(500)));
    assert!(queue.try_acquire(&heavy).is_none());
    assert!(queue.acquire_with_recheck(&heavy).await.is_some());
}

/// Two for each processor, so that none is idle between two requests.
#[test]
fn clients_with_many_requests_share_more_than_run_in_parallel() {
    let queue = queue_on(2);
    let (first, second) = (client("first"), client("second"));
    let _held = [&first, &second].map(|client| queue.try_acquire(client).expect("a permit"));
    let mut of_first = pin!(queue.acquire(&first));
    assert!(poll(of_first.as_mut()).is_pending());
    let mut of_second = pin!(queue.acquire(&second));
    let Poll::Ready(Some(_more)) = poll(of_second.as_mut()) else {
        panic!("no permit while the other client waits too");
    };
    // It waits no longer, and holds more.
    let Poll::Ready(Some(_as_many)) = poll(of_first.as_mut()) else {
        panic!("no permit for the client that has fewer");
    };
    assert!(
        [&first, &second]
            .iter()
            .all(|client| queue.try_acquire(client).is_none())
    );
}

/// Clients with one request each use all processors: one with many still gets its turn.
#[test]
fn a_client_with_many_requests_gets_one_permit_beside_any_others() {
    let queue = queue_on(2);
    let others = ["a", "b", "c"].map(client);
    let _held = others
        .each_ref()
        .map(|client| queue.try_acquire(client).expect("a permit"));
    assert_eq!(all(&queue, &client("heavy")).len(), 1);
}

/// No permit is released while it waits.
#[tokio::test]
async fn a_client_that_waits_until_it_is_alone_gets_a_permit_without_a_release() {
    let limits = ClientLimits {
        most: usize::MAX,
        share_percent: 50,
        parallel: None,
        wait: Duration::from_millis(50),
    };
    let queue = Arc::new(FairQueue::new(12, limits));
    let (heavy, other) = (client("heavy"), client("other"));
    let one = queue.try_acquire(&other);
    let _held = all(&queue, &heavy);
    drop(one);
    assert!(queue.acquire_with_recheck(&heavy).await.is_some());
}

/// The requests that wait began to wait so long ago.
fn age(queue: &FairQueue, client: &Client, time: Duration) {
    let mut state = queue.lock();
    for request in &mut state.clients.get_mut(client).expect("waits").waiters {
        request.since = before(request.since, time);
    }
}

/// A permit that the client is granted, and has used for this time.
fn used_for(queue: &Arc<FairQueue>, client: &Client, time: Duration) -> FairPermit {
    let mut permit = queue.try_acquire(client).expect("a permit");
    let mut state = queue.lock();
    let holder = state.clients.get_mut(client).expect("a holder");
    let granted = holder.held.last_mut().expect("granted last");
    *granted = before(*granted, time);
    permit.granted = *granted;
    drop(state);
    permit
}

fn before(instant: Instant, time: Duration) -> Instant {
    instant.checked_sub(time).expect("after the boot")
}

/// Clients that have left did so a short wait ago.
fn age_left(queue: &FairQueue) {
    for left in &mut queue.lock().left {
        left.since = before(left.since, queue.short_wait());
    }
}

#[test]
fn in_a_queue_that_stands_nobody_waits_long() {
    let queue = queue(1, 50);
    let (heavy, other) = (client("heavy"), client("other"));
    let _held = queue.try_acquire(&heavy);
    let mut wait = pin!(queue.acquire(&heavy));
    assert!(poll(wait.as_mut()).is_pending());
    assert_eq!(queue.time_to_wait(&heavy), WAIT);
    age(&queue, &heavy, WAIT / 8);
    assert_eq!(queue.time_to_wait(&heavy), WAIT / 10);
    assert_eq!(queue.time_to_wait(&other), WAIT);
}

/// Its requests give up after a short wait, so none of those that wait has waited for long.
#[test]
fn a_queue_stands_while_requests_give_up() {
    let queue = queue(1, 50);
    let heavy = client("heavy");
    let _held = queue.try_acquire(&heavy);
    {
        let mut wait = pin!(queue.acquire(&heavy));
        assert!(poll(wait.as_mut()).is_pending());
        age(&queue, &heavy, WAIT / 10);
    }
    assert_eq!(queue.time_to_wait(&heavy), WAIT / 10);
    let ended = |queue: &FairQueue| {
        let mut state = queue.lock();
        let ended = &mut state.clients.get_mut(&heavy).expect("holds").long_wait;
        *ended = ended.and_then(|ended| ended.checked_sub(WAIT / 5));
    };
    ended(&queue);
    assert_eq!(queue.time_to_wait(&heavy), WAIT);
}

/// A client with many connections that asks again at each answer: its queue is never empty, and no request in
/// it waits long. Each gets its turn.
#[test]
fn a_queue_that_is_never_empty_and_moves_does_not_stand() {
    const REQUESTS: usize = 32;
    let queue = queue(1, 50);
    let client = client("busy");
    let mut held = queue.try_acquire(&client);
    let mut served = Vec::new();
    let mut waits = VecDeque::new();
    for number in 0..REQUESTS {
        let mut wait = Box::pin(queue.acquire(&client));
        assert!(poll(wait.as_mut()).is_pending());
        waits.push_back((number, wait));
    }
    for number in REQUESTS..3 * REQUESTS {
        // Together longer than the wait at which a queue stands; each request shorter.
        age(&queue, &client, WAIT / 400);
        assert_eq!(queue.time_to_wait(&client), WAIT);
        drop(held.take());
        let (first, mut wait) = waits.pop_front().expect("a wait");
        let Poll::Ready(Some(permit)) = poll(wait.as_mut()) else {
            panic!("request {first} waits behind later ones");
        };
        held = Some(permit);
        served.push(first);
        let mut wait = Box::pin(queue.acquire(&client));
        assert!(poll(wait.as_mut()).is_pending());
        waits.push_back((number, wait));
    }
    assert_eq!(served, (0..2 * REQUESTS).collect::<Vec<_>>());
}
