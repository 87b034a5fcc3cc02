// The small example of a report: two boards whose pieces can be dragged, and the precisions that follow.
// Hooks: id="example"; data-role="example-number" (data-value), "example-status"; in it the boards of board.js.

import { Board } from "../board/board.js";
import { applyEdit, differentSquares, editInWords, formatFen, parseFen } from "../board/board_model.js";
import { Dragging } from "../board/dragging.js";
import { PageModel } from "./page_model.js";
import { Requester } from "../page/requester.js";

/**
 * Make the example's boards live.
 * @param {Object} state The traits of BoardPair. @param {Object} twin See `startTwin`.
 */
export function showExample(state, twin) {
  const host = document.getElementById("example");
  const fens = { true: state.true_fen, predicted: state.predicted_fen };
  const status = host.querySelector("[data-role=example-status]");
  const requester = new Requester(new PageModel(state, twin), {
    onFailed: (message) => { status.textContent = message; },
  });
  const sides = {};
  const show = () => {
    const different = differentSquares(fens.true, fens.predicted);
    for (const [look, other] of [["true", "predicted"], ["predicted", "true"]]) {
      sides[look].show({ fen: fens[look], different, others: parseFen(fens[other]).pieces });
    }
    requester.ask("compare", { true_fen: fens.true, predicted_fen: fens.predicted, line: [], depth: 4, terminal: state.terminal, ill_formed: state.ill_formed }, true);
  };
  const edit = (look, change) => {
    const before = parseFen(fens[look]);
    fens[look] = formatFen(applyEdit(before, change));
    status.textContent = `${look === "true" ? "True" : "Predicted"} board: ${editInWords(before, change)}.`;
    show();
  };
  const dragging = new Dragging(host, [], (held, board, square) => {
    const [home, look] = [held.board, board].map((each) => Object.keys(sides).find((name) => sides[name] === each));
    if (!look) edit(home, { kind: "clear", square: held.square });
    else if (look === home) edit(look, { kind: "move", from: held.square, to: square });
    else edit(look, { kind: "put", square, piece: held.piece });
  });
  for (const look of Object.keys(fens)) {
    sides[look] = new Board({
      look, label: `${look === "true" ? "True" : "Predicted"} board of the example`, pieces: state.pieces,
      onEdit: (change) => edit(look, change),
      onGrab: (event, square, piece) => dragging.begin(event, { piece, square, board: sides[look] }),
      onSay: (said) => { status.textContent = said; },
    });
    host.querySelector(`[data-look=${look}]`).replaceChildren(sides[look].element);
  }
  dragging.boards = Object.values(sides);
  requester.on("compare", ({ view, problems }) => {
    if (problems) {
      status.textContent = Object.values(problems)[0];
      return;
    }
    for (const cell of document.querySelectorAll("[data-role=example-number]")) {
      const { value } = view.profile[cell.dataset.measure][Number(cell.dataset.depth) - 1];
      cell.dataset.value = value;
      cell.textContent = value.toFixed(3);
    }
  });
  show();
}
