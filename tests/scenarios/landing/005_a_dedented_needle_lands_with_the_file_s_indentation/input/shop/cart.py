class Cart:
    def total(self):
        amount = 0
        for item in self.items:
            amount += item.price
        return amount
