user_id = 1
id_user = 2
