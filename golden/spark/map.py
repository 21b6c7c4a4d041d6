"""What `golden/spark/run` starts: maps a list of folders through plugc on a Spark cluster of two workers.

    map.py PLUGC CORPUS_FOLDER ROOTS_FILE OUT     (absolute paths)

Writes the lines to OUT, and says on standard output what worked on them.
"""
import re
import shlex
import sys
import time

from py4j.protocol import Py4JJavaError
from pyspark import SparkConf, SparkContext

WORKERS, PARTITIONS = 2, 16

plugc, corpus, roots, out = sys.argv[1:]
# Split where plugc does, at line feeds only; bytes that are no text become what plugc makes of them.
with open(roots, "rb") as lines:
    lines = lines.read().decode(errors="replace").removesuffix("\n").split("\n")

conf = SparkConf().setAppName("plugc").setMaster(f"local-cluster[{WORKERS},1,1024]")
conf.set("spark.driver.host", "127.0.0.1").set("spark.driver.bindAddress", "127.0.0.1")
conf.set("spark.ui.enabled", "false").set("spark.ui.showConsoleProgress", "false")
# Nothing starts before both workers are there, else the first would do it all.
conf.set("spark.scheduler.minRegisteredResourcesRatio", "1")
conf.set("spark.scheduler.maxRegisteredResourcesWaitingTime", "120s")
# A plugc that fails once is a fault, not bad luck to be tried again.
conf.set("spark.task.maxFailures", "1")

# Spark splits this into words as a shell does; the paths are arguments, so that none of their signs means anything.
command = shlex.join(["/bin/sh", "-c", 'cd "$1" && exec "$2" compile --format jsonl -', "sh", corpus, plugc])
with SparkContext(conf=conf) as spark:
    start = time.monotonic()
    try:
        told = spark.parallelize(lines, PARTITIONS).pipe(command, checkCode=True).collect()
    except Py4JJavaError as error:
        # What Spark says of it is three traces long.
        why = re.search(r"\[PIPE_FUNCTION_EXITED\].*", str(error))
        sys.exit(why[0] if why else str(error))
    seconds = time.monotonic() - start
    # Spark's own count of the tasks that each executor finished.
    context = spark._jsc.sc()
    context.listenerBus().waitUntilEmpty()
    executors = context.statusStore().executorList(False)
    executors = [executors.apply(at) for at in range(executors.size())]
    tasks = {one.id(): one.completedTasks() for one in executors if one.completedTasks()}

with open(out, "w", encoding="utf-8", newline="\n") as file:
    file.writelines(f"{line}\n" for line in told)
counts = " and ".join(str(count) for count in tasks.values())
print(f"{len(told)} lines in {PARTITIONS} partitions on {len(tasks)} workers ({counts} tasks) in {seconds:.1f} s")
if len(tasks) != WORKERS or sum(tasks.values()) != PARTITIONS:
    sys.exit(f"{WORKERS} workers were to share {PARTITIONS} tasks: {tasks}")
