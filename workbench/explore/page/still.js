// Where a widget runs, its last answer as HTML is not shown: see still_output.py.

/** @param {Object} model anywidget's. @param {HTMLElement} element The widget's. */
export function hideStill(model, element) {
  element.dataset.still = model.get("still_of");
}
