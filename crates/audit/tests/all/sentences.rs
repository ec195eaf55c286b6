//! What sentences compute, compare and put in order: units of results, factors in words, percentiles, Little's law.

use super::{codes, the};

#[track_caller]
fn silent(texts: &[&str]) {
    let loud: Vec<_> = texts.iter().filter(|text| !codes(text).is_empty()).map(|text| (text, codes(text))).collect();
    assert!(loud.is_empty(), "{loud:#?}");
}

#[track_caller]
fn found(code: &str, texts: &[&str]) {
    let others: Vec<_> = texts.iter().filter(|text| codes(text) != [code]).map(|text| (text, codes(text))).collect();
    assert!(others.is_empty(), "{code}: {others:#?}");
}

#[test]
fn results_have_the_unit_of_their_factors() {
    let year = the("ARITH", "A year has 365 * 24 * 60 = 31,536,000 seconds.");
    assert_eq!(year.arithmetic, "365 * 24 * 60 = 525 600 minutes, written is 31,536,000 seconds");
    assert!(year.remedy.contains("31 536 000") && year.remedy.contains("60"), "{year:#?}");
    let minutes = the("ARITH", "A year has 365 days * 24 hours * 60 minutes = 525,600 seconds.");
    assert_eq!(minutes.remedy, "31 536 000 seconds or other factors");
    let runs = the("ARITH", "The test took 4 x 15 min = 50 min.");
    assert_eq!(runs.arithmetic, "4 * 15 min = 60 min, written is 50 min");
    found(
        "ARITH",
        &[
            "That is 10 users x 5 req/s = 500 req/s in all.",
            "A week has 7 * 24 * 60 * 60 = 10,080 seconds.",
            "Het jaar heeft 365 * 24 * 60 = 31.536.000 seconden.",
            "Three disks of 3 × 20 GB = 80 GB.",
        ],
    );
    silent(&[
        "A year has 365 * 24 * 60 * 60 = 31,536,000 seconds.",
        "A year has 365 days * 24 hours * 60 minutes * 60 seconds = 31,536,000 seconds.",
        "A year has 365 * 24 * 60 = 525,600 minutes.",
        "The test took 4 x 15 min = 60 min.",
        "The test took 4 x 15 min = 1 hour.",
        "That is 10 users x 5 req/s = 50 req/s in all.",
        "That is 10 users x 5 req/s = 3,000 requests per minute.",
        "A trial of 20 runs * 24 * 60 s = 480 min.",
        "A run of 90 * 40 = 1 h.",
        "About 365 * 24 * 60 * 60 ≈ 32,000,000 seconds.",
    ]);
}

#[test]
fn factors_in_words_are_those_of_their_figures() {
    let doubled = the("RATIO", "The p95 doubled from 140 ms to 210 ms.");
    assert!(doubled.arithmetic.contains("make 1.5") && doubled.arithmetic.contains("1.7 to 2.5"), "{doubled:#?}");
    found(
        "RATIO",
        &[
            "Throughput more than doubled from 1,000 requests/s to 1,900 requests/s.",
            "Latency was halved from 300 ms to 200 ms.",
            "Throughput tripled, from 100 req/s to 220 req/s.",
            "The mean almost doubled from 100 ms to 320 ms.",
            "Latency doubled from 100 to 400 ms.",
            "Response time grew by a factor of 4 from 100 ms to 250 ms.",
            "Throughput rose threefold from 100/s to 220/s.",
            "The new version is three times faster (100 ms instead of 120 ms).",
            "It is twice as fast as before: 100 ms vs 130 ms.",
            "De responstijd verdubbelde van 100 ms naar 140 ms.",
            "Svartiden blev fordoblet fra 100 ms til 140 ms.",
        ],
    );
    silent(&[
        "The p95 doubled from 140 ms to 260 ms.",
        "The p95 doubled from 100 ms to 190 ms.",
        "The p95 doubled from 1 s to 1.6 s.",
        "The p95 roughly doubled from 100 ms to 160 ms.",
        "Throughput more than doubled from 1,000 requests/s to 2,700 requests/s.",
        "Throughput nearly doubled from 1,000 requests/s to 1,800 requests/s.",
        "Latency was halved from 300 ms to 160 ms.",
        "Latency dropped by a factor of 3 from 300 ms to 100 ms.",
        "Throughput increased three times from 100/s to 400/s.",
        // What was set, not what was measured.
        "Throughput doubled from 4 to 16 threads.",
        "Latency doubled from 1,000 requests/s to 5,000 requests/s.",
        "Response times tripled from 100 req/s to 110 req/s, and failed at 120 req/s.",
        "Throughput doubled from 10 ms to 100 ms of batching.",
        "Throughput doubled from 5.6 to 8.0.",
        "Latency doubled from 10-20 ms to 30-60 ms.",
        "The p95 and p99 doubled from 10 ms and 20 ms to 40 ms and 40 ms.",
        "It was 3 times faster (about 30 ms vs 100 ms).",
        "It is twice as fast as before: 100 ms vs 190 ms.",
    ]);
}

