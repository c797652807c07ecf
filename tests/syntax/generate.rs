//! Programs at random: every construct of the language, in every layout that its line rules allow.
//!
//! The generator writes text, not trees, because the layout is half of what is tested: blanks, line
//! ends, comments and semicolons stand wherever they may. The same seed gives the same program.

/// SplitMix64: small, seeded, the same on every machine.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }
}

/// A program of about `size` statements.
pub fn program(seed: u64, size: usize) -> String {
    let mut writer = Writer { random: Random::new(seed), out: String::new(), inline: 0, after_operator: false };
    for i in 0..size {
        if i > 0 {
            writer.separator(true);
        }
        writer.statement(2);
    }
    if writer.random.one_in(2) {
        writer.out.push('\n');
    }
    writer.out
}

const NAMES: &[&str] = &[
    "x",
    "y",
    "q1",
    "theta",
    "θ",
    "λ1",
    "m",
    "omega",
    "force",
    "map",
    "equations",
    "section",
    "from",
    "set",
    "branch",
    "angle",
    "contact",
    "form",
    "rel",
    "dependent",
    "dx",
    "p_x",
    "lambda_1",
    "J1",
    "d",
    "L\u{304}",
    "_",
    "run",
    "use",
];

const JETS: &[&str] = &["x", "x'", "x''", "theta'", "q̇", "dx'", "y'''", "m", "λ1", "ẋ", "x′"];

struct Writer {
    random: Random,
    out: String,
    /// How many `(` and `[` are open: line ends do not count.
    inline: u32,
    /// The last token was a binary operator, comma, colon or bracket: the next may stand on a new line.
    after_operator: bool,
}

impl Writer {
    /// A token, with blanks, comments and line ends before it as they come.
    fn token(&mut self, text: &str) {
        let wordish = |c: char| c.is_alphanumeric() || c == '_' || c == '\'' || c == '"' || !c.is_ascii();
        let touching = self.out.ends_with(wordish) && text.starts_with(wordish);
        if self.inline > 0 || self.after_operator {
            match self.random.below(24) {
                0 => self.out.push_str("\n  "),
                1 => self.out.push_str(" // a remark\n"),
                2 => self.out.push_str(" /* two\n lines */ "),
                3 => self.out.push_str("\n\n"),
                4 | 5 => self.out.push_str("  "),
                6..=12 => self.out.push(' '),
                _ if touching => self.out.push(' '),
                _ => {}
            }
        } else {
            match self.random.below(24) {
                0 => self.out.push_str(" /* remark */ "),
                1 | 2 => self.out.push('\t'),
                3..=12 => self.out.push(' '),
                _ if touching => self.out.push(' '),
                _ => {}
            }
        }
        self.out.push_str(text);
        self.after_operator = false;
    }

    /// A token directly after the last one.
    fn glued(&mut self, text: &str) {
        self.out.push_str(text);
        self.after_operator = false;
    }

    /// A word with a blank before it, on the same line.
    fn word(&mut self, text: &str) {
        if !self.out.is_empty() && !self.out.ends_with(char::is_whitespace) {
            self.out.push(' ');
        }
        self.glued(text);
    }

    /// A binary operator or infix word; it may begin a line.
    fn operator(&mut self, text: &str) {
        let sign = matches!(text, "+" | "-");
        if self.random.one_in(16) {
            self.out.push_str(if self.random.one_in(3) { " // goes on\n    " } else { "\n    " });
            self.out.push_str(text);
            if sign {
                self.out.push(' ');
            }
            self.after_operator = false;
            self.after_operator = true;
            return;
        }
        self.token(text);
        self.after_operator = true;
    }

    fn open(&mut self, text: &str) {
        self.token(text);
        self.after_operator = true;
        if text != "{" {
            self.inline += 1;
        }
    }

    fn close(&mut self, text: &str) {
        self.token(text);
        if text != "}" {
            self.inline -= 1;
        }
    }

