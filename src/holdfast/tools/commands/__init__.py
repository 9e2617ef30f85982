"""What the tool `run_command` decides before it runs something."""
