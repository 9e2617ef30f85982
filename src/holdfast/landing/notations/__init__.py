"""The notations models write edits in, each read into requests; what is not in the notation is `Malformed`."""
