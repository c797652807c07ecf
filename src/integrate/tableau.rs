//! Runge–Kutta coefficients with their sources.
//!
//! | method | source |
//! |---|---|
//! | rk4 | Kutta (1901); Hairer, Nørsett, Wanner, *Solving Ordinary Differential Equations I*, table II.1.2 |
//! | tsit5 | Tsitouras, *Runge–Kutta pairs of order 5(4) satisfying only the first column simplifying assumption*, Comput. Math. Appl. 62 (2011) 770–775 |
//! | dop853 | Dormand and Prince's method of order 8 with the estimators of orders 5 and 3 and the dense output of order 7 of Hairer, Nørsett, Wanner, §II.5, §II.10; numbers as in `dop853.f` |
//!
//! Row i of A holds the coefficients of stages 0 … i−1. The tests check row sums, the quadrature conditions of
//! every method up to its order, and the conditions of trees up to order 5.

use super::control::Controller;
use super::stepper::Form;

/// An explicit method: stages, weights, its error estimate, how that controls the step, and its dense output.
#[derive(Clone, Copy, Debug)]
pub struct Tableau {
    pub order: u32,
    pub c: &'static [f64],
    pub a: &'static [&'static [f64]],
    pub b: &'static [f64],
    pub estimate: Estimate,
    pub controller: Controller,
    pub dense: Dense,
}

