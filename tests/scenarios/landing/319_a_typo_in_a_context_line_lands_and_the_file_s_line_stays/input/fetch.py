def fetch(session, url):
    attempts = 0
    backoff_seconds = 1.5
    response = session.get(url)
    check_status(response)
    return response.json()
