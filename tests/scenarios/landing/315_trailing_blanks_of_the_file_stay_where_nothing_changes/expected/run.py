def run():   
    first()	
    other()
    third()  
