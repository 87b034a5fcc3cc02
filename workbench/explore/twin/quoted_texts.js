// Texts of others in messages, written as Python's `repr` writes them, and cut; the twin of long_texts.py.

const LONGEST = 80;

/** Return a text with its middle left out, if it is longer than so many characters. */
function shortened(signs, longest) {
  const head = Math.floor((longest - 1) / 2);
  return [...signs.slice(0, head), "…", ...signs.slice(signs.length - (longest - 1 - head))].join("");
}

/** Return a text as it is, or with its middle left out and its length behind it. @param {string} text */
export function cutLong(text, longest = LONGEST) {
  if (text.length <= longest) return text;
  const signs = [...text];
  return signs.length <= longest ? text : `${shortened(signs, longest)} (${signs.length.toLocaleString("en-US")} characters)`;
}

/** Return a text between quotation marks, cut likewise. @param {string} text */
export function quoted(text, longest = LONGEST) {
  const signs = [...text];
  return signs.length <= longest ? repr(text) : `${repr(shortened(signs, longest))} (${signs.length.toLocaleString("en-US")} characters)`;
}

const ESCAPED = { "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r" };

/** Write a text as Python does. @param {string} text */
export function repr(text) {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const signs = [...text].map((sign) => {
    if (sign === quote) return `\\${quote}`;
    if (ESCAPED[sign]) return ESCAPED[sign];
    return sign !== " " && /[\p{C}\p{Z}]/u.test(sign) ? escaped(sign.codePointAt(0)) : sign;
  });
  return quote + signs.join("") + quote;
}

function escaped(code) {
  const digits = code.toString(16);
  if (code < 0x100) return `\\x${digits.padStart(2, "0")}`;
  return code < 0x10000 ? `\\u${digits.padStart(4, "0")}` : `\\U${digits.padStart(8, "0")}`;
}
