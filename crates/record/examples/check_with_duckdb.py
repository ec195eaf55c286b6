"""Holds DuckDB's, pandas' and HdrHistogram's reading of a run against loadproof's own.

Needs duckdb, pandas, pyarrow and hdrhistogram from PyPI. Usage: check_with_duckdb.py RUN READER_JSON
"""

import base64
import json
import math
import struct
import sys
import zlib

import duckdb
import pandas
from hdrh.histogram import HdrHistogram

run, reader = sys.argv[1], json.load(open(sys.argv[2]))
db = duckdb.connect()
db.execute(f"""
    create macro load(name) as table select * from read_parquet('{run}/evidence/load/' || name || '.parquet');
    create macro bucket_shift(i) as case when i < 2048 then 0 else (i - 2048) // 1024 + 1 end;
    create macro bucket_low_ns(i) as ((i - bucket_shift(i) * 1024) << bucket_shift(i)) * 100;
    create macro bucket_high_ns(i) as ((i - bucket_shift(i) * 1024 + 1) << bucket_shift(i)) * 100 - 1;
""")


def one(query):
    return db.execute(query).fetchone()


def bucket_high_units(index):
    """Greatest value of a bucket in units of 100 ns, both ends inside, as HdrHistogram counts."""
    shift = 0 if index < 2048 else (index - 2048) // 1024 + 1
    return ((index - shift * 1024 + 1) << shift) - 1


checks = 0


def same(what, found, expected):
    global checks
    checks += 1
    close = math.isclose(found, expected, rel_tol=1e-12) if isinstance(expected, float) else found == expected
    if not close:
        sys.exit(f"{what}: found {found!r}, the reader says {expected!r}")


same("legs", one("select count(*) from load('legs')")[0], reader["legs"])
same("count", one("select sum(count) from load('legs')")[0], reader["count"])
same("sum", one("select sum(response_sum_ns) from load('legs')")[0], reader["response_sum_ns"])
same("below", one("select sum(list_sum(below)) from load('legs')")[0], reader["below"])
unnested = "(select unnest(service_bucket_index) i, unnest(service_bucket_count) n from load('legs'))"
same("bucket counts", one(f"select sum(n) from {unnested}")[0], reader["bucket_count"])
same("index times count", one(f"select sum(i * n) from {unnested}")[0], reader["index_count"])
same("rows whose buckets do not add up", one("""
    select count(*) from load('legs')
    where list_sum(service_bucket_count) <> count or len(service_bucket_count) <> len(service_bucket_index)
""")[0], 0)

for key, quantile in [("p50_ns", 0.5), ("p95_ns", 0.95), ("p99_9_ns", 0.999)]:
    percentile = one(f"""
        with held as (select * from load('legs') where step_id = 'hold' and leg = 'accepted' and population = 'ok'),
             buckets as (select unnest(response_bucket_index) i, unnest(response_bucket_count) n from held),
             merged as (select i, sum(n) n from buckets group by i),
             ranked as (select i, sum(n) over (order by i) seen, sum(n) over () total from merged)
        select least(bucket_high_ns(min(i)), (select max(response_max_ns) from held))
        from ranked where seen >= ceil({quantile} * total)
    """)[0]
    same(key, percentile, reader[key])

samples = f"read_parquet('{run}/evidence/watch/samples.parquet')"
same("samples", one(f"select count(*) from {samples}")[0], reader["samples"])
same("missing", one(f"select count(*) from {samples} where value is null")[0], reader["missing"])
same("values", one(f"select sum(value) from {samples}")[0], reader["value_sum"])
same("names", one(f"select string_agg(distinct monitor || ' ' || metric || ' ' || unit || ' ' || kind || ' ' "
                  f"|| coalesce(denominator, '-'), ', ' order by 1) from {samples}")[0],
     "host cpu cores gauge of the machine, host load cores gauge -")
same("started", one("select sum(started) from load('starts')")[0], reader["started"])
same("completed", one("select sum(completed) from load('iterations')")[0], reader["completed"])
same("timeouts", one("select sum(count) from load('outcomes') where outcome = 'timeout'")[0], reader["timeouts"])
same("notes", one("select count(*) from load('notes')")[0], reader["notes"])
same("engine", one("select count(*) from load('engine')")[0], reader["engine"])
for table in ["events", "steps", "clocks"]:
    found = one(f"select count(*) from read_parquet('{run}/evidence/events/{table}.parquet')")[0]
    same(table, found, reader[table])

# The V2 bytes, decoded by HdrHistogram's Python edition, which takes them compressed and in base 64 only.
for column in ["response", "service"]:
    rows = db.execute(f"""
        select {column}_hdr_v2, {column}_bucket_index, {column}_bucket_count from load('legs')
        where {column}_hdr_v2 is not null limit 200
    """).fetchall()
    assert rows, f"no row has {column}_hdr_v2"
    for encoded, indexes, counts in rows:
        packed = zlib.compress(encoded)
        text = base64.b64encode(struct.pack(">II", 0x1C849314, len(packed)) + packed)
        histogram = HdrHistogram.decode(text)
        same("digits", (histogram.significant_figures, histogram.lowest_trackable_value), (3, 1))
        found = [(entry.value_iterated_to, entry.count_at_value_iterated_to)
                 for entry in histogram.get_recorded_iterator()]
        edges = [bucket_high_units(index) for index in indexes]
        same("buckets", found, list(zip(edges, counts)))

frame = pandas.read_parquet(f"{run}/evidence/load/legs.parquet")
same("pandas: rows", len(frame), reader["legs"])
same("pandas: sum of buckets", int(frame["service_bucket_count"].map(sum).sum()), reader["bucket_count"])
print(f"{checks} comparisons hold")
