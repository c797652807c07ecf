"""How the peer measurements call Lepage.

LEPAGE_BIN names the executable `lepage`, LEPAGE_MOTION the program `benches/motion.rs` (built by
`cargo bench --bench motion --no-run`, which prints its path). Models are the `.mech` files beside this one.
"""
import os

HERE = os.path.dirname(os.path.abspath(__file__))
BIN = os.environ.get("LEPAGE_BIN")
MOTION = os.environ.get("LEPAGE_MOTION")
METHODS = os.environ.get("LEPAGE_METHOD", "auto")


def w1_command():
    """From the Lagrangian in a file to the state at t = 10, in a fresh process of the ordinary program."""
    if not BIN:
        return None
    # The last line of its answers is the list of four numbers.
    script = 'answers=$("$0" run "$1"); echo "{\\"y\\": ${answers##*    }}"'
    return ["sh", "-c", script, BIN, os.path.join(HERE, "w1.mech")]


def w2_command(n):
    return None


def w3_command(model):
    return MOTION and [MOTION, "rhs", model]


def w4_command(model, tol):
    return MOTION and [MOTION, "ode", model, METHODS, tol]


def w5_command(threads):
    """Two trajectories at once, on one thread."""
    return MOTION and [MOTION, "ensemble"] if threads == 1 else None


def w6_command(case):
    return None
