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

/** @param {Element} element @returns {boolean} Whether it is shown and can have the focus. */
export function takesFocus(element) {
  return element.isConnected && !element.disabled && element.getClientRects().length > 0 && getComputedStyle(element).visibility === "visible";
}
