//! The table of codes. Every diagnostic has a number and a name; `lepage explain` shows the row with
//! a tiny failing program and its repair. The ranges tell the room: 00xx text, 01xx names, 02xx
//! values and algebra, 03xx geometry, 04xx systems and questions, 06xx constraints, 07xx runs, 09xx
//! limits and the program itself.

use std::fmt::Write;

/// One row: number, name, what it is about, and a failing program with its repair.
#[derive(PartialEq, Eq, Debug)]
pub struct Code {
    pub number: u16,
    /// The name by which `assert … fails with name` expects it.
    pub name: &'static str,
    pub title: &'static str,
    /// Two or three sentences for `lepage explain`.
    pub explanation: &'static str,
    /// A tiny program that gets this diagnostic; empty where no program text can cause it.
    pub failing: &'static str,
    /// The same program, repaired.
    pub repaired: &'static str,
}

/// `E0312`
impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "E{:04}", self.number)
    }
}

impl Code {
    /// The words of `lepage explain`, also shown by `:help E0312` in the REPL.
    pub fn explained(&self) -> String {
        let mut out = format!("{self} {}: {}\n\n{}\n", self.name, self.title, self.explanation);
        let indented = |text: &str| text.lines().map(|l| format!("    {l}\n")).collect::<String>();
        if !self.failing.is_empty() {
            let _ = write!(out, "\nThis program gets it:\n\n{}", indented(self.failing));
        }
        if !self.repaired.is_empty() {
            let _ = write!(out, "\nRepaired:\n\n{}", indented(self.repaired));
        }
        out
    }
}

macro_rules! codes {
    ($($ident:ident = $number:literal $name:literal: $title:literal, $explanation:literal, $failing:literal => $repaired:literal;)*) => {
        $(pub static $ident: Code = Code {
            number: $number, name: $name, title: $title,
            explanation: $explanation, failing: $failing, repaired: $repaired,
        };)*
        /// Every code, ascending.
        pub static ALL: &[&Code] = &[$(&$ident),*];
    };
}

