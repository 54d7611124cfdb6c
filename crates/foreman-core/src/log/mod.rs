//! Reading output files back.
