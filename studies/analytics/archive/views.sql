-- Views over the run folders under a folder, for DuckDB: one for each table of a run folder, and three that are made of
-- them. The guide's chapter 17 says what the columns mean.
--
--   set variable archive = 'runs';        -- the folder; without it, `runs`
--   .read studies/analytics/archive/views.sql
--
-- Folders lie at any depth. Every view has `folder`, the path of the run folder, by which they are joined, and `run`, its
-- name. Times are nanoseconds, `…_ns`, or seconds since the run's start, `…_s`; counts are plain numbers. What a column
-- added by a later version is to a run of an earlier one is null. A run that was killed has no tables before it is sealed
-- (`loadproof report RUN`), and is missing in all views but `runs`.

set variable archive = coalesce(getvariable('archive'), 'runs');

create or replace macro run_folder(path) as regexp_extract(path, '^(.*)/(evidence/.*|result\.json)$', 1);
create or replace macro run_name(path) as regexp_extract(path, '([^/]+)/(evidence/.*|result\.json)$', 1);

-- Buckets of a distribution: 100 ns wide below 204.8 µs, then at most 0.098 % of their value.
create or replace macro bucket_shift(i) as case when i < 2048 then 0 else (i - 2048) // 1024 + 1 end;
create or replace macro bucket_high_ns(i) as ((i - bucket_shift(i) * 1024 + 1) << bucket_shift(i)) * 100 - 1;

create or replace view runs as
select
    run_folder(filename) as folder, run_name(filename) as run, id, study, system, version,
    -- UTC, whatever the time zone of the session.
    make_timestamp(wall_origin_ns // 1000) as started,
    trial is not null and trial <> 'null' as is_trial,
    wall_origin_ns, seed, ending.reason as end_reason
from read_json(
    getvariable('archive') || '/**/evidence/run.json', filename = true, format = 'unstructured',
    maximum_object_size = 16777216,
    columns = {
        id: 'VARCHAR', study: 'VARCHAR', system: 'VARCHAR', version: 'VARCHAR', trial: 'JSON', wall_origin_ns: 'BIGINT',
        seed: 'UBIGINT', ending: 'STRUCT(reason VARCHAR)'
    }
);

-- Closes of a leg: one row for each second of the intended start and of the end, and each population.
create or replace view legs as
select run_folder(filename) as folder, run_name(filename) as run, * exclude (filename)
from read_parquet(getvariable('archive') || '/**/evidence/load/legs.parquet', filename = true, union_by_name = true);

-- Starts of exchanges, with the generator's own lateness.
create or replace view starts as
select run_folder(filename) as folder, run_name(filename) as run, * exclude (filename)
from read_parquet(getvariable('archive') || '/**/evidence/load/starts.parquet', filename = true, union_by_name = true);

-- Closes by class: `ok`, `timeout`, `status` …
create or replace view outcomes as
select run_folder(filename) as folder, run_name(filename) as run, * exclude (filename)
from read_parquet(getvariable('archive') || '/**/evidence/load/outcomes.parquet', filename = true, union_by_name = true);

-- The request accounting.
create or replace view iterations as
select run_folder(filename) as folder, run_name(filename) as run, * exclude (filename)
from read_parquet(getvariable('archive') || '/**/evidence/load/iterations.parquet', filename = true, union_by_name = true);

-- The first failures of each class, with what was seen.
create or replace view notes as
select run_folder(filename) as folder, run_name(filename) as run, * exclude (filename)
from read_parquet(getvariable('archive') || '/**/evidence/load/notes.parquet', filename = true, union_by_name = true);

-- The generator, a row a second and thread.
create or replace view engine as
select run_folder(filename) as folder, run_name(filename) as run, * exclude (filename)
from read_parquet(getvariable('archive') || '/**/evidence/load/engine.parquet', filename = true, union_by_name = true);

-- What was watched; `unit` is a column, and a null value is a sample that should have come and did not.
create or replace view samples as
select run_folder(filename) as folder, run_name(filename) as run, * exclude (filename)
from read_parquet(getvariable('archive') || '/**/evidence/watch/samples.parquet', filename = true, union_by_name = true);

create or replace view events as
select run_folder(filename) as folder, run_name(filename) as run, * exclude (filename)
from read_parquet(getvariable('archive') || '/**/evidence/events/events.parquet', filename = true, union_by_name = true);

-- When each step began and ended.
create or replace view steps as
select run_folder(filename) as folder, run_name(filename) as run, * exclude (filename)
from read_parquet(getvariable('archive') || '/**/evidence/events/steps.parquet', filename = true, union_by_name = true);

-- The two clocks read together.
create or replace view clocks as
select run_folder(filename) as folder, run_name(filename) as run, * exclude (filename)
from read_parquet(getvariable('archive') || '/**/evidence/events/clocks.parquet', filename = true, union_by_name = true);

-- What each run was judged: `result.json`.
create or replace view results as
select
    run_folder(filename) as folder, run_name(filename) as run, run.id as id, run.study as study,
    validity.state as validity, run.end_reason as end_reason, scenarios, requirements
from read_json(
    getvariable('archive') || '/**/result.json', filename = true, format = 'unstructured',
    maximum_object_size = 67108864,
    columns = {
        run: 'STRUCT(id VARCHAR, study VARCHAR, end_reason VARCHAR)',
        validity: 'STRUCT(state VARCHAR)',
        scenarios: 'JSON',
        requirements: 'STRUCT(id VARCHAR, scope VARCHAR, rule VARCHAR, severity VARCHAR, verdict VARCHAR, decides BOOLEAN,
            value DOUBLE, low DOUBLE, high DOUBLE, "limit" DOUBLE, unit VARCHAR, reason_code VARCHAR)[]'
    }
);

