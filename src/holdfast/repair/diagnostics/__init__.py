"""A compiler's output becomes diagnostics: one parser one file, pure, and no output makes one raise."""
