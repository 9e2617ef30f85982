class Reader:
    def close(self):
        self.file = None


class Writer:
    def open(self):
        self.file = 1
