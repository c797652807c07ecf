/* Verlet on Kepler's problem and the Gauss method of order 4 on the double pendulum, as the runs of `motion -- structure` make
   them: fixed steps, compensated sums, stages by substitution from the polynomial of the last step until rounding stops it.
   usage: structure verlet|gauss STEPS STEP PLAIN     prints seconds of the processor (least of nine) and the final state
   With PLAIN = 1 sums are not compensated: what a short program would do. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void) { struct timespec t; clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); return t.tv_sec + 1e-9 * t.tv_nsec; }

static inline void plus(double *value, double *rest, double x) {
    x += *rest;
    double old = *value, new = old + x, back = new - old;
    *rest = (old - (new - back)) + (x - back);
    *value = new;
}

static void verlet(long steps, double h, int plain, double *out) {
    double q[2] = {0.4, 0}, p[2] = {0, 2}, rq[2] = {0, 0}, rp[2] = {0, 0}, a[2];
    double r2 = q[0] * q[0] + q[1] * q[1], r3 = 1 / (r2 * sqrt(r2));
    a[0] = -q[0] * r3; a[1] = -q[1] * r3;
    if (plain) {
        for (long i = 0; i < steps; i++) {
            for (int l = 0; l < 2; l++) p[l] += 0.5 * h * a[l];
            for (int l = 0; l < 2; l++) q[l] += h * p[l];
            r2 = q[0] * q[0] + q[1] * q[1]; r3 = 1 / (r2 * sqrt(r2));
            a[0] = -q[0] * r3; a[1] = -q[1] * r3;
            for (int l = 0; l < 2; l++) p[l] += 0.5 * h * a[l];
        }
    } else {
        for (long i = 0; i < steps; i++) {
            for (int l = 0; l < 2; l++) plus(&p[l], &rp[l], 0.5 * h * a[l]);
            for (int l = 0; l < 2; l++) plus(&q[l], &rq[l], h * p[l]);
            r2 = q[0] * q[0] + q[1] * q[1]; r3 = 1 / (r2 * sqrt(r2));
            a[0] = -q[0] * r3; a[1] = -q[1] * r3;
            for (int l = 0; l < 2; l++) plus(&p[l], &rp[l], 0.5 * h * a[l]);
        }
    }
    memcpy(out, q, sizeof q); memcpy(out + 2, p, sizeof p);
}

static inline void pendulum(const double *y, double *f) {
    const double g = 9.81;
    double c = cos(y[0] - y[1]), s = sin(y[0] - y[1]);
    double f1 = -s * y[3] * y[3] - 2 * g * sin(y[0]), f2 = s * y[2] * y[2] - g * sin(y[1]);
    double d = 1 / (2 - c * c);
    f[0] = y[2]; f[1] = y[3];
    f[2] = (f1 - c * f2) * d; f[3] = (2 * f2 - c * f1) * d;
}

static void gauss(long steps, double h, int plain, double *out) {
    const double w = sqrt(3) / 6, A[2][2] = {{0.25, 0.25 - w}, {0.25 + w, 0.25}};
    /* The line through the stages, at the stages of the next step. */
    const double c1 = 0.5 - w, c2 = 0.5 + w;
    double ahead[2][2];
    for (int i = 0; i < 2; i++) {
        double x = 1 + (i ? c2 : c1);
        ahead[i][0] = (x - c2) / (c1 - c2); ahead[i][1] = (x - c1) / (c2 - c1);
    }
    double y[4] = {1.5, 1, 0, 0}, rest[4] = {0}, size[4], k[2][4];
    pendulum(y, k[0]); memcpy(k[1], k[0], sizeof k[0]);
    for (int l = 0; l < 4; l++) size[l] = fabs(y[l]);
    for (long i = 0; i < steps; i++) {
        if (i) {
            double g[2][4];
            for (int s = 0; s < 2; s++)
                for (int l = 0; l < 4; l++) g[s][l] = ahead[s][0] * k[0][l] + ahead[s][1] * k[1][l];
            memcpy(k, g, sizeof k);
        }
        for (int l = 0; l < 4; l++) size[l] = fmax(size[l], fmax(fabs(y[l]), fabs(h * k[0][l])));
        double last = INFINITY;
        for (int turn = 0; turn < 50; turn++) {
            double change = 0;
            for (int s = 0; s < 2; s++) {
                double stage[4], f[4];
                for (int l = 0; l < 4; l++) stage[l] = y[l] + h * (A[s][0] * k[0][l] + A[s][1] * k[1][l]);
                pendulum(stage, f);
                for (int l = 0; l < 4; l++) {
                    double d = fabs(h * (f[l] - k[s][l])) / size[l];
                    if (d > change) change = d;
                    k[s][l] = f[l];
                }
            }
            int slower = !(change < 0.9 * last);
            double rate = change / last;
            if (change == 0 || (slower && change <= 1e-10) || (turn && change * rate <= 2.2e-19)) break;
            last = change;
        }
        for (int l = 0; l < 4; l++) {
            double d = h * 0.5 * (k[0][l] + k[1][l]);
            if (plain) y[l] += d; else plus(&y[l], &rest[l], d);
        }
    }
    memcpy(out, y, sizeof y);
}

int main(int n, char **word) {
    if (n != 5) return 1;
    long steps = atol(word[2]);
    double h = atof(word[3]), best = INFINITY, y[4];
    for (int i = 0; i < 9; i++) {
        double start = now();
        if (!strcmp(word[1], "verlet")) verlet(steps, h, atoi(word[4]), y); else gauss(steps, h, atoi(word[4]), y);
        double time = now() - start;
        if (time < best) best = time;
    }
    printf("%.9g %.17g %.17g %.17g %.17g\n", best, y[0], y[1], y[2], y[3]);
}
