/** What the demo prints, what the README and the home page show of it, and the picture of its two figures. */
import { withDarkColours } from "./dark-picture.js";

export interface Demo {
  readonly descriptor: unknown;
  readonly withoutTokens: number;
  readonly withTokens: number;
}

const MAX_APART = 0.05;
const ID = /01[0-9A-HJKMNP-TV-Z]{24}/g;
const WIDTH = 640;
const HEIGHT = 128;

/** @throws When the demo prints none of it. */
export function readDemo(printed: string): Demo {
  const descriptor = /^\{\n[\s\S]*?^\}$/m.exec(printed)?.[0];
  const tokens = ["without", "with"].map((word) => {
    const figure = new RegExp(`^${word} langchain-offload +~?([\\d,]+)`, "m").exec(printed)?.[1];
    return Number(figure?.replaceAll(",", ""));
  });
  const [withoutTokens = NaN, withTokens = NaN] = tokens;
  if (descriptor === undefined || !(withoutTokens > 0) || !(withTokens > 0))
    throw new Error("The demo prints no descriptor, or no comparison of tokens.");
  return { descriptor: JSON.parse(lasting(descriptor)), withoutTokens, withTokens };
}

/**
 * Two areas, true to scale: the one has as many times the other's pixels as it has tokens. As bars of one height the
 * small one would be thinner than any screen can draw.
 */
export function pictureOf({ withoutTokens, withTokens }: Demo): string {
  const side = Math.sqrt((WIDTH * HEIGHT * withTokens) / withoutTokens).toFixed(2);
  const millions = (withoutTokens / 1e6).toFixed(1);
  const text = (x: number, y: number, words: string, more = ""): string =>
    `<text x="${x}" y="${y}" fill="#000"${more}>${words}</text>`;
  const bold = ' font-weight="700"';
  return withDarkColours(
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT + 96}" width="${WIDTH}" height="${HEIGHT + 96}" role="img" aria-label="${labelOf({ withoutTokens, withTokens })}">` +
      `<rect width="${WIDTH}" height="${HEIGHT + 96}" fill="white"/><g font-family="sans-serif" font-size="21">` +
      `${text(0, 20, "without langchain-offload")}${text(WIDTH, 20, `${millions} million tokens`, `${bold} text-anchor="end"`)}` +
      `<rect y="34" width="${WIDTH}" height="${HEIGHT}" rx="3" fill="#d9822b"/>` +
      `<rect y="${HEIGHT + 73}" width="${side}" height="${side}" fill="#0b6e99"/>` +
      `${text(20, HEIGHT + 84, "with langchain-offload")}${text(WIDTH, HEIGHT + 84, `${withTokens} tokens`, `${bold} text-anchor="end"`)}` +
      "</g></svg>\n",
  );
}

/** The picture in words, with the exact figures. */
export function labelOf({ withoutTokens, withTokens }: Omit<Demo, "descriptor">): string {
  return `${withoutTokens.toLocaleString("en-US")} tokens without langchain-offload, ${withTokens.toLocaleString("en-US")} with it`;
}

/** What a page says of the demo that is not so: of its first block of JSON, and of the figures of its picture. */
export function faultsOfPage(page: string, demo: Demo): string[] {
  const block = /^```json\n([\s\S]*?)^```$/m.exec(page)?.[1];
  if (block === undefined) return ["It shows no descriptor."];
  const faults = partFaults(JSON.parse(lasting(block)), demo.descriptor, "descriptor");
  return [...faults, ...faultsOfFigures(page, demo)];
}

/** Figures differ a little with the id of a run. */
export function faultsOfFigures(text: string, demo: Demo): string[] {
  const found = /([\d,]+) tokens without langchain-offload, ([\d,]+) with it/.exec(text);
  if (found === null) return ["It does not state the tokens without and with."];
  const stated = found.slice(1, 3).map((figure) => Number(figure.replaceAll(",", "")));
  return [demo.withoutTokens, demo.withTokens].flatMap((now, index) => {
    const said = stated[index] ?? NaN;
    return Math.abs(said - now) <= now * MAX_APART
      ? []
      : [`It states ${said} tokens; there are ${now}.`];
  });
}

/** Where `shown`, in which fields and items may be left out, says what `real` does not. */
function partFaults(shown: unknown, real: unknown, path: string): string[] {
  if (Array.isArray(shown) && Array.isArray(real))
    return shown.flatMap((item, index) => partFaults(item, real[index], `${path}[${index}]`));
  if (isObject(shown) && isObject(real))
    return Object.entries(shown).flatMap(([name, value]) =>
      partFaults(value, real[name], `${path}.${name}`),
    );
  if (shown === real) return [];
  return [`${path} is shown as ${JSON.stringify(shown)} and is ${JSON.stringify(real)}.`];
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Without the id, which every run has its own of. */
function lasting(text: string): string {
  return text.replace(ID, "ID");
}