    /// Between two statements or entries.
    fn separator(&mut self, statements: bool) {
        let text = match self.random.below(12) {
            0 => ";",
            1 => " ; ",
            2 => ";\n",
            3 => " // the end\n",
            4 => "\n\n\n",
            5 => "\r\n",
            6 if statements => "\n/// documentation\n",
            7 => "\n/* a\n   comment */\n",
            8 => "\n// a line\n\n// another\n",
            _ => "\n",
        };
        self.out.push_str(text);
        self.after_operator = false;
        if self.random.one_in(3) && text.ends_with('\n') {
            self.out.push_str("    ");
        }
    }

    fn name(&mut self) {
        let name = self.random.pick(NAMES);
        self.word(name);
    }

    // ── Expressions ─────────────────────────────────────────────────────────────────────────────

    fn comma_list(&mut self, n: usize, mut one: impl FnMut(&mut Writer)) {
        for i in 0..n {
            if i > 0 {
                self.token(",");
                self.after_operator = true;
            }
            one(self);
        }
    }

    /// An expression that does not begin with a sign or a brace: fit to begin a line.
    fn question(&mut self, depth: usize) {
        self.postfix(depth);
        for _ in 0..self.random.below(3) {
            let operator = self.random.pick(&["+", "-", "*", "/", "/\\", "∧", "^", "at"]);
            self.operator(operator);
            match operator {
                // Behind a parenthesis it would not be clear what a prime differentiates.
                "^" => self.exponent(),
                _ => self.signed(depth),
            }
        }
    }

    fn expression(&mut self, depth: usize) {
        match self.random.below(12) {
            0 => {
                self.comparison(depth);
                let word = self.random.pick(&["or", "and"]);
                self.operator(word);
                self.comparison(depth);
            }
            1 => {
                self.token("not");
                self.comparison(depth);
            }
            2 | 3 => self.comparison(depth),
            _ => self.sum(depth),
        }
    }

    fn comparison(&mut self, depth: usize) {
        self.sum(depth);
        match self.random.below(6) {
            0 => {
                self.operator("=");
                self.sum(depth);
                if self.random.one_in(2) {
                    self.operator("within");
                    self.token("1e-10");
                }
            }
            1 => {
                let operator = self.random.pick(&["!=", "<", "<=", ">", ">="]);
                self.operator(operator);
                self.sum(depth);
            }
            2 => {
                self.operator("is");
                if self.random.one_in(2) {
                    self.token("not");
                }
                self.token("regular");
            }
            3 => {
                self.operator("at");
                self.point(depth.min(1));
            }
            _ => {}
        }
    }

    fn sum(&mut self, depth: usize) {
        self.signed(depth);
        for _ in 0..self.random.below(4) {
            let operator = self.random.pick(&["+", "-", "*", "/", "/\\", "*"]);
            self.operator(operator);
            self.signed(depth);
        }
    }

    fn signed(&mut self, depth: usize) {
        if self.random.one_in(8) {
            self.token("-");
            // A sign stands directly before its operand.
            let jet = self.random.pick(JETS);
            self.glued(jet);
            return;
        }
        if self.random.one_in(10) {
            self.token("@");
            let jet = self.random.pick(JETS);
            self.token(jet);
        } else {
            self.postfix(depth);
        }
        if self.random.one_in(6) {
            self.operator("^");
            self.exponent();
        }
    }

    fn exponent(&mut self) {
        let exponent = self.random.pick(&["2", "n", "-1", "-x'", "2^3", "(2*n)", "((x + y)')", "q[1]'"]);
        self.token(exponent);
    }

