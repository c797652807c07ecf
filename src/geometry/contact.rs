//! The contact basis, and what is read off in it. Krupková §2, (2.1).
//!
//! On J^{r+1}Y the forms
//!
//! ```text
//! ω_j^σ = dq_j^σ − q_{j+1}^σ dt
//! ```
//!
//! vanish along every prolonged section, and together with dt they replace the basis dt, dq, …, dq_r of forms
//! on JʳY. A q-form has terms with q and with q − 1 contact factors, no others, because dt ∧ dt = 0:
//!
//! ```text
//! η = p_{q−1}η + p_qη,       p_kη: the terms with exactly k factors ω;   h = p₀
//! ```
//!
//! A form on J¹(JʳY), where curves need not be holonomic, has the basis dq_j − vel(q_j)dt instead. The same
//! functions serve both, told apart by a [`Prolongation`].

use super::axis::{Axis, Basis};
use super::form::{Form, FormBuilder};
use super::jet::{FiberedManifold, JetSpace, Prolongation, underlying_jet, velocity};
use crate::algebra::Inquiry;
use crate::algebra::decide::is_zero;
use crate::algebra::{Expr, Symbol, SymbolKind, Verdict};

/// A factor of a basis element, in either basis.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Covector {
    /// dx
    Differential(Symbol),
    /// ω_x = dx − x′dt
    Contact(Symbol),
}

/// One component of a form: the evidence for or against a property.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Component {
    pub basis: Vec<Covector>,
    pub coefficient: Expr,
}

/// Whether a form has a property, and the component that spoke against it, or that could not be decided.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    pub verdict: Verdict,
    pub evidence: Option<Component>,
}

/// A form in the basis dt, ω: the same sparse sum as a [`Form`], where the axis of a coordinate x other
/// than t now stands for ω_x, or for dx where the adapted coframe of a jet space keeps it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ContactForm {
    components: Form,
    basis: ContactBasis,
}

/// Which differentials are replaced by contact forms.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ContactBasis {
    /// All: dt, ω_0, …, ω_r for a form on JʳY. Coefficients then live on J^{r+1}Y.
    Full(Prolongation),
    /// dt, ω_0, …, ω_{r−1}, dq_r: the adapted coframe of JʳY, with coefficients on JʳY.
    Adapted(JetSpace),
}

impl ContactBasis {
    /// The velocity q₁ in ω = dq − q₁dt; `None` where the differential itself belongs to the basis.
    fn velocity(&self, axis: Axis) -> Option<Expr> {
        if axis.is_base() {
            return None;
        }
        match self {
            ContactBasis::Full(prolongation) => Some(velocity(axis.symbol(), *prolongation)),
            ContactBasis::Adapted(space) => {
                let (coordinate, order) = axis.symbol().as_jet()?;
                let fibre = space.manifold().fibre(coordinate)?;
                let below_top = order < fibre.order + space.order();
                below_top.then(|| velocity(axis.symbol(), Prolongation::Holonomic))
            }
        }
    }
}

/// ω_x = dx − x′dt.
pub fn contact_form(jet: Symbol) -> Form {
    let dx = Form::differential(jet);
    change_basis(&dx, &ContactBasis::Full(Prolongation::Holonomic), true)
}

/// The form in a contact basis.
pub fn in_contact_basis(form: &Form, basis: ContactBasis) -> ContactForm {
    ContactForm { components: change_basis(form, &basis, false), basis }
}

/// hη: dq_j ↦ q_{j+1}dt. Zero from degree 2 on, since the base has dimension 1.
pub fn horizontal_part(form: &Form) -> Form {
    k_contact_part(form, 0, prolongation_of(form))
}

/// pη = η − hη, lifted to J^{r+1}Y.
pub fn contact_part(form: &Form) -> Form {
    contact_part_along(form, prolongation_of(form))
}

/// pη with respect to the contact forms of JʳY or of J¹(JʳY).
pub fn contact_part_along(form: &Form, prolongation: Prolongation) -> Form {
    in_contact_basis(form, ContactBasis::Full(prolongation)).keep(|contactness| contactness > 0).to_form()
}

