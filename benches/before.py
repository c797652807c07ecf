#!/usr/bin/env python3
"""Two versions of Lepage side by side: instructions, counted by callgrind, so that a busy machine gives the same figures.

    git worktree add ../before COMMIT
    (cd ../before && cargo build --profile measure)
    cargo build --profile measure
    python3 benches/before.py ../before/target/measure/lepage target/measure/lepage

Both have to be built with one profile. Measured are W1 (the double pendulum from its Lagrangian to a state), W2 (n-link
pendulums from their Lagrangian to compiled motion, in both forms), the worked cases of Krupková's book, and `check` of a thousand lines.
`--time` compares the least processor time of several runs in turns instead, which needs a quiet machine. A row that is more than
five parts in a hundred above the first version is marked, and the exit code says that there is one.
"""

import argparse
import os
import re
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
LIMIT = 1.05

REDUCED = """sum(i in 1..n, (n + 1 - i)*(q[i]'^2/2 + 9.81*cos(q[i])))
    + sum(i in 1..n, j in 1..i - 1, (n + 1 - i)*cos(q[i] - q[j])*q[i]'*q[j]')"""
SQUARES = """sum(k in 1..n, (sum(i in 1..k, q[i]'*cos(q[i]))^2 + sum(i in 1..k, q[i]'*sin(q[i]))^2)/2
    + 9.81*sum(i in 1..k, cos(q[i])))"""


def chain(lagrangian, n):
    return (
        f"let n = {n}\nmanifold Chain over t {{ q[1..n] }}\nlagrangian L on J1(Chain) = {lagrangian}\n"
        "simulate L { from q[1] = 1; until t = 1e-6 }\n"
    )


def thousand_lines():
    """As in startup.rs, in words that both versions know."""
    return "".join(
        f"// The oscillator number {i}, in the plane\n"
        f"manifold Y{i} over t {{ x{i}, y{i} }}\n"
        f"param m{i} = 1, k{i} = {i}/3 + 1\n"
        f"assume m{i} > 0\n"
        f"let T{i} = m{i}*(x{i}'^2 + y{i}'^2)/2 + sin(x{i})^2*y{i}'^2\n"
        f"lagrangian L{i} on J1(Y{i}) = T{i} - k{i}*(x{i}^2 + y{i}^2)/2 - cos(x{i} + y{i})\n"
        f"form eta{i} : contact 1-form on J1(Y{i}) = omega(x{i}) + y{i}*omega(y{i})\n"
        f"equations(L{i})\n"
        f"assert is_contact(eta{i})\n"
        f"classify(L{i}).regular\n"
        for i in range(100)
    )


def workloads(folder, cases):
    """Name and arguments; the programs are written into the folder."""

    def program(name, text):
        path = folder / f"{name}.mech"
        path.write_text(text)
        return str(path)

    yield "W1", ["run", str(HERE / "peers" / "w1.mech")]
    for n in (2, 8, 16, 32):
        yield f"W2 reduced, n = {n}", ["run", program(f"reduced{n}", chain(REDUCED, n))]
    for n in (2, 8, 16):
        yield f"W2 squares, n = {n}", ["run", program(f"squares{n}", chain(SQUARES, n))]
    yield "check of 1000 lines", ["check", program("thousand", thousand_lines())]
    for case in sorted(Path(cases).glob("*.mech")):
        yield case.stem, ["run", str(case)]


def environment():
    """One thread, and nothing of the terminal."""
    return {**os.environ, "RAYON_NUM_THREADS": "1", "NO_COLOR": "1", "TERM": "dumb"}


def run(command):
    return subprocess.run(command, env=environment(), stdin=subprocess.DEVNULL, capture_output=True, text=True)


def holds(program, arguments):
    return run([program, *arguments]).returncode == 0


def instructions(program, arguments):
    out = run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, *arguments]).stderr
    return int(re.search(r"Collected : (\d+)", out).group(1))


def seconds(program, arguments):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run([program, *arguments])
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime - before.ru_utime) + (after.ru_stime - before.ru_stime)


def measured(before, now, arguments, rounds):
    """Of both, in turns."""
    if rounds == 0:
        return instructions(before, arguments), instructions(now, arguments)
    pairs = [(seconds(before, arguments), seconds(now, arguments)) for _ in range(rounds)]
    return tuple(min(column) for column in zip(*pairs))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before")
    parser.add_argument("now")
    parser.add_argument("--cases", default=HERE.parent / "tests/cases/krupkova-odes", help="a folder of programs")
    parser.add_argument("--time", type=int, default=0, metavar="ROUNDS", help="least processor time of so many runs")
    parser.add_argument("--only", default="", help="rows whose names contain this")
    options = parser.parse_args()
    unit = "ms" if options.time else "million instructions"
    scale = 1e3 if options.time else 1e-6
    print(f"| | before, {unit} | now | now / before |\n|---|---|---|---|")
    slower, total, left_out = [], [0.0, 0.0], []
    with tempfile.TemporaryDirectory() as folder:
        for name, arguments in workloads(Path(folder), options.cases):
            if options.only not in name:
                continue
            if not (holds(options.before, arguments) and holds(options.now, arguments)):
                left_out.append(name)
                continue
            pair = measured(options.before, options.now, arguments, options.time)
            total = [a + b for a, b in zip(total, pair)]
            ratio = pair[1] / pair[0]
            if ratio > LIMIT:
                slower.append(name)
            mark = " slower" if ratio > LIMIT else ""
            print(f"| {name} | {pair[0] * scale:.2f} | {pair[1] * scale:.2f} | {ratio:.2f}{mark} |", flush=True)
    if total[0]:
        print(f"| all | {total[0] * scale:.2f} | {total[1] * scale:.2f} | {total[1] / total[0]:.2f} |")
    if left_out:
        print(f"\nNot run by both: {', '.join(left_out)}.")
    sys.exit(1 if slower else 0)


if __name__ == "__main__":
    main()
