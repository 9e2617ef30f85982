class Cart:
    def total(self):
        amount = 0
        for item in self.items:
            if item.paid:
                continue
            amount += item.price
        return amount