/// Whose contact forms are meant: a form in which a jet has a velocity of its own is one on J¹(JʳY).
pub fn prolongation_of(form: &Form) -> Prolongation {
    let is_free = |s: &Symbol| matches!(s.kind(), SymbolKind::Velocity { of } if of.as_jet().is_some());
    if form.symbols().iter().any(is_free) { Prolongation::Free } else { Prolongation::Holonomic }
}

/// p₁η.
pub fn one_contact_part(form: &Form) -> Form {
    k_contact_part(form, 1, prolongation_of(form))
}

/// p₂η.
pub fn two_contact_part(form: &Form) -> Form {
    k_contact_part(form, 2, prolongation_of(form))
}

/// p_kη, with respect to the holonomic contact forms or to those of J¹(JʳY).
pub fn k_contact_part(form: &Form, k: usize, prolongation: Prolongation) -> Form {
    if k != form.degree() && k + 1 != form.degree() {
        return Form::zero(form.degree());
    }
    in_contact_basis(form, ContactBasis::Full(prolongation)).k_contact(k).to_form()
}

impl ContactForm {
    /// The components; an axis other than t stands for its contact form where the basis has one.
    pub fn components(&self) -> impl Iterator<Item = Component> {
        self.components
            .terms_in_reading_order()
            .into_iter()
            .map(|(basis, coefficient)| self.component(basis, coefficient))
    }

    /// The terms with exactly k contact factors.
    pub fn k_contact(&self, k: usize) -> ContactForm {
        self.keep(|contactness| contactness == k)
    }

    fn keep(&self, wanted: impl Fn(usize) -> bool) -> ContactForm {
        let components = self.components.keep(|basis, c| wanted(self.contactness(basis)).then_some(c));
        ContactForm { components, basis: self.basis.clone() }
    }

    /// Back in the basis of differentials.
    pub fn to_form(&self) -> Form {
        change_basis(&self.components, &self.basis, true)
    }

    /// The coefficient of ω_x ∧ … ∧ dt, with the sign of the order given. A key that is not part of the
    /// basis, such as ω of a top jet in an adapted coframe, gives `None`.
    pub fn coefficient(&self, key: &[Covector]) -> Option<Expr> {
        let mut symbols = Vec::with_capacity(key.len());
        for covector in key {
            let (symbol, contact) = match covector {
                Covector::Differential(s) => (*s, false),
                Covector::Contact(s) => (*s, true),
            };
            let axis = Axis::of(symbol)?;
            if self.basis.velocity(axis).is_some() != contact {
                return None;
            }
            symbols.push(symbol);
        }
        Some(self.components.coefficient(&symbols))
    }

    fn contactness(&self, basis: &Basis) -> usize {
        basis.iter().filter(|a| self.basis.velocity(**a).is_some()).count()
    }

    fn component(&self, basis: &Basis, coefficient: Expr) -> Component {
        let covector = |a: &Axis| match self.basis.velocity(*a) {
            Some(_) => Covector::Contact(a.symbol()),
            None => Covector::Differential(a.symbol()),
        };
        Component { basis: basis.iter().map(covector).collect(), coefficient }
    }
}

/// η[key]: in the basis of differentials, or in a contact basis as soon as a key is an ω. With keys of
/// both kinds, as in `η[omega(x), dx']`, the adapted coframe of the order of the differentials is meant.
/// `None` when no basis contains all the keys.
pub fn coefficient(form: &Form, key: &[Covector]) -> Option<Expr> {
    let contact = key.iter().any(|c| matches!(c, Covector::Contact(_)));
    if !contact {
        let symbols: Vec<Symbol> = key.iter().map(|c| c.symbol()).collect();
        return Some(form.coefficient(&symbols));
    }
    let top = key.iter().find_map(|c| match c {
        Covector::Differential(s) => s.as_jet(),
        Covector::Contact(_) => None,
    });
    let basis = match top {
        None => ContactBasis::Full(Prolongation::Holonomic),
        Some((coordinate, order)) => {
            let manifold = FiberedManifold::of_coordinate(coordinate)?;
            let offset = manifold.fibre(coordinate)?.order;
            ContactBasis::Adapted(manifold.jets(order.saturating_sub(offset)))
        }
    };
    in_contact_basis(form, basis).coefficient(key)
}

