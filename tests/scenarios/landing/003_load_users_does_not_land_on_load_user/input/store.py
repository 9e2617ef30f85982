def load_user(db, key):
    row = db.get(key)
    return row


def save_user(db, key, row):
    db.put(key, row)
