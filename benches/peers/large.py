"""Stiff motion, structure, large systems and ensembles against peers: ours and theirs in turn, in one run.

    LEPAGE=… LEPAGE_MOTION=… [PEERS_RUST=…] python3 large.py [--rounds N] [stiff] [structure] [projection] [links] [chain] [ensemble] [rows] [plot]

LEPAGE is the program, LEPAGE_MOTION that of `cargo bench --bench motion --no-run`; gcc and g++ are in the path. The interpreter that runs
this has casadi and scipy for `links`, heyoka and numpy for `ensemble`; PEERS_RUST is the program with diffsol of the peer measurements. What
a peer needs and is not there is left out, and said. Seconds are those of the processor, least of all rounds.
"""
import json
import math
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).parent
LEPAGE, MOTION = os.environ["LEPAGE"], os.environ.get("LEPAGE_MOTION")
RUST = os.environ.get("PEERS_RUST")
G = 9.81


def line(what, ours, peer, limit, unit="s"):
    ratio = ours / peer
    print(f"{what:58} {ours:11.4g} {peer:11.4g} {unit:4} {ratio:7.3f}  <= {limit}{'' if ratio <= limit else '   <-- missed'}", flush=True)


def note(text):
    print(text, flush=True)


def lepage(text, *options, command="run"):
    """Runs a program: seconds of the processor by stage, what it printed, the largest memory in MB."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "program.mech"
        file.write_text(text)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        start = time.perf_counter()
        done = subprocess.run([LEPAGE, command, str(file), *options], capture_output=True, text=True, cwd=folder)
        wall = time.perf_counter() - start
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode:
            raise SystemExit(done.stderr[-2000:] + done.stdout[-2000:])
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        files = {p.name: p.stat().st_size for p in pathlib.Path(folder).iterdir()}
        stages = {}
        for text in (done.stderr + "\n" + done.stdout).splitlines():
            if text.startswith('{"stages"'):
                stages = {s["stage"]: s["cpu_seconds"] for s in json.loads(text)["stages"]}
        return {"cpu": cpu, "wall": wall, "stages": stages, "out": done.stdout, "files": files, "rss": after.ru_maxrss / 1024}


def motion(*words):
    done = subprocess.run([MOTION, *map(str, words)], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stderr[-2000:])
    return json.loads(done.stdout.strip().splitlines()[-1])


def error(y, reference):
    difference = math.sqrt(sum((a - b) ** 2 for a, b in zip(y, reference)))
    return difference / math.sqrt(sum(b * b for b in reference))


# ----- stiff -------------------------------------------------------------------------------------------------------------

# The spring by Taylor series in 128-bit arithmetic, the pendulum in closed form: sin(a/2) = sin(1/2) cd(sqrt(g) t).
STIFF = {
    "spring": [-0.4471161882072169, -0.8944933886413131, 2.3579046678612414, -1.1786473691364456],
    "dae": [-0.446860404776382404, -0.894603699211604911, 2.35866694797605585, -1.17816958283776149],
}
# Seconds of diffsol's bdf, measured on another day; they stand where its program is not there.
MEASURED = {"spring": (2.6e-3, 7e-5), "dae": (0.51e-3, 4e-4)}


def stiff(rounds):
    """W6: error below 1e-6 in the time of the fastest peer at its own error."""
    for model in ("spring", "dae"):
        reference = STIFF[model]
        best, peer = {}, None
        for _ in range(rounds):
            if RUST:
                theirs = json.loads(subprocess.run([RUST, "stiff", model], capture_output=True, text=True).stdout.splitlines()[-1])
                peer = min(peer or theirs["time"], theirs["time"])
                peer_error = error(theirs["y"][:4], reference)
            for tolerance in ("1e-5", "1e-6", "1e-7", "1e-8"):
                ours = motion("ode", model, "auto", tolerance)
                ours["error"] = error(ours["y"][:4], reference)
                if tolerance not in best or ours["time"] < best[tolerance]["time"]:
                    best[tolerance] = ours
        for tolerance, ours in best.items():
            note(f"  {model} {tolerance}: {ours['time'] * 1e3:.3f} ms, error {ours['error']:.1e}, {ours['steps']} steps, {ours['method']}")
        good = [o for o in best.values() if o["error"] <= 1e-6]
        if not peer:
            peer, peer_error = MEASURED[model]
            note(f"  PEERS_RUST is not given: diffsol's time for the {model} is one of another day")
        if not good:
            note(f"  no tolerance gives the {model} to 1e-6   <-- missed")
            continue
        fastest = min(good, key=lambda o: o["time"])
        line(f"{model}: error {fastest['error']:.1e} (diffsol bdf {peer_error:.1e})", fastest["time"], peer, 1.0)
    for order in (5, 9, 13):
        counts = []
        for k, c in ((10**6, 2 * 10**3), (10**8, 2 * 10**4), (10**10, 2 * 10**5), (10**12, 2 * 10**6)):
            program = (HERE / "spring.mech").read_text().replace("k = 1000000, c = 2000", f"k = {k}, c = {c}")
            begin = program.index("simulate S")
            program = program[:begin] + "let run = " + program[begin:].replace("tolerance 1e-9", f"method radau({order}); tolerance 1e-7") + "\nrun.steps\n"
            counts.append(int(lepage(program)["out"].split()[-1]))
        line(f"steps of radau({order}) on the spring, k = 1e6 to 1e12: {counts}", max(counts), min(counts), 2.0, "")


# ----- methods that keep structure ----------------------------------------------------------------------------------------


def structure(rounds):
    """Verlet on kepler and Gauss of order 4 on the double pendulum, against C -O3."""
    with tempfile.TemporaryDirectory() as folder:
        program = f"{folder}/structure"
        subprocess.run(["gcc", "-O3", "-o", program, str(HERE / "c/structure.c"), "-lm"], check=True)
        for what, model, method, steps, h in (("verlet", "kepler", "verlet", 1_000_000, 0.002), ("gauss", "dp", "gauss(4)", 100_000, 0.01)):
            best = {}
            for _ in range(rounds):
                ours = motion("fixed", model, method, h, steps)
                best["ours"] = min(best.get("ours", math.inf), ours["time"])
                for plain in ("0", "1"):
                    theirs = subprocess.run([program, what, str(steps), str(h), plain], capture_output=True, text=True).stdout.split()
                    best[plain] = min(best.get(plain, math.inf), float(theirs[0]))
                    if plain == "0":
                        y = [float(x) for x in theirs[1:]]
            note(f"  {what}: states {ours['y']} and {y}")
            line(f"{method} on {model}, sums compensated in both", best["ours"], best["0"], 1.2)
            line(f"{method} on {model}, plain sums in C", best["ours"], best["1"], 1.2)


def projection(rounds):
    """What projection adds to the steps of a rolling disk."""
    best = {}
    for _ in range(rounds):
        both = motion("projection", "rolling")
        for key, run in both.items():
            time = run["time"] / (run["steps"] + run["rejected"])
            best[key] = min(best.get(key, math.inf), time)
    line("projection, share of a step of the rolling disk", best["with"] - best["without"], best["with"], 0.3)


# ----- large systems -------------------------------------------------------------------------------------------------------


def links(n, method, tolerance, end):
    start = ", ".join(f"q[{i}] = {0.3 + 0.03 * i}" for i in range(1, n + 1))
    return f"""let n = {n}
