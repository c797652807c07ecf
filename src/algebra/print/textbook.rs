//! Goldens: equations of motion as a textbook prints them, whichever way the Lagrangian was written.

use super::{latex, text};
use crate::algebra::Inquiry;
use crate::algebra::derive::{Direction, partial};
use crate::algebra::function::Elementary;
use crate::algebra::normal::arrange;
use crate::algebra::{Coordinate, Expr, Symbol};

fn param(name: &str) -> Expr {
    Expr::symbol(Symbol::parameter(name))
}

fn sin(x: Expr) -> Expr {
    Expr::apply(Elementary::Sin, &[x])
}

fn cos(x: Expr) -> Expr {
    Expr::apply(Elementary::Cos, &[x])
}

fn q(c: Coordinate, order: u32) -> Expr {
    Expr::symbol(c.jet(order))
}

/// d/dt ∂L/∂q′ − ∂L/∂q, the left side of a textbook's equation.
fn equation(cx: &Inquiry, l: Expr, q: Coordinate) -> Expr {
    let total = Direction::new(|s| match s.as_jet() {
        Some((q, k)) => Expr::symbol(q.jet(k + 1)),
        None => Expr::zero(),
    });
    arrange(cx, total.apply(cx, partial(cx, l, q.jet(1))) - partial(cx, l, q.jet(0))).expect("within budget")
}

/// Landau–Lifshitz, *Mechanics*, §5, problem 1, for the Lagrangian.
#[test]
fn double_pendulum() {
    let cx = &Inquiry::free();
    let (m1, m2, g, l1, l2) = (param("m1"), param("m2"), param("g"), param("l1"), param("l2"));
    let (a, b) = (Coordinate::declare("theta1", true), Coordinate::declare("theta2", true));
    let reduced = (m1 + m2) * l1.pow(2) * q(a, 1).pow(2) / 2
        + m2 * l2.pow(2) * q(b, 1).pow(2) / 2
        + m2 * l1 * l2 * q(a, 1) * q(b, 1) * cos(q(a, 0) - q(b, 0))
        + (m1 + m2) * g * l1 * cos(q(a, 0))
        + m2 * g * l2 * cos(q(b, 0));
    // As it is typed: squares of the velocities of the bobs.
    let velocity = |c: Coordinate, l: Expr| (l * cos(q(c, 0)) * q(c, 1), l * sin(q(c, 0)) * q(c, 1));
    let ((x1, y1), (x2, y2)) = (velocity(a, l1), velocity(b, l2));
    let squares = m1 * (x1.pow(2) + y1.pow(2)) / 2
        + m2 * ((x1 + x2).pow(2) + (y1 + y2).pow(2)) / 2
        + m1 * g * l1 * cos(q(a, 0))
        + m2 * g * (l1 * cos(q(a, 0)) + l2 * cos(q(b, 0)));
    for l in [reduced, squares] {
        assert_eq!(
            text(equation(cx, l, a)),
            "(m1 + m2)*l1^2*theta1'' + m2*l1*l2*cos(theta1 - theta2)*theta2'' \
             + m2*l1*l2*sin(theta1 - theta2)*theta2'^2 + (m1 + m2)*g*l1*sin(theta1)"
        );
        assert_eq!(
            text(equation(cx, l, b)),
            "m2*l2^2*theta2'' + m2*l1*l2*cos(theta1 - theta2)*theta1'' \
             - m2*l1*l2*sin(theta1 - theta2)*theta1'^2 + m2*g*l2*sin(theta2)"
        );
    }
    assert_eq!(
        latex(equation(cx, reduced, b)),
        r"m_{2} l_{2}^{2} \ddot{\theta}_{2} + m_{2} l_{1} l_{2} \cos\left(\theta_{1} - \theta_{2}\right) \ddot{\theta}_{1} - m_{2} l_{1} l_{2} \sin\left(\theta_{1} - \theta_{2}\right) \dot{\theta}_{1}^{2} + m_{2} g l_{2} \sin\left(\theta_{2}\right)"
    );
}

