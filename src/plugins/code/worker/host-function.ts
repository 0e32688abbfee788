/// <reference lib="es2024.string" />
import { grouped } from "../../../util/amounts.js";
import type { CodeBody, CodeJob, CodeMade, CodeReply, CodeToolResult } from "../request.js";
import { type Box, type SandboxVm, SandboxMemoryError } from "./sandbox-vm.js";
import { SandboxFault, type HostPort, type Keeping } from "./host-port.js";
import { createReadings, type Reading } from "./readings.js";

export interface HostFunction {
  readonly call: (args: readonly Box[]) => Box;
  settle(index: number, result: CodeToolResult): void;
  made(): Pick<CodeReply, "returned" | "printed">;
  done(): CodeReply;
  close(): void;
}

const MAX_READINGS = 64;
const MAX_SAVINGS = 16;
const MAX_OPEN_CALLS = 1000;
const MAX_NAME_CHARACTERS = 200;
const MAX_NAME_BYTES = 16_384;
const MAX_ARGS_BYTES = 262_144;
/** Above any piece from the vm: 65,536 UTF-16 units of at most 3 bytes. */
const MAX_PIECE_BYTES = 262_144;
const LONG = /\d{16,}/g;
const BEFORE = /(?:^|[\s:,[])-?$/;

export function createHostFunction(
  { maxOutputBytes }: Pick<CodeJob, "maxOutputBytes">,
  vm: SandboxVm,
  port: HostPort,
  sandboxMemoryBytes: number,
): HostFunction {
  const readings = createReadings(sandboxMemoryBytes);
  const open = new Map<number, Reading>();
  const bodies = new Map<string, CodeBody>();
  const savings = new Map<number, Keeping>();
  const returned = madeText("returned", maxOutputBytes, port);
  const printed = madeText("printed", maxOutputBytes, port);
  let hasLongIntegers = false;
  let keys = 0;

  function put<T>(all: Map<number, T>, most: number, what: string, make: () => T): number {
    if (all.size >= most) throw new SandboxFault(`${most} outputs are ${what} at once, the most`);
    all.set((keys += 1), make());
    return keys;
  }

  function begin(body: CodeBody, how: Parameters<typeof readings.open>[1], asked?: string): number {
    return put(open, MAX_READINGS, "read", () => readings.open(body, how, asked));
  }

  function remembered(json: string): string {
    hasLongIntegers ||= mayHoldLongIntegers(json);
    return json;
  }

  function callTool(toolName: string, argsJson: string): number {
    if (port.openCalls() >= MAX_OPEN_CALLS)
      throw new SandboxFault(
        `${MAX_OPEN_CALLS} calls of tools are under way: await some of them first`,
      );
    if (Buffer.byteLength(argsJson) > MAX_ARGS_BYTES)
      throw new SandboxFault(
        `the arguments of a tool have ${grouped(MAX_ARGS_BYTES)} bytes at most: save what is larger by outputs.save, and pass its id`,
      );
    return port.call(toolName, argsJson);
  }

  function handedOver(result: CodeToolResult): readonly (string | number)[] {
    if ("json" in result) return ["json", remembered(result.json)];
    if ("error" in result) return ["error", result.error];
    try {
      const body = bodyOf(result.storedId);
      return ["reader", begin(body, "natural"), body.id];
    } catch (error) {
      if (!(error instanceof SandboxFault)) throw error;
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
    const text = (at: number, maxBytes = MAX_NAME_BYTES): string =>
      vm.text(args[at], maxBytes) ?? "";
    const [, key = 0, count = 0] = args.map((box) => vm.numberOf(box));
    const form = text(1) === "json" ? "json" : "text";
    switch (text(0)) {
      // (records, lines or whole; reference; for records JSON of `[fields, set]`) → reader number
      case "open": {
        const how = text(1);
        const isOther = how === "lines" || how === "whole";
        return begin(bodyOf(text(2)), isOther ? how : "records", text(3) || "[]");
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
      // (reader number, how much of its last batch was not taken)
      case "close":
        open.get(key)?.leave(count);
        open.delete(key);
        return undefined;
      // (form, piece of text)
      case "print":
        return printed.add(text(2, MAX_PIECE_BYTES), "text");
      case "return":
        return returned.add(text(2, MAX_PIECE_BYTES), form);
      // (form, name) → saving number
      case "save": {
        const savedAs = text(2);
        if (savedAs === "" || savedAs.length > MAX_NAME_CHARACTERS)
          throw new SandboxFault(`a name of an output has 1 to ${MAX_NAME_CHARACTERS} characters`);
        return put(savings, MAX_SAVINGS, "saved", () => port.keep({ savedAs }, form));
      }
      // (saving number, piece of text)
      case "push":
        savings.get(key)?.push(text(2, MAX_PIECE_BYTES));
        return undefined;
      // (saving number, 1 if complete, else 0) → id if complete
      case "saved": {
        const keeping = savings.get(key);
        savings.delete(key);
        if (count === 1) return keeping?.end();
        keeping?.drop();
        return undefined;
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
        if (error instanceof SandboxMemoryError)
          return vm.withReserve(() =>
            vm.throwError(
              'there is no memory left for what is read next: name the fields that you need, outputs.open(id, ["a"]), and keep counts or sums',
            ),
          );
        if (!(error instanceof SandboxFault)) throw error;
        return vm.throwError(error.message);
      }
    },
    settle(index, result) {
      const values = [index, ...handedOver(result)];
      vm.free(vm.call("settle", ...values.map((value) => vm.box(value))));
    },
    made: () => ({ returned: returned.made(), printed: printed.made() }),
    done: () => ({
      returned: returned.held(),
      printed: printed.held(),
      read: readings.done(),
      hasLongIntegers,
    }),
    close() {
      for (const reading of open.values()) reading.leave();
      for (const keeping of savings.values()) keeping.drop();
      returned.drop();
      printed.drop();
    },
  };
}

function mayHoldLongIntegers(json: string): boolean {
  for (const { index } of json.matchAll(LONG))
    if (BEFORE.test(json.slice(Math.max(0, index - 2), index))) return true;
  return false;
}

const PIECE_BYTES = 256 * 1024;

function madeText(from: "returned" | "printed", maxBytes: number, port: HostPort) {
  let form: CodeMade["form"] = "text";
  /** What is not being stored yet; `undefined` before the first piece. */
  let text: string | undefined;
  let textBytes = 0;
  let keeping: Keeping | undefined;
  let beginning = "";

  function push(to: Keeping): void {
    to.push(text ?? "");
    text = "";
    textBytes = 0;
  }

  function held(): CodeMade | undefined {
    if (keeping !== undefined)
      return { form, text: `${beginning}\n[More was ${from}, which is lost.]` };
    // Printed lines keep their ends, except the last when shown.
    const end = from === "printed" ? /\n$/ : "";
    return text === undefined ? undefined : { form, text: text.replace(end, "") };
  }

  return {
    add(piece: string, given: CodeMade["form"]): undefined {
      form = given;
      text = (text ?? "") + piece;
      textBytes += Buffer.byteLength(piece);
      if (textBytes <= (keeping === undefined ? maxBytes : PIECE_BYTES)) return;
      if (keeping === undefined) {
        beginning = text.slice(0, maxBytes).toWellFormed();
        keeping = port.keep(from, form);
      }
      push(keeping);
    },
    made(): CodeMade | undefined {
      if (keeping === undefined) return held();
      push(keeping);
      return { form, keptAs: keeping.end() };
    },
    held,
    drop: () => keeping?.drop(),
  };
}
