"""What routes receive and return, as pydantic models."""
