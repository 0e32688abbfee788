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
const text = String;
const isFinite = Number.isFinite;
const iterator = Symbol.iterator;
const prototypeOfRows = Iterator.prototype;

const add = (object, name, value) =>
  assign(object, name, { value, writable: true, configurable: true, enumerable: false });

// What JSON has no word for.
const inJson = (prototype, toJSON) => add(prototype, "toJSON", toJSON);
inJson(Map.prototype, function () {
  const object = { __proto__: null };
  for (const [key, value] of this) {
    const name = typeof key === "object" ? stringify(key) : text(key);
    // Names that are numbers would be sorted, and of two equal ones the last would stay.
    if (name in object || text(name >>> 0) === name) return [...this];
    object[name] = value;
  }
  return object;
});
inJson(Set.prototype, function () { return [...this]; });
inJson(BigInt.prototype, function () {
  const number = Number(this);
  return Number.isSafeInteger(number) ? number : text(this);
});
for (const kind of [Error, RegExp]) inJson(kind.prototype, function () { return text(this); });
inJson(Promise.prototype, () => { throw new makeType("a promise has no JSON: write await before it, or await Promise.all([...])"); });
inJson((async function* () {}).prototype.__proto__, () => { throw new makeType("an asynchronous generator has no JSON: use for await"); });

// A reader, and what its own methods make of one, is a list in JSON. Where it is taken for an array it says so.
let isTaken = false;
inJson(prototypeOfRows, function () { isTaken = true; return [...this]; });
for (const name of ["length", "0"])
  assign(prototypeOfRows, name, {
    configurable: true,
    get() { throw new makeType("this is an iterator, not an array: [...outputs.open(id)] is one"); },
    set(value) { assign(this, name, { value, writable: true, configurable: true, enumerable: true }); },
  });

// A number that is none would be null, which reads as no data. What can be read only once is not read again.
const told = (value) => {
  isTaken = false;
  const json = stringify(value);
  if (json === undefined || isTaken || !includes(json, "null")) return json;
  return stringify(value, (key, member) =>
    typeof member === "number" && !isFinite(member) ? text(member) : member);
};

const send = (operation, key, words) => {
  for (let at = 0; at < words.length;) {
    let end = at + ${PIECE_UNITS};
    if (end < words.length && (codeAt(words, end - 1) & 0xfc00) === 0xd800) end -= 1;
    host(operation, key, wellFormed(slice(words, at, end)));
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
      if (ended) throw new makeType("this has been read before: open it once more for each loop, or keep an array of it");
      while (at >= batch.length) {
        const words = host("pull", key);
        if (words === null) { ended = true; batch = []; return { done: true, value: undefined }; }
        batch = isText ? split(words, "\\n") : parse(words);
        at = 0;
      }
      return { done: false, value: batch[at++] };
    },
    return(value) {
      if (!ended) host("close", key, batch.length - at);
      ended = true;
      batch = [];
      return { done: true, value };
    },
  };
};

const whole = (key, kind) => {
  if (kind === "records" || kind === "lines") return [...reader(key, kind === "lines")];
  const words = host("pull", key);
  host("pull", key);
  return kind === "json" ? parse(words) : words;
};

const reference = (of) => {
  if (typeof of === "string") return of;
  if (typeof of === "object" && of !== null && typeof of.id === "string") return of.id;
  throw new makeType("the first argument is the id of an output, as a string");
};

const open = (id, fields, set) =>
  reader(host("open", "records", reference(id), stringify([fields, set])), false);

const save = (name, data) => {
  const isText = typeof data === "string";
  const isMany = !isText && typeof data === "object" && data !== null && typeof data[iterator] === "function";
  const whole = isText ? data : isMany ? "" : stringify(data);
  if (typeof name !== "string" || whole === undefined)
    throw new makeType("outputs.save(name, records) takes a name, and records, a JSON value or a text");
  const key = host("save", isText ? "text" : "json", name);
  try {
    let batch = isMany ? "[" : whole;
    let isNext = false;
    if (isMany) for (const record of data) {
      const json = stringify(record);
      if (json === undefined) throw new makeType("outputs.save(name, records): a record is " + typeof record + ", which is no JSON value");
      batch += (isNext ? ",\\n" : "") + json;
      isNext = true;
      if (batch.length >= ${PIECE_UNITS}) { send("push", key, batch); batch = ""; }
    }
    send("push", key, isMany ? batch + "]" : batch);
  } catch (error) {
    host("saved", key, 0);
    throw error;
  }
  return host("saved", key, 1);
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
  send("print", "text", line + "\\n");
};

const pending = { __proto__: null };
const tools = {};
for (const name of parse(namesOfTools))
  add(tools, name, (args) =>
    new makePromise((resolve, reject) => {
      const json = args === undefined ? "{}" : stringify(args);
      if (json === undefined) throw new makeType("tools." + name + ": the arguments are a JSON object");
      pending[host("call", name, json)] = { resolve, reject, error: new makeError("") };
    }));

const outputs = { __proto__: null, open, save };
outputs.lines = (id) => reader(host("open", "lines", reference(id)), true);
outputs.read = (id) => {
  const key = host("open", "whole", reference(id));
  return whole(key, host("kind", key));
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
    host("return", form, "");
    send("return", form, words === undefined ? text(value) : words);
  },
  compiles(body) {
    try { new makeAsync(body); return 1; } catch { return 0; }
  },
  explain(error) {
    const isError = typeof error === "object" && error !== null && typeof error.message === "string";
    const name = isError ? part(error.name, 100) : "";
    const message = part(isError ? error.message : "thrown: " + shown(error), ${MESSAGE_UNITS});
    const isPlain = name === "" || name === "Error" || message === "";
    const stack = isError ? part(error.stack, ${STACK_UNITS}) : "";
    return stack + "\\0" + (isPlain ? message || name || "Error" : name + ": " + message);
  },
  settle(call, outcome, value, id) {
    const { resolve, reject, error } = pending[call];
    delete pending[call];
    if (outcome === "error") {
      // Made when the call was, so that its stack names the line.
      add(error, "message", value);
      return reject(error);
    }
    if (outcome === "json") {
      let result;
      try { result = parse(value); } catch (fault) { return reject(fault); }
      return resolve(result);
    }
    const kind = host("kind", value);
    if (kind !== "records" && kind !== "lines") return resolve(whole(value, kind));
    const rows = reader(value, kind === "lines");
    add(rows, "id", id);
    return resolve(rows);
  },
};
})`;
