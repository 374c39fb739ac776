"""A session with a copy in a bucket, by `obeya sync --to s3://…`: the bucket is that of moto, and the tables are read by
delta-rs, DuckDB, polars, Dask and Spark with two workers. They are read while the copy is followed and its runs are killed."""

import datetime
import json
import logging
import os
import random
import subprocess
import sys
import threading
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import boto3
import dask.dataframe
import duckdb
import duckdb_extension_delta
import duckdb_extension_httpfs
import pandas
import polars
import pyarrow.compute
import pyarrow.fs
import pyarrow.parquet
from deltalake import DeltaTable
from moto.server import ThreadedMotoServer
from pyspark.sql import SparkSession

logging.getLogger("werkzeug").setLevel(logging.ERROR)

server = ThreadedMotoServer("127.0.0.1", port=0, verbose=False)
server.start()
host, port = server.get_host_and_port()
KEYS = {
    "AWS_ACCESS_KEY_ID": "key",
    "AWS_SECRET_ACCESS_KEY": "secret",
    "AWS_REGION": "eu-north-1",
    "AWS_ENDPOINT_URL": f"http://{host}:{port}",
    "AWS_ALLOW_HTTP": "true",
}
os.environ.update(KEYS)
bucket = boto3.client("s3", region_name="us-east-1")
bucket.create_bucket(Bucket="plant")
TO = "s3://plant/copies/a"
VALUES = f"{TO}/datasource_values"

url = os.environ["OBEYA_URL"]
form = {
    "grant_type": "client_credentials",
    "client_id": os.environ["OBEYA_CLIENT_ID"],
    "client_secret": os.environ["OBEYA_CLIENT_SECRET"],
}
with urllib.request.urlopen(f"{url}/connect/token", urllib.parse.urlencode(form).encode()) as answer:
    token = json.load(answer)["access_token"]


def call(method: str, path: str, body: object = None) -> object:
    """A request to the service."""
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"{url}{path}", data, headers, method=method)
    with urllib.request.urlopen(request) as answer:
        text = answer.read()
    return json.loads(text) if text else None


def start_sync(*more: str) -> subprocess.Popen:
    command = [os.environ["OBEYA"], "sync", "--to", TO, "--url", url, *more]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def sync(*more: str) -> str:
    run = start_sync(*more)
    out, _ = run.communicate()
    assert run.returncode == 0, out
    assert "is up to date" in out, out
    return out


def add_values(count: int, first: datetime.datetime) -> None:
    """Adds values with these places in time, a day apart, over many months. Each is its own number of days."""
    new = [{"value": float(day), "valueDate": f"{first + datetime.timedelta(days=day):%Y-%m-%dT%H:%M:%SZ}"} for day in range(count)]
    call("POST", "/v1/Datasources/13/values/batch", new)


def service_values(datasource: int) -> dict[int, float]:
    """What the service has, by id."""
    found: dict[int, float] = {}
    path = f"/v2/datasources/{datasource}/values?$select=id,value&$orderby=id"
    while path:
        page = call("GET", path)
        found |= {one["id"]: one["value"] for one in page["value"]}
        link = page.get("@odata.nextLink", "")
        path = link.removeprefix(url)
    return found


add_values(900, datetime.datetime(2024, 1, 1))
sync()
print("ok copy")

# The library of delta-rs, which is Rust, but no code of ours.
incidents = DeltaTable(f"{TO}/incidents").to_pyarrow_table()
assert sorted(incidents["id"].to_pylist()) == [one["id"] for one in call("GET", "/v1/Incidents?$orderby=id")["values"]]
values = DeltaTable(VALUES)
assert values.metadata().partition_columns == ["month"]
table = values.to_pyarrow_table(filters=[("month", "=", datetime.date(2024, 2, 1))])
assert table["value"].to_pylist() == [float(day) for day in range(31, 60)]
# The statistics of its files skip those of another datasource.
skipped = values.to_pyarrow_dataset().to_table(filter=pyarrow.compute.field("datasource_id") == 12)
assert dict(zip(skipped["id"].to_pylist(), skipped["value"].to_pylist(), strict=True)) == service_values(12)
print("ok delta-rs")

database = duckdb.connect()
for package in (duckdb_extension_httpfs, duckdb_extension_delta):
    (extension,) = Path(package.__file__).parent.glob("extensions/*/*.duckdb_extension")
    database.execute(f"LOAD '{extension}'")
secret = f"KEY_ID 'key', SECRET 'secret', REGION 'eu-north-1', ENDPOINT '{host}:{port}', URL_STYLE 'path', USE_SSL false"
database.execute(f"CREATE SECRET (TYPE s3, {secret})")
by_year = database.execute(
    f"SELECT year(value_date), count(*), avg(value) FROM delta_scan('{VALUES}') WHERE datasource_id = 13 GROUP BY 1 ORDER BY 1"
).fetchall()
# 2024 has 366 days.
assert by_year == [(2024, 366, 182.5), (2025, 365, 548.0), (2026, 169, 815.0)], by_year
print("ok duckdb")

monthly = polars.scan_delta(VALUES).filter(polars.col("datasource_id") == 13)
monthly = monthly.group_by("month").agg(polars.col("value").max()).sort("month").collect()
assert monthly["month"][1] == datetime.date(2024, 2, 1)
assert monthly["value"][1] == 59
print("ok polars")

