CITY = "Zürich"
STREET = "Löwenstraße"
LIMIT = 1
