const price = (text) => text.replace(/(\d+)/, "$1 $& $$ $` $' \\1 \\g<0>");
const name = "left";
