//! Names and what they mean. Names of values and names of functions are kept apart, and the
//! parenthesis decides: with a coordinate `p`, `p` is the coordinate and `p(η)` the contact part.

use super::term::{Defined, Unmade};
use crate::algebra::expr::Condition;
use crate::algebra::print::name::spelled;
use crate::algebra::{Coordinate, Function, Symbol};
use crate::geometry::jet::FiberedManifold;
use crate::model::value::Value;
use crate::source::Span;
use crate::syntax::ast::{Ast, ExprId};
use std::cell::{Cell, OnceCell, RefCell};
use std::rc::{Rc, Weak};

/// By name, in the order of declaration. Names come from the user alone: no hash that guards against chosen ones is needed.
pub type Named<T> = indexmap::IndexMap<String, T, rustc_hash::FxBuildHasher>;

/// What a name of a value is bound to.
#[derive(Clone)]
pub struct Binding {
    pub meaning: Meaning,
    pub span: Span,
    pub doc: Option<Rc<str>>,
    /// Set when the name is used; a name that is never used gets a warning.
    pub used: Rc<Cell<bool>>,
    /// Names other than those the user typed (from a library) are not warned about.
    pub warn_if_unused: bool,
    /// The ground of its promise, if that is not a proof.
    pub sampled: Option<Rc<str>>,
    /// Where the value is one: what was divided by and what was stated on the way to it. Whoever uses it says so.
    pub conditions: Rc<[Condition]>,
}

#[derive(Clone)]
pub enum Meaning {
    Value(Value),
    Parameter(Symbol),
    Base(Symbol),
    /// A coordinate name: on each manifold that has it, one coordinate.
    Coordinate(Vec<(FiberedManifold, Coordinate)>),
    /// The names of a library behind a prefix.
    Library(Rc<Scope>),
    /// What is not made where nothing is asked.
    Unmade(Rc<Unmade>),
}

/// What a name of a function is bound to.
#[derive(Clone)]
pub enum Callable {
    /// `function V(theta)`.
    Unknown(Function),
    /// `let f(a, b) = body`.
    Closure(Rc<Closure>),
}

/// A function of the language. Its body was resolved where it stands; names that were not declared there, itself and
/// functions below it, are looked for when it is called, among those of the block or file that declares it: never among
/// those of whoever calls it.
pub struct Closure {
    pub function: Rc<Defined>,
    pub ast: Rc<Ast>,
    pub body: ExprId,
    /// The names of an open body that were declared before it.
    known: Scope,
    /// In how many blocks its declaration stands.
    depth: usize,
    /// Of a file that is used: everything that it declares.
    file: OnceCell<Weak<Scope>>,
}

impl Closure {
    pub fn new(function: Rc<Defined>, ast: &Rc<Ast>, body: ExprId, scope: &Scope) -> Closure {
        let (known, depth) = (Scope::default(), scope.depth());
        let mut closure = Closure { function, ast: ast.clone(), body, known, depth, file: OnceCell::new() };
        if closure.is_open() {
            closure.known = closure.names_known(scope);
        }
        closure
    }

    /// What the names of the body that are declared in a scope mean.
    fn names_known(&self, scope: &Scope) -> Scope {
        let mut known = Scope { manifolds: scope.manifolds.clone(), ..Scope::default() };
        for id in self.ast.inside(self.ast.span(self.body)) {
            let Some(word) = self.ast.name(id).map(|n| &*n.text) else { continue };
            // `dx` mentions `x`, `p_x` its momentum.
            let inner = [Some(word), word.strip_prefix('d'), word.split_once('_').map(|(_, rest)| rest)];
            for word in inner.into_iter().flatten() {
                for name in [Some(word.to_string()), spelled(word)].into_iter().flatten() {
                    if let Some((name, binding)) = scope.values.get_key_value(&name) {
                        known.values.insert(name.clone(), binding.clone());
                    }
                    if let Some((name, binding)) = scope.functions.get_key_value(&name) {
                        known.functions.insert(name.clone(), binding.clone());
                    }
                }
            }
        }
        known
    }

    pub fn is_open(&self) -> bool {
        self.function.body().is_none_or(|body| body.is_open)
    }

    pub fn parameters(&self) -> &[Rc<str>] {
        &self.function.parameters
    }

    pub fn span(&self) -> Span {
        self.function.span
    }

    /// Its file was read to the end.
    fn belongs_to(&self, file: &Rc<Scope>) {
        if self.is_open() {
            let _ = self.file.set(Rc::downgrade(file));
        }
    }

