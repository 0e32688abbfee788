import { parse, View } from "vega";
import { compile } from "vega-lite";

import { withDarkColours } from "../../scripts/site/dark-picture.js";
import type { BenchRow } from "../harness.js";
import { figureOf } from "./results.js";

/** A picture of rows of the group `peers`: ours beside theirs. */
interface Chart {
  /** Of the file, without its ending. */
  readonly name: string;
  /** What it shows, for readers who cannot see it. */
  readonly text: string;
  readonly title: string;
  readonly axis: string;
  /** The rows shown; its first group is a row's label. */
  readonly rows: RegExp;
}

export const CHARTS: readonly Chart[] = [
  {
    name: "peers-seen",
    text: "Tokens that the model sees instead of an output, here and with deepagents.",
    title: "What the model sees instead of an output",
    axis: "tokens",
    rows: /^the model sees instead of (.*)$/,
  },
  {
    name: "peers-time",
    text: "Time to offload outputs of 1, 10 and 100 MB, here and with deepagents.",
    title: "Time to offload JSON",
    axis: "milliseconds",
    rows: /^time to offload an output of (\d+ MB) of JSON$/,
  },
];

const SERIES = ["langchain-offload", "deepagents"];
/** Narrow, so that letters can be read on a telephone. */
const WIDTH = 340;
const TEXT = 13;
/** Of the longest bar: its figure stands behind it. */
const ROOM_FOR_TEXT = 1.22;

/** The chart as SVG, the same for the same rows: pairs of bars from zero, each pair on its own scale. */
export async function svgOf(
  { title, axis, rows: pattern }: Chart,
  rows: readonly BenchRow[],
): Promise<string> {
  const values = rows.flatMap(({ group, name, ours, other }) => {
    const label = group === "peers" ? pattern.exec(name)?.[1] : undefined;
    if (label === undefined) return [];
    const pair = [figureOf(ours), figureOf(other)];
    return pair.map((value, index) => ({
      label,
      series: SERIES[index],
      shown: value / Math.max(...pair),
      text: value.toLocaleString("en", { maximumSignificantDigits: 4 }),
    }));
  });
  if (values.length === 0) throw new Error(`The chart ${title} finds none of its rows.`);
  const x = {
    field: "shown",
    type: "quantitative" as const,
    title: `${axis}, each pair on its own scale`,
    scale: { domain: [0, ROOM_FOR_TEXT], nice: false },
    axis: { labels: false, ticks: false, grid: false },
  };
  const y = { field: "series", type: "nominal" as const, sort: SERIES, axis: null };
  const { spec } = compile({
    title: { text: title, anchor: "start", fontSize: TEXT + 3 },
    background: "white",
    padding: 12,
    config: {
      font: "sans-serif",
      view: { stroke: null },
      axis: { titleFontSize: TEXT, titleFontWeight: "normal" },
      legend: { labelFontSize: TEXT, symbolType: "square" },
      header: { labelFontSize: TEXT },
    },
    data: { values },
    facet: {
      row: {
        field: "label",
        type: "nominal",
        sort: [...new Set(values.map(({ label }) => label))],
        header: {
          title: null,
          labelOrient: "top",
          labelAnchor: "start",
          labelAngle: 0,
          labelPadding: 2,
        },
      },
    },
    spacing: 10,
    spec: {
      width: WIDTH,
      height: { step: 19 },
      layer: [
        {
          mark: { type: "bar" },
          encoding: {
            x,
            y,
            color: {
              field: "series",
              type: "nominal",
              title: null,
              scale: { domain: SERIES, range: ["#0b6e99", "#d9822b"] },
              legend: { orient: "top", direction: "horizontal", labelLimit: 0 },
            },
          },
        },
        {
          mark: { type: "text", align: "left", dx: 4, fontSize: TEXT - 1 },
          encoding: { x, y, text: { field: "text", type: "nominal" } },
        },
      ],
    },
  });
  const view = new View(parse(spec), { renderer: "none" });
  try {
    return `${withDarkColours(await view.toSVG())}\n`;
  } finally {
    view.finalize();
  }
}
