class Reader:
    def open(self):
        self.count = 0

    def close(self):
        self.count = None


class Writer:
    def open(self):
        self.count = 0

    def close(self):
        self.count = 0
