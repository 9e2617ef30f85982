"""What is made before a process and removed after it, and what is put back."""
