"""Does an edit, as an imperfect model wrote it, become exactly the file that was meant?"""
