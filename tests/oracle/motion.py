"""Reference values for tests/motion.rs, to 20 digits (mpmath).

The pendulum θ″ = −sin θ from θ = 2 at rest: with k = sin 1, θ(t) = 2 asin(k cd(t, k)) and the period is 4 K(k).
"""
from mpmath import mp, mpf, asin, sin, ellipk, ellipfun

mp.dps = 40
k = sin(mpf(1))
m = k * k
cd = ellipfun("cd")
print("period", mp.nstr(4 * ellipk(m), 20))
for t in (1, 5, 20):
    print("theta", t, mp.nstr(2 * asin(k * cd(mpf(t), m=m)), 20))
