import { shorten } from "../../util/safe-text.js";
import type { Outline } from "./outline.js";
import type { LineReader } from "./text-parts.js";
import { grouped } from "../../util/amounts.js";

interface Trace {
  readonly line: number;
  readonly text: string;
  count: number;
}

/** A frame of JavaScript, Java or .NET; of Python; of Ruby or Go. */
const FRAME =
  /^\s{1,12}(?:at \S|File ".{1,250}", line \d|from \S{1,250}:\d{1,7}:in |\S{1,250}\.go:\d)/;
const PYTHON_START = /^\s{0,8}Traceback \(most recent call last\):/;
const OTHER_START = /^(?:Caused by: \S|thread '.{1,100}' panicked at |panic: \S)/;
/** What ends a trace of Python. */
const ERROR = /^[A-Za-z_][\w.]{0,100}(?::|$)/;

const MAX_TRACES = 500;
const SHOWN_CHARACTERS = 120;
/** Of the lines, how many are frames where traces are the matter of a text. */
const FRAME_SHARE = 0.2;

/** Reads which errors a text of stack traces has, those alike counted. */
export function traceReader(): LineReader & { readonly outline: () => Outline | undefined } {
  const traces = new Map<string, Trace>();
  let previous = "";
  let current: Trace | undefined;
  let pythonLine = 0;
  let [all, lines, frames] = [0, 0, 0];
  let isFull = false;

  function begin(text: string, line: number): void {
    all += 1;
    const known = traces.get(text);
    if (known !== undefined) known.count += 1;
    const trace = known ?? { line, text, count: 1 };
    if (known === undefined && traces.size < MAX_TRACES) traces.set(text, trace);
    else if (known === undefined) isFull = true;
    current = trace;
  }

  return {
    take(line, number) {
      if (line === "") return;
      lines += 1;
      if (PYTHON_START.test(line)) {
        pythonLine = number;
        current = undefined;
      } else if (FRAME.test(line)) {
        frames += 1;
        if (current === undefined && pythonLine === 0) begin(previous.trim(), number - 1);
      } else if (OTHER_START.test(line)) begin(line, number);
      else if (pythonLine > 0 && ERROR.test(line)) {
        begin(line, pythonLine);
        current = undefined;
        pythonLine = 0;
      } else if (!/^\s/.test(line)) current = undefined;
      previous = line;
    },
    outline() {
      if (all === 0 || frames < lines * FRAME_SHARE) return undefined;
      return {
        facts: [`${grouped(all)} stack traces, by what was thrown; line of the first:`],
        entries: [...traces.values()].map(({ line, text, count }) => ({
          text: `${line}: ${count > 1 ? `${grouped(count)}x ` : ""}${shorten(text, SHOWN_CHARACTERS)}`,
          rank: 1,
          weight: count,
        })),
        total: traces.size + (isFull ? 1 : 0),
        hasMore: isFull,
        noun: "kinds of errors",
        hasLines: true,
      };
    },
  };
}
