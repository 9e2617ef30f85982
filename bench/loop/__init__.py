"""What a step costs without the model."""
