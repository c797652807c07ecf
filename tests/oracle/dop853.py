"""Prints the Dormand–Prince 8(5,3) coefficients for src/integrate/tableau.rs from the numbers shipped with SciPy
(scipy.integrate._ivp.dop853_coefficients, BSD licence), which are those of Hairer's dop853.f."""
from scipy.integrate._ivp import dop853_coefficients as d

def row(x):
    return "&[" + ", ".join(repr(float(v)) for v in x) + "]"

def trimmed(x):
    x = list(x)
    while x and x[-1] == 0: x.pop()
    return x

print("pub const DOP853_C: [f64; 16] = [" + ", ".join(repr(float(c)) for c in d.C) + "];")
print("pub const DOP853_A: [&[f64]; 16] = [")
for i in range(16): print("    " + row(d.A[i, :i]) + ",")
print("];")
print("pub const DOP853_B: &[f64] = " + row(d.B) + ";")
print("pub const DOP853_E3: &[f64] = " + row(d.E3[:12]) + ";")
print("pub const DOP853_E5: &[f64] = " + row(d.E5[:12]) + ";")
print("pub const DOP853_D: [&[f64]; 4] = [")
for i in range(4): print("    " + row(d.D[i]) + ",")
print("];")
