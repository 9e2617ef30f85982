"""The sandbox: what a child process may read, change and reach, enforced by the system."""
