"""Files on the disk: the files of the project, the journal, and the files of Holdfast itself."""
