import type { VNode } from "preact";
import { useState } from "preact/hooks";

import type { BodyPage } from "../../wire.js";
import { counted, grouped, shown, shownLine } from "../format.js";
import { ExactNumber, type PageRecord, parseExact, textOf } from "./records.js";

/** Members made at once; more on request. */
const MORE = 100;

/** A JSON value that opens by its levels. */
export function Tree(props: {
  readonly name?: string;
  readonly value: unknown;
  readonly isOpen?: boolean;
}): VNode {
  const { name, value, isOpen = false } = props;
  const isLeaf = typeof value !== "object" || value === null || value instanceof ExactNumber;
  const label = name === undefined ? null : <b class="key">{shownLine(name, 200)}: </b>;
  if (isLeaf) {
    return (
      <div class="leaf">
        {label}
        <span class={`value ${value === null ? "null" : typeof value}`}>
          {shown(textOf(value), 10_000)}
        </span>
      </div>
    );
  }
  return <Branch label={label} value={value} isOpen={isOpen} />;
}

function Branch({
  label,
  value,
  isOpen,
}: {
  readonly label: VNode | null;
  readonly value: object;
  readonly isOpen: boolean;
}): VNode {
  const [open, setOpen] = useState(isOpen);
  const [most, setMost] = useState(MORE);
  const count = Array.isArray(value) ? value.length : Object.keys(value).length;
  return (
    <details open={open} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        {label}
        <span class="quiet">
          {Array.isArray(value) ? counted(count, "element") : counted(count, "field")}
          {!open && ` ${shownLine(previewOf(value), 80)}`}
        </span>
      </summary>
      {open &&
        Object.entries(value)
          .slice(0, most)
          .map(([key, member]) => <Tree key={key} name={key} value={member} />)}
      {open && count > most && (
        <button type="button" onClick={() => setMost(most + 10 * MORE)}>
          Show more of {counted(count, "member")}
        </button>
      )}
    </details>
  );
}

/** The beginning of what is inside, without going through all of it. */
function previewOf(value: object): string {
  const members = Object.entries(value).slice(0, 3);
  return members
    .map(([key, member]) => {
      const text = typeof member === "object" && member !== null ? "…" : textOf(member);
      return Array.isArray(value) ? text : `${key}: ${text}`;
    })
    .join(", ");
}

/** Records, or one document, by their levels. */
export function TreeView(props: {
  readonly records: readonly PageRecord[];
  /** A document's page: it is a tree when all of it fits in one. */
  readonly page: BodyPage | undefined;
  readonly number: number;
}): VNode {
  const { records, page, number } = props;
  if (page !== undefined) return <Document page={page} />;
  return (
    <div class="tree" tabIndex={0} role="region" aria-label="Records">
      {records.map(({ line, value }, place) => (
        <Tree
          key={line.at}
          name={grouped(number + place)}
          value={value ?? shownLine(line.text, 500)}
          isOpen={records.length === 1}
        />
      ))}
    </div>
  );
}

function Document({ page }: { readonly page: BodyPage }): VNode {
  const isWhole = page.next === undefined && page.lines[0]?.at === 0;
  const text = isWhole
    ? page.lines.map(({ text, cut }) => (cut ? text : `${text}\n`)).join("")
    : "";
  const value = isWhole ? parseExact(text.replace(/^\uFEFF/, "")) : undefined;
  if (value !== undefined) {
    return (
      <div class="tree" tabIndex={0} role="region" aria-label="Document">
        <Tree value={value} isOpen={true} />
      </div>
    );
  }
  return (
    <p class="note">
      {isWhole
        ? "This document is no JSON; look at it as text."
        : "This document is too large for a tree. Ask for a part of it with jq, such as keys, or look at it as text."}
    </p>
  );
}
