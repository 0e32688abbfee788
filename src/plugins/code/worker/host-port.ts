import { receiveMessageOnPort } from "node:worker_threads";

import type { OwnRun } from "../../../core/engines/run-status.js";
import { grouped } from "../../../util/amounts.js";
import type {
  CodeAnswer,
  CodeAsk,
  CodeBody,
  CodeJob,
  CodeToolResult,
  MadeOutput,
} from "../request.js";

export class SandboxFault extends Error {}

export class TimeOver extends Error {}

export interface Keeping {
  push(text: string): void;
  end(): string;
  drop(): void;
}

/**
 * Asks the thread that began the run, and blocks for its answers. Throws {@link SandboxFault} for
 * errors there, and {@link TimeOver} when the run's time is over.
 */
export interface HostPort {
  open(reference: string): CodeBody;
  keep(from: MadeOutput["from"], form: MadeOutput["form"]): Keeping;
  call(toolName: string, argsJson: string): number;
  nextCalled(): readonly [index: number, result: CodeToolResult];
  openCalls(): number;
}

const WAIT_MS = 50;

type Question<Ask = CodeAsk> = Ask extends CodeAsk ? Omit<Ask, "key"> : never;

export function openHostPort(
  { port, bell, maxKeptBytes }: Pick<CodeJob, "port" | "bell" | "maxKeptBytes">,
  own: OwnRun,
): HostPort {
  /** By key, in order of arrival. */
  const answers = new Map<number, CodeAnswer>();
  const calls = new Map<number, number>();
  let callCount = 0;
  let keys = 0;
  let keptBytes = 0;

  function ask(question: Question, key = (keys += 1)): number {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- ports have no origin
    port.postMessage({ ...question, key });
    return key;
  }

  function waitFor(isMeant: (key: number) => boolean, waited?: (ms: number) => void): CodeAnswer {
    for (;;) {
      const rung = Atomics.load(bell, 0);
      for (let got = receiveMessageOnPort(port); got; got = receiveMessageOnPort(port)) {
        const answer: CodeAnswer = got.message;
        answers.set(answer.key, answer);
      }
      for (const [key, answer] of answers) {
        if (!isMeant(key)) continue;
        answers.delete(key);
        return answer;
      }
      if (own.isOver()) throw new TimeOver();
      const beganAt = performance.now();
      Atomics.wait(bell, 0, rung, WAIT_MS);
      waited?.(performance.now() - beganAt);
    }
  }

  function answerTo(asked: number): CodeAnswer {
    const answer = waitFor((key) => key === asked);
    if ("error" in answer) throw new SandboxFault(answer.error);
    return answer;
  }

  return {
    open(reference) {
      const answer = answerTo(ask({ kind: "open", reference }));
      if (!("body" in answer)) throw new SandboxFault("this output cannot be read");
      return answer.body;
    },
    keep(from, form) {
      const key = ask({ kind: "keep", from, form });
      let isOpen = true;
      const drop = (): void => {
        if (isOpen) ask({ kind: "drop" }, key);
        isOpen = false;
      };
      return {
        drop,
        push(text) {
          keptBytes += Buffer.byteLength(text);
          if (keptBytes > maxKeptBytes) {
            drop();
            throw new SandboxFault(
              `one run may store ${grouped(maxKeptBytes)} bytes at most: save less, such as only the fields that are needed`,
            );
          }
          ask({ kind: "piece", text }, key);
          const answer = waitFor((one) => one === key);
          // A finished store takes no more, and reports why at its end.
          if (!("isTaken" in answer)) answers.set(key, answer);
        },
        end() {
          ask({ kind: "end" }, key);
          const answer = answerTo(key);
          isOpen = false;
          return "id" in answer ? answer.id : "";
        },
      };
    },
    call(toolName, argsJson) {
      const index = callCount;
      callCount += 1;
      calls.set(ask({ kind: "call", index, toolName, argsJson }), index);
      return index;
    },
    nextCalled() {
      const answer = waitFor(
        (key) => calls.has(key),
        (ms) => own.waited(ms),
      );
      const index = calls.get(answer.key) ?? 0;
      calls.delete(answer.key);
      const isResult = "json" in answer || "storedId" in answer || "error" in answer;
      return [index, isResult ? answer : { error: "" }];
    },
    openCalls: () => calls.size,
  };
}
