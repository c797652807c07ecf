//! Statements in the notation of other systems, and ours for each. One row is a pattern of tokens with holes, and the text that is
//! offered in its place; a row without a text says in words what to do.
//!
//! ```text
//! $a      one name                    %a   a module of another system
//! *a      some tokens, brackets closed  +a   names, with commas or without
//! "a      one string                  …    whatever follows stays as it is
//! ```
//!
//! In the text `@Y` is the last manifold, `@J` the space in which the quoted tokens live, `@J1` the same with velocities at least.

use super::Scene;
use crate::diagnostic::{Diagnostic, codes, elsewhere};
use crate::source::Span;
use crate::syntax::lexer::Placed;
use crate::syntax::token::Token;

struct Rewrite {
    theirs: &'static str,
    ours: Option<&'static str>,
    /// What is so here, as a title.
    why: &'static str,
}

const fn row(theirs: &'static str, ours: &'static str, why: &'static str) -> Rewrite {
    Rewrite { theirs, ours: Some(ours), why }
}

const FUNCTION: &str = "a function is declared with its arguments";
const RUN: &str = "a run gets its name from `let`";
const SYMBOLS: &str = "parameters are declared with `param`";
const COORDINATES: &str = "coordinates are declared with their manifold";
const MODULE: &str = "the functions of mathematics need no module";
const LIBRARY: &str = "a library is used as a whole";
const LIST: &str = "a list by a formula is `list(index in range, formula)`";
const SPACE: &str = "a Lagrangian names the space it lives on";
const TYPES_OF_PARAMETERS: &str = "parameters are real numbers, and need no type";
const INDEX_FIRST: &str = "the index and its range stand first";
const CONSTRAINT: &str = "constraints follow `subject to`";
const SAVE: &str = "a table is saved to a file";
const TYPES: &str = "the arguments of a function are numbers, and need no type";
const WHERE: &str = "what a name stands for is said before it is used";
const ORDER: &str = "forces stand before constraints";
const TOGETHER: &str = "several forces or constraints are joined with `and`";
const SWEEP: &str = "many runs are a sweep of a system over values";
const BRACKETS: &str = "what is asked about stands in brackets";
const CLAUSES: &str = "the clauses of a run stand in braces";
const NAMED: &str = "a constraint has a name";
const OWN_NAME: &str = "a system gets a name of its own";
const SYSTEM: &str = "a system is declared with its word";
const MOVING: &str = "what moves is a `point`, a `rod` or a `circle`";
const HAMILTONIAN: &str = "a Hamiltonian is a formula with a name; where x and p are coordinates, its system is `lagrangian L on J1(Y) = p*x' - H`";
const FAMILY: &str = "a family of coordinates has a range";

