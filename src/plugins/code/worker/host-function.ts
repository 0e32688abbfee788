import type { OwnRun } from "../../../core/engines/run-status.js";
import { grouped } from "../../../util/amounts.js";
import type { CodeJob, CodeReply } from "../job.js";
import type { CodeBody, CodeMade, CodeToolResult } from "../request.js";
import { GuestFault } from "./ends.js";
import { type Guest, GuestMemoryError } from "./guest/guest.js";
import type { Box } from "./guest/exports.js";
import type { Called, HostPort } from "./host-port.js";
import { createMadeText, withoutLastEnd } from "./made-text.js";
import { CALLED, OPERATIONS } from "./guest/operations.js";
import { createReadLog } from "./reading/read-log.js";
import { createReadings, type Reading } from "./reading/readings.js";
import { exactResult } from "./reading/rounded-integer.js";
import { createSavings } from "./savings.js";

/** What the guest can do beside computing: the functions behind `outputs`, `print` and `tools`. */
export interface HostFunction {
  /** Does what the guest asks; 0 where an error was thrown into it. */
  readonly call: (args: readonly Box[]) => Box;
  /** Hands the result of a tool to the function of the prelude that settles its promise. */
  settle(called: Called, settle: Box): void;
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
/** Of a reference, a name, a list of fields. */
const MAX_NAME_BYTES = 16_384;
/** Of the arguments of a call, which are parsed in the main thread. */
const MAX_ARGS_BYTES = 262_144;
const MAX_OPEN_CALLS = 1000;
/** The guest hands text over in pieces of at most a third of this. */
const MAX_PIECE_BYTES = 262_144;
const MAY_BE_MORE = "[What was printed last may be missing.]";
const NO_ROOM =
  'there is no memory left for what is read next: name the fields that you need, outputs.open(id, ["a"]), and keep counts or sums';

/** Printed lines that are told at once, and the time between two that are told after them. */
const TOLD_AT_ONCE = 32;
const TELL_EVERY_MS = 100;

export function createHostFunction(
  { maxOutputBytes }: Pick<CodeJob, "maxOutputBytes">,
  { guest, port, own, guestMemoryBytes, tell }: Means,
): HostFunction {
  const log = createReadLog();
  const readings = createReadings(own, log, guestMemoryBytes);
  const open = new Map<number, Reading>();
  const bodies = new Map<string, CodeBody>();
  const savings = createSavings(port);
  const returned = createMadeText("returned", maxOutputBytes, port);
  const printed = createMadeText("printed", maxOutputBytes, port);
  let returnedAs: "json" | "text" | undefined;
  let toolCallCount = 0;
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
    const more = lines < TOLD_AT_ONCE ? "" : MAY_BE_MORE;
    const text = `${printed.held()?.text ?? ""}${more}`;
    tell({ ...done(), printed: withoutLastEnd({ text }) });
  }

  function bodyOf(reference: string): CodeBody {
    const body = bodies.get(reference) ?? port.open(reference);
    bodies.set(reference, body);
    bodies.set(body.id, body);
    return body;
  }

  function begin(make: () => Reading): Box {
    if (open.size >= MAX_READINGS)
      throw new GuestFault(
        `${MAX_READINGS} outputs are being read at once, which is the most: read each to its end, or leave its loop by break, before the next`,
      );
    open.set((keys += 1), make());
    return guest.number(keys);
  }

  function readingAt(args: readonly Box[]): { readonly key: number; readonly reading: Reading } {
    const key = guest.numberOf(args[1]) ?? 0;
    const reading = open.get(key);
    if (reading === undefined) throw new GuestFault("this output is not being read any more");
    return { key, reading };
  }

  function pull(args: readonly Box[]): Box {
    const key = guest.numberOf(args[1]) ?? 0;
    const content = open.get(key)?.next();
    if (content !== undefined) return guest.string(content);
    open.delete(key);
    return guest.null();
  }

  function end(args: readonly Box[]): Box {
    const key = guest.numberOf(args[1]) ?? 0;
    open.get(key)?.leave(guest.numberOf(args[2]) ?? 0);
    open.delete(key);
    return guest.undefined();
  }

