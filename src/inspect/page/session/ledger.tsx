import type { VNode } from "preact";
import { useCallback, useMemo, useState } from "preact/hooks";
import type uPlot from "uplot";

import type { LedgerPoint } from "../../wire.js";
import { about, clock, grouped, shownLine } from "../format.js";
import { Section } from "../parts/note.js";
import { axes, Plot } from "../parts/plot.js";
import { shares } from "../shares.js";
import { PARTS, wordOf } from "./parts-of-context.js";

const HEIGHT = 260;
const WHOLE_STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000];

/** The context over the calls of the model, by what it is made of. */
export function Ledger({
  points,
  calls,
}: {
  readonly points: readonly LedgerPoint[];
  readonly calls: number;
}): VNode {
  const [pointed, setPointed] = useState<number>();
  const [withWhole, setWithWhole] = useState(false);
  const parts = useMemo(
    () => PARTS.filter(({ part }) => points.some((point) => point.parts[part])),
    [points],
  );
  const data = useMemo(() => stacked(points, parts, withWhole), [points, parts, withWhole]);
  const options = useCallback(
    (color: (name: string) => string) => optionsOf(parts, withWhole, color),
    [parts, withWhole],
  );
  const place = Math.min(pointed ?? points.length - 1, points.length - 1);
  const point = points[place];
  return (
    <Section
      title="What filled the context"
      about="Tokens that the model read at each of its calls, by what they are. All are estimated, at four bytes a token."
    >
      <div class="ledger">
        <div>
          <Plot
            label={`Tokens of the context over ${grouped(calls)} calls of the model, by part; the table has the figures of one call`}
            height={HEIGHT}
            data={data}
            options={options}
            onPlace={setPointed}
          />
          <label class="slider">
            <span>Call</span>
            <input
              type="range"
              min={0}
              max={points.length - 1}
              value={place}
              aria-valuetext={`Call ${place + 1} of ${points.length}`}
              onInput={({ currentTarget }) => setPointed(Number(currentTarget.value))}
            />
          </label>
          <label class="choice">
            <input
              type="checkbox"
              checked={withWhole}
              onChange={({ currentTarget }) => setWithWhole(currentTarget.checked)}
            />{" "}
            Dashed line: without this library
          </label>
          <p class="quiet small">
            Without this library: the same conversation with every output whole and staying, without
            the read tools, the model's calls of them and their answers.
          </p>
        </div>
        {point && (
          <PointTable point={point} parts={parts} name={`${place + 1} of ${points.length}`} />
        )}
      </div>
    </Section>
  );
}

type Parts = typeof PARTS;

function PointTable({
  point,
  parts,
  name,
}: {
  readonly point: LedgerPoint;
  readonly parts: Parts;
  readonly name: string;
}): VNode {
  const { contextTokens, withoutTokens, windowTokens, largest } = point;
  const shown = parts.toReversed();
  const percents = shares(shown.map(({ part }) => point.parts[part] ?? 0));
  return (
    <div>
      <table class="plain">
        <caption>
          Call {name}, {clock(point.at)}
        </caption>
        <thead>
          <tr>
            <th scope="col">Part</th>
            <th scope="col" class="number">
              ≈ Tokens
            </th>
            <th scope="col" class="number">
              Share
            </th>
          </tr>
        </thead>
        <tbody>
          {shown.map(({ part, word, color }, place) => (
            <tr key={part}>
              <td>
                <i class="swatch" style={{ background: `var(${color})` }} /> {word}
              </td>
              <td class="number">{grouped(point.parts[part] ?? 0)}</td>
              <td class="number">{percents[place]} %</td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">Together</th>
            <td class="number">{grouped(contextTokens)}</td>
            <td class="number">100 %</td>
          </tr>
          {windowTokens !== undefined && (
            <tr>
              <th scope="row">Window</th>
              <td class="number">{grouped(windowTokens)}</td>
              <td class="number">{Math.round((100 * contextTokens) / windowTokens)} % full</td>
            </tr>
          )}
          <tr>
            <th scope="row">Without this library</th>
            <td class="number">{grouped(withoutTokens)}</td>
            <td />
          </tr>
        </tfoot>
      </table>
      {largest.length > 0 && (
        <p class="quiet small">
          Largest answers of tools:{" "}
          {largest
            .slice(0, 5)
            .map(
              ({ toolName, part, tokens }) =>
                `${shownLine(toolName, 40)} (${wordOf(part).toLowerCase()}) ${about(tokens)}`,
            )
            .join("; ")}
          {" tokens."}
        </p>
      )}
    </div>
  );
}

/** uPlot draws areas from zero: the highest sum first, each next one over it. */
function stacked(
  points: readonly LedgerPoint[],
  parts: Parts,
  withWhole: boolean,
): uPlot.AlignedData {
  const sums = points.map(() => 0);
  const areas = parts.map(({ part }) =>
    points.map((point, place) => (sums[place] = (sums[place] ?? 0) + (point.parts[part] ?? 0))),
  );
  const whole = withWhole ? [points.map(({ withoutTokens }) => withoutTokens)] : [];
  return [points.map((_, place) => place + 1), ...areas.toReversed(), ...whole];
}

function optionsOf(
  parts: Parts,
  withWhole: boolean,
  color: (name: string) => string,
): Omit<uPlot.Options, "width" | "height"> {
  const areas = parts.toReversed().map(({ color: name }): uPlot.Series => {
    return { fill: color(name), stroke: color("--paper"), width: 1, points: { show: false } };
  });
  const whole: uPlot.Series = {
    stroke: color("--text"),
    dash: [6, 4],
    width: 1.5,
    points: { show: false },
  };
  return {
    legend: { show: false },
    cursor: { drag: { x: false, y: false }, points: { show: false } },
    scales: { x: { time: false }, y: { range: (_, __, max) => [0, Math.max(1, max * 1.05)] } },
    axes: callAxes(color),
    series: [{}, ...areas, ...(withWhole ? [whole] : [])],
  };
}

/** There is no half of a call. */
function callAxes(color: (name: string) => string): uPlot.Axis[] {
  const [calls = {}, tokens = {}] = axes(color, (splits) => splits.map((split) => short(split)));
  return [{ ...calls, incrs: WHOLE_STEPS }, tokens];
}

function short(count: number): string {
  if (count >= 1e6) return `${count / 1e6} M`;
  return count >= 1000 ? `${count / 1000} k` : String(count);
}