const STATEMENTS: &[Rewrite] = &[
    row("let $f = lambda *x : *body", "let $f(*x) = *body", FUNCTION),
    row("$f = lambda *x : *body", "let $f(*x) = *body", FUNCTION),
    row("let $f = $x -> *body", "let $f($x) = *body", FUNCTION),
    row("$f = $x -> *body", "let $f($x) = *body", FUNCTION),
    row("let $f = ( *x ) -> *body", "let $f(*x) = *body", FUNCTION),
    row("$f = ( *x ) -> *body", "let $f(*x) = *body", FUNCTION),
    row("let $f = @ ( *x ) *body", "let $f(*x) = *body", FUNCTION),
    row("$f = @ ( *x ) *body", "let $f(*x) = *body", FUNCTION),
    row("$f [ $x ] = *body", "let $f($x) = *body", FUNCTION),
    row("let $f [ $x ] = *body", "let $f($x) = *body", FUNCTION),
    row("let $f ( *x ) = { return *body }", "let $f(*x) = *body", "a function is its formula"),
    row("let $f $x = *body", "let $f($x) = *body", FUNCTION),
    row("let $f $x $y = *body", "let $f($x, $y) = *body", FUNCTION),
    row("let $f ( $x : $type ) = *body", "let $f($x) = *body", TYPES),
    row("let $f ( $x : $type , $y : $other ) = *body", "let $f($x, $y) = *body", TYPES),
    row("$r = simulate …", "let $r = simulate", RUN),
    row("$r = sweep …", "let $r = sweep", RUN),
    row("$r = poincare …", "let $r = poincare", RUN),
    row("[ *out ] = ode45 ( $L , *rest )", "let run = simulate $L { until t = 10 }", RUN),
    row("+names = symbols ( *text )", "param +names", SYMBOLS),
    row("let +names = symbols ( *text )", "param +names", SYMBOLS),
    row("param +names = symbols ( *text )", "param +names", SYMBOLS),
    row("+names = Symbol ( *text )", "param +names", SYMBOLS),
    row("let +names = Symbol ( *text )", "param +names", SYMBOLS),
    row("+names = var ( *text )", "param +names", SYMBOLS),
    row("syms +names", "param +names", SYMBOLS),
    row("@ parameters +names", "param +names", SYMBOLS),
    row("@ variables $t $x ( $t )", "manifold Y over $t { $x }", COORDINATES),
    row("@ variables $t $x ( $t ) $y ( $t )", "manifold Y over $t { $x, $y }", COORDINATES),
    row("+names = dynamicsymbols ( *text )", "manifold Y over t { +names }", COORDINATES),
    row("let +names = dynamicsymbols ( *text )", "manifold Y over t { +names }", COORDINATES),
    row("+names = make_vars ( *text )", "manifold Y over t { +names }", COORDINATES),
    row("( define $m *value )", "let $m = *value", "a value is named with `let`"),
    row("( Lagrange - equations $L )", "equations($L)", "the equations of motion are asked with `equations`"),
    row("( show - expression *x )", "*x", "an expression alone is a question"),
    row("( $f $x )", "$f($x)", "what is asked about stands in brackets behind its question"),
    row("from %m . *sub import *names", "", MODULE),
    row("import %m . *sub as $n", "", MODULE),
    row("import %m . *sub", "", MODULE),
    row("import %m as $n", "", MODULE),
    row("import %m", "", MODULE),
    row("from %m import *names", "", MODULE),
    row("using *names", "", MODULE),
    row("with ( *names )", "", MODULE),
    row("with ( *names ) :", "", MODULE),
    row("from *library import *names", "use *library", LIBRARY),
    row("use *names from *library", "use *library", LIBRARY),
    row("use *library . *", "use *library", LIBRARY),
    row("clear all", "", "a program begins with nothing declared"),
    row("close all", "", "there is nothing to close"),
    row("end $name", "", "a program ends where its text ends"),
    row("[ *body for $i in range ( *n ) ]", "list($i in 0..*n-1, *body)", LIST),
    row("[ *body for $i in *range ]", "list($i in *range, *body)", LIST),
    row("let $a = [ *body for $i in range ( *n ) ]", "let $a = list($i in 0..*n-1, *body)", LIST),
    row("let $a = [ *body for $i in *range ]", "let $a = list($i in *range, *body)", LIST),
    row("for $i in range ( *n ) : *body", "list($i in 0..*n-1, *body)", LIST),
    row("for $i in *range : *body", "list($i in *range, *body)", LIST),
    row("lagrangian $L : *body", "lagrangian $L on @J1 = *body", SPACE),
    row("lagrangian $L ( *of ) = *body", "lagrangian $L on @J1 = *body", SPACE),
    row("lagrangian $L ( *of ) on *space = *body", "lagrangian $L on *space = *body", SPACE),
    row("system $s = *a subject $c", "system $s = *a subject to $c", CONSTRAINT),
    row("system $s = *a where $c", "system $s = *a subject to $c", CONSTRAINT),
    row("system $s = *a constrained to *c", "system $s = *a subject to *c", CONSTRAINT),
    row("system $s = *a constrained by *c", "system $s = *a subject to *c", CONSTRAINT),
    row(
        "system $s = *a subject to *left = *right",
        "constraint ${s}_constraint on @J { *left = *right }\nsystem $s = *a subject to ${s}_constraint",
        "a constraint is declared before it is used",
    ),
    Rewrite {
        theirs: "system $s = $L , …",
        ours: None,
        why: "forces follow `with`, constraints `subject to`: `system S = L with drag subject to rod`",
    },
    row("$s = *a subject to *c", "system $s = *a subject to *c", SYSTEM),
    row("$s = $a with *f", "system $s = $a with *f", SYSTEM),
    row("let $s = *a subject to *c", "system $s = *a subject to *c", SYSTEM),
    row("system $s : *system", "system $s = *system", "what a name stands for follows `=`"),
    row("*formula at ( *entries )", "*formula at { *entries }", "a point stands in braces"),
    row("plot $r { x : *x , y : *y }", "plot $r { *y against *x }", "a curve is one quantity against another"),
    row("animate $r { ( *a ) , ( *b ) }", "animate $r { rod (*a), (*b) }", MOVING),
    row("animate $r { ( *a ) , ( *b ) } to …", "animate $r { rod (*a), (*b) } to", MOVING),
    row("animate $r { ( *a ) - - ( *b ) }", "animate $r { rod (*a), (*b) }", MOVING),
    row("animate $r { ( *a ) - - ( *b ) } to …", "animate $r { rod (*a), (*b) } to", MOVING),
    row("animate $r { ( *a ) }", "animate $r { point (*a) }", MOVING),
    row("animate $r { ( *a ) } to …", "animate $r { point (*a) } to", MOVING),
    row("animate $r { $x , $y }", "animate $r { point ($x, $y) }", MOVING),
    row("animate $r { $x , $y } to …", "animate $r { point ($x, $y) } to", MOVING),
    row("hamiltonian $H = *formula", "let $H = *formula", HAMILTONIAN),
    row("hamiltonian $H on *space = *formula", "let $H = *formula", HAMILTONIAN),
    row("*whole where $a = *first , $b = *second", "let $a = *first\nlet $b = *second\n*whole", WHERE),
    row("*whole where $a = *first", "let $a = *first\n*whole", WHERE),
    row("manifold $Y ( $t ) …", "manifold $Y over $t", "a manifold lies over its time"),
    row("manifold $Y over $t { $q [ $i ] for $i in *range }", "manifold $Y over $t { $q[*range] }", FAMILY),
    row("lepage > …", "", "the prompt of the session is no part of a program"),
    row("save *run as *file", "save *run to *file", SAVE),
    row("export *run to *file", "save *run to *file", SAVE),
    row("export *run as *file", "save *run to *file", SAVE),
    row("write *run to *file", "save *run to *file", SAVE),
    row("plot *run { *curves } \"file", "plot *run { *curves } to \"file", "the file of a picture follows `to`"),
    row("test \"title assert *claim", "test \"title { assert *claim }", "the statements of a test stand in braces"),
    row("param $m in *range", "param $m", "a parameter has one value; the values of a sweep stand in the sweep"),
    row("param $m : *type = *value", "param $m = *value", TYPES_OF_PARAMETERS),
    row("param $m : *type", "param $m", TYPES_OF_PARAMETERS),
    row("let $a = *x , $b = *y", "let $a = *x\nlet $b = *y", "each name has a statement of its own"),
    row("let $a , $b = *x , *y", "let $a = *x\nlet $b = *y", "each name has a statement of its own"),
    row("manifold $Y over ( $t ) …", "manifold $Y over $t", "the time has no brackets"),
    row("manifold $Y over time $t …", "manifold $Y over $t", "the time is its name"),
    row("manifold $Y = $R ^ *n", "manifold $Y over t { q[1..*n] }", COORDINATES),
    row("manifold $Y over $t = $R ^ *n", "manifold $Y over $t { q[1..*n] }", COORDINATES),
    row(
        "manifold $Y over $t { $q in S1 }",
        "manifold $Y over $t { $q : angle }",
        "an angle has its type behind a colon",
    ),
    row(
        "manifold $Y over $t { $q in S ^ 1 }",
        "manifold $Y over $t { $q : angle }",
        "an angle has its type behind a colon",
    ),
    row("manifold $Y over $t { +q in R }", "manifold $Y over $t { +q }", "a coordinate is a real number"),
    row("assume +names real", "", "symbols are real numbers by themselves"),
    row("assume +names in R", "", "symbols are real numbers by themselves"),
    row("assume +names in Reals", "", "symbols are real numbers by themselves"),
    row("assume $k in [ *a , *b ]", "assume $k >= *a, $k <= *b", "facts are comparisons"),
    row("assume $k in ( *a , *b )", "assume $k > *a, $k < *b", "facts are comparisons"),
    row("assert *a constant within *e", "assert *a = *a.first within *e", "a series is compared with its first value"),
    row(
        "assert *a is constant within *e",
        "assert *a = *a.first within *e",
        "a series is compared with its first value",
    ),
    row("assert within *e *a = *b", "assert *a = *b within *e", "the error that is allowed stands behind the equation"),
    row("plot $r { *c } , $s { *d }", "plot $r, $s { *c }", "several runs are drawn with the same curves"),
    row("plot $r { *c } , $s . $x", "plot $r, $s { *c }", "several runs are drawn with the same curves"),
    row("plot *run { *curves } > \"file", "plot *run { *curves } to \"file", "the file of a picture follows `to`"),
    row("plot *run { *curves } as \"file", "plot *run { *curves } to \"file", "the file of a picture follows `to`"),
    row("$q ( $L subject to *c with *d )", "$q($L with *d subject to *c)", ORDER),
    row("simulate $L subject to *c with *d { …", "simulate $L with *d subject to *c {", ORDER),
    row("let $r = simulate $L subject to *c with *d { …", "let $r = simulate $L with *d subject to *c {", ORDER),
    row("system $s = $L subject to *c with *d", "system $s = $L with *d subject to *c", ORDER),
    row("$q ( $L with *c with *d )", "$q($L with *c and *d)", TOGETHER),
    row("system $s = $L with *c with *d", "system $s = $L with *c and *d", TOGETHER),
    row("$q ( *S subject to *c subject to *d )", "$q(*S subject to *c and *d)", TOGETHER),
    row("system $s = *S subject to *c subject to *d", "system $s = *S subject to *c and *d", TOGETHER),
    row("system $s = *S subject to $c , $d", "system $s = *S subject to $c and $d", TOGETHER),
    row("system $s = $L with $c , $d", "system $s = $L with $c and $d", TOGETHER),
    row("simulate $L for $k in *range { …", "sweep $L over $k in *range {", SWEEP),
    row("assert *claim , \"why", "assert *claim", "an assertion has no text; a comment may stand behind it"),
    row("$q of $L", "$q($L)", BRACKETS),
    row("equations of $L", "equations($L)", BRACKETS),
    row("$f @ $x", "$f($x)", BRACKETS),
    row("energy $E = *formula", "let $E = *formula", "a value is named with `let`"),
    row("momentum $p = *formula", "let $p = *formula", "a value is named with `let`"),
    row("system $L with *f", "system S = $L with *f", OWN_NAME),
    row("system $L subject to *c", "system S = $L subject to *c", OWN_NAME),
    row("run $L from *a to *b", "simulate $L { until t = *b }", CLAUSES),
    row("solve $L from *a to *b", "simulate $L { until t = *b }", CLAUSES),
    row("run $L for *b", "simulate $L { until t = *b }", CLAUSES),
    row("run $L until *b", "simulate $L { until *b }", CLAUSES),
    row("simulate $L from *a to *b", "simulate $L { until t = *b }", CLAUSES),
    row("simulate $L for *b", "simulate $L { until t = *b }", CLAUSES),
    row("let $r = simulate $L for *b", "let $r = simulate $L { until t = *b }", CLAUSES),
    row("let $r = simulate $L from *a to *b", "let $r = simulate $L { until t = *b }", CLAUSES),
    row("constraint $x ^ *left = *right", "constraint A on @J { $x^*left = *right }", NAMED),
    row("constraint $x + *left = *right", "constraint A on @J { $x + *left = *right }", NAMED),
    row("constraint $x - *left = *right", "constraint A on @J { $x - *left = *right }", NAMED),
    row("constraint $x * *left = *right", "constraint A on @J { $x**left = *right }", NAMED),
    row("constant Real $g = *value", "param $g = *value", TYPES_OF_PARAMETERS),
    row("parameter Real $m = *value \"what", "param $m = *value", TYPES_OF_PARAMETERS),
    row("parameter Real $m ( *unit ) = *value", "param $m = *value", TYPES_OF_PARAMETERS),
    row("*formula assuming *facts", "assume *facts\n*formula", "facts are assumed before they are used"),
    Rewrite { theirs: "*a mod *b", ours: None, why: "remainders of divisions are not computed" },
    Rewrite { theirs: "$r ( : *rest )", ours: None, why: "the columns of a run have names: `run.x`" },
    row("hold on", "", "a picture is one statement"),
    row("*formula / . $x -> *value", "*formula at { $x = *value }", "a value at a point is asked with `at`"),
    row(
        "*formula / . { $x -> *a , $y -> *b }",
        "*formula at { $x = *a, $y = *b }",
        "a value at a point is asked with `at`",
    ),
    row("let $v = < *entries > …", "let $v = [*entries]", "a vector stands in square brackets"),
    row("let $f = proc ( *x ) *body end proc", "let $f(*x) = *body", FUNCTION),
    row("$f = proc ( *x ) *body end proc", "let $f(*x) = *body", FUNCTION),
    row("$f = proc ( *x ) * *body end proc", "let $f(*x) = *body", FUNCTION),
    row("seq ( *body , $i = *from .. *to )", "list($i in *from..*to, *body)", LIST),
    row("seq ( *body , $i in *from .. *to )", "list($i in *from..*to, *body)", LIST),
    row("add ( *body , $i = *from .. *to )", "sum($i in *from..*to, *body)", INDEX_FIRST),
    row("add ( *body , $i in *from .. *to )", "sum($i in *from..*to, *body)", INDEX_FIRST),
    row("mul ( *body , $i = *from .. *to )", "product($i in *from..*to, *body)", INDEX_FIRST),
    row("sum ( *body , $i = *from .. *to )", "sum($i in *from..*to, *body)", INDEX_FIRST),
    row("sum ( *body , $i in *from .. *to )", "sum($i in *from..*to, *body)", INDEX_FIRST),
    row("$a + = *more", "let ${a}1 = $a + *more", "a name keeps its value; a changed one gets a name of its own"),
    row("$a - = *less", "let ${a}1 = $a - (*less)", "a name keeps its value; a changed one gets a name of its own"),
    row("$a * = *more", "let ${a}1 = $a*(*more)", "a name keeps its value; a changed one gets a name of its own"),
];

