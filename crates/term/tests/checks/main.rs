//! Tests of terms.

mod arrays;
mod collect;
mod deep;
mod demanded;
mod expressions;
mod growth;
mod rules;
mod simplify;
mod smtlib;
mod sweep;
mod text;
