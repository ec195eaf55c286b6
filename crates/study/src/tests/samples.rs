//! Studies that use everything that is supported.

pub(crate) const QUICKSTART: &str = r#"study: Checkout
system: { name: shop, url: "http://127.0.0.1:8080", identity: { path: /version, expect: { name: shop } } }
watch: { host: {} }
exchanges:
  search: { http.get: { url: "$(shop.url)/search?q=lamp" }, check: [ status = 200 ] }
scenarios:
  busy: { load: { arrivals: 200/s, ramp: { over: 30s }, hold: 5m }, run: [search], abort: [ share(search.failed) > 20% for 10s ] }
requirements:
  fast: share(search.response < 300ms) >= 95%
  right: share(search.failed) <= 0.1%
"#;

/// Instances, replicas, faults, variables with arithmetic, scenarios with `set`, captures, profiles, title page.
pub(crate) const FULL: &str = r#"study: { nl: Winkel, en: Shop }
about: All that is carried out
seed: 7
vars:
  store: "$(env.NO_SUCH_STORE:-sqlite://$(scratch)/shop.db)"
  rate: 20/s
  double: $(rate * 2)
  limit: 300ms
  literal: "a $$(b) c"
assume:
  streams: { value: 20, about: { nl: stromen, en: streams } }
  share: 75%
system:
  name: The shop
  about: A shop
  work: [look, { en: buy, nl: kopen }]
  differs: smaller
  instances:
    records: { start: "shop-records --port $(port) --admin $(port.admin) --store $(store) $(faults)", ports: [port, admin], replicas: 2, faults: { delay: 20ms, crash: { at: 65m, replica: 1 } }, env: { LEVEL: "$(run.id)" }, cores: [0, 1], stop: 2s }
    gateway: { start: "shop-gateway --port $(port) --records $(records.addresses) --first $(records.1.url)", needs: [records], ready: /ready, identity: /about }
    outside: { url: "https://pay.example/", identity: { expect: { name: "pay $(streams)" } } }
watch:
  host: { every: 500ms }
  front: { host: { disks: all }, of: gateway }
  log: { access_log: {}, of: [records, gateway] }
exchanges:
  login:
    http.post: { url: $(gateway.url)/login, json: { user: "u$(user.n)", n: 5, flag: true, nothing: ~ } }
    capture: { token: json($.token), session: header(X-Session), part: 'regex(id=(\d+))' }
  look:
    http.get: { url: "$(gateway.url)/items?limit=$(streams)&pad=$(text(5B))", headers: { authorization: "Bearer $(token)" } }
    check: [ status = 200, json($.total) >= 1, "json($[0].id) = $(part)", size < 10kB, body contains lamp, 'regex(id=(\d+))' ]
    timeout: 5s
    connection: { reuse: false, max: 64 }
  buy: { http.put: { url: "$(gateway.url)/items/$(uuid)", headers: {} }, legs: { answer: { check: 'header(x) = "y: z"' } } }
scenarios:
  open:
    load: { arrivals: $(double), spacing: poisson, ramp: { over: 1m, by: 10/s }, warm_up: 30s, hold: 10m, max_in_flight: 200 }
    run: [ look, think: 250ms, choose: { look: 25%, buy: $(share) }, times: 3, run: [buy] ]
    set_up: [ login: per node ]
    clean_up: [ buy ]
    idle: 1m
    drain: 20s
    recovery: 2m
    gap: 10s
    abort: [ "share(look.failed) > 5% for 30s", p99.9(look.response) > 10s for 1m ]
  closed:
    set: { rate: $(streams / 1s), limit: 500ms }
    load: { users: $(streams), pacing: 5s, ramp: { over: 2m, by: 5 }, warm_up: 100, count: 5000 }
    run: [ look ]
    set_up: [ login: per user ]
  profile:
    load: { arrivals: [ { to: 100/s, over: 30s }, { rate: 100/s, for: 5m }, { to: 1/10s, over: 20s } ] }
    run: [ buy ]
order: [closed, open, profile]
requirements:
  fast: share(look.response < $(limit)) >= 95%
  slow: { that: { open: mean(look.response) < 1s, closed: mean(look.service) < 2s }, severity: { open: should, closed: informative }, about: { en: slowness } }
  right: { that: share(*.failed) <= 0.1% per exchange, needs: any, scenarios: [open, profile] }
  counts: count(look.ok) = count(look.intended)
  cpu: mean(host.cpu) <= 65% and max(host.memory) < 4GB in last 1m of hold
  ratio: rate(open/look.ok) / rate(closed/look.ok) >= 90%
  rate: rate(buy.completed) >= $(double) * 50%
  alive: alive(*)
  first: alive(records.1)
  log: share(log.duration < 6.5s) >= 95%
  idle: p95(host.cpu) <= 10% in idle
report:
  profile:
    name: mine
    about: { en: for tests }
    blocks: [ summary, { block: results, parts: [verdicts, times], title: { en: Measured, nl: Gemeten } } ]
    appendices: [ conformance ]
    terms: { summary-title: { en: In short } }
    conformance: [ { id: "4.2", asks: { en: times }, at: [ results.times, summary ], needs: results.times#times-table|SHAPE|~p95 }, { id: "4.3", asks: heap, why_not: none } ]
  languages: [en, nl, da]
  formats: [html, md, junit]
  sections: [ results ]
  history: [ { version: "1.0", date: 2026-11-01, author: A, changes: { nl: eerste } }, { version: "1.1" } ]
  organisation: Example
  version: "1.1"
  title: { en: Report, nl: Rapport }
  comments: { summary: { en: fine } }
  expectations: [ It will hold. ]
  links: { ticket: PERF-597 }
"#;