manifold Q over t {{ q[1..n] }}
param g = 9.81
let l(i) = 1 + i/40
lagrangian L on J1(Q) = sum(i in 1..n, sum(j in 1..n, (n + 1 - max(i, j))*l(i)*l(j)*cos(q[i] - q[j])*q[i]'*q[j]'))/2
    + g*sum(i in 1..n, (n + 1 - i)*l(i)*cos(q[i]))
simulate L {{ from {start}; until t = {end}; method {method}; tolerance {tolerance} }}
"""


def casadi_links(n, nested, folder):
    """The accelerations of the chain by CasADi, as C: M(q) a = f(q, v), factorised in generated code. The kinetic energy is the
    double sum of our program, or nested: that of masses whose velocities are sums, which has fewer sines."""
    import casadi as ca

    q, v = ca.SX.sym("q", n), ca.SX.sym("v", n)
    l = [1 + i / 40 for i in range(1, n + 1)]
    if nested:
        vx, vy, kinetic = 0, 0, 0
        for i in range(n):
            vx, vy = vx + l[i] * ca.cos(q[i]) * v[i], vy + l[i] * ca.sin(q[i]) * v[i]
            kinetic += (vx * vx + vy * vy) / 2
    else:
        kinetic = sum((n - max(i, j)) * l[i] * l[j] * ca.cos(q[i] - q[j]) * v[i] * v[j] for i in range(n) for j in range(n)) / 2
    lagrangian = kinetic + G * sum((n - i) * l[i] * ca.cos(q[i]) for i in range(n))
    momentum = ca.gradient(lagrangian, v)
    mass = ca.jacobian(momentum, v)
    force = ca.gradient(lagrangian, q) - ca.jtimes(momentum, q, v)
    d, lower, p = ca.ldl(mass)
    field = ca.Function("field", [ca.vertcat(q, v)], [ca.vertcat(v, ca.ldl_solve(force, d, lower, p))], {"cse": True})
    here = os.getcwd()
    os.chdir(folder)
    field.generate("field.c")
    os.chdir(here)


DRIVER = r"""
#include "coeffs.h"
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <algorithm>
#include <cstring>
extern "C" { int field(const double **arg, double **res, long long *iw, double *w, int mem); int field_work(long long*, long long*, long long*, long long*); }
static const int N = 2*LINKS;
static long long iw[4096]; static double w[1<<20];
static const double *args[16]; static double *ress[16];
static inline void f(const double *y, double *out) { args[0] = y; ress[0] = out; field(args, ress, iw, w, 0); }
static double now() { timespec t; clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); return t.tv_sec + 1e-9*t.tv_nsec; }
static double k[16][N];
static long run(double tol, double end, double *y) {
    double t = 0, h = 1e-3, stage[N], next[N], slope[N]; long steps = 0; double old = 1e-4; bool rejected = false;
    f(y, slope);
    while (t < end) {
        if (t + h > end) h = end - t;
        memcpy(k[0], slope, sizeof slope);
        for (int s = 1; s < 12; s++) {
            for (int i = 0; i < N; i++) stage[i] = 0;
            for (int j = 0; j < s; j++) if (A[s][j] != 0) for (int i = 0; i < N; i++) stage[i] += A[s][j]*k[j][i];
            for (int i = 0; i < N; i++) stage[i] = y[i] + h*stage[i];
            f(stage, k[s]);
        }
        for (int i = 0; i < N; i++) next[i] = 0;
        for (int j = 0; j < 12; j++) if (B[j] != 0) for (int i = 0; i < N; i++) next[i] += B[j]*k[j][i];
        for (int i = 0; i < N; i++) next[i] = y[i] + h*next[i];
        f(next, k[12]);
        double e5 = 0, e3 = 0;
        for (int i = 0; i < N; i++) {
            double a = 0, b = 0, scale = tol + tol*std::max(fabs(y[i]), fabs(next[i]));
            for (int j = 0; j < 13; j++) { a += E5[j]*k[j][i]; b += E3[j]*k[j][i]; }
            e5 += a*a/(scale*scale); e3 += b*b/(scale*scale);
        }
        double err = e5 == 0 && e3 == 0 ? 0 : fabs(h)*e5/sqrt((e5 + 0.01*e3)*N);
        if (err < 1) {
            double factor = err == 0 ? 10 : std::min(rejected ? 1.0 : 10.0, 0.9*pow(err, -1.0/8));
            t += h; memcpy(y, next, sizeof next); memcpy(slope, k[12], sizeof slope); steps++; h *= std::max(factor, 0.2); rejected = false;
        } else { h *= std::max(0.2, 0.9*pow(err, -1.0/8)); rejected = true; }
    }
    return steps;
}
int main(int n, char **word) {
    double tol = atof(word[1]), end = atof(word[2]), best = 1e99, y[N]; long steps = 0;
    for (int r = 0; r < 5; r++) {
        for (int i = 0; i < N; i++) y[i] = i < LINKS ? 0.3 + 0.03*(i + 1) : 0;
        double start = now(); steps = run(tol, end, y); best = std::min(best, now() - start);
    }
    printf("{\"time\":%.9g,\"steps\":%ld,\"y\":[", best, steps);
    for (int i = 0; i < N; i++) printf("%s%.17g", i ? "," : "", y[i]);
    printf("]}\n");
}
"""


def coefficients():
    from scipy.integrate._ivp import dop853_coefficients as c

    row = lambda v: "{" + ",".join(repr(float(x)) for x in v) + "}"
    return (f"static const double A[12][12] = {{{','.join(row(r[:12]) for r in c.A[:12])}}};\nstatic const double B[12] = {row(c.B[:12])};\n"
            f"static const double E5[13] = {row(c.E5)};\nstatic const double E3[13] = {row(c.E3)};\n")


def many_links(rounds):
    """Twenty links: Taylor from file to end, and dop853 against C++ on CasADi's generated code."""
    n = 20
    taylor = min((lepage(links(n, "taylor", "1e-12", 4), "--timings") for _ in range(rounds)), key=lambda r: r["cpu"])
    line("20 links, taylor 1e-12, from file to end (limit 0.3 s)", taylor["cpu"], 0.3, 1.0)
    note(f"  {', '.join(f'{k} {v:.3f}' for k, v in taylor['stages'].items() if v > 0.002)}")
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "coeffs.h").write_text(coefficients())
        pathlib.Path(folder, "driver.cpp").write_text(DRIVER)
        for nested in (0, 1):
            casadi_links(n, nested, folder)
            subprocess.run(["gcc", "-O3", "-march=native", "-c", "field.c"], cwd=folder, check=True)
            build = ["g++", "-O3", "-march=native", f"-DLINKS={n}", "driver.cpp", "field.o", "-o", f"links{nested}"]
            subprocess.run(build, cwd=folder, check=True)
        best = {}
        model = pathlib.Path(folder, "links.mech")
        model.write_text(links(n, "dop853", "1e-9", 4))
        for _ in range(rounds):
            ours = motion("ode", model, "dop853", "1e-9")
            best["ours"] = min(best.get("ours", math.inf), ours["time"])
            for nested in (0, 1):
                theirs = json.loads(subprocess.run([f"{folder}/links{nested}", "1e-9", "4"], capture_output=True, text=True).stdout)
                best[nested] = min(best.get(nested, math.inf), theirs["time"])
    best["theirs"] = min(best[0], best[1])
    note(f"  CasADi from the double sum {best[0] * 1e3:.2f} ms, from the nested one {best[1] * 1e3:.2f} ms")
    note(f"  {ours['steps']} and {theirs['steps']} steps, states differ by {error(ours['y'], theirs['y']):.1e}")
    line("20 links, dop853 1e-9, against C++ on CasADi's code", best["ours"], best["theirs"], 1.0)
    line("20 links, dop853, for each step", best["ours"] / ours["steps"], best["theirs"] / theirs["steps"], 1.0)