/// The state inside a step.
#[derive(Clone, Copy, Debug)]
pub enum Dense {
    /// The cubic with the values and slopes of both ends.
    Hermite,
    /// The weight of every stage, f at the new point included, as a polynomial: its coefficients of θ, θ², θ³, θ⁴.
    Weights(&'static [[f64; 4]]),
    /// The cubic, continued by terms whose weights of all stages are `rows`. Stages after f at the new point, which is
    /// stage `c.len()` of the method, are evaluated only for this, at `c` with the coefficients `a`.
    Continued { c: &'static [f64], a: &'static [&'static [f64]], rows: &'static [&'static [f64]] },
}

impl Dense {
    /// How the coefficients make a polynomial.
    pub fn form(&self) -> Form {
        match self {
            Dense::Weights(_) => Form::Powers,
            Dense::Hermite | Dense::Continued { .. } => Form::Nested,
        }
    }

    /// The number of coefficients.
    pub fn n_coefficients(&self) -> usize {
        match self {
            Dense::Hermite => 4,
            Dense::Weights(_) => 5,
            Dense::Continued { rows, .. } => 4 + rows.len(),
        }
    }
}

/// How the error of a step is estimated, from weights of the stages.
#[derive(Clone, Copy, Debug)]
pub enum Estimate {
    None,
    /// The difference of two methods. The last stage is the first of the next step.
    Difference(&'static [f64]),
    /// Orders 5 and 3 combined, Hairer–Nørsett–Wanner (10.17) of §II.10.
    FiveAndThree(&'static [f64], &'static [f64]),
}

impl Tableau {
    pub fn n_stages(&self) -> usize {
        self.c.len()
    }

    /// The stages of a step, f at the new point, and those that only the dense output uses.
    pub fn n_slopes(&self) -> usize {
        match self.dense {
            Dense::Hermite | Dense::Weights(_) => self.n_stages() + 1,
            Dense::Continued { c, .. } => c.len(),
        }
    }
}

pub const RK4: Tableau = Tableau {
    order: 4,
    c: &[0.0, 0.5, 0.5, 1.0],
    a: &[&[], &[0.5], &[0.0, 0.5], &[0.0, 0.0, 1.0]],
    b: &[1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0],
    estimate: Estimate::None,
    controller: Controller::order5(),
    dense: Dense::Hermite,
};

/// The seventh stage is f at the new point.
pub const TSIT5: Tableau = Tableau {
    order: 5,
    c: &[0.0, 0.161, 0.327, 0.9, 0.9800255409045097, 1.0],
    a: &[
        &[],
        &[0.161],
        &[-0.008480655492356989, 0.335480655492357],
        &[2.8971530571054935, -6.359448489975075, 4.3622954328695815],
        &[5.325864828439257, -11.748883564062828, 7.4955393428898365, -0.09249506636175525],
        &[5.86145544294642, -12.92096931784711, 8.159367898576159, -0.071584973281401, -0.028269050394068383],
    ],
    b: &[0.09646076681806523, 0.01, 0.4798896504144996, 1.379008574103742, -3.290069515436081, 2.324710524099774],
    estimate: Estimate::Difference(&[
        -0.001780011052225777,
        -0.0008164344596567469,
        0.007880878010261995,
        -0.1447110071732629,
        0.5823571654525552,
        -0.45808210592918697,
        1.0 / 66.0,
    ]),
    controller: Controller::order5(),
    dense: Dense::Weights(&TSIT5_DENSE),
};

/// Dense output of tsit5, order 4: the weight of stage i at θ is the polynomial with these coefficients of θ, θ², θ³, θ⁴.
pub const TSIT5_DENSE: [[f64; 4]; 7] = [
    [1.0, -2.763706197274826, 2.9132554618219126, -1.0530884977290216],
    [0.0, 0.1317, -0.2234, 0.1017],
    [0.0, 3.9302962368947516, -5.941033872131505, 2.490627285651253],
    [0.0, -12.411077166933676, 30.33818863028232, -16.548102889244902],
    [0.0, 37.50931341651104, -88.1789048947664, 47.37952196281928],
    [0.0, -27.896526289197286, 65.09189467479366, -34.87065786149661],
    [0.0, 1.5, -4.0, 2.5],
];

pub const DOP853: Tableau = Tableau {
    order: 8,
    c: &DOP853_C12,
    a: &DOP853_A12,
    b: DOP853_B,
    estimate: Estimate::FiveAndThree(DOP853_E5, DOP853_E3),
    controller: Controller::dop853(),
    dense: Dense::Continued { c: &DOP853_C, a: &DOP853_A, rows: &DOP853_D },
};

const DOP853_C12: [f64; 12] = first(DOP853_C);
const DOP853_A12: [&[f64]; 12] = first_rows(DOP853_A);

const fn first(c: [f64; 16]) -> [f64; 12] {
    let mut out = [0.0; 12];
    let mut i = 0;
    while i < 12 {
        out[i] = c[i];
        i += 1;
    }
    out
}

const fn first_rows(a: [&'static [f64]; 16]) -> [&'static [f64]; 12] {
    let mut out: [&[f64]; 12] = [&[]; 12];
    let mut i = 0;
    while i < 12 {
        out[i] = a[i];
        i += 1;
    }
    out
}

/// Stages 0 … 11 are those of the method, 12 is f at the new point, 13 … 15 serve the dense output.
pub const DOP853_C: [f64; 16] = [
    0.0,
    0.05260015195876773,
    0.0789002279381516,
    0.1183503419072274,
    0.2816496580927726,
    0.3333333333333333,
    0.25,
    0.3076923076923077,
    0.6512820512820513,
    0.6,
    0.8571428571428571,
    1.0,
    1.0,
    0.1,
    0.2,
    0.7777777777777778,
];
pub const DOP853_A: [&[f64]; 16] = [
    &[],
    &[0.05260015195876773],
    &[0.0197250569845379, 0.0591751709536137],
    &[0.02958758547680685, 0.0, 0.08876275643042054],
    &[0.2413651341592667, 0.0, -0.8845494793282861, 0.924834003261792],
    &[0.037037037037037035, 0.0, 0.0, 0.17082860872947386, 0.12546768756682242],
    &[0.037109375, 0.0, 0.0, 0.17025221101954405, 0.06021653898045596, -0.017578125],
    &[
        0.03709200011850479,
        0.0,
        0.0,
        0.17038392571223998,
        0.10726203044637328,
        -0.015319437748624402,
        0.008273789163814023,
    ],
    &[
        0.6241109587160757,
        0.0,
        0.0,
        -3.3608926294469414,
        -0.868219346841726,
        27.59209969944671,
        20.154067550477894,
        -43.48988418106996,
    ],
    &[
        0.47766253643826434,
        0.0,
        0.0,
        -2.4881146199716677,
        -0.590290826836843,
        21.230051448181193,
        15.279233632882423,
        -33.28821096898486,
        -0.020331201708508627,
    ],
    &[
        -0.9371424300859873,
        0.0,
        0.0,
        5.186372428844064,
        1.0914373489967295,
        -8.149787010746927,
        -18.52006565999696,
        22.739487099350505,
        2.4936055526796523,
        -3.0467644718982196,
    ],
    &[
        2.273310147516538,
        0.0,
        0.0,
        -10.53449546673725,
        -2.0008720582248625,
        -17.9589318631188,
        27.94888452941996,
        -2.8589982771350235,
        -8.87285693353063,
        12.360567175794303,
        0.6433927460157636,
    ],
    &[
        0.054293734116568765,
        0.0,
        0.0,
        0.0,
        0.0,
        4.450312892752409,
        1.8915178993145003,
        -5.801203960010585,
        0.3111643669578199,
        -0.1521609496625161,
        0.20136540080403034,
        0.04471061572777259,
    ],
    &[
        0.056167502283047954,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.25350021021662483,
        -0.2462390374708025,
        -0.12419142326381637,
        0.15329179827876568,
        0.00820105229563469,
        0.007567897660545699,
        -0.008298,
    ],
    &[
        0.03183464816350214,
        0.0,
        0.0,
        0.0,
        0.0,
        0.028300909672366776,
        0.053541988307438566,
        -0.05492374857139099,
        0.0,
        0.0,
        -0.00010834732869724932,
        0.0003825710908356584,
        -0.00034046500868740456,
        0.1413124436746325,
    ],
    &[
        -0.42889630158379194,
        0.0,
        0.0,
        0.0,
        0.0,
        -4.697621415361164,
        7.683421196062599,
        4.06898981839711,
        0.3567271874552811,
        0.0,
        0.0,
        0.0,
        -0.0013990241651590145,
        2.9475147891527724,
        -9.15095847217987,
    ],
];
pub const DOP853_B: &[f64] = &[
    0.054293734116568765,
    0.0,
    0.0,
    0.0,
    0.0,
    4.450312892752409,
    1.8915178993145003,
    -5.801203960010585,
    0.3111643669578199,
    -0.1521609496625161,
    0.20136540080403034,
    0.04471061572777259,
];
pub const DOP853_E3: &[f64] = &[
    -0.18980075407240762,
    0.0,
    0.0,
    0.0,
    0.0,
    4.450312892752409,
    1.8915178993145003,
    -5.801203960010585,
    -0.4226823213237919,
    -0.1521609496625161,
    0.20136540080403034,
    0.02265179219836082,
];
pub const DOP853_E5: &[f64] = &[
    0.01312004499419488,
    0.0,
    0.0,
    0.0,
    0.0,
    -1.2251564463762044,
    -0.4957589496572502,
    1.6643771824549864,
    -0.35032884874997366,
    0.3341791187130175,
    0.08192320648511571,
    -0.022355307863886294,
];
pub const DOP853_D: [&[f64]; 4] = [
    &[
        -8.428938276109013,
        0.0,
        0.0,
        0.0,
        0.0,
        0.5667149535193777,
        -3.0689499459498917,
        2.38466765651207,
        2.117034582445028,
        -0.871391583777973,
        2.2404374302607883,
        0.6315787787694688,
        -0.08899033645133331,
        18.148505520854727,
        -9.194632392478356,
        -4.436036387594894,
    ],
    &[
        10.427508642579134,
        0.0,
        0.0,
        0.0,
        0.0,
        242.28349177525817,
        165.20045171727028,
        -374.5467547226902,
        -22.113666853125306,
        7.733432668472264,
        -30.674084731089398,
        -9.332130526430229,
        15.697238121770845,
        -31.139403219565178,
        -9.35292435884448,
        35.81684148639408,
    ],
    &[
        19.985053242002433,
        0.0,
        0.0,
        0.0,
        0.0,
        -387.0373087493518,
        -189.17813819516758,
        527.8081592054236,
        -11.57390253995963,
        6.8812326946963,
        -1.0006050966910838,
        0.7777137798053443,
        -2.778205752353508,
        -60.19669523126412,
        84.32040550667716,
        11.99229113618279,
    ],
    &[
        -25.69393346270375,
        0.0,
        0.0,
        0.0,
        0.0,
        -154.18974869023643,
        -231.5293791760455,
        357.6391179106141,
        93.40532418362432,
        -37.45832313645163,
        104.0996495089623,
        29.8402934266605,
        -43.53345659001114,
        96.32455395918828,
        -39.17726167561544,
        -149.72683625798564,
    ],
];

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, t: &Tableau, tolerance: f64) {
        let n = t.n_stages();
        let a = |i: usize, j: usize| t.a[i].get(j).copied().unwrap_or(0.0);
        let b = |i: usize| t.b[i];
        let near = |label: &str, x: f64, y: f64| assert!((x - y).abs() < tolerance, "{name}, {label}: {x} and {y}");
        for i in 0..n {
            near("row sum", t.a[i].iter().sum(), t.c[i]);
        }
        for q in 1..=t.order {
            near("quadrature", (0..n).map(|i| b(i) * t.c[i].powi(q as i32 - 1)).sum(), 1.0 / f64::from(q));
        }
        // Trees with one branching below the root, up to order 5 (Hairer–Nørsett–Wanner, table II.2.1).
        let ac = |i: usize, p: i32| (0..i).map(|j| a(i, j) * t.c[j].powi(p)).sum::<f64>();
        let aac = |i: usize, p: i32| (0..i).map(|j| a(i, j) * ac(j, p)).sum::<f64>();
        let sum = |f: &dyn Fn(usize) -> f64| (0..n).map(|i| b(i) * f(i)).sum::<f64>();
        near("[[t]]", sum(&|i| ac(i, 1)), 1.0 / 6.0);
        near("c [t]", sum(&|i| t.c[i] * ac(i, 1)), 1.0 / 8.0);
        near("[t t]", sum(&|i| ac(i, 2)), 1.0 / 12.0);
        near("[[[t]]]", sum(&|i| aac(i, 1)), 1.0 / 24.0);
        if t.order >= 5 {
            near("c² [t]", sum(&|i| t.c[i].powi(2) * ac(i, 1)), 1.0 / 10.0);
            near("[t]²", sum(&|i| ac(i, 1).powi(2)), 1.0 / 20.0);
            near("c [t t]", sum(&|i| t.c[i] * ac(i, 2)), 1.0 / 15.0);
            near("[t t t]", sum(&|i| ac(i, 3)), 1.0 / 20.0);
            near("c [[t]]", sum(&|i| t.c[i] * aac(i, 1)), 1.0 / 30.0);
            near("[[t t]]", sum(&|i| aac(i, 2)), 1.0 / 60.0);
        }
    }

    #[test]
    fn order_conditions_hold() {
        check("rk4", &RK4, 1e-15);
        // The coefficients are printed to 16 digits; some are near 13, so sums are good to 1e-14.
        check("tsit5", &TSIT5, 2e-14);
        check("dop853", &DOP853, 2e-14);
    }

    /// At θ = 1 the dense weights are those of the method, and the weight of the new derivative is 0.
    #[test]
    fn dense_output_ends_at_the_new_point() {
        for (i, weights) in TSIT5_DENSE.iter().enumerate() {
            let end: f64 = weights.iter().sum();
            assert!((end - TSIT5.b.get(i).copied().unwrap_or(0.0)).abs() < 1e-13, "stage {i}: {end}");
        }
        for i in 0..16 {
            let row: f64 = DOP853_A[i].iter().sum();
            assert!((row - DOP853_C[i]).abs() < 1e-14);
        }
    }
}