/// Replaces every dx that the basis has an ω for by ω_x + x′dt; with `back`, every ω_x by dx − x′dt. A product
/// can take the dt of one factor only, so a term gives at most one more for each factor.
fn change_basis(form: &Form, basis: &ContactBasis, back: bool) -> Form {
    let mut base: Option<Axis> = None;
    let mut builder = FormBuilder::new(form.degree());
    for (axes, c) in form.terms() {
        builder.add(axes.clone(), false, c);
        if axes.last().is_some_and(|a| a.is_base()) {
            continue;
        }
        for (i, axis) in axes.iter().enumerate() {
            let Some(speed) = basis.velocity(*axis) else { continue };
            let base = *base.get_or_insert_with(|| base_axis(form));
            let mut product = axes.clone();
            product.remove(i);
            product.push(base);
            // dt moves from place i to the end.
            let odd = (axes.len() - 1 - i) % 2 == 1;
            builder.add(product, odd ^ back, speed * c);
        }
    }
    builder.finish()
}

/// The axis of t for the manifold on which the form lives.
fn base_axis(form: &Form) -> Axis {
    let symbols = form.symbols();
    let written = symbols.iter().copied().find(|s| s.kind() == SymbolKind::Base);
    let owner = || symbols.iter().find_map(|s| FiberedManifold::of_coordinate(underlying_jet(*s)?.0));
    let base = written.or_else(|| owner().map(|m| m.base())).unwrap_or_else(FiberedManifold::any_base);
    Axis::of(base).unwrap_or_else(|| unreachable!("the base is a coordinate"))
}

/// Horizontal over X: components along dt only.
pub fn is_horizontal(cx: &Inquiry, form: &Form) -> Finding {
    all_vanish(
        cx,
        form.terms_in_reading_order().into_iter().filter(|(b, _)| b.iter().any(|a| !a.is_base())).map(differential),
    )
}

/// Horizontal over Y, with respect to π_{r,0}: components along dt and the coordinates of the manifold itself; or over JˢY, with
/// respect to π_{r,s}.
pub fn is_horizontal_over(cx: &Inquiry, form: &Form, space: &JetSpace) -> Finding {
    let terms = form.terms_in_reading_order().into_iter();
    all_vanish(cx, terms.filter(|(b, _)| b.iter().any(|a| !space.contains(a.symbol()))).map(differential))
}

/// Contact: vanishes along every prolonged section, hη = 0. From degree 2 on every form is.
pub fn is_contact(cx: &Inquiry, form: &Form) -> Finding {
    is_contact_along(cx, form, prolongation_of(form))
}

/// The same with respect to the contact forms of JʳY or of J¹(JʳY).
pub fn is_contact_along(cx: &Inquiry, form: &Form, prolongation: Prolongation) -> Finding {
    if form.degree() >= 2 {
        return Finding { verdict: Verdict::yes("a form of degree 2 or more vanishes along curves"), evidence: None };
    }
    all_vanish(cx, k_contact_part(form, 0, prolongation).terms().map(differential))
}

/// k-contact: every term in the contact basis has exactly k factors ω.
pub fn is_k_contact(cx: &Inquiry, form: &Form, k: usize) -> Finding {
    is_k_contact_along(cx, form, k, prolongation_of(form))
}

/// The same with respect to the contact forms of JʳY or of J¹(JʳY).
pub fn is_k_contact_along(cx: &Inquiry, form: &Form, k: usize, prolongation: Prolongation) -> Finding {
    let contact = in_contact_basis(form, ContactBasis::Full(prolongation));
    all_vanish(cx, contact.components().filter(|c| c.contactness() != k))
}

/// Dynamical: a 2-form E_σ dq^σ ∧ dt, 1-contact and π_{s,0}-horizontal. Krupková (3.1).
pub fn is_dynamical(cx: &Inquiry, form: &Form, manifold: &FiberedManifold) -> Finding {
    if form.degree() != 2 {
        return wrong_degree(cx, form, 2);
    }
    let space = manifold.jets(0);
    let fits = |b: &Basis| b[1].is_base() && space.contains(b[0].symbol());
    all_vanish(cx, form.terms_in_reading_order().into_iter().filter(|(b, _)| !fits(b)).map(differential))
}

