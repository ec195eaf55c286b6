"""The views of `views.sql` for Spark, over all run folders under a folder.

    from archive import register
    register(spark, "runs")
    spark.sql("select * from percentiles").show()

or, to ask one question from a shell: `spark-submit archive.py FOLDER "select count(*) from legs"`. Folders lie at any
depth. Names, columns and units are those of `views.sql`; the guide's chapter 17 says what they mean. Needs pyspark 3.5 or
later, and nothing else.
"""

import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as f
from pyspark.sql import types as t

TABLES = {
    "legs": "load",
    "starts": "load",
    "outcomes": "load",
    "iterations": "load",
    "notes": "load",
    "engine": "load",
    "samples": "watch",
    "events": "events",
    "steps": "events",
    "clocks": "events",
}

# The run folder is what lies before `evidence` or `result.json`; its name is the last part of that.
FOLDER = r"^(?:file:)?(?://)?(/.*)/(?:evidence/.*|result\.json)$"
NAME = r"([^/]+)/(?:evidence/.*|result\.json)$"

RUN = t.StructType([
    t.StructField("id", t.StringType()),
    t.StructField("study", t.StringType()),
    t.StructField("system", t.StringType()),
    t.StructField("version", t.StringType()),
    t.StructField("trial", t.StructType([t.StructField("asked_s", t.DoubleType())])),
    t.StructField("wall_origin_ns", t.LongType()),
    t.StructField("seed", t.DecimalType(20, 0)),
    t.StructField("ending", t.StructType([t.StructField("reason", t.StringType())])),
])

REQUIREMENT = t.StructType(
    [t.StructField(name, t.StringType()) for name in ["id", "scope", "rule", "severity", "verdict"]]
    + [t.StructField("decides", t.BooleanType())]
    + [t.StructField(name, t.DoubleType()) for name in ["value", "low", "high", "limit"]]
    + [t.StructField(name, t.StringType()) for name in ["unit", "reason_code"]]
)

RESULT = t.StructType([
    t.StructField("run", t.StructType([
        t.StructField(name, t.StringType()) for name in ["id", "study", "end_reason"]
    ])),
    t.StructField("validity", t.StructType([t.StructField("state", t.StringType())])),
    t.StructField("requirements", t.ArrayType(REQUIREMENT)),
])

PERCENTILES = """
    with successful as (
        select folder, run, scenario, step_id, phase, repetition, part, exchange, leg, count,
            if(response_max_ns is null, service_bucket_index, response_bucket_index) as bucket_index,
            if(response_max_ns is null, service_bucket_count, response_bucket_count) as bucket_count
        from legs where population = 'ok'
    ), buckets as (
        select folder, run, scenario, step_id, phase, repetition, part, exchange, leg,
            inline(arrays_zip(bucket_index, bucket_count)) as (i, n)
        from successful
    ), merged as (
        select folder, run, scenario, step_id, phase, repetition, part, exchange, leg, i, sum(n) as n
        from buckets group by all
    ), ranked as (
        select *, sum(n) over (partition by folder, scenario, step_id, repetition, part, exchange, leg order by i) as seen,
            sum(n) over (partition by folder, scenario, step_id, repetition, part, exchange, leg) as total
        from merged
    ), edges as (
        select folder, scenario, step_id, repetition, part, exchange, leg,
            min(i) filter (where seen >= ceil(0.50D * total)) as i50,
            min(i) filter (where seen >= ceil(0.95D * total)) as i95,
            min(i) filter (where seen >= ceil(0.99D * total)) as i99
        from ranked group by all
    ), whole as (
        select folder, run, scenario, step_id, phase, repetition, part, exchange, leg, sum(count) as calls,
            max(coalesce(response_max_ns, service_max_ns)) as max_ns,
            sum(coalesce(response_sum_ns, service_sum_ns)) / sum(count) as mean_ns
        from legs where population = 'ok' group by all
    )
    select whole.*, least(bucket_high_ns(i50), max_ns) as p50_ns, least(bucket_high_ns(i95), max_ns) as p95_ns,
        least(bucket_high_ns(i99), max_ns) as p99_ns
    from whole join edges on whole.folder = edges.folder and whole.scenario = edges.scenario
        and whole.step_id = edges.step_id and whole.repetition = edges.repetition and whole.part <=> edges.part
        and whole.exchange = edges.exchange and whole.leg = edges.leg
"""


def named(frame):
    """The frame with the run folder and its name as its first columns."""
    path = f.col("_metadata.file_path")
    columns = [f.regexp_extract(path, FOLDER, 1).alias("folder"), f.regexp_extract(path, NAME, 1).alias("run")]
    return frame.select(*columns, *[name for name in frame.columns if name not in ("folder", "run")])


def register(spark, archive):
    """Registers the views over the run folders under `archive`, in the session."""
    spark.conf.set("spark.sql.session.timeZone", "UTC")
    spark.sql("create or replace temporary function bucket_shift(i bigint) returns bigint "
              "return if(i < 2048, 0, (i - 2048) div 1024 + 1)")
    spark.sql("create or replace temporary function bucket_high_ns(i bigint) returns bigint "
              "return shiftleft(i - bucket_shift(i) * 1024 + 1, cast(bucket_shift(i) as int)) * 100 - 1")
    files = spark.read.option("recursiveFileLookup", True)
    for table in TABLES:
        read = files.option("pathGlobFilter", f"{table}.parquet").option("mergeSchema", True)
        named(read.parquet(archive)).createOrReplaceTempView(table)
    whole = files.option("multiLine", True)
    runs = whole.schema(RUN).option("pathGlobFilter", "run.json").json(archive)
    named(runs).selectExpr(
        "folder", "run", "id", "study", "system", "version", "timestamp_micros(wall_origin_ns div 1000) as started",
        "trial is not null as is_trial", "wall_origin_ns", "seed", "ending.reason as end_reason",
    ).createOrReplaceTempView("runs")
    path = f.col("_metadata.file_path")
    results = whole.schema(RESULT).option("pathGlobFilter", "result.json").json(archive).select(
        f.regexp_extract(path, FOLDER, 1).alias("folder"), f.regexp_extract(path, NAME, 1).alias("run"),
        f.col("run.id").alias("id"), f.col("run.study").alias("study"), f.col("validity.state").alias("validity"),
        f.col("run.end_reason").alias("end_reason"), "requirements",
    )
    results.createOrReplaceTempView("results")
    spark.sql("select folder, run, validity, inline(requirements) from results").createOrReplaceTempView("requirements")
    spark.sql(PERCENTILES).createOrReplaceTempView("percentiles")


def main():
    if len(sys.argv) != 3:
        sys.exit('usage: spark-submit archive.py FOLDER "QUERY"')
    spark = SparkSession.builder.appName("loadproof archive").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    register(spark, sys.argv[1])
    for row in spark.sql(sys.argv[2]).toJSON().collect():
        print(row)


if __name__ == "__main__":
    main()