# Dask and Spark read the files of a version in workers of their own.
FILES = pyarrow.fs.S3FileSystem(access_key="key", secret_key="secret", region="eu-north-1", scheme="http", endpoint_override=f"{host}:{port}")


def files() -> tuple[list[str], int]:
    """The files of the last version, and how many rows they have according to its log."""
    table = DeltaTable(VALUES)
    actions = pyarrow.table(table.get_add_actions(flatten=True))
    return [uri.removeprefix("s3://") for uri in table.file_uris()], sum(actions["num_records"].to_pylist())


def read_file(path: str) -> pandas.DataFrame:
    return pyarrow.parquet.read_table(path, filesystem=FILES, columns=["id", "value"], partitioning=None).to_pandas()


def read_by_dask() -> tuple[pandas.DataFrame, int]:
    paths, rows = files()
    with dask.config.set(scheduler="threads", num_workers=2):
        return dask.dataframe.from_map(read_file, paths, meta={"id": "int32", "value": "float64"}).compute(), rows


assert dict(read_by_dask()[0].itertuples(index=False)) == service_values(12) | service_values(13)
print("ok dask")

os.environ |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").config("spark.ui.showConsoleProgress", "false").config("spark.sql.shuffle.partitions", "2").getOrCreate()
spark.sparkContext.setLogLevel("ERROR")


def read_files(batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
    """In a worker, which is a process of its own."""
    store = pyarrow.fs.S3FileSystem(access_key="key", secret_key="secret", region="eu-north-1", scheme="http", endpoint_override=f"{host}:{port}")
    for batch in batches:
        for path in batch.column("path").to_pylist():
            yield from pyarrow.parquet.read_table(path, filesystem=store, columns=["id", "value"], partitioning=None).to_batches()


def read_by_spark() -> tuple[pandas.DataFrame, int]:
    paths, rows = files()
    frame = spark.createDataFrame([(path,) for path in paths], "path string").repartition(2)
    return frame.mapInArrow(read_files, "id int, value double").toPandas(), rows


assert dict(read_by_spark()[0].itertuples(index=False)) == service_values(12) | service_values(13)
print("ok spark")


def read_by_delta() -> tuple[pandas.DataFrame, int]:
    table = DeltaTable(VALUES)
    actions = pyarrow.table(table.get_add_actions(flatten=True))
    return table.to_pandas(columns=["id", "value"]), sum(actions["num_records"].to_pylist())


def read_by_duckdb() -> tuple[pandas.DataFrame, int]:
    frame = database.cursor().execute(f"SELECT id, value FROM delta_scan('{VALUES}')").df()
    return frame, len(frame)


READERS = {"delta-rs": read_by_delta, "duckdb": read_by_duckdb, "dask": read_by_dask, "spark": read_by_spark}
reads = dict.fromkeys(READERS, 0)
faults: list[str] = []
ended = threading.Event()
seed = int(os.environ.get("OBEYA_TEST_SEED", time.time_ns() % 2**32))
print(f"seed {seed}")
chance = random.Random(seed)


def read_again(name: str) -> None:
    """Reads until the end: each read has the rows that the log of its version counts, and each of them once."""
    while not ended.is_set():
        try:
            frame, rows = READERS[name]()
            if len(frame) != rows or frame["id"].nunique() != rows:
                faults.append(f"{name}: {len(frame)} rows, {frame['id'].nunique()} ids, expected {rows}")
            reads[name] += 1
        except Exception as error:
            faults.append(f"{name}: {error!r}")


def write_again() -> None:
    """Adds, changes and deletes values until the end."""
    chance = random.Random(seed + 1)
    while not ended.is_set():
        add_values(chance.randrange(1, 60), datetime.datetime(2024, 1, 1) + datetime.timedelta(days=chance.randrange(900)))
        known = list(service_values(13))
        call("DELETE", "/v1/Datasources/13/values/batch", chance.sample(known, 20))
        time.sleep(0.2)


threads = [threading.Thread(target=read_again, args=(name,)) for name in READERS]
threads.append(threading.Thread(target=write_again))
for thread in threads:
    thread.start()
killed = followed = 0
end = time.monotonic() + float(os.environ.get("OBEYA_TEST_SECONDS", "60"))
while time.monotonic() < end:
    run = start_sync()
    # Every second one.
    if killed < followed:
        time.sleep(chance.random() * 1.5)
        killed += run.poll() is None
        run.kill()
        run.communicate()
        # Otherwise the next run waits until the lease of this one expires, for a minute.
        bucket.put_object(Bucket="plant", Key="copies/a/_obeya/lease.json", Body=b'{"held":false,"handover":{"uncommitted":true,"unfenced":true}}')
        continue
    out, _ = run.communicate()
    followed += 1
    if run.returncode:
        faults.append(out)
ended.set()
for thread in threads:
    thread.join()
assert not faults, f"seed {seed}: {faults[:3]}"
versions = DeltaTable(VALUES).version()
print(f"{followed} runs, {killed} killed, version {versions}, reads: {reads}")
assert killed and followed
assert min(reads.values()) > 1
sync()
everything = service_values(12) | service_values(13)
for name, read in READERS.items():
    assert dict(read()[0].itertuples(index=False)) == everything, name
print("ok followed")
spark.stop()
server.stop()
