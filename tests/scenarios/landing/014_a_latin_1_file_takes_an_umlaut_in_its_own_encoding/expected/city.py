# -*- coding: latin-1 -*-
CITY = 'Köln'
LIMIT = 3
