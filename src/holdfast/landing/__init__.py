"""text + request -> Landed | Refused. Pure: no disk, no clock, no randomness, no log."""
