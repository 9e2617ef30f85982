# -*- coding: latin-1 -*-
CITY = 'Zürich'
LIMIT = 3
