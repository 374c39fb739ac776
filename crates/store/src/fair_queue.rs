//! Fair queueing: permits that clients share, handed out in turns, so that no client takes all of them.
//!
//! A permit cannot be taken back, so fairness is a bound on what a client may hold. Up to its share it gets
//! any free permit, unless that slows down a client that uses less. Beyond its share it gets one only while
//! no other client holds or waits for any, up to the most that a client may hold, and a reserve always stays
//! free for a client that comes later. Waiting clients take turns, however many requests each has in the
//! queue.
//!
//! A client that sends one request at a time holds and awaits nothing between two of them. So a client still
//! counts for a grace period after it has left, and as one that can be slowed down for no longer than it used
//! its last permit. Otherwise another one would take more in between, and slow down each of these requests.
//!
//! This module knows neither readers nor what a client is.

use std::collections::{HashMap, VecDeque};
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

/// The client that work is done for; `None` is the service itself, which no share limits.
pub type Client = Option<Arc<str>>;

/// The part of the usual wait that is a short one.
const SHORT_WAIT_DIVISOR: u32 = 10;

/// How often a client that waits looks again during a short wait.
const RECHECKS: u32 = 4;

/// Where the wait is almost nothing, as in tests.
const SHORTEST_INTERVAL: Duration = Duration::from_millis(1);

/// What limits a client.
#[derive(Debug, Clone, Copy)]
pub struct ClientLimits {
    /// What it may hold at most, even while it is alone.
    pub most: usize,
    /// The part of that, in percent, that it may hold while others want some.
    pub share_percent: u8,
    /// How many permits can be used at once without slowing each other down; `None` if all can.
    pub parallel: Option<usize>,
    /// How long it waits for a permit, unless its queue stands.
    pub wait: Duration,
}

/// Permits that clients share.
#[derive(Debug)]
pub struct FairQueue {
    /// What a client may hold at most.
    most: usize,
    /// What a client may hold while others want some.
    share: usize,
    /// How many can be used without slowing each other down.
    parallel: Option<usize>,
    /// What a client beyond its share leaves free.
    reserve: usize,
    /// How long a client waits.
    wait: Duration,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    free: usize,
    /// The clients that hold or wait for permits.
    clients: HashMap<Client, ClientState>,
    /// The clients that wait, in the order of their turns.
    turns: VecDeque<Client>,
    /// The clients that neither hold nor wait any more. They are dropped after a short wait, when the next
    /// one leaves.
    left: Vec<LeftClient>,
    is_closed: bool,
}

#[derive(Debug)]
struct LeftClient {
    client: Client,
    since: Instant,
    /// How long it used its last permit.
    last_use: Duration,
}

#[derive(Debug, Default)]
struct ClientState {
    /// When each permit that it holds was granted.
    held: Vec<Instant>,
    /// In the order of arrival.
    waiters: VecDeque<QueuedRequest>,
    /// When the last wait ended that was not a short one.
    long_wait: Option<Instant>,
}

#[derive(Debug)]
struct QueuedRequest {
    since: Instant,
    sender: oneshot::Sender<FairPermit>,
}

/// Permits that were granted, to be sent once the state is unlocked: a permit that nobody receives is
/// released again.
type Granted = Vec<(oneshot::Sender<FairPermit>, FairPermit)>;

impl FairQueue {
    /// So many permits.
    #[must_use]
    pub fn new(permits: usize, limits: ClientLimits) -> Self {
        let most = limits.most.min(permits);
        let share = (most * usize::from(limits.share_percent) / 100).max(1);
        Self {
            most,
            share,
            parallel: limits.parallel,
            reserve: (permits.saturating_sub(share) / 2).max(1),
            wait: limits.wait,
            state: Mutex::new(State {
                free: permits,
                clients: HashMap::new(),
                turns: VecDeque::new(),
                left: Vec::new(),
                is_closed: false,
            }),
        }
    }

    /// Whether a client waits.
    pub(super) fn is_awaited(&self) -> bool {
        !self.lock().turns.is_empty()
    }

    /// Whether a client holds a permit or waits for one.
    pub(super) fn is_in_use(&self) -> bool {
        !self.lock().clients.is_empty()
    }

    /// A permit, if the client may have one now. It does not wait for its turn behind other clients.
    pub fn try_acquire(self: &Arc<Self>, client: &Client) -> Option<FairPermit> {
        let mut state = self.lock();
        if state.is_closed || !self.may_take(&state, client) {
            return None;
        }
        state.free -= 1;
        let permit = self.permit(client);
        let holder = state.clients.entry(client.clone()).or_default();
        holder.held.push(permit.granted);
        let is_awaited = !state.turns.is_empty();
        drop(state);
        if is_awaited {
            // This client uses more now: another one that waited because of it may go on.
            self.grant();
        }
        Some(permit)
    }

