function inside(a, b, list) {
  if (a < b && list.length > 0) {
    return true;
  }
  return false;
}
