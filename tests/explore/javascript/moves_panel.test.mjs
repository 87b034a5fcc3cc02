import assert from "node:assert/strict";
import { test } from "node:test";
import { namedAlike } from "../../../workbench/explore/pair/moves_panel.js";

test("names that stand for different moves are found", () => {
  const moves = (...names) => names.map((san) => ({ san }));
  // A pawn on h7, believed on h6: h7h5 and h6h5.
  assert.deepEqual([...namedAlike({ only_true: moves("h6", "h5"), only_predicted: moves("Kh7", "h5"), shared: moves("Kg8") }, "san")], ["h5"]);
  assert.deepEqual([...namedAlike({ only_true: moves("Nd2"), only_predicted: [], shared: moves("Nd2", "e4") }, "san")], ["Nd2"]);
  assert.equal(namedAlike({ only_true: [], only_predicted: moves("e4"), shared: moves("d4") }, "san").size, 0);
});
