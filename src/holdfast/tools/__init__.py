"""Tools that a model can call: one file for each tool, with its description in `<name>.md`."""
