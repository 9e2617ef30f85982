"""Published packages and system tools that land edits, behind one face. `install.sh` brings them."""
