// A library that has the name of a plug-in and is none.
extern "C" int something_else() {
  return 0;
}
