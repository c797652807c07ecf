//! Single tools of the house, for whoever measures them or tries them alone: the benchmarks, and the tests that look into one
//! room. Whoever uses the language needs none of them, and their names are no promise.
//!
//! A program that wants exact algebra asks an [`Inquiry`](algebra::Inquiry); one that wants numbers lowers expressions to a
//! [`Kernel`](codegen::ir::Kernel), compiles it, and hands it to an integrator as a [`Motion`](integrate::problem::Motion).

/// Exact numbers, expressions, polynomials, ideals and strata.
pub mod algebra {
    pub use crate::algebra::{Coordinate, Expr, Inquiry, Integer, Rational, Symbol, Verdict};
    pub mod assume {
        pub use crate::algebra::assume::Facts;
    }
    pub mod decide {
        pub use crate::algebra::decide::{equal, is_zero};
    }
    pub mod derive {
        pub use crate::algebra::derive::{Direction, gradient, symmetric_jacobian};
    }
    pub mod expr {
        pub use crate::algebra::expr::{node_count, post_order};
    }
    pub mod factor {
        pub use crate::algebra::factor::{factor, squarefree};
    }
    pub mod function {
        pub use crate::algebra::function::Elementary;
    }
    pub mod generator {
        pub use crate::algebra::generator::Generator;
    }
    pub mod ideal {
        pub use crate::algebra::ideal::{Order, eliminate, groebner, radical_contains, saturate};
    }
    pub mod normal {
        pub mod write {
            pub use crate::algebra::normal::write::polynomial_expr;
        }
    }
    pub mod polynomial {
        pub use crate::algebra::polynomial::{Monomial, Polynomial};
        pub mod modular {
            pub use crate::algebra::polynomial::modular::Sequence;
        }
    }
    pub mod print {
        pub use crate::algebra::print::{text, unicode};
    }
    pub mod roots {
        pub use crate::algebra::roots::{AlgebraicNumber, count_real_roots, isolate_real_roots};
    }
    pub mod stratum {
        pub use crate::algebra::stratum::{Branch, Cell, Frame, equal_sets};
        pub mod components {
            pub use crate::algebra::stratum::components::components;
        }
        pub mod leaves {
            pub use crate::algebra::stratum::leaves::{Leaf, LinearSystem, leaves, leaves_as_far_as_possible};
        }
        pub mod rank {
            pub use crate::algebra::stratum::rank::system_of;
        }
        pub mod set {
            pub use crate::algebra::stratum::set::{is_union_empty, maximal};
        }
        pub mod tangent {
            pub use crate::algebra::stratum::tangent::{dimension, projection};
        }
    }
    pub mod substitute {
        pub use crate::algebra::substitute::substitute;
    }
}

/// Counted work, and the stop from outside.
pub mod budget {
    pub use crate::budget::share::Share;
    pub use crate::budget::{Budget, Budgeted, Exhausted, interrupt, share, under_way};
}

/// From expressions to kernels, and from kernels to machine code.
pub mod codegen {
    pub mod compiled {
        pub use crate::codegen::compiled::{Backend, CompiledKernel, Options, compile};
    }
    pub mod emit {
        pub use crate::codegen::emit::{Language, emit};
    }
    pub mod ir {
        pub use crate::codegen::ir::{Bank, Binary, Comparison, Kernel, KernelBuilder, Shape, Unary, Value};
    }
    pub mod jacobian {
        pub use crate::codegen::jacobian::jacobian;
    }
    pub mod jet_compiled {
        pub use crate::codegen::jet_compiled::compile;
    }
    pub mod lower {
        pub use crate::codegen::lower::{Signature, expressions};
    }
    pub mod optimise {
        pub use crate::codegen::optimise::{Rewrites, optimise};
    }
    pub mod table {
        pub use crate::codegen::table::{Outside, Table};
    }
}

/// Forms on jet spaces.
pub mod geometry {
    pub use crate::geometry::{FiberedManifold, Form};
    pub mod contact {
        pub use crate::geometry::contact::one_contact_part;
    }
    pub mod jet {
        pub use crate::geometry::jet::{FiberedManifold, total_derivative, total_derivatives};
    }
}

/// Initial value problems.
pub mod integrate {
    pub use crate::integrate::run;
    pub mod control {
        pub use crate::integrate::control::{StopReason, Tolerance};
    }
    pub mod lie {
        pub use crate::integrate::lie::{Group, GroupAction};
    }
    pub mod method {
        pub use crate::integrate::method::{Family, Kept, Method, Quantity, Written};
    }
    pub mod pairs {
        pub use crate::integrate::pairs::{goes_in_pairs, run_all};
    }
    pub mod problem {
        pub use crate::integrate::problem::{
            BadProblem, Direction, Event, InitialValueProblem, Limits, Motion, MotionSpec, Recording,
        };
    }
    pub mod surface {
        pub use crate::integrate::surface::Level;
    }
    pub mod trajectory {
        pub use crate::integrate::trajectory::Trajectory;
    }
    pub mod variational {
        pub use crate::integrate::variational::Action;
    }
}

/// Lagrangians and their dynamics.
pub mod mechanics {
    pub mod certificate {
        pub use crate::mechanics::certificate::certified;
    }
    pub mod constraint_algorithm {
        pub use crate::mechanics::constraint_algorithm::{Dynamics, SystemDynamics, dynamics};
    }
    pub mod lepage_class {
        pub use crate::mechanics::lepage_class::closed_representative;
    }
    pub mod lagrangian {
        pub use crate::mechanics::lagrangian::Lagrangian;
    }
}

/// The values of the language.
pub mod model {
    pub mod kind {
        pub use crate::model::kind::{ANSWER, ANY, FAMILY, FIELD, FORM, FUNCTION, Gives, Kinds, Presence, SYSTEM};
    }
    pub mod operate {
        pub use crate::model::operate::as_expr;
    }
    pub mod value {
        pub use crate::model::value::Value;
    }
}

/// The law of a motion.
pub mod motion {
    pub mod law {
        pub use crate::motion::law::Law;
    }
}

/// The reference, written from the tables.
pub mod reference {
    pub use crate::cli::reference::page;
}

/// The rows of the questions.
pub mod questions {
    pub use crate::questions::{Question, all};
    pub mod constrained_motion {
        pub use crate::questions::constrained_motion::{
            ConstrainedLaw, ConstrainedMotion, constrained_motion, uncharted_law,
        };
    }
}

/// The session at a terminal.
pub mod repl {
    pub use crate::repl::Repl;
}

/// Text, and what is read in it.
pub mod syntax {
    pub mod ast {
        pub use crate::syntax::ast::{Ast, ExprKind, Statement, StatementKind};
    }
    pub mod format {
        pub use crate::syntax::format::{format, layout};
    }
    pub mod lexer {
        pub use crate::syntax::lexer::lex;
    }
    pub mod parse {
        pub use crate::syntax::parse::{Completeness, is_complete, parse};
    }
}

/// Processor time.
pub mod timing {
    pub use crate::timing::{process_cpu, thread_cpu};
}
