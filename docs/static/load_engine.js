// Loads what makes a part of a page live when the first of its kind comes near the window, and has widgets follow the site's theme.

const here = document.currentScript.src;
const site = document.documentElement;
const follow = () => { document.body.dataset.jpThemeLight = String(site.dataset.theme !== "dark"); };
new MutationObserver(follow).observe(site, { attributeFilter: ["data-theme"] });
follow();

const ENGINES = { "data-live-pair": "live_pairs.js", "data-live-game": "live_games.js", "data-live-reader": "live_reader.js" };
for (const [attribute, file] of Object.entries(ENGINES)) {
  const near = new IntersectionObserver((entries) => {
    if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
    near.disconnect();
    const engine = document.createElement("script");
    engine.src = new URL(file, here).href;
    document.head.append(engine);
  }, { rootMargin: "500px 0px" });
  document.querySelectorAll(`[${attribute}]`).forEach((place) => near.observe(place));
}
