import type { VNode } from "preact";
import { useState } from "preact/hooks";

import { counted, shown, shownLine } from "../format.js";
import { ExactNumber, textOf } from "./records.js";

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
