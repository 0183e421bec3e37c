//! The laws of waves and fronts, each named by its test.

mod dense_laws;
mod dense_reference;
mod maps;
mod reference;
