using System.IO;
class App { }
