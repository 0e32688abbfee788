import type { OwnRun } from "../../../core/engines/run-status.js";
import { grouped } from "../../../util/amounts.js";
import type { CodeJob, CodeReply } from "../job.js";
import type { CodeBody, CodeMade, CodeToolResult } from "../request.js";
import { GuestFault } from "./fault.js";
import { type Guest, GuestMemoryError } from "./guest/guest.js";
import type { Box } from "./guest/imports.js";
import { type HandedOver, OPERATIONS } from "./guest/prelude.js";
import type { Called, HostPort, Keeping } from "./host-port.js";
import { createMadeText } from "./made-text.js";
import { createReadLog } from "./reading/read-log.js";
import { createReadings, type OpenReading, type Reading } from "./reading/readings.js";
import { exactResult } from "./reading/rounded-integer.js";

/** What the guest can do beside computing: the functions behind `outputs`, `print` and `tools`. */
export interface HostFunction {
  /** Does what the guest asks; 0 where an error was thrown into it. */
  readonly call: (args: readonly Box[]) => Box;
  /** Hands the result of a tool to the guest, which settles its promise. */
  settle(called: Called): void;
  /** What was returned and printed: stored when it is large. */
  made(): Pick<CodeReply, "returned" | "printed">;
  /** What the run has done, as far as it is known without asking for anything. */
  done(): CodeReply;
  close(): void;
}

interface Means {
  readonly guest: Guest;
  readonly port: HostPort;
  readonly own: OwnRun;
  readonly guestMemoryBytes: number;
  /** Tells what was done so far to who ends this worker. */
  readonly tell: (done: CodeReply) => void;
}

/** Each is an open file. */
const MAX_READINGS = 64;
/** Each is an open write to a store. */
const MAX_SAVINGS = 16;
const MAX_NAME_CHARACTERS = 200;
/** Of a reference, a name, a list of fields. */
const MAX_NAME_BYTES = 16_384;
/** Of the arguments of a call, which are parsed in the main thread. */
const MAX_ARGS_BYTES = 262_144;
const MAX_OPEN_CALLS = 1000;
/** The guest hands text over in pieces of at most a third of this. */
const MAX_PIECE_BYTES = 262_144;

/** Printed lines that are told at once, and the time between two that are told after them. */
const TOLD_AT_ONCE = 32;
const TELL_EVERY_MS = 100;

