import type { VNode } from "preact";
import { useState } from "preact/hooks";

import { counted, grouped, shownLine } from "../format.js";
import { ExactNumber, fieldsOf, type PageRecord, textOf } from "./records.js";
import { Tree } from "./tree.js";

const MAX_COLUMNS = 30;
const MAX_CELL_CHARACTERS = 120;

/** Records as rows; one opens to a tree. */
export function TableView(props: {
  readonly records: readonly PageRecord[];
  /** Columns in order, as far as they are known. */
  readonly fields: readonly string[];
  readonly number: number;
}): VNode {
  const { records, fields, number } = props;
  const [open, setOpen] = useState<number>();
  const there = new Set(
    records.flatMap(({ value }) =>
      value === undefined ? [] : fieldsOf(value).map(([name]) => name),
    ),
  );
  const known = fields.filter((name) => there.has(name));
  const columns = [...new Set([...known, ...there])];
  const shownColumns = columns.slice(0, MAX_COLUMNS);
  return (
    <>
      <div class="wide body-table" tabIndex={0} role="region" aria-label="Records">
        <table>
          <thead>
            <tr>
              <th scope="col" class="number">
                #
              </th>
              {shownColumns.map((name) => (
                <th scope="col" key={name}>
                  <bdi>{shownLine(name, 60)}</bdi>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {records.map(({ line, value }, place) => (
              <>
                <tr key={line.at}>
                  <th scope="row" class="number">
                    <button
                      type="button"
                      aria-expanded={open === line.at}
                      onClick={() => setOpen(open === line.at ? undefined : line.at)}
                    >
                      {grouped(number + place)}
                    </button>
                  </th>
                  {value === undefined ? (
                    <td colSpan={shownColumns.length}>
                      <bdi>{shownLine(line.text, 500)}</bdi>
                    </td>
                  ) : (
                    <Cells value={value} columns={shownColumns} />
                  )}
                </tr>
                {open === line.at && (
                  <tr key={`${line.at} open`}>
                    <td colSpan={shownColumns.length + 1}>
                      <Tree value={value ?? line.text} isOpen={true} />
                    </td>
                  </tr>
                )}
              </>
            ))}
          </tbody>
        </table>
      </div>
      {columns.length > MAX_COLUMNS && (
        <p class="quiet small">
          {counted(columns.length - MAX_COLUMNS, "more column")}: open a record to see all of it.
        </p>
      )}
    </>
  );
}

function Cells({
  value,
  columns,
}: {
  readonly value: unknown;
  readonly columns: readonly string[];
}): VNode {
  const fields = new Map(fieldsOf(value));
  return (
    <>
      {columns.map((name) => {
        const cell = fields.get(name);
        const isNumber = typeof cell === "number" || cell instanceof ExactNumber;
        return (
          <td
            key={name}
            class={isNumber ? "number" : cell === null || cell === undefined ? "quiet" : ""}
          >
            <bdi>{shownLine(fields.has(name) ? textOf(cell) : "", MAX_CELL_CHARACTERS)}</bdi>
          </td>
        );
      })}
    </>
  );
}
