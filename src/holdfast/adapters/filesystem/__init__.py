"""Files on disk: the project's files, the journal, and what Holdfast keeps in folders."""
