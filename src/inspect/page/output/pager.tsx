import type { VNode } from "preact";
import { useState } from "preact/hooks";

import type { BodyPage } from "../../wire.js";
import { bytes, grouped } from "../format.js";
import type { BodyPart } from "./parts-of-body.js";

const STEPS = 1000;

/** Goes through a part of a body: by pages, by place, by number. */
export function Pager(props: {
  readonly page: BodyPage;
  readonly part: BodyPart;
  /** Of the first line that is shown, within the part. */
  readonly number: number | undefined;
  /** The first page, as the server takes it. */
  readonly first: string;
  /** Told where the next page is to begin, as the server takes it. */
  readonly onGo: (query: string) => void;
}): VNode {
  const { page, part, number, first: firstPage, onGo } = props;
  const { start, end, unit, lines: all } = part;
  const first = page.lines[0]?.at ?? start;
  const [wanted, setWanted] = useState("");
  const isFirst = first <= start || number === 1;
  const isLast = page.next === undefined;
  const share = Math.round((STEPS * (first - start)) / Math.max(1, end - start));
  if (isFirst && isLast) return <p class="quiet small">{whereWords(page, part, number)}</p>;
  const goTo = (): void => {
    const line = Math.min(Math.max(1, Math.floor(Number(wanted)) || 1), Math.max(1, all));
    onGo(`line=${line + part.firstLine - 1}`);
  };
  return (
    <div class="pager">
      <div class="buttons">
        <button type="button" disabled={isFirst} onClick={() => onGo(firstPage)}>
          First
        </button>
        <button type="button" disabled={isFirst} onClick={() => onGo(`before=${first}`)}>
          Previous
        </button>
        <button type="button" disabled={isLast} onClick={() => onGo(`at=${page.next}`)}>
          Next
        </button>
        <button type="button" disabled={isLast} onClick={() => onGo(`before=${end}`)}>
          Last
        </button>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            goTo();
          }}
        >
          <label>
            <span class="hidden">Go to {unit}</span>
            <input
              type="number"
              min={1}
              max={all}
              value={wanted}
              placeholder={`${unit} number`}
              onInput={({ currentTarget }) => setWanted(currentTarget.value)}
            />
          </label>
          <button type="submit">Go</button>
        </form>
      </div>
      <label class="slider">
        <span class="hidden">Place in the output</span>
        <input
          type="range"
          min={0}
          max={STEPS}
          value={share}
          aria-valuetext={whereWords(page, part, number)}
          onChange={({ currentTarget }) => {
            const near = start + Math.floor(((end - start) * Number(currentTarget.value)) / STEPS);
            onGo(Number(currentTarget.value) === STEPS ? `before=${end}` : `near=${near}`);
          }}
        />
      </label>
      <p class="quiet small" role="status">
        {whereWords(page, part, number)}
        {page.guessed && `; a place that is guessed until they are counted`}
      </p>
    </div>
  );
}

function whereWords(
  page: BodyPage,
  { unit, lines: all, start, end }: BodyPart,
  number: number | undefined,
): string {
  const count = page.lines.filter(({ continued }) => !continued).length;
  const from = page.lines[0]?.at ?? start;
  const numbers =
    number === undefined
      ? `${unit}s are being counted`
      : `${unit}s ${grouped(number)} to ${grouped(number + Math.max(0, count - 1))} of ${grouped(all)}`;
  return `${numbers}; from ${bytes(from - start)} of ${bytes(end - start)}`;
}
