const price = (text) => text.replace(/(\d+)/, "x");
const name = "left";