/// Lepage: the 1-contact part of the 2-form, or of the derivative of the 1-form, is dynamical. Krupková §3, §8.
pub fn is_lepage(cx: &Inquiry, form: &Form, manifold: &FiberedManifold) -> Finding {
    let two_form = match form.degree() {
        1 => form.d(cx),
        2 => form.clone(),
        _ => return wrong_degree(cx, form, 2),
    };
    let space = manifold.jets(0);
    let contact = in_contact_basis(&two_form, ContactBasis::Full(Prolongation::Holonomic)).k_contact(1);
    all_vanish(cx, contact.components().filter(|c| c.basis.iter().any(|b| !space.contains(b.symbol()))))
}

/// Closed: dη = 0. The evidence is a component of dη.
pub fn is_closed(cx: &Inquiry, form: &Form) -> Finding {
    let d = form.d(cx);
    all_vanish(cx, d.terms_in_reading_order().into_iter().map(differential))
}

impl Covector {
    pub fn symbol(self) -> Symbol {
        match self {
            Covector::Differential(s) | Covector::Contact(s) => s,
        }
    }
}

impl Component {
    /// How many contact factors it has.
    pub fn contactness(&self) -> usize {
        self.basis.iter().filter(|b| matches!(b, Covector::Contact(_))).count()
    }
}

/// A term of a form as evidence.
pub fn differential((basis, coefficient): (&Basis, Expr)) -> Component {
    Component { basis: basis.iter().map(|a| Covector::Differential(a.symbol())).collect(), coefficient }
}

/// Whether all the components vanish. One that does not settles it, whatever cannot be decided before.
pub(crate) fn all_vanish(cx: &Inquiry, components: impl IntoIterator<Item = Component>) -> Finding {
    let mut finding = Finding { verdict: Verdict::yes("no component speaks against it"), evidence: None };
    for component in components {
        let verdict = is_zero(cx, component.coefficient);
        if verdict.is_no() {
            return Finding { verdict, evidence: Some(component) };
        }
        if verdict.is_unknown() && finding.evidence.is_none() {
            finding.evidence = Some(component);
        }
        finding.verdict = finding.verdict.and(verdict);
    }
    finding
}

