//! What the server counts: by operation and outcome, never by user, space, agent or key.

use std::sync::atomic::AtomicI64;
use std::time::Duration;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

/// Seconds at which the durations are told apart.
const SECONDS: [f64; 12] = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1.0, 5.0, 30.0];

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Outcome {
    route: String,
    status: u16,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Route {
    route: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Delivery {
    webhook: String,
    outcome: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Webhook {
    webhook: String,
}

/// The counters.
pub struct Metrics {
    registry: Registry,
    requests: Family<Outcome, Counter>,
    seconds: Family<Route, Histogram>,
    /// Requests that are being answered.
    pub in_flight: Gauge<i64, AtomicI64>,
    /// Connections that are open.
    connections: Gauge<i64, AtomicI64>,
    /// Documents of the open spaces that wait for their vectors.
    waiting: Gauge<i64, AtomicI64>,
    /// Spaces that are open.
    spaces: Gauge<i64, AtomicI64>,
    /// Events that have expired, may be erased and still have their content.
    expired: Gauge<i64, AtomicI64>,
    /// Events whose content went because they had expired.
    erased: Gauge<i64, AtomicI64>,
    deliveries: Family<Delivery, Counter>,
    /// Events that webhooks have not come to yet.
    lag: Family<Webhook, Gauge<i64, AtomicI64>>,
    /// Spaces for which a receiver was given up.
    dead: Family<Webhook, Gauge<i64, AtomicI64>>,
}

impl Default for Metrics {
    fn default() -> Self {
        let mut registry = Registry::with_prefix("idetic");
        let requests = Family::<Outcome, Counter>::default();
        let seconds = Family::<Route, Histogram>::new_with_constructor(|| Histogram::new(SECONDS));
        let (in_flight, connections) = (Gauge::default(), Gauge::default());
        registry.register("http_requests", "Requests by route and status", requests.clone());
        registry.register("http_request_seconds", "How long requests took", seconds.clone());
        registry.register("http_requests_in_flight", "Requests that are being answered", in_flight.clone());
        registry.register("http_connections", "Connections that are open", connections.clone());
        let (waiting, spaces) = (Gauge::default(), Gauge::default());
        registry.register("embedding_backlog", "Documents of the open spaces without a vector", waiting.clone());
        registry.register("open_spaces", "Spaces that are open", spaces.clone());
        let (expired, erased) = (Gauge::default(), Gauge::default());
        registry.register(
            "expired_backlog",
            "Expired events of the open spaces that may be erased and still have content",
            expired.clone(),
        );
        registry.register("expired_erased", "Events erased since the start because they had expired", erased.clone());
        let (deliveries, lag, dead) = (Family::default(), Family::default(), Family::default());
        registry.register("webhook_deliveries", "Attempts to deliver an event, by outcome", Family::clone(&deliveries));
        registry.register("webhook_lag_events", "Events that a webhook has not come to yet", Family::clone(&lag));
        registry.register("webhook_dead", "Spaces for which a webhook was given up", Family::clone(&dead));
        Self {
            registry,
            requests,
            seconds,
            in_flight,
            connections,
            waiting,
            spaces,
            expired,
            erased,
            deliveries,
            lag,
            dead,
        }
    }
}

impl Metrics {
    /// Counts a request that was answered.
    pub fn count(&self, route: &str, status: u16, took: Duration) {
        self.requests.get_or_create(&Outcome { route: route.to_owned(), status }).inc();
        self.seconds.get_or_create(&Route { route: route.to_owned() }).observe(took.as_secs_f64());
    }

    /// Notes how the memory stands.
    pub fn set_memory(&self, spaces: usize, waiting: u64, (expired, erased): (u64, u64)) {
        self.spaces.set(spaces.try_into().unwrap_or(i64::MAX));
        self.waiting.set(waiting.try_into().unwrap_or(i64::MAX));
        self.expired.set(expired.try_into().unwrap_or(i64::MAX));
        self.erased.set(erased.try_into().unwrap_or(i64::MAX));
    }

    /// Counts an attempt to deliver an event.
    pub fn count_delivery(&self, webhook: &str, outcome: &'static str) {
        self.deliveries.get_or_create(&Delivery { webhook: webhook.to_owned(), outcome }).inc();
    }

    /// Notes how much further behind a webhook is in a space, or how much less.
    pub fn move_webhook_lag(&self, webhook: &str, by: i64) {
        self.lag.get_or_create(&Webhook { webhook: webhook.to_owned() }).inc_by(by);
    }

    /// Notes that a receiver was given up for a space.
    pub fn note_dead_webhook(&self, webhook: &str) {
        self.dead.get_or_create(&Webhook { webhook: webhook.to_owned() }).inc();
    }

    /// Counts a connection for as long as what is returned is kept.
    pub fn open_connection(&self) -> impl Drop + use<> {
        struct Open(Gauge<i64, AtomicI64>);
        impl Drop for Open {
            fn drop(&mut self) {
                self.0.dec();
            }
        }
        self.connections.inc();
        Open(self.connections.clone())
    }

    /// The text of `/metrics`.
    pub fn text(&self) -> String {
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = prometheus_client::encoding::text::encode(&mut text, &self.registry);
        text
    }
}
