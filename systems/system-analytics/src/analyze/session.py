# One session of Spark, asked by lines of JSON: the answer is a line of JSON and a line that ends it. What fails has no
# answer, but a line on standard error that begins with `error: `.
import glob
import json
import os
import sys

# What Java writes to standard output must not get between the answers.
answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
master = sys.argv[1]
# Those who work for it call the session back: on loopback, where they are on this machine.
is_here = master.startswith(("local", "spark://127.0.0.1:", "spark://localhost:"))
if is_here:
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
try:
    import pyspark
    from pyspark.sql import SparkSession

    builder = (
        SparkSession.builder.master(master)
        .appName("system-analytics")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.memory", os.environ.get("LOADPROOF_SPARK_MEMORY", "1g"))
        .config("spark.sql.session.timeZone", "UTC")
    )
    if is_here:
        builder = builder.config("spark.driver.host", "127.0.0.1").config("spark.driver.bindAddress", "127.0.0.1")
    # Drivers of the databases that tables are read from, where `make spark` puts them; a cluster gets them from here.
    drivers = os.environ.get("LOADPROOF_SPARK_JARS") or os.path.join(sys.prefix, "jdbc")
    jars = sorted(glob.glob(os.path.join(drivers, "*.jar")))
    if jars:
        builder = builder.config("spark.jars", ",".join(jars))
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    # As many parts behind a shuffle as tasks run at once: the default of 200 is for other sizes.
    spark.conf.set("spark.sql.shuffle.partitions", max(1, spark.sparkContext.defaultParallelism))
except Exception as error:
    print("error: " + " ".join(str(error).split()), file=sys.stderr, flush=True)
    sys.exit(1)


def rows_of(asked):
    if "files" in asked:
        return spark.read.parquet(*asked["files"])
    # As many connections as tasks run at once, each with a range of the numbers, and never a whole range in memory.
    tables = (
        spark.read.format("jdbc")
        .options(**asked["database"])
        .option("dbtable", asked["table"])
        .option("partitionColumn", "id")
        .option("lowerBound", asked["from"])
        .option("upperBound", asked["to"])
        .option("numPartitions", max(1, spark.sparkContext.defaultParallelism))
        .option("fetchsize", 10000)
    )
    return tables.load().withColumnRenamed("id", "event_row").withColumnRenamed("at", "event_at")


def carried_out(asked):
    if "sql" not in asked:
        return [{"version": pyspark.__version__}]
    rows_of(asked).where(asked["where"]).createOrReplaceTempView("part")
    return [row.asDict() for row in spark.sql(asked["sql"]).collect()]


for line in sys.stdin:
    asked = json.loads(line)
    is_over = False
    try:
        answers.write(json.dumps(carried_out(asked)) + "\n")
    except Exception as error:
        print("error: " + " ".join(str(error).split())[:2000], file=sys.stderr, flush=True)
        try:
            spark.range(1).count()
        except Exception:
            is_over = True
    # A session whose Java machine has gone answers nothing any more, and ends instead.
    if is_over:
        sys.exit(3)
    answers.write(asked["mark"] + "\n")
    answers.flush()
