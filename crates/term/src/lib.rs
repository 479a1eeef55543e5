//! Bit-vector terms over input bytes: sharing, simplification, evaluation under a model.