    /// Waits for a permit; `None` once the queue is closed.
    pub(super) async fn acquire(self: &Arc<Self>, client: &Client) -> Option<FairPermit> {
        if let Some(permit) = self.try_acquire(client) {
            return Some(permit);
        }
        let (sender, receiver) = oneshot::channel();
        {
            let mut state = self.lock();
            if state.is_closed {
                return None;
            }
            let waiting = state.clients.entry(client.clone()).or_default();
            let since = Instant::now();
            waiting.waiters.push_back(QueuedRequest { since, sender });
            if waiting.waiters.len() == 1 {
                state.turns.push_back(client.clone());
            }
        }
        // A permit may have been released since the attempt.
        self.grant();
        let mut waiter = Waiter {
            queue: self,
            client,
            receiver: Some(receiver),
        };
        let received = waiter.receiver.as_mut()?.await.ok();
        waiter.receiver = None;
        received
    }

    /// The same, and looks again after a part of each short wait: no release tells that a client which has
    /// left, or a permit that is used for long, does not count any more.
    pub(super) async fn acquire_with_recheck(
        self: &Arc<Self>,
        client: &Client,
    ) -> Option<FairPermit> {
        let interval = (self.short_wait() / RECHECKS).max(SHORTEST_INTERVAL);
        let mut wait = pin!(self.acquire(client));
        loop {
            match tokio::time::timeout(interval, wait.as_mut()).await {
                Ok(permit) => return permit,
                Err(_) => self.grant(),
            }
        }
    }

    /// How long a client may wait now.
    ///
    /// The queue of a client stands if one of its requests has waited for a short wait, or has just done so:
    /// the client asks for more than it can get. A queue that is only never empty may be that of a client
    /// with many connections, each of which waits little. In a queue that stands a longer wait would not give
    /// the client more, it would only make each of its answers late (compare CoDel, RFC 8289).
    pub(super) fn time_to_wait(&self, client: &Client) -> Duration {
        let short_wait = self.short_wait();
        let state = self.lock();
        let stands = state.clients.get(client).is_some_and(|waiting| {
            let first = waiting.waiters.front();
            first.is_some_and(|request| request.since.elapsed() >= short_wait)
                || (waiting.long_wait).is_some_and(|ended| ended.elapsed() < 2 * short_wait)
        });
        if stands { short_wait } else { self.wait }
    }

    /// How long a client counts after it has left. It is less than a short wait: a request that waits no
    /// longer than that must see the end of the grace period.
    fn grace_period(&self) -> Duration {
        self.short_wait() / 2
    }

    fn short_wait(&self) -> Duration {
        self.wait / SHORT_WAIT_DIVISOR
    }

    /// Ends all waits.
    pub(super) fn close(&self) {
        let mut state = self.lock();
        state.is_closed = true;
        state.turns.clear();
        for client in state.clients.values_mut() {
            client.waiters.clear();
        }
    }

    fn permit(self: &Arc<Self>, client: &Client) -> FairPermit {
        FairPermit {
            queue: Arc::clone(self),
            client: client.clone(),
            granted: Instant::now(),
        }
    }

    fn may_take(&self, state: &State, client: &Client) -> bool {
        let held = state
            .clients
            .get(client)
            .map_or(0, |client| client.held.len());
        if client.is_none() || held == 0 {
            return state.free > 0;
        }
        if held < self.share {
            return state.free > 0 && !self.slows_a_lighter_client(state, client, held);
        }
        held < self.most
            && state.free > self.reserve
            && state.others(client).next().is_none()
            && state.left(client, |_| self.grace_period()).next().is_none()
    }

    /// Whether one more permit of this client, which holds so many, slows down another client that uses less:
    /// as many as run in parallel are in use, and the other one has no more and wants no more.
    ///
    /// A permit that is held for long counts neither as used nor as one that can be slowed down: probably its
    /// holder waits for a client that takes its answer slowly. A client that has just left counts as one that
    /// uses a permit.
    fn slows_a_lighter_client(&self, state: &State, client: &Client, held: usize) -> bool {
        let Some(parallel) = self.parallel else {
            return false;
        };
        let in_use = |client: &ClientState| {
            let held = client.held.iter();
            held.filter(|granted| granted.elapsed() < self.long_use())
                .count()
        };
        let grace_period = self.grace_period();
        let left = state
            .left(client, |left| left.last_use.min(grace_period))
            .count();
        let all: usize = state.clients.values().map(in_use).sum();
        let is_lighter = |other: &ClientState| {
            other.waiters.is_empty() && other.held.len() <= held && in_use(other) > 0
        };
        all + left >= parallel && (left > 0 || state.others(client).any(is_lighter))
    }

    /// From this time on a permit is probably held by a request that does not run.
    fn long_use(&self) -> Duration {
        self.wait / 2
    }

