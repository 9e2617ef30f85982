def tax(amount, rate):
    # The rate is a fraction of one, not a percentage.
    base = amount - DISCOUNT
    result = base * rate
    return round(result, 2)
