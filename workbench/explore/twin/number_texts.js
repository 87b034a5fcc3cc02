// Numbers as Python's format writes them: halves to even, and the general form of so many digits.

/** Like f"{value:.{decimals}f}". @param {number} value At least 0. @returns {string} */
export function fixedText(value, decimals) {
  const halves = value * 2 ** (decimals + 1);
  const text = value.toFixed(decimals);
  // Such a value is exactly in the middle only if it has no more binary digits than that; toFixed rounds it up.
  const scaled = value * 10 ** decimals;
  if (!Number.isInteger(halves) || Math.abs(scaled % 1) !== 0.5 || Math.floor(scaled) % 2) return text;
  return (Math.floor(scaled) / 10 ** decimals).toFixed(decimals);
}

/** Like f"{value:.{digits}g}". @param {number} value At least 0. @returns {string} */
export function generalText(value, digits) {
  if (value === 0) return "0";
  const exponent = Number(value.toExponential(digits - 1).split("e")[1]);
  const bare = (text) => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);
  if (exponent >= -4 && exponent < digits) return bare(fixedText(value, digits - 1 - exponent));
  const [mantissa, power] = value.toExponential(digits - 1).split("e");
  return `${bare(mantissa)}e${power[0]}${power.slice(1).padStart(2, "0")}`;
}

/** A share in percent: one decimal, or two digits where it is under 1%. */
export function percentText(share) {
  if (share > 0 && share < 0.00001) return "under 0.001%";
  return share > 0 && share < 0.01 ? `${generalText(100 * share, 2)}%` : `${fixedText(100 * share, 1)}%`;
}