#[test]
fn changes_in_words_are_those_of_their_figures() {
    let rose = the("CHANGE", "The p95 increased by 50 % from 100 ms to 180 ms.");
    assert_eq!(rose.arithmetic, "from 100 ms to 180 ms is +80 %, written is 50 %");
    found(
        "CHANGE",
        &[
            "Latency fell by 60 % from 200 ms to 150 ms.",
            "With the cache the throughput improved 20 percent, from 1,000 req/s to 1,500 req/s.",
        ],
    );
    silent(&[
        "The p95 increased by 50 % from 100 ms to 150 ms.",
        "The p95 increased by 80 % from 1.0 s to 1.8 s.",
        "Latency fell by 25 % from 200 ms to 150 ms.",
        "Throughput improved 300 % from 100 req/s to 300 req/s.",
        "The processor's load increased by 20 % from 40 % to 60 %.",
        "Throughput fell by 5 % from 100 to 200 users.",
        "Latency increased by 10 % from 1,000 req/s to 5,000 req/s.",
    ]);
}

#[test]
fn percentiles_of_a_sentence_are_in_order() {
    let order = the("ORDER", "The latency is p95 = 80 ms, p99 = 70 ms.");
    assert_eq!((order.says.as_str(), order.arithmetic.as_str()), ("“p95” is above “p99”", "80 ms > 70 ms"));
    assert_eq!(codes("It was p95 = 80 ms, p99 = 70 ms, max = 60 ms."), ["ORDER"; 3]);
    found(
        "ORDER",
        &[
            "We saw the 99th percentile of 70 ms and the maximum of 60 ms.",
            "We saw 80 ms at p95 and 70 ms at p99.",
            "It took a minimum of 30 ms, an average of 20 ms.",
            "The median is 40 ms, the p90 is 30 ms.",
            "Mean 150 ms, max 100 ms.",
            "p99: 1.2 s, p99.9: 800 ms.",
            "Response times: median 40, p95 30 ms.",
            "- p95: 80 ms\n- p99: 70 ms\n",
            "- **Average**: 150 ms\n- **Maximum**: 100 ms\n",
            "95%-fraktil 80 ms, maks 60 ms.",
            "p50=10ms p95=8ms",
            "Reads took p50: 10 ms p95: 80 ms p99: 70 ms.",
            "Result: avg=12ms max=10ms errors=0.",
            "Latency p50=0.9s p99.9=700ms at 200 req/s.",
            // As k6 prints them.
            "http_req_duration: avg=143.98ms min=106.62ms med=113.38ms max=513.49ms p(90)=437.68ms p(95)=325.58ms",
            "It waited avg=1.3ms min=1µs med=4µs max=122.07ms p(90)=9µs p(95)=7µs.",
            "It waited med=4μs max=2μs.",
            "- p(90): 437 ms\n- p(95): 325 ms\n",
        ],
    );
    assert_eq!(codes("It has a median of 100 ms and a mean of 40 ms."), ["MEAN"]);
    silent(&[
        "The latency is p95 = 80 ms, p99 = 90 ms, max = 160 ms.",
        "We saw the 99th percentile of 70 ms and the maximum of 0.2 s.",
        "The p95 was 80 ms before, p99 70 ms after.",
        "Reads: p99 = 80 ms; writes: p99.9 = 70 ms.",
        "The p95 is 80 ms (max 60 ms allowed).",
        "A p95 of 80 ms, and a maximum of 60 ms of jitter.",
        "p95 = 80 ms, max pause = 60 ms.",
        "p95 fell from 80 ms to 60 ms, p99 of 70 ms.",
        "The mean of 120 ms, p90 of 99 ms.",
        "10 ms p50, 20 ms p95, 15 ms after.",
        "p50 10 ms p95 80 ms p99 70 ms.",
        "p50=10ms p95=80ms p99=120ms",
        "p50=900ms p99=1.2s",
        "read p95=80ms write p99=70ms",
        "http_req_duration: avg=143.98ms min=106.62ms med=113.38ms max=413.49ms p(90)=237.68ms p(95)=325.58ms",
        "http_req_blocked: avg=1.3ms min=1µs med=4µs max=122.07ms p(90)=6µs p(95)=7µs",
        "Svartiden er p95 med 80 ms og p99 med 70 ms.",
        "Den varede 30 ms med 80 ms ventetid og 20 ms maks.",
        "We ran it on 50 us machines, and the maximum was 20 ms.",
        "p95=80ms@100rps p99=70ms@50rps",
        "p95=80ms/70ms p99=75ms/72ms",
        "p95=80ms p99=70 errors=0",
        "p50=10ms p95 8 ms p99=70ms",
        "The target is p95=80ms p99=70ms.",
        "10 ms: p50 20 ms: p95 15 ms: p99",
        "The p99 of A is 80 ms and the maximum of B is 70 ms.",
        "The test ran for 15 min, max 10 s late.",
        "p95 4800 ms, max 4773 ms.",
        "- p95: 80 ms\n\nAfter the change\n\n- p99: 70 ms\n",
        "- p95: 80/s\n- p99: 70/s\n",
        "- p99: 80 ms\n- p95: 70 ms\n- p99: 60 ms\n",
    ]);
}