def chain(rounds):
    """FPUT chains: growth from 128 to 512 masses."""
    program = lambda n: f"""let n = {n}
manifold Q over t {{ x[1..n] }}
param a = 1/4
let V(s) = s^2/2 + a*s^3/3
lagrangian L on J1(Q) = sum(i in 1..n, x[i]'^2)/2 - V(x[1]) - sum(i in 1..n - 1, V(x[i + 1] - x[i])) - V(-x[n])
simulate L {{ from x[1] = 1; until t = 10; tolerance 1e-9 }}
"""
    best = {}
    for _ in range(rounds):
        for n in (128, 256, 512):
            run = lepage(program(n), "--timings")
            if n not in best or run["cpu"] < best[n]["cpu"]:
                best[n] = run
    for n, run in best.items():
        note(f"  {n} masses: {run['cpu']:.3f} s; {', '.join(f'{k} {v:.4f}' for k, v in run['stages'].items() if v > 0.001)}")
    line("FPUT, exponent of n from 128 to 512 (like n)", math.log(best[512]["cpu"] / best[128]["cpu"]) / math.log(4), 1.0, 1.15, "")


# ----- ensembles -----------------------------------------------------------------------------------------------------------


def grid(method, tolerance, count=100, end=10):
    return f"""manifold Q over t {{ q1 : angle, q2 : angle }}
param g = 9.81
lagrangian L on J1(Q) = q1'^2 + q2'^2/2 + q1'*q2'*cos(q1 - q2) + g*(2*cos(q1) + cos(q2))
sweep L over q1 in -2..2 by {4}/{count - 1}, q2 in -2..2 by {4}/{count - 1} {{
    until t = {end}; method {method}; tolerance {tolerance}
    collect a = q1.last, b = q2.last, c = (q1').last, d = (q2').last
}} to "grid.csv"
"""


