// Loads what makes the boards of a page live when the first comes near the window, and has widgets follow the site's theme.

const here = document.currentScript.src;
const site = document.documentElement;
const follow = () => { document.body.dataset.jpThemeLight = String(site.dataset.theme !== "dark"); };
new MutationObserver(follow).observe(site, { attributeFilter: ["data-theme"] });
follow();

const near = new IntersectionObserver((entries) => {
  if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
  near.disconnect();
  const engine = document.createElement("script");
  engine.src = new URL("live_pairs.js", here).href;
  document.head.append(engine);
}, { rootMargin: "500px 0px" });
document.querySelectorAll("[data-live-pair]").forEach((place) => near.observe(place));