    fn postfix(&mut self, depth: usize) {
        let inner = depth.saturating_sub(1);
        match self.random.below(if depth == 0 { 6 } else { 14 }) {
            0 | 1 => {
                let number = self.random.pick(&["3", "2.5", "1e-3", "0", "10", "9.81", "1e5"]);
                self.token(number);
            }
            2..=4 => {
                let jet = self.random.pick(JETS);
                self.token(jet);
            }
            5 => {
                let name = self.random.pick(NAMES);
                self.token(name);
            }
            6 | 7 => {
                self.open("(");
                self.expression(inner);
                self.close(")");
                if self.random.one_in(3) {
                    self.glued("''");
                }
            }
            8 => {
                let function = self.random.pick(&["sin", "V'", "lepage", "D", "core.h", "equations", "jet"]);
                self.token(function);
                self.open("(");
                let n = self.random.below(3);
                self.comma_list(n, |w| w.argument(inner));
                self.close(")");
            }
            9 => {
                self.token("vector_field");
                self.open("(");
                self.name();
                self.close(")");
                let part =
                    self.random.pick(&[".x''", ".branches[1].equations", ".B[theta, phi]", ".A'", "[@x']", "[1]'"]);
                self.glued(part);
            }
            10 => {
                self.token("q");
                self.open("[");
                self.sum(inner.min(1));
                self.close("]");
                if self.random.one_in(2) {
                    self.glued("'");
                }
            }
            11 => {
                let function = self.random.pick(&["sum", "list", "product"]);
                self.token(function);
                self.open("(");
                self.binder();
                self.token(",");
                if self.random.one_in(4) {
                    self.binder();
                    self.token(",");
                }
                self.expression(inner);
                self.close(")");
            }
            12 => {
                self.open("[");
                let n = self.random.below(3);
                self.comma_list(n, |w| w.expression(inner));
                self.close("]");
            }
            _ => {
                let jet = self.random.pick(JETS);
                self.token(jet);
            }
        }
    }

    fn argument(&mut self, depth: usize) {
        if self.random.one_in(4) {
            let name = self.random.pick(&["F", "gauge", "names", "through"]);
            self.token(name);
            self.operator("=");
            self.sum(depth);
        } else {
            self.expression(depth);
        }
    }

    fn binder(&mut self) {
        self.token("i");
        self.operator("in");
        self.range();
    }

    fn range(&mut self) {
        self.token("1");
        self.operator("..");
        let end = self.random.pick(&["n", "n-1", "n + 1", "8", "2*n", "n - 1"]);
        self.token(end);
    }

    fn point(&mut self, depth: usize) {
        self.open("{");
        let n = self.random.below(3);
        let outer = std::mem::take(&mut self.inline);
        for i in 0..n {
            if i > 0 {
                self.separator(false);
            }
            let items = 1 + self.random.below(2);
            self.comma_list(items, |w| w.equation(depth));
        }
        self.inline = outer;
        self.close("}");
    }

    fn equation(&mut self, depth: usize) {
        let jet = self.random.pick(JETS);
        self.word(jet);
        self.operator("=");
        self.sum(depth);
    }

    // ── Statements ──────────────────────────────────────────────────────────────────────────────

    fn space(&mut self) {
        let space = self.random.pick(&["Y", "J1(Y)", "J2( Y )", "sp.Y", "J1(J2(sp.Y))", "W"]);
        self.word(space);
    }

    fn on(&mut self) {
        self.operator("on");
        self.space();
    }

    fn block(&mut self, mut entry: impl FnMut(&mut Writer)) {
        if self.random.one_in(8) {
            self.out.push('\n');
        }
        self.open("{");
        let n = self.random.below(4);
        for i in 0..n {
            if i > 0 {
                self.separator(false);
            }
            entry(self);
        }
        if self.random.one_in(6) {
            self.separator(false);
        }
        self.close("}");
    }

    fn target(&mut self) {
        if self.random.one_in(2) {
            self.operator("to");
            self.token("\"out/file.csv\"");
        }
    }