export function createHostFunction(
  { maxOutputBytes }: Pick<CodeJob, "maxOutputBytes">,
  { guest, port, own, guestMemoryBytes, tell }: Means,
): HostFunction {
  const log = createReadLog();
  const read = createReadings(own, log, guestMemoryBytes);
  const open = new Map<number, Reading>();
  const bodies = new Map<string, CodeBody>();
  const savings = new Map<number, Keeping>();
  const returned = createMadeText("returned", maxOutputBytes, port);
  const printed = createMadeText("printed", maxOutputBytes, port);
  let returnedAs: "json" | "text" = "text";
  let roundedResult: string | undefined;
  let keys = 0;
  let lines = 0;
  let toldAt = 0;

  /** A run that has to be ended with its worker keeps what it has printed. */
  function tellPrinted(): void {
    const now = performance.now();
    lines += 1;
    if (lines > TOLD_AT_ONCE && now - toldAt < TELL_EVERY_MS) return;
    toldAt = now;
    const so = done();
    const more = lines < TOLD_AT_ONCE ? "" : "\n[What was printed last may be missing.]";
    tell({ ...so, printed: { text: `${printed.held()?.text ?? ""}${more}` } });
  }

  function begin(...asked: Parameters<OpenReading>): number {
    if (open.size >= MAX_READINGS)
      throw new GuestFault(`${MAX_READINGS} outputs are being read at once, which is the most`);
    open.set((keys += 1), read(...asked));
    return keys;
  }

  function save(name: string, form: "json" | "text"): number {
    if (name === "" || name.length > MAX_NAME_CHARACTERS)
      throw new GuestFault(`a name of an output has 1 to ${MAX_NAME_CHARACTERS} characters`);
    if (savings.size >= MAX_SAVINGS)
      throw new GuestFault(`${MAX_SAVINGS} outputs are being saved at once, which is the most`);
    savings.set((keys += 1), port.keep({ savedAs: name }, form));
    return keys;
  }

  function callTool(toolName: string, argsJson: string): number {
    if (port.openCalls() >= MAX_OPEN_CALLS)
      throw new GuestFault(
        `${MAX_OPEN_CALLS} calls of tools are under way: await some of them first`,
      );
    if (Buffer.byteLength(argsJson) > MAX_ARGS_BYTES)
      throw new GuestFault(
        `the arguments of a tool have ${grouped(MAX_ARGS_BYTES)} bytes at most: save what is larger by outputs.save, and pass its id`,
      );
    return port.call(toolName, argsJson);
  }

  /** How the result of a call is told to the prelude: which kind, its value, and the id of data. */
  function handedOver(result: CodeToolResult): readonly [HandedOver, string | number, string?] {
    if ("json" in result) {
      const { json, rounded } = exactResult(result.json);
      roundedResult ??= rounded;
      return ["json", json];
    }
    if ("error" in result) return ["error", result.error];
    const { body } = result;
    bodies.set(body.id, body);
    try {
      return ["reader", begin(body, "natural"), body.id];
    } catch (error) {
      if (!(error instanceof GuestFault)) throw error;
      return ["error", error.message];
    }
  }

  function bodyOf(reference: string): CodeBody {
    const body = bodies.get(reference) ?? port.open(reference);
    bodies.set(reference, body);
    bodies.set(body.id, body);
    return body;
  }

  function operate(args: readonly Box[]): string | number | null | undefined {
    const [operation, key = 0, count = 0] = args.map((box) => guest.numberOf(box));
    const text = (at: number, maxBytes = MAX_NAME_BYTES): string =>
      guest.text(args[at], maxBytes) ?? "";
    const form = text(1) === "json" ? "json" : "text";
    switch (operation) {
      case OPERATIONS.open: {
        const how = text(1);
        const isOther = how === "lines" || how === "whole";
        return begin(bodyOf(text(2)), isOther ? how : "records", text(3) || "[]");
      }
      case OPERATIONS.kind:
        return open.get(key)?.kind;
      case OPERATIONS.pull: {
        const content = open.get(key)?.next();
        if (content === undefined) open.delete(key);
        return content ?? null;
      }
      case OPERATIONS.close:
        open.get(key)?.leave(count);
        open.delete(key);
        return undefined;
      case OPERATIONS.print:
        printed.add(text(2, MAX_PIECE_BYTES), "text");
        tellPrinted();
        return undefined;
      case OPERATIONS.return:
        returnedAs = form;
        returned.add(text(2, MAX_PIECE_BYTES), form);
        return undefined;
      case OPERATIONS.save:
        return save(text(2), form);
      case OPERATIONS.push:
        savings.get(key)?.push(Buffer.from(text(2, MAX_PIECE_BYTES)));
        return undefined;
      case OPERATIONS.saved: {
        const keeping = savings.get(key);
        savings.delete(key);
        if (count === 1) return keeping?.end();
        keeping?.drop();
        return undefined;
      }
      case OPERATIONS.call:
        return callTool(text(1), text(2, MAX_ARGS_BYTES + 1));
      default:
        throw new GuestFault("there is no such operation");
    }
  }

  const withForm = (made: CodeMade | undefined): CodeReply["returned"] =>
    made && { ...made, form: returnedAs };

  const done = (): CodeReply => ({
    returned: withForm(returned.held()),
    printed: printed.held(),
    read: log.entries(),
    roundedResult,
    fault: undefined,
    outOfMemory: false,
    timedOut: false,
  });

  return {
    call(args) {
      try {
        return guest.box(operate(args));
      } catch (error) {
        if (error instanceof GuestMemoryError)
          return guest.withReserve(() =>
            guest.throwError(
              'there is no memory left for what is read next: name the fields that you need, outputs.open(id, ["a"]), and keep counts or sums',
            ),
          );
        if (!(error instanceof GuestFault)) throw error;
        return guest.throwError(error.message);
      }
    },
    settle({ index, result }) {
      const values = [index, ...handedOver(result)];
      guest.free(guest.call("settle", ...values.map((value) => guest.box(value))));
    },
    made: () => ({ returned: withForm(returned.made()), printed: printed.made() }),
    done,
    close() {
      for (const reading of open.values()) reading.leave();
      for (const keeping of savings.values()) keeping.drop();
      returned.drop();
      printed.drop();
    },
  };
}
