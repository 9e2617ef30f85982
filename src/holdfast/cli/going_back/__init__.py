"""The commands that go back: undo, redo, checkpoints."""
