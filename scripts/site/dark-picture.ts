/** Colours of pictures on light pages, and what they become on dark ones, with the same order of contrast. */
const DARK: Readonly<Record<string, string>> = {
  white: "#1b1b1f",
  "#ffffff": "#1b1b1f",
  black: "#dfdfd6",
  "#000": "#dfdfd6",
  "#888": "#7d7d85",
  "#ddd": "#3c3f44",
  "#dddddd": "#3c3f44",
  "#0b6e99": "#4aa8d0",
  "#d9822b": "#e09a52",
  "#1f5f99": "#6aaee6",
  "#9bbcd8": "#35597a",
};
const STYLE = /<style>@media \(prefers-color-scheme: dark\).*?<\/style>/;
const USED = /\b(fill|stroke)="([^"]+)"/g;

/**
 * The picture with its colours for dark pages beside those it has: one file for both. A picture on a page follows the
 * page's colour scheme, which readers may switch, and a program that knows of none shows the light one.
 *
 * @throws When a colour of the picture has no dark one.
 */
export function withDarkColours(svg: string): string {
  const light = svg.replace(STYLE, "");
  const used = new Set(Array.from(light.matchAll(USED), ([, name, colour]) => `${name}:${colour}`));
  const rules = [...used].flatMap((one) => {
    const [name = "", colour = ""] = one.split(":");
    if (colour === "none") return [];
    const dark = DARK[colour];
    if (dark === undefined)
      throw new Error(`No colour for dark pages stands in place of ${colour}.`);
    return [`[${name}="${colour}"]{${name}:${dark}}`];
  });
  const style = `<style>@media (prefers-color-scheme: dark){${rules.join("")}}</style>`;
  return light.replace(/^<svg[^>]*>/, (start) => start + style);
}
