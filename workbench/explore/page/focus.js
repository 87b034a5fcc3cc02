// The keyboard's focus stays where the work is when a widget makes its parts anew.

/**
 * Do something that may take away the element that has the focus; then put the focus on what has
 * taken its place: the element with the same data-uci, -action, -ply or -line, the current one, or the
 * first of its kind.
 * @param {Element} container Only a focus within it is cared for.
 * @param {() => void} act
 * @param {() => Element|null} elsewhere What gets the focus if nothing in the container can.
 */
export function keepingFocus(container, act, elsewhere) {
  const held = container.getRootNode().activeElement;
  const within = held !== null && container.contains(held);
  act();
  if (!within || takesFocus(held)) return;
  const candidates = [...container.querySelectorAll("button, a[href], input, select, [tabindex='0']")].filter(takesFocus);
  const same = candidates.find((one) => ["uci", "action", "ply", "line"].some((name) => held.dataset[name] && one.dataset[name] === held.dataset[name]));
  const next = same ?? candidates.find((one) => one.hasAttribute("aria-current"))
    ?? candidates.find((one) => one.dataset.role === held.dataset.role) ?? candidates[0] ?? elsewhere();
  next?.focus({ preventScroll: true });
}

/**
 * Let one element of a list be reached by Tab and the others by the arrow keys, Home and End.
 * @param {Element} container Its elements may be made anew; then call keepOneStop. @param {string} selector Of the elements.
 */
export function roveByArrows(container, selector) {
  container.addEventListener("keydown", (event) => {
    const elements = [...container.querySelectorAll(selector)].filter((one) => one.getClientRects().length > 0);
    const at = elements.indexOf(event.target);
    const last = elements.length - 1;
    const to = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: last }[event.key];
    if (at < 0 || to === undefined || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    event.preventDefault();
    elements[Math.min(Math.max(to, 0), last)].focus();
  });
  container.addEventListener("focusin", ({ target }) => target.matches(selector) && keepOneStop(container, selector, target));
}

/** Leave one of a list's elements in the order of Tab. @param {Element} [stop] By default the first. */
export function keepOneStop(container, selector, stop = container.querySelector(selector)) {
  for (const one of container.querySelectorAll(selector)) one.setAttribute("tabindex", one === stop ? "0" : "-1");
}

/** @param {Element} element @returns {boolean} Whether it is shown and can have the focus. */
export function takesFocus(element) {
  return element.isConnected && !element.disabled && element.getClientRects().length > 0 && getComputedStyle(element).visibility === "visible";
}
