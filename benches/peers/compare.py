"""Every target of compiled motion in one run: ours and the peers in turn, minima over rounds, ratios against limits.

    PEERS_ENV=… PEERS=… LEPAGE_MOTION=… python3 compare.py [--rounds N] [rhs] [step] [ode] [compile]

PEERS_ENV is the folder that the peer measurements built (virtual environment and C programs), PEERS the folder of their
sources, LEPAGE_MOTION the program of `cargo bench --bench motion --no-run`.
"""
import json
import math
import os
import subprocess
import sys
import tempfile

ENV, PEERS, MOTION = (os.environ[name] for name in ("PEERS_ENV", "PEERS", "LEPAGE_MOTION"))
PYTHON = f"{ENV}/v/bin/python"
TOLERANCES = ("1e-6", "1e-9", "1e-12", "1e-14", "1e-16")
TAYLOR = dict(zip(TOLERANCES, (8, 12, 15, 18, 20)))
END = {"kepler": "6283.185307179586", "dp": "100", "hh": "10000", "oss": "3652500", "nl8": "10"}


def one_core():
    """A peer that spreads an array over all cores is compared on one of them, like the others."""
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def run(*command, setup=None):
    output = subprocess.run([str(c) for c in command], capture_output=True, text=True, preexec_fn=setup)
    if output.returncode:
        raise SystemExit(f"{command}: {output.stderr[-400:]}")
    return json.loads(output.stdout.strip().splitlines()[-1])


def line(what, ours, peer, limit):
    ratio = ours / peer
    mark = "" if ratio <= limit else "   <-- missed"
    print(f"{what:52} {ours:12.4g} {peer:12.4g}   {ratio:6.3f}  <= {limit}{mark}", flush=True)


def merge(best, key, value):
    best[key] = min(best.get(key, math.inf), value)


def rhs(rounds):
    """ns per right-hand side."""
    best = {}
    for _ in range(rounds):
        for model in ("dp", "nl8", "oss", "disk"):
            merge(best, (model, "C_fast array"), run(f"{ENV}/bin/limit_fast", "rhs", model)["array"])
            merge(best, (model, "C_inl simd128"), run(f"{ENV}/bin/limit_inl", "rhs", model)["simd128"])
            with tempfile.TemporaryDirectory() as folder:
                heyoka = run(PYTHON, f"{PEERS}/py/w3.py", "heyoka", model, folder, setup=one_core)
            merge(best, (model, "heyoka batch"), heyoka["batch"]["array"])
            ours = run(MOTION, "rhs", model)
            merge(best, (model, "scalar"), ours["scalar"]["array"])
            merge(best, (model, "pairs"), ours["pairs"]["array"])
    for model, ours, peer, limit in (
        ("dp", "scalar", "C_fast array", 0.8), ("nl8", "scalar", "C_fast array", 0.8),
        ("disk", "scalar", "C_fast array", 1.0), ("oss", "scalar", "C_fast array", 1.0),
        ("dp", "pairs", "heyoka batch", 1.0), ("oss", "pairs", "heyoka batch", 1.0),
        ("disk", "pairs", "heyoka batch", 1.1), ("nl8", "pairs", "C_inl simd128", 1.2),
    ):
        line(f"W3 {model}: {ours} / {peer}, ns", best[model, ours], best[model, peer], limit)


def step(rounds):
    """ns per step of dop853; C with and without fast-math and inlined sines."""
    best = {}
    for _ in range(rounds):
        for model in ("kepler", "dp", "nl8"):
            for build in ("plain", "fast", "inl"):
                c = run(f"{ENV}/bin/limit_{build}", "ode", model, "1e-9", END[model])
                # The C program counts rejected steps among its steps.
                merge(best, (model, build), c["time"] * 1e9 / c["steps"])
            merge(best, (model, "lepage"), run(MOTION, "ode", model, "dop853", "1e-9")["ns_per_step"])
    for model, limit in (("kepler", 0.8), ("dp", 0.8), ("nl8", 1.1)):
        for build in ("plain", "fast", "inl"):
            line(f"dop853 step {model}: / C_{build}, ns", best[model, "lepage"], best[model, build], limit)


def error(y, reference):
    return math.sqrt(sum((a - b) ** 2 for a, b in zip(y, reference)) / sum(b * b for b in reference))


