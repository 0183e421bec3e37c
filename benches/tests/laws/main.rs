//! What `compare` prints, and how well those walk, and flee, who do it by our fields.

mod compare;
mod fleeing;
mod following;
