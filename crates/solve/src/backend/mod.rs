//! The backends, which decide the queries that no layer answers.

pub mod bitblast;
mod bitblast_solver;
mod pipe;
mod portfolio;
mod process;

pub use bitblast_solver::BitBlast;
pub use pipe::Pipe;
pub use portfolio::Portfolio;
pub use process::SolverProgram;
