"""SymEngine's Euler–Lagrange derivation of the n-link pendulum, the peer of `cargo bench --bench forms`.

    python benches/peers/forms.py 16

Prints the CPU seconds from the Lagrangian to the mass matrix and the forces, the least of several runs.
"""

import sys
import time

import symengine as se

G = 9.81


def derive(n, k):
    """One derivation with symbols of its own, so that nothing is remembered from the run before."""
    q = se.symbols(f"a{k}_:{n}")
    v = se.symbols(f"b{k}_:{n}")
    start = time.process_time()
    kinetic = potential = 0
    for i in range(n):
        kinetic = kinetic + 0.5 * (n - i) * v[i] * v[i]
        potential = potential - (n - i) * G * se.cos(q[i])
        for j in range(i):
            kinetic = kinetic + (n - i) * v[i] * v[j] * se.cos(q[i] - q[j])
    lagrangian = kinetic - potential
    momenta = [lagrangian.diff(x) for x in v]
    [momenta[i].diff(v[j]) for i in range(n) for j in range(n)]
    [lagrangian.diff(q[i]) - sum(momenta[i].diff(q[j]) * v[j] for j in range(n)) for i in range(n)]
    return time.process_time() - start


if __name__ == "__main__":
    n = int(sys.argv[1])
    print(min(derive(n, k) for k in range(5)))
