"""How the time to read a reply grows with its length, for texts that were made to be slow."""