codes! {
    SYNTAX = 1 "syntax": "this cannot be read",
        "The text does not have the shape of a statement. The message names what was expected at this place.",
        "let a = 2 + * 3" => "let a = 2 * 3";
    UNCLOSED_BRACKET = 2 "unclosed_bracket": "a bracket is never closed",
        "Every `(`, `[` and `{` needs its closing partner. Inside `( )` and `[ ]` a statement can go over several lines, so a missing bracket would swallow the lines below; reading resumes at the next line that can only begin a statement.",
        "let a = sin(2*(1 + 3)\nlet b = 2" => "let a = sin(2*(1 + 3))\nlet b = 2";
    UNMATCHED_BRACKET = 3 "unmatched_bracket": "a closing bracket without its partner",
        "This bracket closes nothing, or another kind of bracket than the one that was opened.",
        "let a = [1, 2)" => "let a = [1, 2]";
    UNTERMINATED_STRING = 4 "unterminated_string": "a string does not end",
        "A string stands between two quotes on one line.",
        "test \"a sum { assert 1 + 1 = 2 }" => "test \"a sum\" { assert 1 + 1 = 2 }";
    UNTERMINATED_COMMENT = 5 "unterminated_comment": "a comment does not end",
        "A comment that begins with `/*` ends with `*/`. Such comments do not nest. For a comment to the end of the line write `//`.",
        "/* the sledge\nlet a = 2" => "/* the sledge */\nlet a = 2";
    STRAY_CHARACTER = 6 "stray_character": "a sign that the language does not have",
        "Programs are made of Unicode names, numbers, strings, brackets and the signs `+ - * / ^ /\\ = != < <= > >= , ; : . .. ' @ ->`. Typographic signs and those of other languages have an equivalent.",
        "let a = 2 × 3" => "let a = 2 * 3";
    SIGN_AT_START = 7 "sign_at_start": "a statement cannot begin with a sign",
        "At the start of a line `+` and `-` continue the line above if a blank follows, and begin a statement otherwise. A question never begins with a sign, so that a term of the line above is not lost without a word.",
        "let T = 3\n-2" => "let T = 3\n- 2";
    RESERVED_WORD = 8 "reserved_word": "a reserved word cannot be a name",
        "The words `and as assert assume at by fails in is let not on or over param subject to when with within` are never names. All other words of the language may be used as names.",
        "param on = 2" => "param on1 = 2";
    JUXTAPOSITION = 9 "juxtaposition": "a product needs its `*`",
        "There is no product by juxtaposition: `2x`, `a b` and `(a + b)(c + d)` need a `*`.",
        "let a = 2pi" => "let a = 2*pi";
    DECIMAL_POINT = 10 "decimal_point": "a decimal point needs digits on both sides",
        "Write `0.5` and `1.0`; a point after a name asks for a part.",
        "let a = .5" => "let a = 0.5";
    NESTING = 11 "nesting": "nested too deeply",
        "Brackets, exponents, prefix signs and parts may be nested 256 levels deep, together. Name a part with `let` and use the name.",
        "((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((1)))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))" => "(1)";
    NUMBER_TOO_LARGE = 12 "number_too_large": "a number is too large",
        "Numbers are exact, so their digits are kept; a number has at most 2^20 bits, all numbers of a program together 2^24.",
        "let a = 1e999999999" => "let a = 1e99";
    PRIMED_NAME = 13 "primed_name": "a declared name has no primes",
        "A prime is a derivative. Declare the coordinate or parameter without primes; its derivatives come with it.",
        "param m' = 1" => "param m = 1";
    CHAINED_COMPARISON = 14 "chained_comparison": "two comparisons in a row",
        "A comparison has two sides. Write `0 < x and x < 1` for `0 < x < 1`.",
        "param m\nassume 0 < m < 1" => "param m\nassume 0 < m and m < 1";
    UNKNOWN_CLAUSE = 15 "unknown_clause": "this block has no such clause",
        "The entries of a run begin with `from`, `set`, `until`, `method`, `tolerance`, `step`, `record`, `stop`, `branch` (and `collect`, `sample` in a sweep); a constraint has the clauses `dependent:`, `branch:`, `reactions:` and `forms:`.",
        "manifold Y over t { x }\nlagrangian L on J1(Y) = x'^2/2\nsimulate L { form x' = 1; until t = 1 }" => "manifold Y over t { x }\nlagrangian L on J1(Y) = x'^2/2\nsimulate L { from x' = 1; until t = 1 }";
    REPEATED_CLAUSE = 16 "repeated_clause": "a clause is given twice",
        "Each of `dependent:`, `branch:`, `reactions:`, `forms:` in a constraint, and of `until`, `method`, `tolerance`, `step`, `branch` in a run, is given once.",
        "manifold Y over t { x, y, z }\nconstraint c on J1(Y) { x' = z; y' = z; dependent: x; dependent: y }" => "manifold Y over t { x, y, z }\nconstraint c on J1(Y) { x' = z; y' = z; dependent: x, y }";
    UNKNOWN_TYPE = 17 "unknown_type": "this is not a type",
        "After the colon of a form or field stand `horizontal`, `horizontal over Y`, `contact`, `2-contact`, `dynamical`, `lepage`, `closed`, `1-form`, `vertical`, `projectable`, `semispray`; after that of a coordinate, `angle`.",
        "manifold Y over t { phi : angel }" => "manifold Y over t { phi : angle }";
    WRONG_ENTRY = 18 "wrong_entry": "an entry of another kind was expected here",
        "A manifold holds coordinates, a map, section or point equations `x = …`, a force or equations components `x: …`, a distribution its generators, a constraint equations and clauses.",
        "manifold Y over t { x }\nforce F on J1(Y) { x = -x' }" => "manifold Y over t { x }\nforce F on J1(Y) { x: -x' }";
    MISPLACED_WITHIN = 19 "misplaced_within": "`within` belongs to an equality",
        "`A = B within e` compares up to an absolute or relative error. The other comparisons have no use for it.",
        "assert 1 < 2 within 1/10" => "assert 1 = 2 within 1";
    MISSING_NAME = 20 "missing_name": "a declaration needs a name",
        "What is declared has a name, directly after the first word.",
        "manifold Y over t { x }\nforce on J1(Y) { x: -x' }" => "manifold Y over t { x }\nforce F on J1(Y) { x: -x' }";
    TOO_MANY_PROBLEMS = 21 "too_many_problems": "the rest of the text was not read",
        "After a hundred problems reading stops; mend these first.",
        ")))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))" => "(1)";
    TOO_MANY_PRIMES = 22 "too_many_primes": "a name has too many primes",
        "Jets have orders up to 64, and each prime is one more.",
        "manifold Y over t { x }\nx'''''''''''''''''''''''''''''''''''''''''''''''''''''''''''''''''" => "manifold Y over t { x }\nx''";
    HIDDEN_DIRECTION = 23 "hidden_direction": "this text is shown in another order than it is read",
        "Characters that turn the direction of writing are invisible and can make a comment look like code, or code like a comment. No program needs them.",
        "let a = 1 // \u{202e}1 + a tel\na" => "let a = 1 // let a + 1\na";
    LOOK_ALIKE = 24 "look_alike": "two names look the same",
        "Letters of different alphabets can look alike, and so can one letter with an accent and a letter followed by an accent. To the program they are different names; to a reader they are not.",
        "param a = 1\nparam \u{430} = 2\na + \u{430}" => "param a = 1\nparam b = 2\na + b";
    UNKNOWN_NAME = 101 "unknown_name": "this name is not declared",
        "A name must be declared before it is used: a coordinate in a manifold, a symbol with param, a value with let.",
        "manifold Y over t { x }\nlagrangian L on J1(Y) = m*x'^2/2" => "manifold Y over t { x }\nparam m\nlagrangian L on J1(Y) = m*x'^2/2";
    DECLARED_TWICE = 102 "declared_twice": "this name is declared twice",
        "In a file every name is declared once. In the REPL a name may be declared again: what depends on it is then elaborated anew.",
        "param m = 1\nparam m = 2\nm" => "param m = 1\nparam k = 2\nm + k";
    AMBIGUOUS_NAME = 103 "ambiguous_name": "this name has several meanings",
        "Two manifolds may share a coordinate name. The clause `on` decides; elsewhere the manifold is written before the name. A declared `dx` beside a coordinate `x` would be its differential too.",
        "manifold Y over t { x }\nmanifold Z over t { x }\nx" => "manifold Y over t { x }\nmanifold Z over t { x }\nY.x + Z.x";
    UNKNOWN_PART = 104 "unknown_part": "this answer has no such part",
        "Answers have named parts after a dot and entries in brackets. The message lists those of this answer.",
        "manifold Y over t { x }\nlagrangian L on J1(Y) = x'^2/2\ndynamical_form(L).size" => "manifold Y over t { x }\nlagrangian L on J1(Y) = x'^2/2\ndynamical_form(L).dim";
    UNUSED_NAME = 105 "unused_name": "this name is never used",
        "A declared name that nothing uses is often a slip of the pen.",
        "param m = 1, k = 2\n2*m" => "param m = 1\n2*m";
    HIDES_BUILT_IN = 106 "hides_built_in": "this name hides a built-in function",
        "A function of yours may have the name of a built-in one, which then is reached as core.name(…).",
        "let h(x) = x^2\nh(3)" => "let height(x) = x^2\nheight(3)";
    DEPENDS = 107 "depends": "this depends on a declaration that was refused",
        "The statement itself may be right. Repair the declaration named in the message first.",
        "manifold Y over t { x }\nlagrangian L on J1(Y) = m*x'^2/2\nequations(L)" => "manifold Y over t { x }\nparam m\nlagrangian L on J1(Y) = m*x'^2/2\nequations(L)";
    MISSING_LIBRARY = 108 "missing_library": "this library does not exist",
        "use std.name brings in a file of the standard library; a file of yours is named in quotes.",
        "use std.spring\nspring(2, 1)" => "use std.springs\nspring(2, 1)";
    CYCLE = 109 "cycle": "these files use each other in a circle",
        "A file cannot use itself, not even through others.",
        "// This is the file program.mech.\nuse \"program.mech\"" => "// This is the file program.mech.\nuse std.springs\nspring(2, 1)";
    OUTSIDE_FOLDER = 110 "outside_folder": "this file is outside the folder of the program",
        "A program reads only files in its own folder and below it, so that running a program that somebody sent is safe. A path is relative to the file that names it.",
        "use \"../springs.mech\"\nspring(2, 1)" => "use std.springs\nspring(2, 1)";
    OUTSIDE_OUT = 111 "outside_out": "this file would be written outside the folder for files",
        "What a program saves and plots is written into the folder of `--out`, or into the working folder, and below it, so that running a program that somebody sent is safe. `--allow-outside` lifts this.",
        "manifold Y over t { x }\nlagrangian L on J1(Y) = x'^2/2\nlet run = simulate L { from x' = 1; until t = 1 }\nsave run to \"../run.csv\"" => "manifold Y over t { x }\nlagrangian L on J1(Y) = x'^2/2\nlet run = simulate L { from x' = 1; until t = 1 }\nsave run to \"run.csv\"";
    WRONG_KIND = 201 "wrong_kind": "this is of the wrong kind",
        "Numbers, forms, fields, points, matrices and systems are different things. The message says what was found and what is needed.",
        "manifold Y over t { x }\ndx + @x" => "manifold Y over t { x }\ndx + dt";
    WRONG_ARGUMENTS = 202 "wrong_arguments": "this function takes other arguments",
        "The number of arguments differs from the declaration.",
        "sin(1, 2)" => "sin(1)";
    DIVISION_BY_ZERO = 203 "division_by_zero": "this divides by zero",
        "The denominator is zero, as written or after simplification.",
        "1/(2 - 2)" => "1/2";
    NOT_REAL = 204 "not_real": "this has no real value",
        "Everything is real: the root of a negative number and the logarithm of what is not positive do not exist.",
        "sqrt(-1)" => "sqrt(2)";
    NO_EFFECT = 205 "no_effect": "this has no effect",
        "A declaration, an option or a clause that cannot have an effect is an error, never ignored.",
        "assume 2 > 1" => "param m\nassume m > 0\nsqrt(m^2)";
    CONTRADICTION = 206 "contradiction": "these facts contradict each other",
        "What is assumed must be able to hold together.",
        "param m\nassume m > 0\nassume m < 0\nm" => "param m\nassume m > 0\nsqrt(m^2)";
    CONDITION = 207 "condition": "this holds under a condition",
        "What was promised of a declaration holds where the named expression does not vanish. The conditions of an answer stand in the answer, after `where`.",
        "manifold Y over t { x }\nfield S : semispray on J1(Y) = x*@t + x*x'*@x" => "manifold Y over t { x }\nfield S : semispray on J1(Y) = @t + x'*@x";
    UNSOLVED = 208 "unsolved": "these equations cannot be solved in closed form",
        "`solve` follows rules that give every real solution: linear and quadratic equations, roots, exponentials and logarithms, factors one by one, systems that can be solved one after the other. What they do not cover is refused, and the message shows the equation that is left.",
        "manifold Y over t { x }\nsolve(x + exp(x) = 0, x)" => "manifold Y over t { x }\nsolve(exp(x) = 2, x)";
    WRONG_DEGREE = 301 "wrong_degree": "this form has the wrong degree",
        "Forms are added, compared and promised degree by degree: dx is a 1-form, dx /\\ dt a 2-form, a function a 0-form. The interior product lowers the degree, and so needs one to lower.",
        "manifold Y over t { x }\nform a : 2-form on Y = x*dx" => "manifold Y over t { x }\nform a : 1-form on Y = x*dx";
    WRONG_MANIFOLD = 302 "wrong_manifold": "these objects live on different manifolds",
        "Two manifolds share nothing but the time unless one lies over the other. A map carries objects between them.",
        "manifold Y over t { x }\nmanifold Z over t { u }\nlagrangian L on J1(Y) = x'^2 - u^2" => "manifold Y over t { x, u }\nlagrangian L on J1(Y) = x'^2 - u^2";
    ORDER_TOO_HIGH = 303 "order_too_high": "this depends on derivatives of too high an order",
        "The clause `on J1(Y)` bounds the order of what is declared: only t, the coordinates and their first derivatives may occur, after everything that cancels is gone.",
        "manifold Y over t { x }\nlagrangian L on J1(Y) = x''^2" => "manifold Y over t { x }\nlagrangian L on J2(Y) = x''^2";
    PAST_DIMENSION = 304 "past_dimension": "this form is zero because its degree exceeds the dimension",
        "More factors than the space has dimensions cannot be independent, so the product is zero.",
        "manifold Y over t { x }\nform a on Y = dx /\\ dt /\\ dx" => "manifold Y over t { x }\nform a on Y = dx /\\ dt";
    MISSING_COMPONENT = 305 "missing_component": "a coordinate has no component",
        "A section gives every coordinate of its manifold, a map every coordinate of its target.",
        "manifold Y over t { x, y }\nsection g on Y { x = cos(t) }" => "manifold Y over t { x, y }\nsection g on Y { x = cos(t); y = sin(t) }";
    NO_SLOT = 306 "no_slot": "a function cannot be contracted",
        "The interior product fills the first slot of a form and lowers its degree by one. A function has no slot; its derivative along a field is the Lie derivative.",
        "manifold Y over t { x }\ni(@x, x^2)" => "manifold Y over t { x }\nlie(@x, x^2)";
    NOT_HORIZONTAL = 312 "not_horizontal": "this form is not horizontal",
        "A horizontal form has components along dt only. The horizontal part h(η) replaces dx by x'*dt.",
        "manifold Y over t { x, y }\nlagrangian L on J1(Y) = x'*dt + y*dx" => "manifold Y over t { x, y }\nlagrangian L on J1(Y) = h(x'*dt + y*dx)";
    NOT_HORIZONTAL_OVER = 313 "not_horizontal_over": "this form is not horizontal over the manifold",
        "A form on a jet space is horizontal over Y when only dt and the differentials of the coordinates of Y occur; its coefficients may depend on all jets.",
        "manifold Y over t { x }\nform a : horizontal over Y 1-form on J1(Y) = x*dx'" => "manifold Y over t { x }\nform a : 1-form on J1(Y) = x*dx'";
    NOT_CONTACT = 314 "not_contact": "this form is not contact",
        "A contact form vanishes along every motion: its horizontal part is zero. The contact part p(η) is what remains of η.",
        "manifold Y over t { x }\nform a : contact 1-form on J1(Y) = dx" => "manifold Y over t { x }\nform a : contact 1-form on J1(Y) = p(dx)";
    NOT_K_CONTACT = 315 "not_k_contact": "this form has parts of another contactness",
        "In the basis dt, omega(x), omega(x'), … a k-contact form has exactly k contact factors in every term.",
        "manifold Y over t { x }\nform a : 1-contact 2-form on J2(Y) = omega(x) /\\ omega(x')" => "manifold Y over t { x }\nform a : 2-contact 2-form on J2(Y) = omega(x) /\\ omega(x')";
    NOT_DYNAMICAL = 316 "not_dynamical": "this form is not dynamical",
        "A dynamical form is a 2-form with terms E*dx /\\ dt only, one for each coordinate: it states one equation for each.",
        "manifold Y over t { x }\nform E : dynamical 2-form on J2(Y) = x''*dx' /\\ dt" => "manifold Y over t { x }\nform E : dynamical 2-form on J2(Y) = x''*dx /\\ dt";
    NOT_LEPAGE = 317 "not_lepage": "this form is not a Lepage form",
        "The 1-contact part of a Lepage 2-form is dynamical. So the terms along omega(x') /\\ dt and higher must vanish.",
        "manifold Y over t { x }\nform a : lepage 2-form on J1(Y) = x*dx' /\\ dt" => "manifold Y over t { x }\nform a : lepage 2-form on J1(Y) = x*dx /\\ dx' + x*x'*dx' /\\ dt";
    NOT_CLOSED = 318 "not_closed": "this form is not closed",
        "A form is closed when its exterior derivative is zero.",
        "manifold Y over t { x, y }\nform a : closed 1-form on Y = x*dy" => "manifold Y over t { x, y }\nform a : closed 1-form on Y = x*dy + y*dx";
    NOT_VERTICAL = 321 "not_vertical": "this vector field is not vertical",
        "A vertical field has no component along @t.",
        "manifold Y over t { x }\nfield Z : vertical on Y = @t + @x" => "manifold Y over t { x }\nfield Z : vertical on Y = @x";
    NOT_PROJECTABLE = 322 "not_projectable": "this vector field is not projectable",
        "A projectable field covers a field on the time axis: its component along @t depends on t only. Only such fields have prolongations.",
        "manifold Y over t { x }\nfield Z : projectable on Y = x*@t" => "manifold Y over t { x }\nfield Z : projectable on Y = t*@t";
    NOT_SEMISPRAY = 323 "not_semispray": "this vector field is not a semispray",
        "The integral curves of a semispray are prolonged motions: after division by the component along @t, which must not vanish, the component along @x is x', that along @x' is x'', up to the last but one.",
        "manifold Y over t { x }\nfield S : semispray on J1(Y) = @t + x*@x" => "manifold Y over t { x }\nfield S : semispray on J1(Y) = @t + x'*@x";
    UNDECIDED = 330 "undecided": "this could not be decided",
        "A promise or a question rests on whether an expression is zero, and neither yes nor no could be shown. What is known about parameters and domains can be stated with assume.",
        "manifold Y over t { x }\nform a : horizontal 1-form on J1(Y) = asin(2 + x^2)*dx" => "manifold Y over t { x }\nform a : 1-form on J1(Y) = asin(x)*dx";
    NOT_INVERTIBLE = 331 "not_invertible": "this map cannot be inverted",
        "transform(A, map) needs the old coordinates as functions of the new ones. The map must have as many components as coordinates, and equations that can be solved.",
        "manifold P over t { r }\nmanifold Y over t { x, y }\nmap c : P -> Y { x = r; y = r }\nlagrangian L on J1(P) = r'^2\ntransform(L, c)" => "manifold P over t { r }\nmanifold Y over t { x }\nmap c : P -> Y { x = 2*r }\nlagrangian L on J1(P) = r'^2\ntransform(L, c)";
    NOT_VARIATIONAL = 401 "not_variational": "these equations have no Lagrangian as they stand",
        "Momenta, a Hamiltonian and a Lagrangian exist for variational equations only: those that satisfy the Helmholtz conditions. A multiplier may help; integrating_factor(S) searches for one.",
        "manifold Y over t { q }\nequations E on J2(Y) { q: -q'' - q' - q }\ntonti(E)" => "manifold Y over t { q }\nequations E on J2(Y) { q: -exp(t)*(q'' + q' + q) }\ntonti(E)";
    NOT_A_SYMMETRY = 402 "not_a_symmetry": "this field is no symmetry",
        "Noether's theorem asks that the Lagrangian change by a total derivative along the prolonged field.",
        "manifold Y over t { q }\nlagrangian L on J1(Y) = q'^2/2 - q^2/2\nnoether(L, @q)" => "manifold Y over t { q }\nlagrangian L on J1(Y) = q'^2/2\nnoether(L, @q)";
    DEGENERATE = 404 "degenerate": "this is degenerate here",
        "An answer rests on a condition that fails at this point, or an expression has no value there.",
        "manifold Y over t { x }\nlet f = 1/x\nf at { x = 0 }" => "manifold Y over t { x }\nlet f = 1/x\nf at { x = 2 }";
    MISSING_PARAMETER = 405 "missing_parameter": "a value is missing",
        "Numbers are needed here, and a parameter, coordinate or function has none yet.",
        "manifold Y over t { x, y }\nlagrangian L on J1(Y) = x*x'^2/2 + y'^2/2\nclassify(L).rank_B at { y = 1 }" => "manifold Y over t { x, y }\nlagrangian L on J1(Y) = x*x'^2/2 + y'^2/2\nclassify(L).rank_B at { x = 1 }";
    NOT_APPLICABLE = 406 "not_applicable": "this notion does not apply",
        "The question makes no sense for this object, for instance weak regularity for equations of first order.",
        "manifold Y over t { x }\nlagrangian L on J1(Y) = x'^2/2\nequivalent(L, 0).primitive" => "manifold Y over t { x }\nlagrangian L on J1(Y) = x'\nequivalent(L, 0).primitive";
    ASSERTION_FAILED = 410 "assertion_failed": "this assertion does not hold",
        "The two sides differ, or the verdict is no. The labels show what was found.",
        "assert 1 + 1 = 3" => "assert 1 + 1 = 2";
    INCONCLUSIVE = 411 "inconclusive": "this assertion could not be decided",
        "Unknown is neither yes nor no: an assertion that rests on an unknown verdict does not hold.",
        "param a\nassert a > 0" => "param a\nassume a > 0\nassert a > 0";
    SAMPLED = 412 "sampled": "this rests on sampling",
        "No proof was found, and the claim held at every point that was tried. Answers built on it repeat the mark. Often another form of the same claim can be proved.",
        "param a\nassume a > 0\nassert acos((1 - a^2)/(1 + a^2)) = 2*atan(a)" => "param a\nassume a > 0\nassert (1 - a^2)/(1 + a^2) = cos(2*atan(a))";
    OFF_CONSTRAINT = 601 "off_constraint": "this state does not lie on the constraint",
        "A system moves on a submanifold only, and the values that were given do not fit together. The message shows the residual of each violated equation and the nearest state that fits; what is left out is filled in.",
        "manifold Y over t { x, y }\nlagrangian L on J1(Y) = x'^2/2 - x*y - y^2/2\nsimulate L { from x = 1, y = 1; until t = 1 }" => "manifold Y over t { x, y }\nlagrangian L on J1(Y) = x'^2/2 - x*y - y^2/2\nsimulate L { from x = 1, y = -1; until t = 1 }";
    CONSTRAINTS_DEPENDENT = 611 "constraints_dependent": "these constraints are not independent",
        "A constraint follows from the others. rank_condition(Q) shows the relation between them and an independent subset.",
        "manifold Y over t { x, y, z }\nconstraint Q on J1(Y) { x' = 2*y'; 2*x' = 4*y' }\nnormal_form(Q)" => "manifold Y over t { x, y, z }\nconstraint Q on J1(Y) { x' = 2*y' }\nnormal_form(Q)";
    CONSTRAINTS_INCONSISTENT = 612 "constraints_inconsistent": "these constraints contradict each other",
        "No real motion satisfies all of the constraints: a combination of them says 1 = 0, or an equation has no real solution.",
        "manifold Y over t { x, y, z }\nconstraint Q on J1(Y) { x' = y; x' = y + 1 }\nnormal_form(Q)" => "manifold Y over t { x, y, z }\nconstraint Q on J1(Y) { x' = y; z' = y + 1 }\nnormal_form(Q)";
    HIDDEN_LOWER_ORDER_CONSTRAINT = 613 "hidden_lower_order_constraint": "these constraints hide one of lower order",
        "A combination of the constraints does not contain their highest derivatives. It is a constraint of its own, and is to be written as one.",
        "manifold Y over t { x, y, z }\nconstraint Q on J1(Y) { x' = z*y'; x' = z*y' + x - y }\nnormal_form(Q)" => "manifold Y over t { x, y, z }\nconstraint Q on J1(Y) { x' = z*y'; x = y }\nrank_condition(Q)";
    RANK_DEFICIENT_ON_Q = 614 "rank_deficient_on_Q": "these constraints lose rank where they hold",
        "The derivatives by the highest jets are independent in general, and dependent at the points where the constraints hold: a square, or a product with another constraint.",
        "manifold Y over t { x, z }\nconstraint Q on J1(Y) { (x' - z)^2 = 0 }\nnormal_form(Q)" => "manifold Y over t { x, z }\nconstraint Q on J1(Y) { x' - z = 0 }\nnormal_form(Q)";
    TOO_MANY_CONSTRAINTS = 615 "too_many_constraints": "there are as many constraints as coordinates, or more",
        "The constraints alone are equations of motion, and leave nothing to the dynamics.",
        "manifold Y over t { x, y }\nconstraint Q on J1(Y) { x' = y; y' = -x }\nnormal_form(Q)" => "manifold Y over t { x, y }\nconstraint Q on J1(Y) { x' = y }\nnormal_form(Q)";
    CONDITION_4_4 = 620 "condition_4_4": "condition (4.4) fails",
        "Constraint momenta exist where the derivatives of B′ by the independent velocities are symmetric, Volný–Krupková (4.4). For nonlinear constraints that depends on which velocities are dependent; legendre(S).choices tests all of them.",
        "manifold Y over t { x, y, z }\nlagrangian L on J1(Y) = (x'^2 + y'^2 + z'^2)/2\nconstraint Q on J1(Y) { z'^2 = x'^2 + y'^2; dependent: z; branch: z' > 0 }\nmomenta(L subject to Q)" => "manifold Y over t { x, y, z }\nlagrangian L on J1(Y) = (x'^2 + y'^2 + z'^2)/2\nconstraint Q on J1(Y) { z' = y*x'; dependent: z }\nmomenta(L subject to Q)";
    NOT_DETERMINED = 701 "not_determined": "the motion is not determined",
        "The equations leave an acceleration open, so there is no single motion to integrate. dynamics(S) names the submanifolds on which the system moves and what is free there.",
        "manifold Y over t { x, y }\nlagrangian L on J1(Y) = x'^2/2\nsimulate L { from x' = 1; until t = 1 }" => "manifold Y over t { x, y }\nlagrangian L on J1(Y) = x'^2/2 + y'^2/2\nsimulate L { from x' = 1; until t = 1 }";
    NO_MOTION = 702 "no_motion": "there is no motion from this state",
        "The equations have no solution at this state: it lies where the system is singular, or off the set where motions exist.",
        "manifold Y over t { x }\nlagrangian L on J1(Y) = x*x'^2/2 - x\nsimulate L { from x = 0, x' = 1; until t = 1 }" => "manifold Y over t { x }\nlagrangian L on J1(Y) = x*x'^2/2 - x\nsimulate L { from x = 1, x' = 1; until t = 1/10 }";
    NO_END = 703 "no_end": "this run has no end",
        "A run ends at a value of the time, `until t = 10`; `stop when` may end it earlier.",
        "manifold Y over t { x }\nlagrangian L on J1(Y) = x'^2/2\nsimulate L { from x' = 1 }" => "manifold Y over t { x }\nlagrangian L on J1(Y) = x'^2/2\nsimulate L { from x' = 1; until t = 1 }";
    BAD_OPTION = 704 "bad_option": "this option of a run is not possible",
        "A method that does not exist, a tolerance that is not positive, an interval that is not positive.",
        "manifold Y over t { x }\nlagrangian L on J1(Y) = x'^2/2\nsimulate L { from x' = 1; until t = 1; tolerance -1 }" => "manifold Y over t { x }\nlagrangian L on J1(Y) = x'^2/2\nsimulate L { from x' = 1; until t = 1; tolerance 1e-9 }";
    RUN_STOPPED = 705 "run_stopped": "the run stopped before its end",
        "The reason is part of the run: a singular point, a blow-up, a step that became too small, an interrupt, a budget.",
        "manifold Y over t { x }\nlagrangian L on J1(Y) = x'^2/2 + 2*x^3\nsimulate L { from x = 1, x' = 2; until t = 2 }" => "manifold Y over t { x }\nlagrangian L on J1(Y) = x'^2/2 + 2*x^3\nsimulate L { from x = 1, x' = 2; until t = 1/2 }";
    OUTSIDE_RUN = 706 "outside_run": "this time is outside the run",
        "A run has states between its beginning and its end.",
        "manifold Y over t { x }\nlagrangian L on J1(Y) = x'^2/2\nlet run = simulate L { from x' = 1; until t = 1 }\nrun at { t = 3 }" => "manifold Y over t { x }\nlagrangian L on J1(Y) = x'^2/2\nlet run = simulate L { from x' = 1; until t = 1 }\nrun at { t = 1/2 }";
    FILLED_IN = 707 "filled_in": "the initial state was completed",
        "What `from` leaves out is 0, unless the system moves on a submanifold that forbids it: then the missing values are those nearest to 0 that lie on it.",
        "manifold Y over t { x, y }\nlagrangian L on J1(Y) = x'^2/2 - x*y - y^2/2\nsimulate L { from x = 1; until t = 1 }" => "manifold Y over t { x, y }\nlagrangian L on J1(Y) = x'^2/2 - x*y - y^2/2\nsimulate L { from x = 1, y = -1; until t = 1 }";
    METHOD_MISFIT = 708 "method_misfit": "this method does not fit this system",
        "Verlet's method and its compositions move positions by momenta and momenta by positions: H = T(p) + V(q). Friction, magnetic forces, constraints and masses that depend on positions are not of that kind. Variational methods need a Lagrangian of first order, and momenta that determine the velocities.",
        "manifold Y over t { x }\nlagrangian L on J1(Y) = (1 + x^2)*x'^2/2\nsimulate L { from x' = 1; until t = 1; method verlet; step 1/100 }" => "manifold Y over t { x }\nlagrangian L on J1(Y) = (1 + x^2)*x'^2/2\nsimulate L { from x' = 1; until t = 1; method dop853 }";
    BUDGET = 901 "budget": "the computation went over its budget",
        "A budget of nodes, bits or time was exhausted. What is known so far is reported; nothing is guessed.",
        "2^(10^9)" => "2^(10^3)";
    NOT_AVAILABLE = 902 "not_available": "this is not available yet",
        "The statement belongs to the language, but this version does not answer it yet.",
        "manifold Y over t { x }\nmanifold Z over s { z }\nmap later : Y -> Z { s = 2*t; z = x }\nsection g on Y { x = t^2 }\ntransform(g, later)" => "manifold Y over t { x }\nmanifold Z over t { z }\nmap other : Y -> Z { z = x }\nsection g on Y { x = t^2 }\ntransform(g, other)";
    CANNOT_READ = 903 "cannot_read": "this file cannot be read",
        "A file named on the command line or after use is missing, is a folder, or may not be read.",
        "use \"no_such_file.mech\"" => "use std.springs\nspring(2, 1)";
    NOT_TEXT = 904 "not_text": "this file is not UTF-8 text",
        "Programs are UTF-8. The message names the first byte that is not, counted from 1.",
        "// latin1.mech was saved in another encoding.\nuse \"latin1.mech\"" => "// utf8.mech is the same file, saved as UTF-8.\nuse \"utf8.mech\"";
    CANNOT_WRITE = 905 "cannot_write": "the output cannot be written",
        "The disk is full, the file may not be written, or the program reading the output has gone.",
        "// program.mech is a file and no folder.\nmanifold Y over t { x }\nlagrangian L on J1(Y) = x'^2/2\nlet run = simulate L { from x' = 1; until t = 1 }\nsave run to \"program.mech/run.csv\"" => "manifold Y over t { x }\nlagrangian L on J1(Y) = x'^2/2\nlet run = simulate L { from x' = 1; until t = 1 }\nsave run to \"run.csv\"";
    MISSING_FEATURE = 906 "missing_feature": "this build lacks a feature",
        "Heavy parts are optional. Build with the named feature: cargo install lepage --features full.",
        "// In a build without the feature arrow.\nmanifold Y over t { x }\nlagrangian L on J1(Y) = x'^2/2\nlet run = simulate L { from x' = 1; until t = 1 }\nsave run to \"run.parquet\"" => "manifold Y over t { x }\nlagrangian L on J1(Y) = x'^2/2\nlet run = simulate L { from x' = 1; until t = 1 }\nsave run to \"run.csv\"";
    WRITTEN = 907 "written": "a file was written",
        "Every file that a program writes is named on standard error. It is written beside its place first and moved there as a whole.",
        "manifold Y over t { x }\nlagrangian L on J1(Y) = x'^2/2\nlet run = simulate L { from x' = 1; until t = 1 }\nsave run to \"run.csv\"" => "manifold Y over t { x }\nlagrangian L on J1(Y) = x'^2/2\nlet run = simulate L { from x' = 1; until t = 1 }\nplot run { x }";
    INTERNAL = 999 "internal": "lepage made a mistake",
        "This is a bug in lepage, not in the program it was given. No program is known that shows it; if you have one, please report it.",
        "" => "";
}

/// The row with this number or name.
pub fn find(key: &str) -> Option<&'static Code> {
    let digits = key.trim_start_matches(['E', 'e']);
    ALL.iter().copied().find(|c| c.name == key || digits.parse() == Ok(c.number))
}
