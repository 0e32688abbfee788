import type { ComponentChildren, VNode } from "preact";
import { useState } from "preact/hooks";

import { addressOf, type Asked, useAsked } from "./api.js";
import type { Rows } from "../wire.js";
import { shown } from "./format.js";
import { grouped } from "../../util/amounts.js";

export function Section({
  title,
  about,
  children,
}: {
  readonly title: string;
  readonly about?: string;
  readonly children: ComponentChildren;
}): VNode {
  return (
    <section>
      <h2>{title}</h2>
      {about && <p class="quiet">{about}</p>}
      {children}
    </section>
  );
}

export function Waiting({ value, error }: Asked<unknown>): VNode | null {
  if (error !== undefined) return <p role="alert">{shown(error)}</p>;
  return value === undefined ? <p role="status">Reading…</p> : null;
}

export function Line({
  what,
  figure,
  detail,
  output,
}: {
  readonly what: string;
  readonly figure: string;
  readonly detail: string;
  readonly output?: string | undefined;
}): VNode {
  return (
    <a class="line" {...(output !== undefined && { href: addressOf("output", output) })}>
      <span class="cut">
        <bdi class="what">{what}</bdi>
      </span>
      <span>{figure}</span>
      <bdi class="quiet cut">{detail}</bdi>
    </a>
  );
}

const PAGE_ROWS = 50;

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller knows the row type
export function List<Row>({
  label,
  path,
  version,
  kind = "list",
  row,
}: {
  readonly label: string;
  readonly path: string;
  readonly version?: unknown;
  readonly kind?: "list" | "text";
  readonly row: (row: Row, number: number) => ComponentChildren;
}): VNode {
  const [place, setPlace] = useState({ path, at: 0 });
  const at = place.path === path ? place.at : 0;
  const asked = useAsked<Rows<Row>>(`${path}&from=${at}&limit=${PAGE_ROWS}`, version);
  const { rows = [], total = 0, from = 0 } = asked.value ?? {};
  const go = (to: number): void => setPlace({ path, at: to });
  const ways = [
    ["First", 0],
    ["Previous", Math.max(0, from - PAGE_ROWS)],
    ["Next", from + rows.length],
    ["Last", Math.max(0, total - PAGE_ROWS)],
  ] as const;
  const rowsShown = `${grouped(from + 1)} to ${grouped(from + rows.length)} of ${grouped(total)}`;
  return (
    <>
      <Waiting {...asked} />
      {asked.value && (
        <ul class={kind} tabIndex={kind === "text" ? 0 : undefined} aria-label={label}>
          {rows.map((one, index) => (
            <li key={from + index}>{row(one, from + index + 1)}</li>
          ))}
        </ul>
      )}
      {total > rows.length && (
        <p class="row">
          {ways.map(([name, to]) => (
            <button
              type="button"
              key={name}
              disabled={to === from || to >= total}
              onClick={() => go(to)}
            >
              {name}
            </button>
          ))}
          <input
            type="number"
            min={1}
            max={total}
            aria-label="Go to number"
            value={from + 1}
            onChange={({ currentTarget: { valueAsNumber } }) =>
              go(Math.min(Math.max(1, Math.floor(valueAsNumber) || 1), total) - 1)
            }
          />
          <span class="quiet" role="status">
            {asked.isWaiting ? "Reading…" : rowsShown}
          </span>
        </p>
      )}
    </>
  );
}
