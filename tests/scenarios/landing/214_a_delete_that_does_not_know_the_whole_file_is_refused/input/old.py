import os
print(os.name)
print("kept")
