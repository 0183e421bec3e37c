//! Costly calls are compiled in this crate, once for each dimension.
//!
//! Generic code is compiled by the crate that uses it: with that crate's settings, mostly without
//! optimisation in a game under development, and again after every edit of it. So the costly calls
//! of types with a dimension are thin: they find out which dimension it is and call a function
//! without one.

use std::any::Any;

/// Turns a reference to a type with a dimension into one to the same type with the dimension named.
pub(crate) trait Named<To> {
    fn named(self) -> To;
}

const SAME: &str = "a dimension is one of the two, and the same throughout a call";

impl<'a, A: Any, B: Any> Named<&'a mut B> for &'a mut A {
    fn named(self) -> &'a mut B {
        (self as &mut dyn Any).downcast_mut().expect(SAME)
    }
}

impl<'a, A: Any, B: Any> Named<&'a B> for &'a A {
    fn named(self) -> &'a B {
        (self as &dyn Any).downcast_ref().expect(SAME)
    }
}

/// Evaluates an expression in a function that is compiled here, once for each dimension `D`. First
/// come references to types with that dimension, after `;` arguments without.
macro_rules! compiled {
    (
        $d:ident: ($($this:ident: $type:ty = $value:expr),+; $($arg:ident: $t:ty),*) -> $out:ty
        $call:block
    ) => {{
        let flat = {
            type $d = ndarray::Ix2;
            #[inline(never)]
            fn call($($this: $type,)+ $($arg: $t),*) -> $out $call
            call
        };
        let deep = {
            type $d = ndarray::Ix3;
            #[inline(never)]
            fn call($($this: $type,)+ $($arg: $t),*) -> $out $call
            call
        };
        if $d::AXES == 2 {
            flat($($crate::compiled::Named::named($value),)+ $($arg),*)
        } else {
            deep($($crate::compiled::Named::named($value),)+ $($arg),*)
        }
    }};
}

pub(crate) use compiled;
