//! The dashboard of `everypath test --ui`: shows a running exploration, and lets the user steer it.

mod clock;
mod dashboard;
mod draw;
#[cfg(test)]
mod drawing_tests;
mod frontier;
mod keys;
mod model;
mod panels;
mod screen;
mod text;

pub(crate) use dashboard::Dashboard;
