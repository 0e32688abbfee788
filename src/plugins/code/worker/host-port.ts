import { receiveMessageOnPort } from "node:worker_threads";

import type { OwnRun } from "../../../core/engines/run-status.js";
import { grouped } from "../../../util/amounts.js";
import type { CodeAnswer, CodeAsk, CodeJob } from "../job.js";
import type { CodeBody, CodeToolResult, MadeOutput } from "../request.js";
import { GuestFault, TimeOver } from "./ends.js";

/** What is being stored. */
export interface Keeping {
  /** Waits while much of what was pushed is not taken. */
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
  call(call: Omit<CodeAsk & { readonly kind: "call" }, "kind">): void;
  /** The next result of a call, when there is one. */
  nextCalled(): Called;
  /** Calls that have no result yet. */
  openCalls(): number;
}

/** Between two looks at the clock. */
const WAIT_MS = 50;
/** Pieces on their way to a store. */
const MAX_PIECES = 4;

interface KeepingState {
  untaken: number;
  outcome?: { readonly id: string } | { readonly message: string } | undefined;
}

export function openHostPort(
  { desk: { port, bell }, maxKeptBytes }: Pick<CodeJob, "desk" | "maxKeptBytes">,
  own: OwnRun,
): HostPort {
  const keepings = new Map<number, KeepingState>();
  const called: Called[] = [];
  let opened: (CodeAnswer & { readonly kind: "opened" | "not-opened" }) | undefined;
  let openCalls = 0;
  let keys = 0;
  let keptBytes = 0;

  function ask(message: CodeAsk, transfer: readonly ArrayBuffer[] = []): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- ports have no origin
    port.postMessage(message, transfer);
  }

  function hear(answer: CodeAnswer): void {
    if (answer.kind === "opened" || answer.kind === "not-opened") {
      opened = answer;
    } else if (answer.kind === "called") {
      openCalls -= 1;
      called.push(answer);
    } else {
      const keeping = keepings.get(answer.key);
      if (keeping === undefined) return;
      if (answer.kind === "taken") keeping.untaken -= 1;
      else keeping.outcome = answer;
    }
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

  return {
    open(reference) {
      opened = undefined;
      ask({ kind: "open", reference });
      const answer = waitFor(() => opened);
      if (answer.kind === "not-opened") throw new GuestFault(answer.message);
      return answer.body;
    },
    keep(from, form) {
      const key = (keys += 1);
      const state: KeepingState = { untaken: 0 };
      keepings.set(key, state);
      ask({ kind: "keep", key, from, form });
      const drop = (): void => {
        if (keepings.delete(key)) ask({ kind: "drop", key });
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
          // What waits no longer ends by its outcome.
          waitFor(() => state.outcome ?? (state.untaken < MAX_PIECES || undefined));
          if (state.outcome !== undefined) return;
          state.untaken += 1;
          const piece = new Uint8Array(bytes);
          ask({ kind: "piece", key, bytes: piece }, [piece.buffer]);
        },
        end() {
          ask({ kind: "end", key });
          const outcome = waitFor(() => state.outcome);
          keepings.delete(key);
          if ("message" in outcome) throw new GuestFault(outcome.message);
          return outcome.id;
        },
      };
    },
    call(call) {
      openCalls += 1;
      ask({ kind: "call", ...call });
    },
    nextCalled: () =>
      waitFor(
        () => called.shift(),
        (ms) => own.waited(ms),
      ),
    openCalls: () => openCalls + called.length,
  };
}