def time_to(goal, points):
    """The shortest time to an error, log-log interpolated between neighbouring tolerances."""
    times = [t for e, t in points if e <= goal]
    for (e1, t1), (e2, t2) in zip(points, points[1:]):
        if e1 > goal >= e2:
            share = math.log(goal / e1) / math.log(e2 / e1)
            times.append(t1 * (t2 / t1) ** share)
    return min(times, default=math.inf)


def ode(rounds):
    """Time to a given error."""
    with open(f"{PEERS}/results.json") as file:
        references = json.load(file)["ref"]
    for model in ("kepler", "dp", "hh", "oss"):
        points, times = {}, {}

        def take(who, tolerance, result):
            merge(times, (who, tolerance), result["time"])
            points.setdefault(who, {})[tolerance] = error(result["y"], references[model]["y"])
            if "steps" in result:
                times[who, tolerance, "steps"] = result["steps"]

        for _ in range(rounds):
            for tolerance in TOLERANCES:
                take("heyoka", tolerance, run(PYTHON, f"{PEERS}/py/w4.py", "heyoka", model, tolerance))
                take("lepage taylor", tolerance, run(MOTION, "ode", model, "taylor", tolerance))
                if tolerance != "1e-16":
                    take("C_DOP853", tolerance, run(f"{ENV}/bin/limit_inl", "ode", model, tolerance, END[model]))
                    take("lepage dop853", tolerance, run(MOTION, "ode", model, "dop853", tolerance))
                if model in ("kepler", "hh"):
                    take("C_taylor", tolerance, run(f"{ENV}/bin/taylor_{TAYLOR[tolerance]}", model, END[model]))
        for who in points:
            row = (f"{times[who, t] * 1e3:.3f} ms {points[who][t]:.1e} ({times.get((who, t, 'steps'))})" for t in points[who])
            print(f"   {model} {who}: " + ", ".join(row))
        reached = {
            who: {goal: time_to(goal, [(e, times[who, t]) for t, e in points[who].items()]) for goal in (1e-4, 1e-6, 1e-8, 1e-10)}
            for who in points
        }
        for goal in (1e-4, 1e-6, 1e-8, 1e-10):
            ours = min(reached["lepage taylor"][goal], reached["lepage dop853"][goal])
            peers = {who: t[goal] for who, t in reached.items() if not who.startswith("lepage")}
            best = min(peers.values())
            if best == math.inf:
                continue
            if model == "oss":
                line(f"W4 oss, error {goal:g}: / best peer, s", ours, best, 1.1 if goal >= 1e-6 else 1.2)
            elif goal == 1e-4:
                line(f"W4 {model}, error {goal:g}: / best peer, s", ours, best, 1.0)
            elif peers["heyoka"] < math.inf:
                line(f"W4 {model}, error {goal:g}: / heyoka, s", ours, peers["heyoka"], 0.9)


def compile_times(rounds):
    """ms to compile the Taylor method; the cache of heyoka is emptied by pointing it elsewhere."""
    for model, limit in (("kepler", 1 / 20), ("dp", 1 / 20), ("oss", 1 / 10)):
        ours = run(MOTION, "compile", model)
        for tolerance in ("1e-9", "1e-14"):
            with tempfile.TemporaryDirectory() as folder:
                environment = dict(os.environ, XDG_CACHE_HOME=folder, HOME=folder)
                command = [PYTHON, f"{PEERS}/py/w4.py", "heyoka", model, tolerance]
                output = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
            theirs = json.loads(output.stdout.strip().splitlines()[-1])["compile"] * 1e3
            line(f"compile {model} {tolerance}, ms", ours[f"taylor{TAYLOR[tolerance]}_ms"], theirs, limit)
    seconds = run(MOTION, "long", 100000)["seconds"]
    line("compile 1e5 operations, s", seconds, 1.0, 1.0)


SECTIONS = {"rhs": rhs, "step": step, "ode": ode, "compile": compile_times}

if __name__ == "__main__":
    words = sys.argv[1:]
    n = 3
    if "--rounds" in words:
        at = words.index("--rounds")
        n = int(words[at + 1])
        del words[at : at + 2]
    for word in words or SECTIONS:
        SECTIONS[word](n)