/// Goldstein, *Classical Mechanics*, (3-11) and (3-8), in polar coordinates and from Cartesian ones.
#[test]
fn kepler_in_polar_coordinates() {
    let cx = &Inquiry::free();
    let (m, k) = (param("m"), param("k"));
    let (r, theta) = (Coordinate::declare("r", false), Coordinate::declare("theta", true));
    let polar = m * (q(r, 1).pow(2) + q(r, 0).pow(2) * q(theta, 1).pow(2)) / 2 + k / q(r, 0);
    let x = q(r, 1) * cos(q(theta, 0)) - q(r, 0) * sin(q(theta, 0)) * q(theta, 1);
    let y = q(r, 1) * sin(q(theta, 0)) + q(r, 0) * cos(q(theta, 0)) * q(theta, 1);
    let cartesian = m * (x.pow(2) + y.pow(2)) / 2 + k / q(r, 0);
    for l in [polar, cartesian] {
        assert_eq!(text(equation(cx, l, r)), "m*r'' - m*r*theta'^2 + k/r^2");
        assert_eq!(text(equation(cx, l, theta)), "m*r^2*theta'' + 2*m*r*r'*theta'");
    }
    assert_eq!(latex(equation(cx, polar, r)), r"m \ddot{r} - m r \dot{\theta}^{2} + \frac{k}{r^{2}}");
}

/// Landau–Lifshitz, *Mechanics*, §35: A = I₁′, C = I₃, h the distance of the centre of mass.
#[test]
fn heavy_top() {
    let cx = &Inquiry::free();
    let (a, c, m, g, h) = (param("A"), param("C"), param("m"), param("g"), param("h"));
    let [theta, phi, psi] = ["theta", "phi", "psi"].map(|name| Coordinate::declare(name, true));
    let l = a * (q(theta, 1).pow(2) + q(phi, 1).pow(2) * sin(q(theta, 0)).pow(2)) / 2
        + c * (q(psi, 1) + q(phi, 1) * cos(q(theta, 0))).pow(2) / 2
        - m * g * h * cos(q(theta, 0));
    assert_eq!(
        text(equation(cx, l, theta)),
        "A*theta'' + C*sin(theta)*phi'*psi' - (A - C)*sin(theta)*cos(theta)*phi'^2 - m*g*h*sin(theta)"
    );
    assert_eq!(
        text(equation(cx, l, phi)),
        "(A*sin(theta)^2 + C*cos(theta)^2)*phi'' + C*cos(theta)*psi'' - C*sin(theta)*theta'*psi' \
         + 2*(A - C)*sin(theta)*cos(theta)*theta'*phi'"
    );
    assert_eq!(text(equation(cx, l, psi)), "C*psi'' + C*cos(theta)*phi'' - C*sin(theta)*theta'*phi'");
}

/// Momenta make a Hamiltonian a sum of squares over their inertias.
#[test]
fn hamiltonian_of_kepler() {
    let cx = &Inquiry::free();
    let (m, k) = (param("m"), param("k"));
    let (r, theta) = (Coordinate::declare("r", false), Coordinate::declare("theta", true));
    let p = |c: Coordinate| Expr::symbol(Symbol::momentum(c.jet(0)));
    let one_fraction =
        (p(r).pow(2) * q(r, 0).pow(2) + p(theta).pow(2) - 2 * (k * m * q(r, 0))) / (2 * (m * q(r, 0).pow(2)));
    let h = arrange(cx, one_fraction).expect("within budget");
    assert_eq!(text(h), "p_r^2/(2*m) + p_theta^2/(2*m*r^2) - k/r");
}

/// A factor does not begin with a minus sign if its opposite can stand there.
#[test]
fn signs_come_out_of_factors() {
    let (k, m) = (param("k"), param("m"));
    let (r, phi) = (Coordinate::declare("r", false), Coordinate::declare("phi", true));
    let sum = -(q(r, 0).pow(2) * q(r, 2)) + q(r, 0).pow(3) * q(phi, 1).pow(2) - k;
    assert_eq!(text(-(m * sum)), "m*(r^2*r'' - r^3*phi'^2 + k)");
    assert_eq!(text(m * (1 - q(r, 0).pow(2))), "m*(1 - r^2)");
    assert_eq!(text(m / (-k - q(r, 0)).pow(2)), "m/(r + k)^2");
}
