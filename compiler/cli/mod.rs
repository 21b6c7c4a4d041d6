//! Arguments in, library call, report out.
