import { parse, View } from "vega";
import { compile, type TopLevelSpec } from "vega-lite";

import { withDarkColours } from "../../scripts/site/dark-picture.js";

import type { ScoredSample } from "../scored.js";
import { armsIn, cellOf, scalesIn } from "./cell.js";

interface Point {
  readonly arm: string;
  readonly records: string;
  readonly share: number;
  readonly low: number;
  readonly high: number;
  readonly fresh: number;
  readonly cached: number;
}

/** Right answers of each arm with their interval, a column for each number of records, as SVG. */
export async function accuracyChart(
  samples: readonly ScoredSample[],
  title: string,
): Promise<string> {
  const points = pointsOf(samples);
  return await draw({
    ...frame(points, samples, `Right answers: ${title}`),
    spec: {
      width: COLUMN_WIDTH,
      layer: [
        {
          mark: { type: "rule", strokeWidth: 2, color: "#9bbcd8" },
          encoding: {
            x: { field: "low", type: "quantitative" },
            x2: { field: "high" },
            y: armAxis(samples),
          },
        },
        {
          mark: { type: "point", filled: true, size: 60, color: "#1f5f99", opacity: 1 },
          encoding: {
            x: {
              field: "share",
              type: "quantitative",
              scale: { domain: [0, 1] },
              axis: { title: "share, 95 % interval", format: "%", tickCount: 3 },
            },
            y: armAxis(samples),
          },
        },
      ],
    },
  });
}

/** Input tokens of one question of each arm, on a logarithmic scale, as SVG. */
export async function tokensChart(
  samples: readonly ScoredSample[],
  title: string,
): Promise<string> {
  const points = pointsOf(samples);
  const most = Math.max(...points.map(({ fresh, cached }) => fresh + cached));
  const x = {
    type: "quantitative" as const,
    scale: { type: "log" as const, domain: [100, 10 ** Math.ceil(Math.log10(most))] },
  };
  return await draw({
    ...frame(
      points.map((point) => ({ ...point, all: point.fresh + point.cached, start: 100 })),
      samples,
      `Input tokens of one question: ${title}`,
    ),
    spec: {
      width: COLUMN_WIDTH,
      mark: { type: "bar", color: "#1f5f99", height: { band: 0.6 } },
      encoding: {
        x: { field: "start", ...x, axis: { title: "tokens", format: "~s", tickCount: 4 } },
        x2: { field: "all" },
        y: armAxis(samples),
      },
    },
  });
}

const COLUMN_WIDTH = 150;

function armAxis(samples: readonly ScoredSample[]) {
  return {
    field: "arm",
    type: "nominal" as const,
    sort: armsIn(samples),
    axis: { title: null, ticks: false, domain: false, grid: true },
  };
}

function frame(values: readonly object[], samples: readonly ScoredSample[], title: string) {
  return {
    data: { values: [...values] },
    title: { text: title, anchor: "start" as const, fontSize: 14 },
    background: "#ffffff",
    facet: {
      column: {
        field: "records",
        type: "nominal" as const,
        sort: scalesIn(samples).map(recordsText),
        header: { title: null, labelFontSize: 12 },
      },
    },
    config: { view: { stroke: "#dddddd" }, font: "sans-serif" },
  };
}

function pointsOf(samples: readonly ScoredSample[]): Point[] {
  return armsIn(samples).flatMap((arm) =>
    scalesIn(samples).flatMap((scale) => {
      const cell = cellOf(samples.filter((one) => one.arm === arm && one.scale === scale));
      if (cell === undefined) return [];
      const { correct, count, interval, inputTokens, cachedTokens } = cell;
      const records = recordsText(scale);
      const tokens = { fresh: inputTokens - cachedTokens, cached: cachedTokens };
      return [{ arm, records, share: correct / count, ...interval, ...tokens }];
    }),
  );
}

function recordsText(scale: number): string {
  return `${scale.toLocaleString("en")} records`;
}

async function draw(chart: TopLevelSpec): Promise<string> {
  const view = new View(parse(compile(chart).spec), { renderer: "none" });
  try {
    return `${withDarkColours(await view.toSVG())}\n`;
  } finally {
    view.finalize();
  }
}
