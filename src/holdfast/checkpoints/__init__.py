"""What a snapshot contains and how a restore is planned, without git."""