    /// Grants what is free to the clients that wait, in turns.
    fn grant(self: &Arc<Self>) {
        let mut granted = Granted::new();
        let mut state = self.lock();
        while let Some(at) = state
            .turns
            .iter()
            .position(|client| self.may_take(&state, client))
        {
            let Some(client) = state.turns.remove(at) else {
                break;
            };
            let State {
                free,
                clients,
                turns,
                ..
            } = &mut *state;
            let Some(waiting) = clients.get_mut(&client) else {
                continue;
            };
            if let Some(request) = waiting.waiters.pop_front() {
                waiting.note_wait(&request, self.short_wait());
                *free -= 1;
                let permit = self.permit(&client);
                waiting.held.push(permit.granted);
                granted.push((request.sender, permit));
            }
            if !waiting.waiters.is_empty() {
                turns.push_back(client);
            }
        }
        drop(state);
        for (sender, permit) in granted {
            drop(sender.send(permit));
        }
    }

    fn release(self: &Arc<Self>, permit: &FairPermit) {
        let client = &permit.client;
        let mut state = self.lock();
        state.free += 1;
        if let Some(holder) = state.clients.get_mut(client) {
            let mut held = holder.held.iter();
            if let Some(at) = held.position(|granted| *granted == permit.granted) {
                holder.held.swap_remove(at);
            }
        }
        state.forget_idle(client, permit.granted.elapsed(), self.short_wait());
        let is_awaited = !state.turns.is_empty();
        drop(state);
        if is_awaited {
            self.grant();
        }
    }

    /// A waiter of this client has gone.
    fn give_up(self: &Arc<Self>, client: &Client) {
        let mut state = self.lock();
        if let Some(waiting) = state.clients.get_mut(client) {
            let requests = std::mem::take(&mut waiting.waiters);
            for request in requests {
                if request.sender.is_closed() {
                    waiting.note_wait(&request, self.short_wait());
                } else {
                    waiting.waiters.push_back(request);
                }
            }
            if waiting.waiters.is_empty() {
                state.turns.retain(|other| other != client);
            }
        }
        state.forget_idle(client, Duration::ZERO, self.short_wait());
        drop(state);
        // Another client may be alone now.
        self.grant();
    }

    /// Each change is complete before anything can panic, so a poisoned lock guards a valid state.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ClientState {
    /// A request of the client waits no longer.
    fn note_wait(&mut self, request: &QueuedRequest, short_wait: Duration) {
        if request.since.elapsed() >= short_wait {
            self.long_wait = Some(Instant::now());
        }
    }
}

impl State {
    /// The clients other than this one that hold or wait for permits.
    fn others<'s>(&'s self, client: &'s Client) -> impl Iterator<Item = &'s ClientState> {
        let others = self.clients.iter();
        others
            .filter(move |(other, _)| other.is_some() && *other != client)
            .map(|(_, state)| state)
    }

    /// The clients other than this one that have left, each for as long as it counts.
    fn left<'s>(
        &'s self,
        client: &'s Client,
        counts_for: impl Fn(&LeftClient) -> Duration + 's,
    ) -> impl Iterator<Item = &'s LeftClient> {
        let left = self.left.iter();
        left.filter(move |left| {
            left.client != *client
                && left.since.elapsed() < counts_for(left)
                && !self.clients.contains_key(&left.client)
        })
    }

    /// Removes a client that neither holds nor waits for a permit, and those that left longer ago than a
    /// short wait.
    fn forget_idle(&mut self, client: &Client, last_use: Duration, short_wait: Duration) {
        let is_idle = |client: &ClientState| client.held.is_empty() && client.waiters.is_empty();
        if !self.clients.get(client).is_some_and(is_idle) {
            return;
        }
        self.clients.remove(client);
        self.left
            .retain(|left| left.client != *client && left.since.elapsed() < short_wait);
        if client.is_some() {
            self.left.push(LeftClient {
                client: client.clone(),
                since: Instant::now(),
                last_use,
            });
        }
    }
}

/// A permit, released on drop.
#[derive(Debug)]
pub struct FairPermit {
    queue: Arc<FairQueue>,
    client: Client,
    granted: Instant,
}

impl Drop for FairPermit {
    fn drop(&mut self) {
        self.queue.release(self);
    }
}

/// A place in the queue, given up if the wait is cancelled.
struct Waiter<'w> {
    queue: &'w Arc<FairQueue>,
    client: &'w Client,
    /// `None` once the wait has ended by itself.
    receiver: Option<oneshot::Receiver<FairPermit>>,
}

impl Drop for Waiter<'_> {
    fn drop(&mut self) {
        // Before the search for waiters that have gone; a permit that was just sent is released here.
        if let Some(receiver) = self.receiver.take() {
            drop(receiver);
            self.queue.give_up(self.client);
        }
    }
}

#[cfg(test)]
mod tests;
