// The positions of a tracked game and their replies: pure functions, no page.

/** Shapes that distinguish the classes of replies without colour. */
export const CLASS_SHAPES = { valid: "circle", ill_formed: "triangle", unparseable: "cross", absent: "square" };

/** Return the stop at a ply, or the nearest one. */
export function stopAt(game, ply) {
  return game.stops.reduce((best, stop) => (Math.abs(stop.ply - ply) < Math.abs(best.ply - ply) ? stop : best));
}

/** Return the reply at a ply, or null. */
export function replyAt(game, ply) {
  return game.replies.find((reply) => reply.ply === ply) ?? null;
}

/**
 * Return the ply so many places on; the ends hold.
 * @param {number[]} plies By rising ply. @param {number} ply Need not be one of them.
 * @param {number} steps Positive: forwards.
 */
export function plyStepped(plies, ply, steps) {
  const ahead = steps > 0 ? plies.filter((one) => one > ply) : plies.filter((one) => one < ply).reverse();
  if (ahead.length === 0) return ply;
  return ahead[Math.min(Math.abs(steps), ahead.length) - 1];
}

/** Return where a key leads, or null if it means nothing here. */
export function plyByKey(plies, ply, key) {
  const steps = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10 };
  if (key in steps) return plyStepped(plies, ply, steps[key]);
  if (key === "Home") return plies[0];
  if (key === "End") return plies[plies.length - 1];
  return null;
}

/** Return where a key leads in the list of moves, in which Down goes on in the game. */
export function plyInList(plies, ply, key) {
  const turned = { ArrowDown: "ArrowRight", ArrowUp: "ArrowLeft", PageDown: "PageUp", PageUp: "PageDown" };
  return plyByKey(plies, ply, turned[key] ?? key);
}

/** Return "12." or "12..." for a ply. */
export function moveNumber(ply) {
  return `${Math.ceil(ply / 2)}${ply % 2 ? "." : "..."}`;
}

/** Say where in the game a stop is. */
export function placeInWords(stop) {
  if (stop.ply === 0) return "Ply 0: before the first move";
  return stop.san ? `Ply ${stop.ply}: after ${moveNumber(stop.ply)} ${stop.san}` : `Ply ${stop.ply}`;
}

/** Return the plies of the nearest replies before and after a ply; null where there is none. */
export function neighbours(game, ply) {
  const plies = game.replies.map((reply) => reply.ply);
  const before = plies.filter((one) => one < ply);
  return { before: before.at(-1) ?? null, after: plies.find((one) => one > ply) ?? null };
}

/** Say that there is no reply here, and where the nearest replies are. */
export function noReplyInWords(game, ply) {
  const { before, after } = neighbours(game, ply);
  const near = [before, after].filter((one) => one !== null).map((one) => `ply ${one}`);
  if (near.length === 0) return "There is no reply yet.";
  return `No reply was asked for here. The nearest ${near.length > 1 ? "are at" : "is at"} ${near.join(" and ")}.`;
}

/** Say an edit distance: characters, of how many, and the ratio. */
export function distanceInWords(reply) {
  if (reply.levenshtein === null) return "undefined: there is no FEN";
  const characters = reply.levenshtein === 1 ? "character" : "characters";
  return `${reply.levenshtein} ${characters} of ${reply.longer}: ${reply.distance.toFixed(4)}`;
}

/** Return the upper end of the distances' axis: round, and not below 0.1. */
export function distanceTop(replies) {
  const most = Math.max(0.1, ...replies.map(({ distance }) => distance ?? 0));
  return [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1].find((top) => most <= top) ?? most;
}

/**
 * Return the ply that a click means: the nearest reply if it is near, else the nearest stop.
 * @param {number} at Where on the axis, in plies. @param {number} reach In plies.
 */
export function clickedPly(game, at, reach) {
  const close = (plies) => plies.reduce((best, one) => (Math.abs(one - at) < Math.abs(best - at) ? one : best));
  const near = game.replies.map(({ ply }) => ply).filter((ply) => Math.abs(ply - at) <= reach);
  return close(near.length > 0 ? near : game.stops.map(({ ply }) => ply));
}
