//! The program and the library behind it. One test program for nearly all: the program is linked
//! into each, and tests in one run side by side. On their own are those that measure times or set
//! the limit of memory.

#[path = "../command/mod.rs"]
mod command;

mod cli;
#[cfg(unix)]
mod crash;
mod guide;
#[cfg(feature = "import")]
mod import;
#[cfg(feature = "import")]
mod import_rules;
mod legs;
mod level;
mod maps;
mod maps_real;
mod parameters;
mod pursue_real;
mod recipes;
mod reproduce;
mod rules;
mod scenarios;
mod side;
mod sweep;
#[cfg(unix)]
mod together;
mod trouble;
mod words;
