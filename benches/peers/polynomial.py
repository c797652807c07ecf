"""Run python-flint on the inputs of `cargo bench --bench polynomial` and print the ratios.

    pip install python-flint==0.9.0
    LEPAGE_BENCH_JSON=/tmp/poly.json cargo bench --bench polynomial
    python benches/peers/polynomial.py /tmp/poly.json
"""

import json
import re
import sys
import time

import flint

TERM = re.compile(r"([+-]?)([^+-]+)")


def read(text, n):
    """A polynomial written by Polynomial's Display as an fmpq_mpoly's dictionary."""
    terms = {}
    for sign, body in TERM.findall(text.replace(" ", "")):
        exponents = [0] * n
        coefficient = flint.fmpq(1)
        for factor in body.split("*"):
            if factor.startswith("x"):
                name, _, power = factor[1:].partition("^")
                exponents[int(name)] += int(power or 1)
            else:
                p, _, q = factor.partition("/")
                coefficient *= flint.fmpq(int(p), int(q or 1))
        terms[tuple(exponents)] = -coefficient if sign == "-" else coefficient
    return terms


def operate(operation, args):
    if operation == "gcd":
        return args[0].gcd(args[1])
    if operation == "mul":
        return args[0] * args[1]
    if operation == "factor":
        return args[0].factor()
    raise ValueError(operation)


def main(path):
    print(f"{'case':<50} {'lepage':>12} {'flint':>12} {'ratio':>7}")
    for case in json.load(open(path)):
        if case["operation"] not in ("gcd", "mul", "factor"):
            continue
        names = {int(v) for group in case["inputs"] for text in group for v in re.findall(r"x(\d+)", text)}
        n = max(names) + 1
        context = flint.fmpz_mpoly_ctx.get([f"x{i}" for i in range(n)], "lex")
        make = lambda text: context.from_dict({m: int(c.p) for m, c in read(text, n).items()})
        groups = [[make(text) for text in group] for group in case["inputs"]]
        best, spent, passes = float("inf"), 0.0, 0
        while passes < 3 or spent < 0.5:
            start = time.perf_counter()
            for args in groups:
                operate(case["operation"], args)
            elapsed = time.perf_counter() - start
            best, spent, passes = min(best, elapsed), spent + elapsed, passes + 1
        each = best / len(groups)
        ours = case["seconds_each"]
        print(f"{case['name']:<50} {ours * 1e6:>9.1f} µs {each * 1e6:>9.1f} µs {ours / each:>7.2f}")


if __name__ == "__main__":
    main(sys.argv[1])