  function callTool(args: readonly Box[]): Box {
    if (port.openCalls() >= MAX_OPEN_CALLS)
      throw new GuestFault(
        `${MAX_OPEN_CALLS} calls of tools are under way: await some of them first`,
      );
    const toolName = guest.text(args[1], MAX_NAME_BYTES) ?? "";
    const argsJson = guest.text(args[2], MAX_ARGS_BYTES + 1) ?? "{}";
    if (Buffer.byteLength(argsJson) > MAX_ARGS_BYTES)
      throw new GuestFault(
        `the arguments of a tool have ${grouped(MAX_ARGS_BYTES)} bytes at most: save what is larger by outputs.save, and pass its id`,
      );
    const index = toolCallCount;
    toolCallCount += 1;
    port.call({ index, toolName, argsJson });
    return guest.number(index);
  }

  /** How the result of a call is told to the prelude: which kind, its value, and the id of data. */
  function handedOver(result: CodeToolResult): readonly [number, Box, Box] {
    if ("json" in result) {
      const { json, rounded } = exactResult(result.json);
      roundedResult ??= rounded;
      return [CALLED.json, guest.string(json), guest.null()];
    }
    if ("error" in result) return [CALLED.error, guest.string(result.error), guest.null()];
    const { body } = result;
    bodies.set(body.id, body);
    try {
      return [CALLED.reader, begin(() => readings.natural(body)), guest.string(body.id)];
    } catch (error) {
      if (!(error instanceof GuestFault)) throw error;
      return [CALLED.error, guest.string(error.message), guest.null()];
    }
  }

  function operate(args: readonly Box[]): Box {
    const key = (): number => guest.numberOf(args[1]) ?? 0;
    const reference = (): string => guest.text(args[1], MAX_NAME_BYTES) ?? "";
    switch (guest.numberOf(args[0])) {
      case OPERATIONS.open: {
        const body = bodyOf(reference());
        return begin(() => readings.records(body, guest.text(args[2], MAX_NAME_BYTES)));
      }
      case OPERATIONS.lines: {
        const body = bodyOf(reference());
        return begin(() => readings.lines(body));
      }
      case OPERATIONS.read: {
        const body = bodyOf(reference());
        return begin(() => readings.whole(body));
      }
      case OPERATIONS.pull:
        return pull(args);
      case OPERATIONS.close:
        return end(args);
      case OPERATIONS.kind:
        return guest.string(readingAt(args).reading.kind);
      case OPERATIONS.print:
        printed.add(guest.text(args[1], MAX_PIECE_BYTES) ?? "", "text");
        tellPrinted();
        return guest.undefined();
      case OPERATIONS.return:
        returnedAs = guest.text(args[1], MAX_NAME_BYTES) === "json" ? "json" : "text";
        returned.add(guest.text(args[2], MAX_PIECE_BYTES) ?? "", returnedAs);
        return guest.undefined();
      case OPERATIONS.save:
        return guest.number(savings.begin(reference(), guest.text(args[2], MAX_NAME_BYTES)));
      case OPERATIONS.push:
        savings.push(key(), guest.text(args[2], MAX_PIECE_BYTES) ?? "");
        return guest.undefined();
      case OPERATIONS.saved:
        return guest.string(savings.end(key()));
      case OPERATIONS.unsave:
        savings.drop(key());
        return guest.undefined();
      case OPERATIONS.call:
        return callTool(args);
      default:
        throw new GuestFault("there is no such operation");
    }
  }

  const withForm = (made: CodeMade | undefined): CodeReply["returned"] =>
    made && { ...made, form: returnedAs ?? "text" };

  const done = (): CodeReply => ({
    returned: withForm(returned.held()),
    printed: withoutLastEnd(printed.held()),
    read: log.entries(),
    roundedResult,
    fault: undefined,
    outOfMemory: false,
    timedOut: false,
  });

  return {
    call(args) {
      try {
        return operate(args);
      } catch (error) {
        if (error instanceof GuestMemoryError)
          return guest.withReserve(() => guest.throwError(NO_ROOM));
        if (!(error instanceof GuestFault)) throw error;
        return guest.throwError(error.message);
      }
    },
    settle({ index, result }, settle) {
      const [outcome, value, id] = handedOver(result);
      guest.free(guest.call(settle, guest.number(index), guest.number(outcome), value, id));
    },
    made: () => ({ returned: withForm(returned.made()), printed: withoutLastEnd(printed.made()) }),
    done,
    close() {
      for (const reading of open.values()) reading.close();
      savings.close();
      returned.drop();
      printed.drop();
    },
  };
}