/// Longer statements are not compared with the patterns: holes may be filled in many ways.
const LONGEST: usize = 100;

/// The tokens that the holes of a pattern have met.
type Caught<'p> = Vec<(&'p str, Vec<Placed>)>;

impl Scene<'_> {
    /// The statement around this place, in our notation.
    pub(super) fn rewritten(&self) -> Option<Diagnostic> {
        let statement = self.statement().filter(|tokens| tokens.len() <= LONGEST)?;
        STATEMENTS.iter().find_map(|row| self.rewrite(row, statement))
    }

    fn rewrite(&self, row: &Rewrite, statement: &[Placed]) -> Option<Diagnostic> {
        let pattern: Vec<&str> = row.theirs.split(' ').collect();
        let mut caught = vec![];
        let used = self.meet(&pattern, statement, &mut caught)?;
        let matched = &statement[..statement.len() - used];
        let (first, last) = (matched.first()?, matched.last()?);
        let whole = Span { end: last.end, ..self.span(*first) };
        let kept: Vec<&str> = row.ours.map_or(vec![], |ours| ours.split([' ', '(', ')']).collect());
        let strange = |t: &&Placed| {
            let text = self.slice(**t);
            pattern.contains(&text) && !kept.contains(&text)
        };
        let strange = matched.iter().find(strange).or_else(|| matched.iter().find(|t| t.start >= self.found_start()));
        let d =
            Diagnostic::error(&codes::SYNTAX, row.why).label(self.span(*strange.unwrap_or(first)), "another notation");
        let Some(ours) = row.ours else { return Some(d) };
        let written = self.filled(ours, &caught)?;
        let help = match written.as_str() {
            "" => "leave it out".to_string(),
            lines => format!("write `{}`", lines.replace('\n', "`, then `")),
        };
        Some(d.repair(help, whole, written))
    }

    fn found_start(&self) -> u32 {
        self.found().or(self.before()).map_or(0, |t| t.start)
    }

    /// How many tokens are left behind the pattern, if it fits.
    fn meet<'p>(&self, pattern: &[&'p str], tokens: &[Placed], caught: &mut Caught<'p>) -> Option<usize> {
        let Some((&first, pattern)) = pattern.split_first() else {
            return tokens.is_empty().then_some(0);
        };
        if first == "…" {
            return Some(tokens.len());
        }
        let kind = first.chars().next()?;
        let is_hole = first.len() > 1 && matches!(kind, '$' | '%' | '*' | '+' | '"');
        let (&head, rest) = tokens.split_first()?;
        if !is_hole {
            return if self.slice(head) == first { self.meet(pattern, rest, caught) } else { None };
        }
        let before = caught.len();
        let least = match kind {
            '$' => head.token == Token::Word,
            '%' => head.token == Token::Word && elsewhere::is_module(self.slice(head)),
            '"' => head.token == Token::String,
            _ => true,
        };
        let most = if matches!(kind, '*' | '+') { tokens.len() } else { 1 };
        for length in 1..=most {
            let (taken, rest) = tokens.split_at(length);
            let last = taken[length - 1];
            if !least || kind == '+' && !matches!(last.token, Token::Word | Token::Comma) {
                return None;
            }
            if !balanced(taken) || !self.says_the_same(caught, first, taken) {
                continue;
            }
            caught.push((first, taken.to_vec()));
            if let Some(left) = self.meet(pattern, rest, caught) {
                return Some(left);
            }
            caught.truncate(before);
        }
        None
    }

    /// A hole that occurs twice holds the same text.
    fn says_the_same(&self, caught: &Caught, hole: &str, taken: &[Placed]) -> bool {
        let earlier = caught.iter().find(|(name, _)| *name == hole);
        earlier.is_none_or(|(_, tokens)| self.text_of(tokens) == self.text_of(taken))
    }

    fn text_of(&self, tokens: &[Placed]) -> &str {
        match (tokens.first(), tokens.last()) {
            (Some(first), Some(last)) => &self.text[first.start as usize..last.end as usize],
            _ => "",
        }
    }

    fn filled(&self, ours: &str, caught: &Caught) -> Option<String> {
        let mut written = ours.to_string();
        let mut order = 0;
        // Longer names first, so that `$ab` is not `$a` and a b.
        let mut holes: Vec<&(&str, Vec<Placed>)> = caught.iter().collect();
        holes.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
        for (name, tokens) in holes {
            let names = || tokens.iter().filter(|t| t.token == Token::Word).map(|t| self.slice(*t));
            order = names().map(|n| n.chars().filter(|c| *c == '\'').count()).fold(order, usize::max);
            let text = match name.chars().next() {
                Some('+') => names().collect::<Vec<_>>().join(", "),
                // `x_` is a pattern of Mathematica.
                Some('$') => self.text_of(tokens).trim_end_matches('_').to_string(),
                _ => self.text_of(tokens).to_string(),
            };
            if let Some(braced) = name.strip_prefix('$') {
                written = written.replace(&format!("${{{braced}}}"), &text);
            }
            written = written.replace(name, &text);
        }
        if !written.contains('@') {
            return Some(written);
        }
        let manifold = self.last_manifold()?;
        let jets = |order: usize| if order == 0 { manifold.to_string() } else { format!("J{order}({manifold})") };
        Some(written.replace("@J1", &jets(order.max(1))).replace("@J", &jets(order)).replace("@Y", manifold))
    }
}

fn balanced(tokens: &[Placed]) -> bool {
    let mut depth = 0;
    let closed = tokens.iter().all(|t| {
        depth += i32::from(matches!(t.token, Token::OpenParen | Token::OpenBracket | Token::OpenBrace));
        depth -= i32::from(t.token.opener().is_some());
        depth >= 0
    });
    closed && depth == 0
}
