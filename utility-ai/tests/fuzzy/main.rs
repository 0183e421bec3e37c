//! Laws of fuzzy inference, and answers that were calculated independently.

mod errors;
mod laws;
mod oracle;
