import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

import { initWasm, Resvg } from "@resvg/resvg-wasm";
import { parse, View } from "vega";
import { compile, type TopLevelSpec } from "vega-lite";

import { drawing, type Drawing } from "./show.ts";

interface Titles {
  readonly title: string;
  readonly subtitle: string;
}

const BLUE = "#4c78a8";
const RED = "#e45756";
/** Pixels of the PNG for each of the SVG: sharp on screens of double density. */
const PNG_ZOOM = 2;

/** One bar to the right for each label, from zero, with its figure; `limit` is a red line. */
export async function bars(
  figures: Readonly<Record<string, number>>,
  { title, subtitle, axis, limit }: Titles & { readonly axis: string; readonly limit?: number },
): Promise<Drawing> {
  const y = {
    field: "label",
    type: "nominal",
    sort: null,
    title: null,
    axis: { labelLimit: 300 },
  } as const;
  const x = { field: "figure", type: "quantitative", title: axis } as const;
  const text = { field: "figure", type: "quantitative", format: ",~f" } as const;
  return await chart({
    title: { text: title, subtitle },
    width: 460,
    data: { values: Object.entries(figures).map(([label, figure]) => ({ label, figure })) },
    layer: [
      { mark: { type: "bar", color: BLUE }, encoding: { y, x: { ...x, axis: { format: "~s" } } } },
      { mark: { type: "text", align: "left", dx: 4 }, encoding: { y, x, text } },
      ...(limit === undefined
        ? []
        : [
            {
              mark: { type: "rule" as const, color: RED },
              encoding: { x: { datum: limit, type: "quantitative" as const } },
            },
          ]),
    ],
  });
}

/** Columns upwards, one for each whole number. */
export async function columns(
  figures: readonly (readonly [at: number, figure: number])[],
  { title, subtitle, x, y }: Titles & { readonly x: string; readonly y: string },
): Promise<Drawing> {
  return await chart({
    title: { text: title, subtitle },
    width: 460,
    height: 240,
    data: { values: figures.map(([at, figure]) => ({ at, figure })) },
    mark: { type: "bar", color: BLUE },
    encoding: {
      x: { field: "at", type: "ordinal", title: x, axis: { labelAngle: 0 } },
      y: { field: "figure", type: "quantitative", title: y },
    },
  });
}

/** What the model of each agent is sent in each call, on a logarithmic scale; `window` is a dashed line. */
export async function callsSideBySide(
  tokens: Readonly<Record<string, readonly number[]>>,
  { title, subtitle, window }: Titles & { readonly window: number },
): Promise<Drawing> {
  const place = {
    x: {
      field: "call",
      type: "ordinal",
      title: "call of the model",
      axis: { labelAngle: 0 },
    },
    xOffset: { field: "agent" },
    y: {
      field: "tokens",
      type: "quantitative",
      scale: { type: "log", domainMin: 10, domainMax: 10 * window },
      title: "tokens sent (o200k_base)",
      axis: { format: "~s" },
    },
  } as const;
  return await chart({
    title: { text: title, subtitle },
    width: 460,
    height: 240,
    data: {
      values: Object.entries(tokens).flatMap(([agent, calls]) =>
        calls.map((count, index) => ({ agent, call: index + 1, tokens: count })),
      ),
    },
    layer: [
      {
        mark: "bar",
        encoding: {
          ...place,
          y2: { datum: 10 },
          color: { field: "agent", title: "agent", scale: { range: [RED, BLUE] } },
        },
      },
      {
        mark: { type: "text", dy: -6 },
        encoding: {
          ...place,
          text: { field: "tokens", type: "quantitative", format: ",.0f" },
        },
      },
      { mark: { type: "rule", strokeDash: [4, 4] }, encoding: { y: { datum: window } } },
    ],
  });
}

/** A chart by Vega-Lite as SVG, and as PNG for programs that leave SVG out. */
async function chart(spec: TopLevelSpec): Promise<Drawing> {
  const config = { background: "white", padding: 12, ...spec };
  const view = new View(parse(compile(config).spec), { renderer: "none" });
  const svg = await view.toSVG();
  view.finalize();
  return drawing({
    "image/svg+xml": svg,
    "image/png": await pngOf(svg),
    "text/plain": "A chart.",
  });
}

const { resolve } = createRequire(import.meta.url);
const fonts = ["400", "700"].map((weight) =>
  readFileSync(resolve(`@fontsource/inter/files/inter-latin-${weight}-normal.woff2`)),
);
let renderer: Promise<void> | undefined;

/** In base64. */
async function pngOf(svg: string): Promise<string> {
  renderer ??= initWasm(readFileSync(resolve("@resvg/resvg-wasm/index_bg.wasm")));
  await renderer;
  const picture = new Resvg(svg, {
    fitTo: { mode: "zoom", value: PNG_ZOOM },
    font: { fontBuffers: fonts, defaultFontFamily: "Inter", sansSerifFamily: "Inter" },
  });
  return Buffer.from(picture.render().asPng()).toString("base64");
}
