import type { VNode } from "preact";
import { useCallback, useMemo, useState } from "preact/hooks";
import type uPlot from "uplot";

import type { StoredArtifact } from "../../../types/artifact.js";
import type { BodySample } from "../../wire.js";
import { useAsked } from "../api.js";
import { grouped, shownLine } from "../format.js";
import { Waiting } from "../parts/note.js";
import { axes, Plot } from "../parts/plot.js";
import type { BodyPart } from "./parts-of-body.js";
import { cellsOf, fieldsOf, numberOf, recordsOf, textOf } from "./records.js";

const SAMPLE = 500;
const HEIGHT = 280;
const MAX_BARS = 15;
const MAX_FIELDS = 60;

/** One field over the records, from a sample that is spread over all of them. */
export function ChartView({
  artifact,
  part,
}: {
  readonly artifact: StoredArtifact;
  readonly part: BodyPart;
}): VNode {
  const query = `count=${SAMPLE}&start=${part.start}&until=${part.end}`;
  const { value, error } = useAsked<BodySample>(`/api/outputs/${artifact.id}/sample?${query}`);
  const [asked, setAsked] = useState<string>();
  const records = useMemo(
    () => (value ? valuesOf(artifact, value, part) : []),
    [artifact, value, part],
  );
  if (value === undefined) return <Waiting error={error} />;
  const fields = [...new Set(records.flatMap((record) => [...record.keys()]))].slice(0, MAX_FIELDS);
  const numeric = fields.filter((field) => isNumeric(records, field));
  const field = asked ?? numeric[0] ?? fields[0];
  if (field === undefined) return <p class="note">There is no record that could be drawn.</p>;
  return (
    <>
      <label class="field">
        <span>Field</span>
        <select value={field} onChange={({ currentTarget }) => setAsked(currentTarget.value)}>
          {fields.map((name) => (
            <option key={name} value={name}>
              {shownLine(name, 60)}
            </option>
          ))}
        </select>
        <span class="quiet">
          {records.length >= part.lines ? "all" : `${grouped(records.length)} of`}{" "}
          {grouped(part.lines)} {part.unit}s{records.length < part.lines && ", evenly spread"}
        </span>
      </label>
      {numeric.includes(field) ? (
        <Line records={records} field={field} />
      ) : (
        <Bars records={records} field={field} />
      )}
    </>
  );
}

type Fields = ReadonlyMap<string, unknown>;

function valuesOf(
  artifact: StoredArtifact,
  { records }: BodySample,
  part: BodyPart,
): readonly Fields[] {
  const isRows = part.hasHead === true;
  const columns = isRows
    ? cellsOf(
        records[0] ?? "",
        artifact.kind === "tsv" ? "\t" : ",",
        artifact.literalQuotes !== true,
      )
    : [];
  const lines = records
    .slice(isRows ? 1 : 0)
    .map((text, at) => ({ at, sizeBytes: text.length, text }));
  return recordsOf(artifact, lines, columns).flatMap(({ value }) =>
    value === undefined ? [] : [new Map(fieldsOf(value))],
  );
}

/** A field that is a number wherever it is anything. */
function isNumeric(records: readonly Fields[], field: string): boolean {
  const there = records
    .map((record) => record.get(field))
    .filter((value) => value !== null && value !== undefined && value !== "");
  return there.length > 0 && there.every((value) => numberOf(value) !== undefined);
}

function Line({
  records,
  field,
}: {
  readonly records: readonly Fields[];
  readonly field: string;
}): VNode {
  const data = useMemo((): uPlot.AlignedData => {
    const values = records.map((record) => numberOf(record.get(field) ?? undefined) ?? null);
    return [values.map((_, place) => place + 1), values];
  }, [records, field]);
  const options = useCallback(
    (color: (name: string) => string): Omit<uPlot.Options, "width" | "height"> => ({
      legend: { show: false },
      cursor: { drag: { x: false, y: false } },
      scales: { x: { time: false } },
      axes: axes(color, (splits) => splits.map((split) => grouped(split))),
      series: [
        {},
        { stroke: color("--accent"), width: 1, points: { show: records.length < 200, size: 5 } },
      ],
    }),
    [records],
  );
  const numbers = (data[1] ?? [])
    .filter((value) => typeof value === "number")
    .toSorted((one, other) => one - other);
  const at = (share: number): string =>
    grouped(numbers[Math.floor(share * (numbers.length - 1))] ?? 0);
  const words = `least ${at(0)}, median ${at(0.5)}, most ${at(1)}`;
  return (
    <>
      <Plot
        label={`${shownLine(field, 60)} over the records: ${words}`}
        height={HEIGHT}
        data={data}
        options={options}
      />
      <p class="quiet small">
        <bdi>{shownLine(field, 60)}</bdi> over the records in their order: {words}.
      </p>
    </>
  );
}

function Bars({
  records,
  field,
}: {
  readonly records: readonly Fields[];
  readonly field: string;
}): VNode {
  const counts = new Map<string, number>();
  for (const record of records) {
    const text = shownLine(record.has(field) ? textOf(record.get(field)) : "(not there)", 80);
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  const sorted = [...counts].toSorted(([, one], [, other]) => other - one);
  const most = sorted[0]?.[1] ?? 1;
  return (
    <>
      <table class="plain tools">
        <thead>
          <tr>
            <th scope="col">Value</th>
            <th scope="col" class="number">
              Records
            </th>
          </tr>
        </thead>
        <tbody>
          {sorted.slice(0, MAX_BARS).map(([text, count]) => (
            <tr key={text}>
              <th scope="row">
                <bdi>{text}</bdi>
                <span class="bars" aria-hidden="true">
                  <i class="seen" style={{ width: `${(100 * count) / most}%` }} />
                </span>
              </th>
              <td class="number">{grouped(count)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {sorted.length > MAX_BARS && (
        <p class="quiet small">{grouped(sorted.length - MAX_BARS)} more values.</p>
      )}
    </>
  );
}