#[test]
fn users_rate_and_mean_of_a_sentence_belong_together() {
    let little = the("LITTLE", "With 80 users we saw 2,839 requests per second and an average of 29 ms.");
    assert!(little.arithmetic.contains("80.9 in flight"), "{little:#?}");
    found(
        "LITTLE",
        &[
            "The 80 users made 2,839 requests per second, with average 29 ms, p95 35 ms and max 90 ms.",
            "At 3,500 requests/s the 50 users had a mean of 20 ms and a median of 12 ms.",
        ],
    );
    silent(&[
        "With 80 users we saw 2,695 requests per second and an average of 29 ms.",
        "With 80 users we saw a peak of 2,839 requests per second and an average of 29 ms.",
        "With 80 users and batches of 10 we saw 2,839 requests per second and an average of 29 ms.",
        "With 80 users we saw 2,839 requests per second and a median of 29 ms.",
        "With 80 users we saw about 2,839 requests per second and an average of 29 ms.",
        "With 80 users each we saw 2,839 requests per second and an average of 29 ms.",
        "With 100 users we saw 2,839 requests per second and an average of 29 ms.",
        "With 80 users we saw 2,839 requests per second, and a test of 60 s on average.",
    ]);
}

#[test]
fn shares_of_failures_are_those_of_their_counts() {
    let share = the("SHARE", "400 of 80,000 requests failed (1.50%)");
    assert_eq!(share.arithmetic, "400 of 80 000 = 0.5 %, written is 1.50 %");
    found(
        "SHARE",
        &[
            "400 out of 80,000 requests failed (1.5 %).",
            "In the last run, 400 of the 80 000 requests have failed (1.5 %), all of them at night.",
            "We saw that 400 of 80,000 HTTP requests timed out (15%).",
            "400 of 80,000 requests (1.50%) failed.",
            "400 (1.50%) of 80,000 requests failed.",
            "400 requests (1.50%) of 80,000 requests failed.",
            "400 of 80,000 requests failed, an error rate of 1.50 %.",
            "400 of 80,000 requests failed, i.e. 5 %.",
            "400/80000 requests failed (1.50%).",
            "There were 400 errors in 80,000 requests (1.50%).",
            "There were 400 failed requests out of 80,000 (5%).",
            "60 of 6000 calls failed (2 %).",
            "400 of 80,000 requests failed (0.50%), before it were 600 of 80,000 requests failed (0.50%).",
            "400 van de 80.000 verzoeken zijn mislukt (1,5 %).",
            "400 af 80.000 kald fejlede (1,5 %).",
        ],
    );
    silent(&[
        "400 of 80,000 requests failed (0.50%)",
        "400 of 80,000 requests failed (0.5 %).",
        "400 of 80,000 requests failed (1 %).",
        "400 of 80,000 requests failed (0 %).",
        "400 of 80.000 requests failed (0,5 %).",
        "401 of 80,000 requests failed (0.51%).",
        "400 of 80,000 requests failed, an error rate of 0.5 %.",
        "400 of 80,000 requests failed (99.5 %).",
        "20 errors in 100 requests (16.7 %).",
        // Of something else.
        "400 of 80,000 requests failed (75 %) or were slow (25 %).",
        "400 of 80,000 requests failed (75 % of them by timeouts).",
        "400 of 80,000 requests failed with HTTP 503 (75 %).",
        "400 of 80,000 requests failed (limit 1.5 %).",
        "400 of 80,000 requests failed at 95 % load (1.5 %).",
        "400 of 80,000 requests failed, or 1.5 % of all that were charged.",
        "400 of 80,000 requests were retried (1.5 %).",
        "400 of 80,000 requests failed. (1.5 %)",
        // Not exactly known, or none that were counted.
        "About 400 of 80,000 requests failed (1.5 %).",
        "More than 400 of 80,000 requests failed (1.5 %).",
        "Between 300 and 400 of 80,000 requests failed (1.5 %).",
        "300-400 of 80,000 requests failed (1.5 %).",
        "300, 400 of 80,000 requests failed (1.5 %).",
        "400 of about 80,000 requests failed (1.5 %).",
        "400 of 80,000 requests failed (~1.5 %).",
        "400 of 80,000 requests failed (about 1.5 %).",
        "400 of 80k requests failed (1.5 %).",
        "1 of 3 requests failed (30 %).",
        "If 400 of 80,000 requests failed (1.5 %), it would stop.",
        "At most 400 of 80,000 requests must have failed (1.5 %).",
    ]);
}

#[test]
fn a_sentence_ends_before_a_number() {
    let unit = the("UNIT", "It took 150 ms.\n360/min = 3/s.\n");
    assert_eq!((unit.quotes[0].place.line, unit.quotes[0].text.as_str()), (2, "360/min = 3/s."));
}
