// Pieces that move from square to square when a board shows its next position, as a move is made on it.
// Hooks: data-role="moving" (a piece on its way).

import { svgElement } from "../page/svg.js";
import { placeOf } from "./board_model.js";

const MOTION_MILLISECONDS = 180;
const UNITS_OF_A_SQUARE = 45;
/** A move changes two squares, one en passant three, castling four. */
const MOST_CHANGED = 4;

/**
 * Return which pieces moved, if the positions differ as they do by one move, forwards or back.
 * @param {Object<string, string>} before Pieces by square. @param {Object<string, string>} after
 * @returns {Array<{from: string, to: string, piece: string}>} None if they differ otherwise.
 */
export function movedPieces(before, after) {
  const changed = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((square) => before[square] !== after[square]);
  if (changed.length > MOST_CHANGED) return [];
  const left = changed.filter((square) => before[square]);
  return changed.filter((square) => after[square]).flatMap((to) => {
    const from = left.find((square) => samePiece(before[square], after[to], square, to));
    if (from === undefined) return [];
    left.splice(left.indexOf(from), 1);
    return [{ from, to, piece: after[to] }];
  });
}

/** A piece that stands elsewhere; a pawn and what it becomes on the last rank, one rank further. */
function samePiece(before, after, from, to) {
  if (before[0] === after[0]) return true;
  const [pawn, other] = "Pp".includes(before) ? [{ piece: before, rank: from[1] }, { piece: after, rank: to[1] }]
    : [{ piece: after, rank: to[1] }, { piece: before, rank: from[1] }];
  const white = pawn.piece === "P";
  const ranks = white ? "78" : "21";
  return "Pp".includes(pawn.piece) && pawn.rank === ranks[0] && other.rank === ranks[1]
    && "QRBN".includes(other.piece[0].toUpperCase()) && white === (other.piece[0] === other.piece[0].toUpperCase());
}

/** The layer of a board in which pieces move; they stand still where reduced motion is asked for. */
export class PieceMotion {
  constructor() {
    this.layer = svgElement("g", { class: "ws-moving-pieces", "aria-hidden": "true" });
    this.ends = [];
  }

  /**
   * Move pieces to squares on which they already stand.
   * @param {Array<{from: string, to: string, piece: string}>} moves @param {boolean} flipped
   * @param {(square: string) => Element} groupOf @param {(piece: string) => Element} pictureOf
   */
  play(moves, flipped, groupOf, pictureOf) {
    this.stop();
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    for (const { from, to, piece } of moves) {
      const [start, end] = [from, to].map((square) =>
        `translate(${placeOf(square, flipped).map((place) => `${place * UNITS_OF_A_SQUARE}px`).join(", ")})`);
      const picture = svgElement("g", { "data-role": "moving" }, pictureOf(piece));
      this.layer.append(picture);
      groupOf(to).classList.add("ws-arriving");
      const animation = picture.animate([{ transform: start }, { transform: end }],
        { duration: MOTION_MILLISECONDS, easing: "ease-out", fill: "forwards" });
      const finish = () => {
        picture.remove();
        groupOf(to).classList.remove("ws-arriving");
      };
      animation.onfinish = finish;
      this.ends.push(() => { animation.cancel(); finish(); });
    }
  }

  stop() {
    for (const end of this.ends.splice(0)) end();
  }
}
