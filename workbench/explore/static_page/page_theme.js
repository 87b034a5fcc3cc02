// The theme of widgets on a page without Python: the page's own, or else the browser's; printed it is light.

/** On a page without a theme follow the browser's. @returns {() => void} What ends it. */
export function followTheme() {
  if (document.body.dataset.jpThemeLight !== undefined) return () => {};
  const dark = matchMedia("screen and (prefers-color-scheme: dark)");
  const follow = () => { document.body.dataset.jpThemeLight = String(!dark.matches); };
  dark.addEventListener("change", follow);
  follow();
  return () => {
    dark.removeEventListener("change", follow);
    delete document.body.dataset.jpThemeLight;
  };
}
