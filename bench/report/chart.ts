import { parse, View } from "vega";
import { compile, type TopLevelSpec } from "vega-lite";

import { withDarkColours } from "../../scripts/site/dark-picture.js";

export type ChartSpec = TopLevelSpec;

export interface Bar {
  readonly label: string;
  readonly series: string;
  readonly value: number;
}

interface BarChart {
  readonly title: string;
  /** What the figures are, with their unit. */
  readonly axis: string;
  readonly bars: readonly Bar[];
  /** In the order of the legend. */
  readonly series: readonly string[];
}

/** Narrow, so that letters are still of a size to read on a telephone. */
const WIDTH = 340;
const COLOURS = ["#0b6e99", "#d9822b"];
const TEXT = 13;
/** Of the longest bar: its figure stands behind it. */
const ROOM_FOR_TEXT = 1.22;

/**
 * Bars in groups, each group under its label, from zero: a bar twice as long is a figure twice as large. On one
 * scale for all groups, or where their sizes differ too much for that, on one of its own for each.
 */
export function bars({
  title,
  axis,
  bars: values,
  series,
  scale,
}: BarChart & { readonly scale: "one" | "each its own" }): ChartSpec {
  const highest = (of: readonly Bar[]): number => Math.max(...of.map(({ value }) => value));
  const labels = [...new Set(values.map(({ label }) => label))];
  const whole = (bar: Bar): number =>
    scale === "one" ? 1 : highest(values.filter(({ label }) => label === bar.label));
  const shown = values.map((bar) => ({
    ...bar,
    shown: bar.value / whole(bar),
    text: bar.value.toLocaleString("en", { maximumSignificantDigits: 4 }),
  }));
  const longest = Math.max(...shown.map((bar) => bar.shown));
  const x = {
    field: "shown",
    type: "quantitative" as const,
    title: scale === "one" ? axis : `${axis}, each pair on its own scale`,
    scale: { domain: [0, longest * ROOM_FOR_TEXT], nice: false },
    axis: scale === "one" ? { format: "~s" } : { labels: false, ticks: false, grid: false },
  };
  const y = { field: "series", type: "nominal" as const, sort: [...series], axis: null };
  return {
    ...frame(title),
    data: { values: shown },
    facet: {
      row: {
        field: "label",
        type: "nominal",
        sort: labels,
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
        { mark: { type: "bar" }, encoding: { x, y, color: colour(series) } },
        {
          mark: { type: "text", align: "left", dx: 4, fontSize: TEXT - 1 },
          encoding: { x, y, text: { field: "text", type: "nominal" } },
        },
      ],
    },
  };
}

/** One bar a label, its parts one after the other. */
export function stackedBars({ title, axis, bars: values, series }: BarChart): ChartSpec {
  return {
    ...frame(title),
    width: WIDTH - 70,
    height: { step: 22 },
    data: { values: [...values] },
    mark: { type: "bar" },
    encoding: {
      x: { field: "value", type: "quantitative", title: axis, axis: { tickMinStep: 1 } },
      y: {
        field: "label",
        type: "nominal",
        title: null,
        sort: [...new Set(values.map(({ label }) => label))],
      },
      color: colour(series),
      order: { field: "series", sort: "ascending" },
    },
  };
}

function colour(series: readonly string[]): {
  readonly field: string;
  readonly type: "nominal";
  readonly title: null;
  readonly scale: { readonly domain: string[]; readonly range: string[] };
  readonly legend: {
    readonly orient: "top";
    readonly direction: "horizontal";
    readonly labelLimit: 0;
  };
} {
  return {
    field: "series",
    type: "nominal",
    title: null,
    scale: { domain: [...series], range: COLOURS },
    legend: { orient: "top", direction: "horizontal", labelLimit: 0 },
  };
}

function frame(
  title: string,
): Pick<TopLevelSpec, "$schema" | "title" | "background" | "padding" | "config"> {
  return {
    $schema: "https://vega.github.io/schema/vega-lite/v6.json",
    title: { text: title, anchor: "start", fontSize: TEXT + 3 },
    background: "white",
    padding: 12,
    config: {
      font: "sans-serif",
      view: { stroke: null },
      axis: {
        labelFontSize: TEXT,
        titleFontSize: TEXT,
        titleFontWeight: "normal",
        gridColor: "#dddddd",
      },
      legend: { labelFontSize: TEXT, symbolType: "square" },
      header: { labelFontSize: TEXT },
    },
  };
}

/** The picture as SVG; the same for the same description. */
export async function svgOf(spec: ChartSpec): Promise<string> {
  const view = new View(parse(compile(spec).spec), { renderer: "none" });
  try {
    return `${withDarkColours(await view.toSVG())}\n`;
  } finally {
    view.finalize();
  }
}
