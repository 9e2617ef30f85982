"""What does it cost to take a checkpoint, and to go back to one?"""
