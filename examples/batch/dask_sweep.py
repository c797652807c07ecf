"""A sweep in shards on Dask: python3 dask_sweep.py sweep.mech swing.csv [SHARDS] [SCHEDULER]

Each shard is one task that runs `lepage sweep --shard i/N --resume` in a shared folder. A task may be run twice and may be
lost half-way: a shard is the same bytes whenever it is made, and what was written is gone on with. Dask gives the tasks
of a lost worker to another one; `lepage sweep merge` checks that everything is there.
Without a scheduler two worker processes on this machine are used.
"""
import os
import subprocess
import sys

LEPAGE = os.environ.get("LEPAGE", "lepage")


def shard(program, folder, i, n):
    """Makes one shard and returns its file."""
    part = os.path.join(folder, f"part-{i}-of-{n}.csv")
    run = subprocess.run([LEPAGE, "sweep", program, "--shard", f"{i}/{n}", "--resume", "--out", part], stderr=subprocess.PIPE, text=True)
    if run.returncode != 0:
        raise RuntimeError(run.stderr)
    return part


def sweep(client, program, table, n, submitted=lambda futures: None):
    """Makes all shards on the workers of a client and merges them."""
    program, folder = os.path.abspath(program), os.path.dirname(os.path.abspath(table))
    futures = [client.submit(shard, program, folder, i, n, retries=3, pure=False) for i in range(1, n + 1)]
    submitted(futures)
    parts = client.gather(futures)
    subprocess.run([LEPAGE, "sweep", "merge", *parts, "--out", table], check=True)


if __name__ == "__main__":
    from dask.distributed import Client, LocalCluster

    program, table = sys.argv[1:3]
    n = int(sys.argv[3]) if len(sys.argv) > 3 else 8
    with (Client(sys.argv[4]) if len(sys.argv) > 4 else Client(LocalCluster(n_workers=2, threads_per_worker=1))) as client:
        sweep(client, program, table, n)
