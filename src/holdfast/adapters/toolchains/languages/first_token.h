/* A precompiled header is loaded only before the first token of a source. One that lies in a project is
   a memory image of the compiler, and so code of the project. */
struct holdfast_first_token;
