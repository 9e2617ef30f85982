CITY = "Zürich"
STREET = "Löwenstraße"
LIMIT = 2
