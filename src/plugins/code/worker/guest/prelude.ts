import { JSON_OF_VALUES } from "./json-of-values.js";
import { CALLED, OPERATIONS } from "./operations.js";

/** Text is handed to the host in pieces of so many UTF-16 code units. */
const PIECE_UNITS = 65_536;
/** Of a message, and of a stack. */
const MESSAGE_UNITS = 2000;
const STACK_UNITS = 4000;

/**
 * What stands in the guest before the code runs, as its own JavaScript: a function of the host function and the names
 * of the tools, that gives what the host calls later. It holds the builtins that it uses from before the code ran;
 * what the code changes changes the code's own answer, and nothing else.
 */
export const PRELUDE: string = `((host, namesOfTools) => {
"use strict";
const { parse, stringify } = JSON;
const bind = Function.prototype.call.bind.bind(Function.prototype.call);
const slice = bind(String.prototype.slice);
const split = bind(String.prototype.split);
const codeAt = bind(String.prototype.charCodeAt);
const includes = bind(String.prototype.includes);
const wellFormed = bind(String.prototype.toWellFormed);
const assign = Object.defineProperty;
const makeError = Error;
const makeType = TypeError;
const makePromise = Promise;
const makeAsync = (async () => {}).constructor;
const asyncIterators = (async function* () {}).prototype.__proto__;
const text = String;
const isFinite = Number.isFinite;
const iterator = Symbol.iterator;
const prototypeOfRows = Iterator.prototype;

const add = (object, name, value) =>
  assign(object, name, { value, writable: true, configurable: true, enumerable: false });

${JSON_OF_VALUES}
const send = (operation, key, words) => {
  for (let at = 0; at < words.length;) {
    let end = at + ${PIECE_UNITS};
    if (end < words.length && (codeAt(words, end - 1) & 0xfc00) === 0xd800) end -= 1;
    const piece = wellFormed(slice(words, at, end));
    if (key === undefined) host(operation, piece);
    else host(operation, key, piece);
    at = end;
  }
};

const reader = (key, isText) => {
  let batch = [];
  let at = 0;
  let ended = false;
  return {
    __proto__: prototypeOfRows,
    next() {
      if (ended) throw new makeType("this has been read before, to its end or to a break: open it once more for each loop, or keep an array of it");
      while (at >= batch.length) {
        const words = host(${OPERATIONS.pull}, key);
        if (words === null) { ended = true; batch = []; return { done: true, value: undefined }; }
        batch = isText ? split(words, "\\n") : parse(words);
        at = 0;
      }
      return { done: false, value: batch[at++] };
    },
    return(value) {
      if (!ended) host(${OPERATIONS.close}, key, batch.length - at);
      ended = true;
      batch = [];
      return { done: true, value };
    },
  };
};

const whole = (key, kind) => {
  if (kind === "records" || kind === "lines") return [...reader(key, kind === "lines")];
  const words = host(${OPERATIONS.pull}, key);
  host(${OPERATIONS.pull}, key);
  return kind === "json" ? parse(words) : words;
};

const reference = (of) => {
  if (typeof of === "string") return of;
  if (typeof of === "object" && of !== null && typeof of.id === "string") return of.id;
  throw new makeType("the first argument is the id of an output, as a string");
};

const open = (id, fields, set) =>
  reader(host(${OPERATIONS.open}, reference(id), stringify([fields, set])), false);

const save = (name, data) => {
  if (typeof name !== "string") throw new makeType("outputs.save(name, records): the name is a string");
  const isText = typeof data === "string";
  const isMany = !isText && typeof data === "object" && data !== null && typeof data[iterator] === "function";
  const json = isText || isMany ? undefined : stringify(data);
  if (!isText && !isMany && json === undefined)
    throw new makeType("outputs.save(name, records): give records, a JSON value or a text, not " + typeof data);
  const key = host(${OPERATIONS.save}, name, isText ? "text" : isMany ? "records" : "json");
  try {
    if (isMany) {
      let batch = "";
      for (const record of data) {
        const line = stringify(record);
        if (line === undefined) throw new makeType("outputs.save(name, records): a record is " + typeof record + ", which is no JSON value");
        batch += line + "\\n";
        if (batch.length >= ${PIECE_UNITS}) { send(${OPERATIONS.push}, key, batch); batch = ""; }
      }
      send(${OPERATIONS.push}, key, batch);
    } else send(${OPERATIONS.push}, key, isText ? data : json);
  } catch (error) {
    host(${OPERATIONS.unsave}, key);
    throw error;
  }
  return host(${OPERATIONS.saved}, key);
};

const shown = (value) => {
  if (typeof value === "string") return value;
  if (value instanceof makeError) return text(value);
  if (typeof value !== "object" || value === null) return text(value);
  const json = told(value);
  return json === undefined ? text(value) : json;
};

const print = (...values) => {
  let line = "";
  for (let index = 0; index < values.length; index += 1)
    line += (index === 0 ? "" : " ") + shown(values[index]);
  send(${OPERATIONS.print}, undefined, line + "\\n");
};

const pending = { __proto__: null };
const tools = {};
for (const name of parse(namesOfTools))
  add(tools, name, (args) =>
    new makePromise((resolve, reject) => {
      const json = args === undefined ? "{}" : stringify(args);
      if (json === undefined) throw new makeType("tools." + name + ": the arguments are a JSON object");
      pending[host(${OPERATIONS.call}, name, json)] = { resolve, reject, error: new makeError("") };
    }));

const outputs = { __proto__: null, open, save };
outputs.lines = (id) => reader(host(${OPERATIONS.lines}, reference(id)), true);
outputs.read = (id) => {
  const key = host(${OPERATIONS.read}, reference(id));
  return whole(key, host(${OPERATIONS.kind}, key));
};

add(globalThis, "outputs", outputs);
add(globalThis, "print", print);
add(globalThis, "console", { log: print, info: print, warn: print, error: print, debug: print });
if (namesOfTools !== "[]") add(globalThis, "tools", tools);

const part = (value, most) => (typeof value === "string" ? wellFormed(slice(value, 0, most)) : "");

return {
  finish(value) {
    if (value === undefined) return;
    const isText = typeof value === "string" || typeof value === "bigint" || value instanceof makeError ||
      (typeof value === "number" && !isFinite(value));
    const words = isText ? undefined : told(value);
    const form = words === undefined ? "text" : "json";
    host(${OPERATIONS.return}, form, "");
    send(${OPERATIONS.return}, form, words === undefined ? text(value) : words);
  },
  compiles(body) {
    try { new makeAsync(body); return 1; } catch { return 0; }
  },
  explain(error) {
    const isError = typeof error === "object" && error !== null && typeof error.message === "string";
    const message = isError ? error.message : "thrown: " + shown(error);
    return stringify({
      __proto__: null,
      name: isError ? part(error.name, 100) : "",
      message: part(message, ${MESSAGE_UNITS}),
      stack: isError ? part(error.stack, ${STACK_UNITS}) : "",
    });
  },
  settle(call, outcome, value, id) {
    const { resolve, reject, error } = pending[call];
    delete pending[call];
    if (outcome === ${CALLED.error}) {
      // Made when the call was, so that its stack names the line.
      add(error, "message", value);
      return reject(error);
    }
    if (outcome === ${CALLED.json}) {
      let result;
      try { result = parse(value); } catch (fault) { return reject(fault); }
      return resolve(result);
    }
    const kind = host(${OPERATIONS.kind}, value);
    if (kind !== "records" && kind !== "lines") return resolve(whole(value, kind));
    const rows = reader(value, kind === "lines");
    add(rows, "id", id);
    return resolve(rows);
  },
};
})`;
