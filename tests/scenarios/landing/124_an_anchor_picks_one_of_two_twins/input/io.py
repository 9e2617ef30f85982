class Reader:
    def close(self):
        self.file = None


class Writer:
    def close(self):
        self.file = None
