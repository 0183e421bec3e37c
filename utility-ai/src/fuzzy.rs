//! Fuzzy inference after Mamdani, solved exactly.
//!
//! A [`RuleBase`] has inputs and an output with named terms, and rules. [`RuleBase::infer`] fires
//! the rules on numbers and gives an [`Inference`], from which an output is read: the
//! [`Defuzzifier`] chosen in the rule base, or any other.
//!
//! Where all terms of the output are piecewise linear (ramp, triangle, trapezoid), so is the curve
//! of the fired rules; areas, centroids and bisectors are taken in closed form, without sampling.
//! Gaussians and sigmoids of the output are replaced by chords; see [`Shape`].
//!
//! ```
//! use utility_ai::fuzzy::{Output, RuleBase};
//!
//! // Appendix A of furukawa-2021, its worked example.
//! let rules = RuleBase::furukawa();
//! let z = rules.infer(&[0.7, 0.6])?.output();
//! let exact = 0.2 + 3.0 * 6.0_f64.sqrt() / 20.0;
//! assert!(matches!(z, Output::Point(z) if (z - exact).abs() < 1e-12));
//!
//! // Full hit points, no stagnation: no rule fires. That is a result, not a NaN.
//! assert_eq!(rules.infer(&[1.0, 0.0])?.output(), Output::NothingFired);
//! # Ok::<(), utility_ai::fuzzy::FuzzyError>(())
//! ```
//!
//! # Rules as text
//! `if health is good and not (noise is high or noise is near) then courage is good with 0.8`.
//! `and` is the minimum, `or` the maximum, `not` the complement to 1; `and` binds more than `or`.
//! The weight after `with` multiplies the rule's strength.

mod aggregate;
mod definition;
mod error;
mod expression;
mod inference;
mod rule_base;
mod shape;

pub use definition::{Definition, Variable};
pub use error::{FuzzyError, RuleProblem};
pub use inference::{Inference, Output};
pub use rule_base::{Aggregation, Defuzzifier, Implication, RuleBase};
pub use shape::Shape;
