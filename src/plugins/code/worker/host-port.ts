import { receiveMessageOnPort } from "node:worker_threads";

import type { OwnRun } from "../../../core/engines/run-status.js";
import { grouped } from "../../../util/amounts.js";
import type { CodeAnswer, CodeAnswered, CodeAsk, CodeJob } from "../job.js";
import type { CodeBody, CodeToolResult, MadeOutput } from "../request.js";
import { GuestFault, TimeOver } from "./fault.js";

/** What is being stored. */
export interface Keeping {
  /** Waits until it is taken. */
  push(bytes: Uint8Array): void;
  /** The id of what was stored. */
  end(): string;
  /** Gives up: nothing is stored. */
  drop(): void;
}

/** The result of a call. */
export interface Called {
  readonly index: number;
  readonly result: CodeToolResult;
}

/**
 * Asks the thread that began the run, and waits for its answers. What goes wrong there is a {@link GuestFault}.
 *
 * Every method that waits throws {@link TimeOver} when the run's time is over meanwhile.
 */
export interface HostPort {
  open(reference: string): CodeBody;
  keep(from: MadeOutput["from"], form: MadeOutput["form"]): Keeping;
  /** Begins a call and gives its number, from 0. */
  call(toolName: string, argsJson: string): number;
  /** The next result of a call, when there is one. */
  nextCalled(): Called;
  /** Calls whose result was not taken yet. */
  openCalls(): number;
}

/** Between two looks at the clock. */
const WAIT_MS = 50;

export function openHostPort(
  { desk: { port, bell }, maxKeptBytes }: Pick<CodeJob, "desk" | "maxKeptBytes">,
  own: OwnRun,
): HostPort {
  const answers = new Map<number, CodeAnswered>();
  /** Of calls that go on, by their keys. */
  const indexes = new Map<number, number>();
  /** Of what is kept and can still be given up, whether its last piece was taken. */
  const taken = new Map<number, boolean>();
  let callCount = 0;
  let keys = 0;
  let keptBytes = 0;

  function ask(message: CodeAsk, transfer: readonly ArrayBuffer[] = []): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- ports have no origin
    port.postMessage(message, transfer);
  }

  function hear(answer: CodeAnswer): void {
    const { key } = answer;
    if ("isTaken" in answer) taken.set(key, true);
    else answers.set(key, answer);
  }

  /** Hears answers until there is what is waited for. */
  function waitFor<T>(look: () => T | undefined, waited?: (ms: number) => void): T {
    for (;;) {
      const rung = Atomics.load(bell, 0);
      for (let got = receiveMessageOnPort(port); got; got = receiveMessageOnPort(port))
        hear(got.message);
      const found = look();
      if (found !== undefined) return found;
      if (own.isOver()) throw new TimeOver();
      const beganAt = performance.now();
      Atomics.wait(bell, 0, rung, WAIT_MS);
      waited?.(performance.now() - beganAt);
    }
  }

  function answerTo(key: number): CodeAnswered {
    const answer = waitFor(() => answers.get(key));
    answers.delete(key);
    if ("error" in answer) throw new GuestFault(answer.error);
    return answer;
  }

  function open(reference: string): CodeBody {
    const key = (keys += 1);
    ask({ kind: "open", key, reference });
    const answer = answerTo(key);
    if (!("body" in answer)) throw new GuestFault("this output cannot be read");
    return answer.body;
  }

  function keep(from: MadeOutput["from"], form: MadeOutput["form"]): Keeping {
    const key = (keys += 1);
    taken.set(key, true);
    ask({ kind: "keep", key, from, form });
    const drop = (): void => {
      if (taken.delete(key)) ask({ kind: "drop", key });
    };
    return {
      drop,
      push(bytes) {
        keptBytes += bytes.length;
        if (keptBytes > maxKeptBytes) {
          drop();
          throw new GuestFault(
            `one run may store ${grouped(maxKeptBytes)} bytes at most: save less, such as only the fields that are needed`,
          );
        }
        taken.set(key, false);
        const piece = new Uint8Array(bytes);
        ask({ kind: "piece", key, bytes: piece }, [piece.buffer]);
        // What has ended takes no more, and tells why at its end.
        waitFor(() => taken.get(key) === true || answers.has(key) || undefined);
      },
      end() {
        ask({ kind: "end", key });
        const answer = answerTo(key);
        taken.delete(key);
        return "id" in answer ? answer.id : "";
      },
    };
  }

  return {
    open,
    keep,
    call(toolName, argsJson) {
      const key = (keys += 1);
      const index = callCount;
      callCount += 1;
      indexes.set(key, index);
      ask({ kind: "call", key, index, toolName, argsJson });
      return index;
    },
    nextCalled() {
      const { key, index, result } = waitFor(nextResult, (ms) => own.waited(ms));
      answers.delete(key);
      indexes.delete(key);
      return { index, result };
    },
    openCalls: () => indexes.size,
  };

  /** Answers stand in the order in which they came. */
  function nextResult(): (Called & { readonly key: number }) | undefined {
    for (const [key, result] of answers) {
      const index = indexes.get(key);
      if (index !== undefined && !("id" in result)) return { key, index, result };
    }
    return undefined;
  }
}