fn wrong_degree(cx: &Inquiry, form: &Form, expected: usize) -> Finding {
    let verdict = form.is_zero(cx);
    let found = form.degree();
    match verdict {
        Verdict::Yes(_) => Finding { verdict, evidence: None },
        _ => Finding { verdict: Verdict::no(format!("it is a {found}-form, not a {expected}-form")), evidence: None },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algebra::{Coordinate, Rational};

    struct Stage {
        t: Symbol,
        q: Coordinate,
        y: FiberedManifold,
    }

    fn stage() -> Stage {
        let (t, q) = (Symbol::base("t"), Coordinate::declare("q", false));
        Stage { t, q, y: FiberedManifold::new("Y", t, &[q]) }
    }

    impl Stage {
        fn j(&self, k: u32) -> Expr {
            Expr::symbol(self.q.jet(k))
        }

        fn at(&self, e: Expr, t: (i64, i64), jets: [(i64, i64); 3]) -> Expr {
            let number = |(n, d)| Expr::number(Rational::ratio(n, d));
            let jets = jets.into_iter().enumerate().map(|(k, v)| (self.q.jet(k as u32), number(v)));
            crate::algebra::substitute::substitute(e, &jets.chain([(self.t, number(t))]).collect())
        }
    }

    /// V03: η = q'dt + t dq + q²dq'.
    #[test]
    fn horizontal_and_contact_part_of_a_one_form() {
        let cx = &Inquiry::free();
        let s = stage();
        let eta = Form::one_form([(s.t, s.j(1)), (s.q.jet(0), s.t.into()), (s.q.jet(1), s.j(0).pow(2))]);
        let h = horizontal_part(&eta);
        let dt = h.coefficient(&[s.t]);
        assert_eq!(s.at(dt, (4, 3), [(-1, 2), (-5, 3), (1, 1)]), Expr::ratio(-131, 36));
        assert_eq!(s.at(dt, (-5, 1), [(-3, 1), (-1, 1), (1, 1)]), Expr::number(13));
        assert!(is_horizontal(cx, &h).verdict.is_yes());
        let p = contact_part(&eta);
        let along = |k: u32| coefficient(&p, &[Covector::Contact(s.q.jet(k))]);
        assert_eq!(along(0), Some(Expr::symbol(s.t)));
        assert_eq!(along(1), Some(s.j(0).pow(2)));
        let rest = &p - &(&Form::omega(s.q.jet(0)).scale(s.t.into()) + &Form::omega(s.q.jet(1)).scale(s.j(0).pow(2)));
        assert!(rest.is_empty());
    }

    /// V04: α = dq ∧ dq' + tq dq' ∧ dt.
    #[test]
    fn one_and_two_contact_parts_of_a_two_form() {
        let s = stage();
        let al = &Form::term(Expr::one(), &[s.q.jet(0), s.q.jet(1)])
            + &Form::term(Expr::symbol(s.t) * s.j(0), &[s.q.jet(1), s.t]);
        let omega = |k: u32| Covector::Contact(s.q.jet(k));
        let dt = Covector::Differential(s.t);
        let (p1, p2) = (one_contact_part(&al), two_contact_part(&al));
        assert_eq!(coefficient(&p1, &[omega(0), dt]), Some(s.j(2)));
        assert_eq!(coefficient(&p1, &[omega(1), dt]), Some(s.j(0) * Expr::symbol(s.t) - s.j(1)));
        assert_eq!(coefficient(&p1, &[dt, omega(0)]), Some(-s.j(2)));
        assert_eq!(coefficient(&p2, &[omega(0), omega(1)]), Some(Expr::one()));
        assert_eq!(p2.terms().len(), 3);
        assert_eq!(
            in_contact_basis(&p2, ContactBasis::Full(Prolongation::Holonomic)).to_string(),
            r"omega(q) /\ omega(q')"
        );
    }

    #[test]
    fn the_adapted_coframe_keeps_the_order() {
        let s = stage();
        let eta = Form::one_form([(s.q.jet(0), Expr::one()), (s.q.jet(1), s.j(0))]);
        let adapted = in_contact_basis(&eta, ContactBasis::Adapted(s.y.jets(1)));
        assert_eq!(adapted.to_string(), "q'*dt + omega(q) + q*dq'");
        assert_eq!(adapted.to_form(), eta);
        assert_eq!(coefficient(&eta, &[Covector::Differential(s.q.jet(1))]), Some(s.j(0)));
        assert_eq!(adapted.coefficient(&[Covector::Contact(s.q.jet(1))]), None);
    }

    #[test]
    fn types_of_the_standard_examples() {
        let cx = &Inquiry::free();
        let s = stage();
        let y = &s.y;
        let e = Form::term(s.j(2) + s.j(0), &[s.q.jet(0), s.t]);
        assert!(is_dynamical(cx, &e, y).verdict.is_yes());
        assert!(is_k_contact(cx, &e, 1).verdict.is_yes());
        assert!(is_lepage(cx, &e, y).verdict.is_yes());
        // A Lepage 2-form of q″ + q = 0: ω ∧ (q dt + dq′).
        let lepage = Form::omega(s.q.jet(0)).wedge(&Form::one_form([(s.t, s.j(0)), (s.q.jet(1), Expr::one())]));
        assert!(is_lepage(cx, &lepage, y).verdict.is_yes());
        assert!(is_dynamical(cx, &lepage, y).verdict.is_no());
        let not = Form::term(Expr::number(2), &[s.q.jet(1), s.t]);
        let finding = is_lepage(cx, &not, y);
        assert!(finding.verdict.is_no());
        assert_eq!(finding.evidence.unwrap().to_string(), r"2*omega(q') /\ dt");
        assert!(is_closed(cx, &Form::term(Expr::one(), &[s.q.jet(0), s.t])).verdict.is_yes());
        assert!(is_contact(cx, &Form::omega(s.q.jet(1))).verdict.is_yes());
        assert!(is_contact(cx, &Form::differential(s.t)).verdict.is_no());
    }
}
