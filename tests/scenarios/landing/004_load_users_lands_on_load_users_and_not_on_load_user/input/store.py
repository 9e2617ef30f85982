def load_user(db, key):
    row = db.get(key)
    return row


def load_users(db, key):
    row = db.get(key)
    return row
