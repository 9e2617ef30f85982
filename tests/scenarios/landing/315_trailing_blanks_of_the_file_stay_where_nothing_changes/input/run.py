def run():   
    first()	
    second()
    third()  