-- A row for each requirement, scope and run. `value`, `low`, `high` and `limit` are in `unit`. A verdict that does not
-- count, because with `needs: any` another member is the best of its scenario, is the one whose `decides` is false; runs
-- that were judged by earlier versions have null there.
create or replace view requirements as
select folder, run, validity, unnest(requirements, recursive := true) from results;

-- Percentiles of the successful closes of each leg, by run and step, from merged histograms: nearest rank, the upper edge
-- of its bucket, never above the true maximum. Response times, or service times in a closed load, which has no others.
create or replace view percentiles as
with successful as (
    select
        folder, run, scenario, step_id, phase, repetition, part, exchange, leg, count,
        coalesce(response_max_ns, service_max_ns) as max_ns,
        coalesce(response_sum_ns, service_sum_ns) as sum_ns,
        case when response_max_ns is null then service_bucket_index else response_bucket_index end as bucket_index,
        case when response_max_ns is null then service_bucket_count else response_bucket_count end as bucket_count
    from legs where population = 'ok'
), whole as (
    select
        folder, run, scenario, step_id, phase, repetition, part, exchange, leg,
        sum(count) as calls, max(max_ns) as max_ns, sum(sum_ns) / sum(count) as mean_ns
    from successful group by all
), buckets as (
    select
        folder, scenario, step_id, repetition, part, exchange, leg,
        unnest(bucket_index) as i, unnest(bucket_count) as n
    from successful
), merged as (
    select folder, scenario, step_id, repetition, part, exchange, leg, i, sum(n) as n from buckets group by all
), ranked as (
    select
        *, sum(n) over (legs_of_a_step order by i) as seen, sum(n) over legs_of_a_step as total
    from merged
    window legs_of_a_step as (partition by folder, scenario, step_id, repetition, part, exchange, leg)
), edges as (
    select
        folder, scenario, step_id, repetition, part, exchange, leg,
        bucket_high_ns(min(i) filter (seen >= ceil(0.50 * total))) as p50_ns,
        bucket_high_ns(min(i) filter (seen >= ceil(0.95 * total))) as p95_ns,
        bucket_high_ns(min(i) filter (seen >= ceil(0.99 * total))) as p99_ns
    from ranked group by all
)
select
    whole.*, least(p50_ns, max_ns) as p50_ns, least(p95_ns, max_ns) as p95_ns, least(p99_ns, max_ns) as p99_ns
from whole join edges
    on whole.folder = edges.folder and whole.scenario = edges.scenario and whole.step_id = edges.step_id
    and whole.repetition = edges.repetition and whole.part is not distinct from edges.part
    and whole.exchange = edges.exchange and whole.leg = edges.leg;
