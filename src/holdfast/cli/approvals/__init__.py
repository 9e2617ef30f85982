"""`holdfast approvals`, and the front ends that ask the user."""
