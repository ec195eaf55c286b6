-- Questions to thousands of runs, over the views of `views.sql`. Each ends with a semicolon and can be asked by itself.

-- How did the p99 go from run to run?
select started, percentiles.run, exchange, leg, calls, p99_ns / 1e6 as p99_ms
from percentiles join runs using (folder)
where phase = 'hold'
order by exchange, leg, started;

-- Which hour of the day was the worst, over all runs? By the wall clock, in UTC.
select
    date_trunc('hour', started + to_seconds(intended_s)) as hour, exchange,
    sum(count) filter (population = 'failed') as failed, sum(count) as closes,
    max(coalesce(response_max_ns, service_max_ns)) filter (population = 'ok') / 1e6 as slowest_ms,
    sum(coalesce(response_sum_ns, service_sum_ns)) filter (population = 'ok') / sum(count) filter (population = 'ok') / 1e6 as mean_ms
from legs join runs using (folder)
where phase = 'hold'
group by all order by mean_ms desc limit 10;

-- Of what did calls fail, and in how many runs?
select exchange, leg, outcome, sum(count) as closes, count(distinct folder) as runs
from outcomes
where outcome <> 'ok'
group by all order by closes desc;

-- Which requirements were met, run by run? Trials and invalid runs are no evidence, and with `needs: any` a member that
-- another one makes up for decides nothing.
select
    started, requirements.run, requirements.id, scope, value, unit, verdict
from requirements join runs using (folder)
where not is_trial and validity <> 'invalid' and coalesce(decides, true)
order by requirements.id, scope, started;

-- Since when has each requirement not been met in a row? A run in which another member makes up for one is no break of it,
-- and ends what was broken before.
with judged as (
    select
        started, requirements.id, scope, verdict = 'not_met' and coalesce(decides, true) as is_broken,
        max(started) filter (not is_broken) over (partition by requirements.id, scope) as last_good
    from requirements join runs using (folder)
    where not is_trial and validity <> 'invalid'
)
select id, scope, min(started) as broken_since, count(*) as runs
from judged
where is_broken and (last_good is null or started > last_good)
group by all order by broken_since;

-- How busy was the machine in each run?
select started, samples.run, instance, metric, unit, avg(value) as mean, max(value) as most
from samples join runs using (folder)
where metric = 'cpu'
group by all order by started;
