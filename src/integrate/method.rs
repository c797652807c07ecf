//! The table of methods.

/// How a problem is integrated.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Method {
    /// Chosen from tolerance, size and length of the run; the trajectory says what and why.
    #[default]
    Auto,
    Taylor,
    Dop853,
    Tsit5,
    Rk4,
}

/// One row: everything that parser, help and documentation say about a method.
pub struct MethodRow {
    pub name: &'static str,
    pub method: Method,
    /// `None`: chosen by the tolerance.
    pub order: Option<u32>,
    pub adaptive: bool,
    pub help: &'static str,
}

/// All methods, in the order in which help lists them.
pub const METHODS: &[MethodRow] = &[
    MethodRow {
        name: "auto",
        method: Method::Auto,
        order: None,
        adaptive: true,
        help: "chosen from tolerance, size and length of the run",
    },
    MethodRow {
        name: "taylor",
        method: Method::Taylor,
        order: None,
        adaptive: true,
        help: "Taylor series of an order that follows from the tolerance; best for tight tolerances",
    },
    MethodRow {
        name: "dop853",
        method: Method::Dop853,
        order: Some(8),
        adaptive: true,
        help: "Dormand–Prince 8(5,3), dense output of order 7",
    },
    MethodRow {
        name: "tsit5",
        method: Method::Tsit5,
        order: Some(5),
        adaptive: true,
        help: "Tsitouras 5(4); best for loose tolerances",
    },
    MethodRow {
        name: "rk4",
        method: Method::Rk4,
        order: Some(4),
        adaptive: false,
        help: "the classical Runge–Kutta method with a fixed step",
    },
];

impl Method {
    pub fn row(self) -> &'static MethodRow {
        METHODS.iter().find(|row| row.method == self).unwrap_or(&METHODS[0])
    }

    pub fn name(self) -> &'static str {
        self.row().name
    }

    pub fn named(name: &str) -> Option<Method> {
        METHODS.iter().find(|row| row.name == name).map(|row| row.method)
    }
}

impl std::fmt::Display for Method {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_method_has_one_row() {
        for row in METHODS {
            assert_eq!(Method::named(row.name), Some(row.method));
            assert_eq!(row.method.row().name, row.name);
        }
        assert_eq!(Method::named("euler"), None);
    }
}