    /// What the names of an open body mean: what they meant where it was declared. Names that came later are those of the
    /// same block or file.
    pub fn scope(&self, caller: &Scope) -> Scope {
        if let Some(file) = self.file.get() {
            return file.upgrade().map_or_else(|| self.known.clone(), |file| (*file).clone());
        }
        let mut scope = caller.at_depth(self.depth).clone();
        scope.values.extend(self.known.values.iter().map(|(name, b)| (name.clone(), b.clone())));
        scope.functions.extend(self.known.functions.iter().map(|(name, b)| (name.clone(), b.clone())));
        scope
    }
}

#[derive(Clone)]
pub struct FunctionBinding {
    pub callable: Callable,
    pub span: Span,
    pub doc: Option<Rc<str>>,
    pub used: Rc<Cell<bool>>,
    pub warn_if_unused: bool,
}

/// All names of a session, or of a library, in the order of their declaration.
#[derive(Clone, Default)]
pub struct Scope {
    pub values: Named<Binding>,
    pub functions: Named<FunctionBinding>,
    pub manifolds: Vec<FiberedManifold>,
    /// Prefixes of momenta that were chosen with `names = P`: from then on `P_x` is a name.
    prefixes: RefCell<Vec<String>>,
    /// What was declared before the block whose names these are.
    around: Option<Rc<Scope>>,
}

impl Scope {
    /// The names that are seen at the beginning of a block.
    pub fn inside(around: &Rc<Scope>) -> Scope {
        Scope { around: Some(around.clone()), ..(**around).clone() }
    }

    fn depth(&self) -> usize {
        std::iter::successors(self.around.as_ref(), |scope| scope.around.as_ref()).count()
    }

    /// The names of so many blocks, without those of blocks inside them.
    fn at_depth(&self, depth: usize) -> &Scope {
        match &self.around {
            Some(around) if self.depth() > depth => around.at_depth(depth),
            _ => self,
        }
    }

    /// The scope of a file that was read to its end: the functions it declares see all of it, and nothing else.
    pub fn of_file(self) -> Rc<Scope> {
        let scope = Rc::new(self);
        scope.closures().for_each(|(_, closure)| closure.belongs_to(&scope));
        scope
    }

    /// The functions of the language that have a body, and where they are declared.
    pub fn closures(&self) -> impl Iterator<Item = (Span, &Rc<Closure>)> {
        self.functions.values().filter_map(|binding| match &binding.callable {
            Callable::Closure(closure) => Some((binding.span, closure)),
            Callable::Unknown(_) => None,
        })
    }

    /// From here on `P_x` is the momentum of x.
    pub fn allow_momentum_prefix(&self, prefix: &str) {
        if !self.has_momentum_prefix(prefix) {
            self.prefixes.borrow_mut().push(prefix.into());
        }
    }

    pub fn has_momentum_prefix(&self, prefix: &str) -> bool {
        self.prefixes.borrow().iter().any(|p| p == prefix)
    }

    /// What the name means; an undeclared Greek letter means its spelling, as answers write θ for `theta`.
    pub fn value(&self, name: &str) -> Option<&Binding> {
        let binding = self.values.get(name).or_else(|| self.values.get(&spelled(name)?))?;
        binding.used.set(true);
        Some(binding)
    }

    pub fn function(&self, name: &str) -> Option<&FunctionBinding> {
        let binding = self.functions.get(name).or_else(|| self.functions.get(&spelled(name)?))?;
        binding.used.set(true);
        Some(binding)
    }

    /// Every name of a value, for suggestions and completion.
    pub fn value_names(&self) -> impl Iterator<Item = &str> {
        self.values.keys().map(String::as_str)
    }

    /// The name of the system, where there is one: what was meant where none is named.
    pub fn only_system(&self) -> Option<&str> {
        let is_system = |b: &Binding| matches!(&b.meaning, Meaning::Value(Value::System(_)));
        let mut found = self.values.iter().filter(|(_, binding)| is_system(binding));
        match (found.next(), found.next()) {
            (Some((name, _)), None) => Some(name),
            _ => None,
        }
    }

    pub fn function_names(&self) -> impl Iterator<Item = &str> {
        self.functions.keys().map(String::as_str)
    }
}

impl Binding {
    pub fn new(meaning: Meaning, span: Span) -> Binding {
        Binding {
            meaning,
            span,
            doc: None,
            used: Rc::new(Cell::new(false)),
            warn_if_unused: true,
            sampled: None,
            conditions: Rc::new([]),
        }
    }

    /// In the words of the language, for `:list` and diagnostics.
    pub fn kind_name(&self) -> String {
        match &self.meaning {
            Meaning::Value(v) => v.type_name(),
            Meaning::Parameter(_) => "parameter".into(),
            Meaning::Base(_) => "base coordinate".into(),
            Meaning::Coordinate(_) => "coordinate".into(),
            Meaning::Library(_) => "library".into(),
            Meaning::Unmade(unmade) => unmade.shape.to_string(),
        }
    }
}
