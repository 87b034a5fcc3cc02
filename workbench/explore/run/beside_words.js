// A reply's numbers in words, for the replies side by side.

/** @param {number|null} value @returns {string} "none" where it is undefined. */
export function measureText(value) {
  return value === null ? "none" : value.toFixed(4);
}

/**
 * @param {{precision: number|null, recall: number|null, edit_distance: number|null, reply_class: string}} reply
 * @param {number} depth
 */
export function measuresInWords({ precision, recall, edit_distance, reply_class }, depth) {
  const distance = edit_distance === null ? "none" : edit_distance.toFixed(0);
  return `p_${depth} ${measureText(precision)}, r_${depth} ${measureText(recall)}, edit distance ${distance}, ${reply_class}`;
}

/** @param {{board: string, different: string[], fields: string[]}} reply */
export function differingInWords({ board, different, fields }) {
  if (!board) return "no board";
  const squares = different.length === 1 ? "1 square differs" : `${different.length || "no"} squares differ`;
  return fields.length === 0 ? squares : `${squares}; wrong: ${fields.join(", ")}`;
}
