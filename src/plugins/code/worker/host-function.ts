/// <reference lib="es2024.string" />
import { grouped } from "../../../util/amounts.js";
import type { CodeBody, CodeJob, CodeReply, CodeToolResult, MadeOutput } from "../request.js";
import { type Box, type Guest, GuestMemoryError } from "./guest/guest.js";
import { GuestFault, type HostPort, type Keeping } from "./host-port.js";
import { createReadings, type Reading } from "./reading/readings.js";
import { exactResult } from "./reading/records.js";

/** What the guest can do beside computing: the functions behind `outputs`, `print` and `tools`. */
export interface HostFunction {
  /** Does what the guest asks; 0 where an error was thrown into it. */
  readonly call: (args: readonly Box[]) => Box;
  /** Hands the result of a tool to the guest, which settles its promise. */
  settle(index: number, result: CodeToolResult): void;
  /** What was returned and printed: stored when it is large. */
  made(): Pick<CodeReply, "returned" | "printed">;
  /** What the run has done, as far as it is known without asking for anything. */
  done(): CodeReply;
  close(): void;
}

interface Means {
  readonly guest: Guest;
  readonly port: HostPort;
  readonly guestMemoryBytes: number;
  /** Tells what was done so far to who ends this worker. */
  readonly tell: (done: CodeReply) => void;
}

type Form = MadeOutput["form"];

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
  { guest, port, guestMemoryBytes, tell }: Means,
): HostFunction {
  const readings = createReadings(guestMemoryBytes);
  const open = new Map<number, Reading>();
  const bodies = new Map<string, CodeBody>();
  const savings = new Map<number, Keeping>();
  const returned = new MadeText("returned", maxOutputBytes, port);
  const printed = new MadeText("printed", maxOutputBytes, port);
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
    const more = lines < TOLD_AT_ONCE ? "" : "\n[What was printed last may be missing.]";
    tell({ ...done(), printed: { text: `${printed.held()?.text ?? ""}${more}` } });
  }

  function begin(reading: () => Reading): number {
    if (open.size >= MAX_READINGS)
      throw new GuestFault(`${MAX_READINGS} outputs are being read at once, which is the most`);
    open.set((keys += 1), reading());
    return keys;
  }

  function save(name: string, form: Form): number {
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

  /** How the result of a call is told to the prelude: as what, its value, and the id of data. */
  function handedOver(result: CodeToolResult): readonly (string | number)[] {
    if ("json" in result) {
      const { json, rounded } = exactResult(result.json);
      roundedResult ??= rounded;
      return ["json", json];
    }
    if ("error" in result) return ["error", result.error];
    try {
      const body = bodyOf(result.storedId);
      return ["reader", begin(() => readings.open(body, "natural")), body.id];
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

  /** Does what the prelude asks: an operation by its name, and up to three arguments. */
  function operate(args: readonly Box[]): string | number | null | undefined {
    const text = (at: number, maxBytes = MAX_NAME_BYTES): string =>
      guest.text(args[at], maxBytes) ?? "";
    const [, key = 0, count = 0] = args.map((box) => guest.numberOf(box));
    const form = text(1) === "json" ? "json" : "text";
    switch (text(0)) {
      // (records, lines or whole; reference; of records JSON of `[fields, set]`) → number of a reader
      case "open": {
        const how = text(1);
        const isOther = how === "lines" || how === "whole";
        const body = bodyOf(text(2));
        return begin(() => readings.open(body, isOther ? how : "records", text(3) || "[]"));
      }
      // (number of a reader) → json, records, lines or text, as what its batches are to be taken
      case "kind":
        return open.get(key)?.kind;
      // (number of a reader) → JSON array of the next records, the next lines as text, or the whole; null at the end
      case "pull": {
        const content = open.get(key)?.next();
        if (content === undefined) open.delete(key);
        return content ?? null;
      }
      // (number of a reader, how much of its last batch was not taken)
      case "close":
        open.get(key)?.leave(count);
        open.delete(key);
        return undefined;
      // (form, piece of text)
      case "print":
        printed.add(text(2, MAX_PIECE_BYTES), "text");
        tellPrinted();
        return undefined;
      // (form, piece of text)
      case "return":
        returned.add(text(2, MAX_PIECE_BYTES), form);
        return undefined;
      // (form, name) → number of what is saved
      case "save":
        return save(text(2), form);
      // (number, piece of text)
      case "push":
        savings.get(key)?.push(text(2, MAX_PIECE_BYTES));
        return undefined;
      // (number, whether it is whole: 1 or 0) → id of what is whole
      case "saved": {
        const keeping = savings.get(key);
        savings.delete(key);
        if (count === 1) return keeping?.end();
        keeping?.drop();
        return undefined;
      }
      // (name, JSON of the arguments) → number of the call
      case "call":
        return callTool(text(1), text(2, MAX_ARGS_BYTES + 1));
      default:
        throw new GuestFault("there is no such operation");
    }
  }

  const withForm = (made: CodeReply["printed"]): CodeReply["returned"] =>
    made && { ...made, form: returned.form };

  const done = (): CodeReply => ({
    returned: withForm(returned.held()),
    printed: printed.held(),
    read: readings.done(),
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
    settle(index, result) {
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

/** Of what is sent to a store at once. */
const PIECE_BYTES = 256 * 1024;

/** A text that the code makes in pieces, which is held up to a number of bytes; a longer one is stored as it comes. */
class MadeText {
  form: Form = "text";
  readonly #from: "returned" | "printed";
  readonly #maxBytes: number;
  readonly #port: HostPort;
  /** What is not being stored yet; `undefined` before the first piece. */
  #text: string | undefined;
  #textBytes = 0;
  #sizeBytes = 0;
  #keeping: Keeping | undefined;
  /** Of what is being stored. */
  #beginning = "";

  constructor(from: "returned" | "printed", maxBytes: number, port: HostPort) {
    this.#from = from;
    this.#maxBytes = maxBytes;
    this.#port = port;
  }

  add(piece: string, form: Form): void {
    const bytes = Buffer.byteLength(piece);
    this.form = form;
    this.#text = (this.#text ?? "") + piece;
    this.#textBytes += bytes;
    this.#sizeBytes += bytes;
    if (this.#textBytes <= (this.#keeping === undefined ? this.#maxBytes : PIECE_BYTES)) return;
    if (this.#keeping === undefined) {
      this.#beginning = this.#text.slice(0, this.#maxBytes).toWellFormed();
      this.#keeping = this.#port.keep(this.#from, form);
    }
    this.#push(this.#keeping);
  }

  #push(keeping: Keeping): void {
    keeping.push(this.#text ?? "");
    this.#text = "";
    this.#textBytes = 0;
  }

  /** The text, or what it was stored as; `undefined` when nothing was added. */
  made(): CodeReply["printed"] {
    if (this.#keeping === undefined) return this.held();
    this.#push(this.#keeping);
    return { keptAs: this.#keeping.end(), sizeBytes: this.#sizeBytes };
  }

  /** As far as it is held here: of a text that is being stored the beginning, with a note. */
  held(): { readonly text: string } | undefined {
    if (this.#keeping !== undefined)
      return { text: `${this.#beginning}\n[More was ${this.#from}, which is lost.]` };
    // Lines are printed with their ends, and shown without the last one.
    const end = this.#from === "printed" ? /\n$/ : "";
    return this.#text === undefined ? undefined : { text: this.#text.replace(end, "") };
  }

  /** Gives up what is being stored of it. */
  drop(): void {
    this.#keeping?.drop();
  }
}
