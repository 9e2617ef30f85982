using System;
class App { }
