//! A query in; a model, 'none', or 'unknown, because' out; a stack of one-file layers over a backend.