    fn statement(&mut self, depth: usize) {
        match self.random.below(30) {
            0 => {
                self.word("manifold");
                self.name();
                self.operator("over");
                self.space();
                self.block(|w| {
                    let n = 1 + w.random.below(2);
                    w.comma_list(n, |w| {
                        w.name();
                        if w.random.one_in(4) {
                            w.open("[");
                            w.range();
                            w.close("]");
                        }
                        if w.random.one_in(4) {
                            w.token(":");
                            w.after_operator = true;
                            w.token("angle");
                        }
                    });
                });
            }
            1 => {
                self.word("param");
                let n = 1 + self.random.below(3);
                self.comma_list(n, |w| {
                    w.name();
                    if w.random.one_in(5) {
                        w.open("[");
                        w.range();
                        w.close("]");
                    }
                    if w.random.one_in(2) {
                        w.operator("=");
                        w.sum(depth);
                    }
                });
            }
            2 => {
                self.word("assume");
                let n = 1 + self.random.below(2);
                self.comma_list(n, |w| {
                    w.sum(1);
                    w.operator(">");
                    w.sum(1);
                });
            }
            3 => {
                self.word("function");
                self.name();
                self.open("(");
                self.comma_list(2, |w| {
                    let jet = w.random.pick(JETS);
                    w.token(jet);
                });
                self.close(")");
                match self.random.below(4) {
                    0 => self.word("from \"table.csv\""),
                    1 => self.word("from \"table.csv\" with hold"),
                    2 => {
                        self.operator("=");
                        self.expression(depth);
                    }
                    _ => {}
                }
            }
            4 | 5 => {
                self.word("let");
                self.name();
                if self.random.one_in(3) {
                    self.open("(");
                    self.comma_list(2, Writer::name);
                    self.close(")");
                }
                self.operator("=");
                match self.random.below(5) {
                    0 => self.point(depth),
                    _ => self.expression(depth),
                }
            }
            6 => {
                let text =
                    self.random.pick(&["use std.springs as sp", "use \"parts/wheel.mech\"", "use std.rigid_body"]);
                self.word(text);
            }
            7 => {
                self.word("map");
                self.name();
                self.token(":");
                self.space();
                self.operator("->");
                self.space();
                self.block(|w| w.equation(1));
            }
            8 => {
                let keyword = self.random.pick(&["section", "mixed"]);
                self.word(keyword);
                self.name();
                self.on();
                self.block(|w| w.equation(1));
            }
            9 => {
                self.word("lagrangian");
                self.name();
                self.on();
                self.operator("=");
                self.sum(depth);
            }
            10 | 11 => {
                let keyword = self.random.pick(&["form", "field"]);
                self.word(keyword);
                self.name();
                if self.random.one_in(2) {
                    self.token(":");
                    let types = self.random.pick(&[
                        "contact 1-form",
                        "horizontal over Y",
                        "2-contact",
                        "closed lepage 2-form",
                        "vertical",
                        "projectable semispray",
                        "dynamical 2 - form",
                    ]);
                    self.word(types);
                }
                self.on();
                self.operator("=");
                self.sum(depth);
            }
            12 | 13 => {
                let keyword = self.random.pick(&["force", "equations"]);
                self.word(keyword);
                self.name();
                self.on();
                if self.random.one_in(4) {
                    self.operator("=");
                    self.sum(depth);
                } else {
                    self.block(|w| {
                        if w.random.one_in(5) {
                            w.word("list(i in 1..n, q[i]: -k*q[i]')");
                            return;
                        }
                        w.name();
                        w.token(":");
                        w.after_operator = true;
                        w.sum(1);
                    });
                }
            }
            14 => {
                self.word("constraint");
                self.name();
                self.on();
                self.block(|w| {
                    let clause = w.random.pick(&["", "", "", "", "K", "list(i in 1..n, q[i] = 0)", "-x' + y = 0"]);
                    if clause.is_empty() {
                        w.equation(1);
                    } else {
                        w.word(clause);
                    }
                });
            }
            15 => {
                let text = self.random.pick(&[
                    "constraint cone on J1(Y) {\n z'^2 = x'^2\n dependent: z, y ; branch: z' > 0 }",
                    "constraint servo on J1(Y) { x' = sin(t); reactions:\n omega(y); branch: { x' = 3, z' = 5 } }",
                    "constraint pfaff on Y { forms: L0 }",
                ]);
                self.word(text);
            }
            16 => {
                let keyword = self.random.pick(&["codistribution", "distribution"]);
                self.word(keyword);
                self.name();
                self.on();
                self.block(|w| w.question(1));
            }
            17 => {
                self.word("submanifold");
                self.name();
                self.on();
                self.block(|w| {
                    w.question(0);
                    let operator = w.random.pick(&["=", "!="]);
                    w.operator(operator);
                    w.sum(0);
                });
            }
            18 => {
                self.word("system");
                self.name();
                self.operator("=");
                if self.random.one_in(4) {
                    self.word("generated by");
                    self.sum(depth);
                } else {
                    self.name();
                    if self.random.one_in(2) {
                        self.operator("with");
                        self.name();
                        self.operator("and");
                        self.name();
                    }
                    if self.random.one_in(2) {
                        self.operator("subject");
                        self.operator("to");
                        self.name();
                    }
                }
            }
            19 | 20 => {
                let text = self.random.pick(&["simulate", "let run = simulate", "let a(b) = simulate"]);
                self.word(text);
                self.word("disk");
                self.block(Writer::clause);
            }
            21 => {
                self.word("sweep disk over");
                self.comma_list(2, |w| {
                    let jet = w.random.pick(JETS);
                    w.token(jet);
                    w.operator("in");
                    if w.random.one_in(2) {
                        w.token("[1, 2, 4]");
                    } else {
                        w.range();
                        if w.random.one_in(2) {
                            w.operator("by");
                            w.token("1/10");
                        }
                    }
                });
                self.block(|w| {
                    if w.random.one_in(4) {
                        w.word("collect reach = max(x), drift = E.last");
                    } else {
                        w.clause();
                    }
                });
                self.target();
            }
            22 => {
                self.word("plot run");
                self.block(|w| {
                    let n = 1 + w.random.below(2);
                    w.comma_list(n, |w| w.sum(0));
                    if w.random.one_in(2) {
                        w.word("against");
                        w.after_operator = true;
                        w.sum(0);
                    }
                });
                self.target();
            }
            23 => {
                let text =
                    self.random.pick(&["save run to \"disk.csv\"", "explain dynamics(S)", "plot run.x", "explain map"]);
                self.word(text);
            }
            24 => {
                self.word("animate run");
                self.block(|w| {
                    let picture = w.random.pick(&["point (x, y)", "trail 200", "rod(0,0) , (x, y + 1)", "frame"]);
                    w.word(picture);
                });
                self.target();
            }
            25 => {
                self.word("poincare run");
                self.block(|w| {
                    let entry = w.random.pick(&["section theta = 0 rising", "plot phi' against phi", "section x = 1"]);
                    w.word(entry);
                });
            }
            26 if depth > 0 => {
                self.word("test \"a title // not a comment\"");
                if self.random.one_in(2) {
                    self.operator("fails");
                    self.operator("with");
                    self.token("not_horizontal");
                }
                self.block(|w| w.statement(depth - 1));
            }
            27 | 28 => {
                self.word("assert");
                self.expression(depth);
                if self.random.one_in(5) {
                    self.operator("fails");
                    self.operator("with");
                    self.token("E0312");
                }
            }
            _ => {
                if self.random.one_in(6) {
                    self.word("not");
                }
                self.question(depth);
            }
        }
    }

    fn clause(&mut self) {
        match self.random.below(9) {
            0 => {
                self.word("set");
                self.comma_list(2, |w| w.equation(0));
            }
            1 => {
                self.word("from");
                self.comma_list(2, |w| w.equation(0));
            }
            2 => self.word("from start"),
            3 => self.word("record x, E = energy(disk) every 1/100"),
            4 => {
                self.word("stop when");
                self.comparison(0);
                if self.random.one_in(2) {
                    self.word("rising");
                }
            }
            5 => self.word("from\tx = -1"),
            6 => self.word("stop when t = 3\n        falling"),
            7 => self.word("record\tsum(i in 1..n, q[i])"),
            _ => self.word("set V(theta) = cos(theta), m[2] = 3"),
        }
    }
}