def ensemble(rounds):
    """W5: 10 000 double pendulums at rest, to t = 10."""
    import heyoka as hy
    import numpy as np

    n = 10_000
    start = np.array([[-2 + 4 * (i // 100) / 99, -2 + 4 * (i % 100) / 99, 0, 0] for i in range(n)])

    def system(g):
        a, b, c, d = hy.make_vars("a", "b", "c", "d")
        cs, sn = hy.cos(a - b), hy.sin(a - b)
        f1, f2 = -sn * d * d - 2 * g * hy.sin(a), sn * c * c - g * hy.sin(b)
        det = 2 - cs * cs
        return [(a, c), (b, d), (c, (f1 - cs * f2) / det), (d, (2 * f2 - cs * f1) / det)]

    def batch(tolerance):
        """Seconds of compilation, of integration, and the last states."""
        lanes = hy.recommended_simd_size()
        begin = time.process_time()
        # A number that no other round has, so that the code is not found in heyoka's cache.
        hy.taylor_adaptive_batch(system(G + 1e-3 * math.fmod(time.time(), 1)), np.zeros((4, lanes)), tol=tolerance)
        compiled = time.process_time() - begin
        series = hy.taylor_adaptive_batch(system(G), np.zeros((4, lanes)), tol=tolerance)
        begin = time.process_time()
        out = np.empty((n, 4))
        for i in range(n // lanes):
            series.set_time(0.0)
            series.state[:] = start[i * lanes:(i + 1) * lanes].T
            series.propagate_until(10.0)
            out[i * lanes:(i + 1) * lanes] = series.state.T
        return compiled, time.process_time() - begin, out

    _, _, reference = batch(1e-16)
    norm = np.linalg.norm(reference, axis=1)
    median = lambda y: float(np.median(np.linalg.norm(y - reference, axis=1) / norm))
    best = {}

    def keep(key, seconds):
        best[key] = min(best.get(key, math.inf), seconds)

    for _ in range(rounds):
        compiled, seconds, y = batch(1e-9)
        keep("heyoka", seconds)
        keep("heyoka with its compiler", seconds + compiled)
        best["error of heyoka"] = median(y)
        for method, tolerance, *wide in (("taylor", "1e-9"), ("taylor", "1e-9", "--wide"), ("dop853", "1e-12")):
            for jobs in (1, 2):
                with tempfile.TemporaryDirectory() as folder:
                    file = pathlib.Path(folder, "grid.mech")
                    file.write_text(grid(method, tolerance))
                    before, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
                    command = [LEPAGE, "sweep", str(file), "--jobs", str(jobs), "--timings", *wide]
                    done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
                    wall = time.perf_counter() - wall
                    after = resource.getrusage(resource.RUSAGE_CHILDREN)
                    rows = [r.split(",") for r in pathlib.Path(folder, "grid.csv").read_text().splitlines() if r and r[0].isdigit()]
                timings = next(l for l in (done.stdout + done.stderr).splitlines() if l.startswith('{"stages"'))
                y = np.array([[float(x) for x in row[3:7]] for row in rows])
                key = (" ".join([method, *wide]), tolerance, jobs)
                keep((*key, "all"), after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
                # What the program itself took: without the C compiler.
                keep((*key, "own"), json.loads(timings)["cpu_seconds"])
                keep((*key, "wall"), wall)
                best[(*key, "error")] = median(y)
    seconds, both = best["heyoka"], best["heyoka with its compiler"]
    note(f"  heyoka batch 1e-9: {n / seconds:.0f} trajectories/s, {n / both:.0f} with its compiler, median error {best['error of heyoka']:.1e}")
    for key in [key[:3] for key in best if key[-1] == "error"]:
        wall, every, own, achieved = (best[(*key, what)] for what in ("wall", "all", "own", "error"))
        note(f"  {key[0]} {key[1]}, {key[2]} threads: {n / wall:.0f}/s on the wall, {n / every:.0f}/s of the processor, "
             f"{n / own:.0f}/s without the C compiler, median error {achieved:.1e}")
    pairs, wide = ("taylor", "1e-9", 1), ("taylor --wide", "1e-9", 1)
    line("pairs, from file to table / heyoka's steps (>= 0.7)", best[(*pairs, "all")], seconds, 1 / 0.7)
    line("--wide, both without their compilers (>= 1.5)", best[(*wide, "own")], seconds, 1 / 1.5)
    line("--wide, both with their compilers", best[(*wide, "all")], both, 1 / 1.5)
    line("--wide with the C compiler / heyoka's steps alone", best[(*wide, "all")], seconds, 1 / 1.5)
    line("two threads / one, pairs (wall, >= 1.8)", best[("taylor", "1e-9", 2, "wall")], best[(*pairs, "wall")], 1 / 1.8)


def rows(_):
    """A sweep of a million rows: the memory it takes."""
    program = """manifold Q over t { x }
param k = 1
lagrangian L on J1(Q) = x'^2/2 - k*x^2/2
sweep L over x in 1..1000 by 1, k in 1..2 by 1/999 { until t = 1; tolerance 1e-6; collect a = x.last } to "rows.csv"
"""
    run = lepage(program, command="sweep")
    line("a million rows, MB", run["rss"], 200, 1.0, "MB")
    note(f"  {run['wall']:.1f} s, {run['cpu']:.1f} s of the processor, {max(run['files'].values()) / 1e6:.1f} MB written")


def plot(_):
    """A plot of a million points: time of the plot, and the size of its file."""
    program = """manifold Q over t { x }
lagrangian L on J1(Q) = x'^2/2 - x^2/2
let run = simulate L { from x = 1; until t = 1000; method rk4; step 1/1000; record x }
plot run { x against t } to "wave.svg"
"""
    run = lepage(program, "--timings")
    without = lepage(program.replace('plot run { x against t } to "wave.svg"\n', "run.x.last\n"), "--timings")
    line("a plot of a million points, seconds more than without", run["cpu"] - without["cpu"], 1.0, 1.0)
    line("its file, MB", run["files"].get("wave.svg", math.inf) / 1e6, 1.0, 1.0, "MB")


PARTS = {"stiff": stiff, "structure": structure, "projection": projection, "links": many_links, "chain": chain, "ensemble": ensemble, "rows": rows, "plot": plot}

if __name__ == "__main__":
    words = sys.argv[1:]
    rounds = int(words[words.index("--rounds") + 1]) if "--rounds" in words else 3
    chosen = [w for w in words if w in PARTS] or list(PARTS)
    print(f"{'':58} {'ours':>11} {'peer':>11}        ratio", flush=True)
    for name in chosen:
        note(f"{name}: {PARTS[name].__doc__}")
        try:
            PARTS[name](rounds)
        except ImportError as missing:
            note(f"  left out from here on: {missing}")
