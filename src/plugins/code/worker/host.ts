/// <reference lib="es2024.string" />
import { receiveMessageOnPort } from "node:worker_threads";

import { ENDED, type OwnRun } from "../../../core/engines/run-status.js";
import { grouped } from "../../../util/amounts.js";
import type {
  CodeAnswer,
  CodeAsk,
  CodeBody,
  CodeJob,
  CodeMade,
  CodeResult,
  CodeToolResult,
  MadeOutput,
} from "../request.js";
import { PRINTED, RETURNED } from "./prelude.js";
import { openReading, type Reading } from "./readings.js";
import { type Box, SandboxFault, type SandboxVm, TimeOver } from "./sandbox-vm.js";

/** What code reaches outside of its vm. */
export interface Host {
  readonly call: (args: readonly Box[]) => Box;
  /** Waits for the next tool that answers; `false` if there is none to wait for. */
  settleNext(): boolean;
  made(): Pick<CodeResult, "returned" | "printed">;
  done(): CodeResult;
  close(): void;
}

const MAX_READINGS = 64;
const MAX_OPEN_CALLS = 1000;
const MAX_NAME_CHARACTERS = 200;
const MAX_NAME_BYTES = 16_384;
const MAX_ARGS_BYTES = 262_144;
/** Above any piece from the vm: 65,536 UTF-16 units of at most 3 bytes. */
const MAX_PIECE_BYTES = 262_144;
/** Beyond 2^53 and outside of a string, as far as can be told without parsing. */
const LONG_INTEGER =
  /(?:\d{17}|9(?:00[7-9]|0[1-9]\d|[1-9]\d\d)\d{12})(?<=(?:^|[:,[]\s{0,20})-?\d{16,17})/;

function checkRoom({ size }: { readonly size: number }, most: number, what: string): void {
  if (size >= most) throw new SandboxFault(`${most} ${what}`);
}

export function createHost(
  job: CodeJob,
  vm: SandboxVm,
  own: OwnRun,
  sandboxMemoryBytes: number,
): Host {
  const port = openHostPort(job, own);
  const maxLineBytes = Math.floor(sandboxMemoryBytes / 2);
  const open = new Map<number, Reading>();
  const bodies = new Map<string, CodeBody>();
  const calls = new Set<number>();
  const returned = madeText("returned", job.maxOutputBytes, port);
  const printed = madeText("printed", job.maxOutputBytes, port);
  /** Texts that grow by pieces, by their numbers. */
  const texts = new Map<number, MadeText>([
    [PRINTED, printed],
    [RETURNED, returned],
  ]);
  let hasLongIntegers = false;
  let keys = RETURNED;

  function bodyOf(reference: string): CodeBody {
    const { body } = port.answerTo(port.ask({ kind: "open", reference }));
    if (body === undefined) throw new SandboxFault("this output cannot be read");
    return body;
  }

  function begin(
    reference: string,
    how: Parameters<typeof openReading>[1],
    asked?: string,
  ): readonly [key: number, id: string] {
    const body = bodies.get(reference) ?? bodyOf(reference);
    bodies.set(reference, body);
    bodies.set(body.id, body);
    checkRoom(open, MAX_READINGS, "outputs are read at once, the most");
    open.set((keys += 1), openReading(body, how, maxLineBytes, asked));
    return [keys, body.id];
  }

  function remembered(json: string): string {
    hasLongIntegers ||= LONG_INTEGER.test(json);
    return json;
  }

  function callTool(toolName: string, argsJson: string): number {
    checkRoom(calls, MAX_OPEN_CALLS, "calls of tools are under way: await some of them first");
    if (Buffer.byteLength(argsJson) > MAX_ARGS_BYTES)
      throw new SandboxFault(
        `the arguments of a tool have ${grouped(MAX_ARGS_BYTES)} bytes at most: pass less, or return an id from outputs.save and call the tool directly, outside of code, with {"$output": id} where it takes references`,
      );
    const key = port.ask({ kind: "call", toolName, argsJson });
    calls.add(key);
    return key;
  }

  function handedOver(result: CodeToolResult): readonly (string | number)[] {
    if ("json" in result) return ["json", remembered(result.json)];
    if ("error" in result) return ["error", result.error];
    try {
      return ["reader", ...begin(result.storedId, "natural")];
    } catch (error) {
      if (!(error instanceof SandboxFault)) throw error;
      return ["error", `The result is stored as ${result.storedId}: ${error.message}`];
    }
  }

  function operate(args: readonly Box[]): string | number | null | undefined {
    const text = (at: number, maxBytes = MAX_NAME_BYTES) => vm.text(args[at], maxBytes) ?? "";
    const [, key = 0, count = 0] = args.map((box) => vm.numberOf(box));
    switch (text(0)) {
      // (records, lines or whole; reference; for records JSON of `[fields, set]`) → reader number
      case "open": {
        const how = text(1);
        const isOther = how === "lines" || how === "whole";
        return begin(text(2), isOther ? how : "records", text(3) || "[]")[0];
      }
      // (reader number) → json, records, lines or text: how to take its batches
      case "kind":
        return open.get(key)?.kind;
      // (reader number) → JSON array of the next records, the next lines as text, or the whole; null at the end
      case "pull": {
        const reading = open.get(key);
        const content = reading?.next();
        if (reading === undefined || content === undefined) {
          open.delete(key);
          return null;
        }
        return reading.kind === "records" || reading.kind === "json"
          ? remembered(content)
          : content;
      }
      // (reader number)
      case "close":
        open.get(key)?.leave();
        open.delete(key);
        return undefined;
      // (name, 1 if it is one object) → text number
      case "save": {
        const savedAs = text(1);
        if (savedAs === "" || savedAs.length > MAX_NAME_CHARACTERS)
          throw new SandboxFault(`a name of an output has 1 to ${MAX_NAME_CHARACTERS} characters`);
        const fileFormat = count === 1 ? "original" : undefined;
        texts.set((keys += 1), madeText({ savedAs, fileFormat }, PIECE_BYTES, port));
        return keys;
      }
      // (text number, piece of text, json if it is JSON)
      case "push":
        return texts.get(key)?.add(text(2, MAX_PIECE_BYTES), text(3) === "json" ? "json" : "text");
      // (text number, 1 if complete, else 0) → id if complete
      case "saved": {
        const saving = texts.get(key);
        texts.delete(key);
        return count === 1 ? saving?.kept() : undefined;
      }
      // (name, JSON of the arguments) → call number
      case "call":
        return callTool(text(1), text(2, MAX_ARGS_BYTES + 1));
      default:
        throw new SandboxFault("there is no such operation");
    }
  }

  return {
    call(args) {
      try {
        return vm.box(operate(args));
      } catch (error) {
        if (!(error instanceof SandboxFault)) throw error;
        return vm.throwText(error.message);
      }
    },
    settleNext() {
      if (calls.size === 0) return false;
      const answer = port.waitFor(
        (key) => calls.delete(key),
        (ms) => own.waited(ms),
      );
      const { key, error = "", result = { error } } = answer;
      const values = [key, ...handedOver(result)];
      vm.free(vm.call("settle", ...values.map((value) => vm.box(value))));
      return true;
    },
    made: () => ({ returned: returned.made(), printed: printed.made() }),
    done: () => ({
      returned: returned.held(),
      printed: printed.held(),
      hasLongIntegers,
      ...ENDED,
    }),
    close() {
      for (const reading of open.values()) reading.leave();
      port.close();
    },
  };
}

const PIECE_BYTES = 256 * 1024;

type MadeText = ReturnType<typeof madeText>;

/** A text that is stored as it grows, from `maxBytes` on. */
function madeText(from: MadeOutput["from"], maxBytes: number, port: HostPort) {
  let form: CodeMade["form"] = "text";
  /** What is not being stored yet; `undefined` before the first piece. */
  let text: string | undefined;
  let textBytes = 0;
  /** Of what is being stored. */
  let key: number | undefined;

  function flush(): number {
    key ??= port.ask({ kind: "keep", from });
    port.push(key, text ?? "");
    text = "";
    textBytes = 0;
    return key;
  }

  function kept(): string {
    const asked = port.ask({ kind: "end" }, flush());
    return port.answerTo(asked).id ?? "";
  }

  function held(): CodeMade | undefined {
    if (key !== undefined || text === undefined) return undefined;
    // Printed lines keep their ends, except the last when shown.
    return { form, text: text.replace(from === "printed" ? /\n$/ : "", "") };
  }

  return {
    add(piece: string, given: CodeMade["form"]): undefined {
      form = given;
      text = (text ?? "") + piece;
      textBytes += Buffer.byteLength(piece);
      if (textBytes > (key === undefined ? maxBytes : PIECE_BYTES)) flush();
    },
    made: (): CodeMade | undefined => (key === undefined ? held() : { form, keptAs: kept() }),
    kept,
    held,
  };
}

const WAIT_MS = 50;

type Question<Ask = CodeAsk> = Ask extends CodeAsk ? Omit<Ask, "key"> : never;

type HostPort = ReturnType<typeof openHostPort>;

/**
 * Asks the thread that began the run, and blocks for its answers. Throws {@link SandboxFault} for
 * errors there, and {@link TimeOver} when the run's time is over.
 */
function openHostPort({ port, bell, maxKeptBytes }: CodeJob, own: OwnRun) {
  /** By key, in order of arrival. */
  const answers = new Map<number, CodeAnswer>();
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

  return {
    ask,
    waitFor,
    answerTo(asked: number): CodeAnswer {
      const answer = waitFor((key) => key === asked);
      if (answer.error !== undefined) throw new SandboxFault(answer.error);
      return answer;
    },
    /** A piece of what is being stored with this key. */
    push(key: number, text: string): void {
      keptBytes += Buffer.byteLength(text);
      if (keptBytes > maxKeptBytes)
        throw new SandboxFault(
          `one run may store ${grouped(maxKeptBytes)} bytes at most: save less, such as only the fields that are needed`,
        );
      ask({ kind: "piece", text }, key);
      const answer = waitFor((one) => one === key);
      // A finished store takes no more, and reports why at its end.
      if (!answer.isTaken) answers.set(key, answer);
    },
    close: () => port.close(),
  };
}
