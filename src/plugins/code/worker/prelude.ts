/** UTF-16 code units of a piece of text for the host. */
const PIECE_UNITS = 65_536;
/** Numbers of the texts that each run has. */
export const PRINTED = 1;
export const RETURNED = 2;

/**
 * JavaScript that runs in the vm before the code: a function of the host function, which returns
 * what the host calls later. It captures the builtins that it uses, so code
 * that changes them affects only its own answer.
 */
export const PRELUDE: string = `((ask) => {
"use strict";
const { parse, stringify } = JSON;
const bind = Function.prototype.call.bind.bind(Function.prototype.call);
const slice = bind(String.prototype.slice);
const split = bind(String.prototype.split);
const codeAt = bind(String.prototype.charCodeAt);
const wellFormed = bind(String.prototype.toWellFormed);
const assign = Object.defineProperty;
const makeError = Error;
const makeType = TypeError;
const makePromise = Promise;
const makeProxy = Proxy;
const text = String;
const isFinite = Number.isFinite;
const least = Math.min;
const iterator = Symbol.iterator;
const prototypeOfRows = Iterator.prototype;

const host = (operation, one, two, three) => {
  try {
    return ask(operation, one, two, three);
  } catch (fault) {
    throw typeof fault === "string" ? new makeError(fault) : fault;
  }
};

const add = (object, name, value) =>
  assign(object, name, { value, writable: true, configurable: true, enumerable: false });

// What JSON has no word for. A reader, and what its own methods make of one, is a list.
const inJson = (prototype, toJSON) => add(prototype, "toJSON", toJSON);
for (const prototype of [Map.prototype, Set.prototype, prototypeOfRows])
  inJson(prototype, function () { return [...this]; });
for (const prototype of [Error.prototype, BigInt.prototype])
  inJson(prototype, function () { return text(this); });
inJson(Promise.prototype, () => { throw new makeType("a promise has no JSON: write await before it, or await Promise.all([...])"); });

for (const name of ["length", "0"])
  assign(prototypeOfRows, name, {
    configurable: true,
    get() { throw new makeType("this is an iterator, not an array: [...outputs.open(id)] is one"); },
  });

const send = (key, words, form) => {
  for (let at = 0; at < words.length;) {
    let end = at + ${PIECE_UNITS};
    if (end < words.length && (codeAt(words, end - 1) & 0xfc00) === 0xd800) end -= 1;
    host("push", key, wellFormed(slice(words, at, end)), form);
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
      if (!ended) host("close", key);
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

const save = (name, data) => {
  const isText = typeof data === "string";
  const isMany = !isText && typeof data === "object" && data !== null && typeof data[iterator] === "function";
  const whole = isText ? data : isMany ? "" : stringify(data);
  if (typeof name !== "string" || whole === undefined)
    throw new makeType("outputs.save(name, records) takes a name, and records, a JSON value or a text");
  const key = host("save", name, whole[0] === "{" ? 1 : 0);
  try {
    let batch = isMany ? "[" : whole;
    let isNext = false;
    if (isMany) for (const record of data) {
      const json = stringify(record);
      if (json === undefined) throw new makeType("outputs.save(name, records): a record is " + typeof record + ", which is no JSON value");
      batch += (isNext ? ",\\n" : "") + json;
      isNext = true;
      if (batch.length >= ${PIECE_UNITS}) { send(key, batch); batch = ""; }
    }
    send(key, isMany ? batch + "]" : batch);
  } catch (error) {
    host("saved", key, 0);
    throw error;
  }
  return host("saved", key, 1);
};

const shown = (value) => {
  if (typeof value !== "object" || value === null || value instanceof makeError) return text(value);
  const json = stringify(value);
  return json === undefined ? text(value) : json;
};

const print = (...values) => {
  let line = "";
  for (let index = 0; index < values.length; index += 1)
    line += (index === 0 ? "" : " ") + shown(values[index]);
  send(${PRINTED}, line + "\\n");
};

// Of a large result only its iteration, so that no code takes it for the data.
const refuse = () => {
  throw new makeType("this result is large: an iterator of its records or lines, without what stands beside them; [...result] is a list of them");
};
const guard = {
  __proto__: null,
  get: (rows, name) => typeof name === "symbol" || name === "then" || name in rows ? rows[name] : refuse(),
  has: refuse,
  ownKeys: refuse,
};

const pending = { __proto__: null };
const outputs = {
  __proto__: null,
  save,
  open: (id, fields, set) =>
    reader(host("open", "records", reference(id), stringify([fields, set])), false),
  lines: (id) => reader(host("open", "lines", reference(id)), true),
  read: (id) => {
    const key = host("open", "whole", reference(id));
    return whole(key, host("kind", key));
  },
};

add(globalThis, "outputs", outputs);
add(globalThis, "print", print);
add(globalThis, "console", { log: print, info: print, warn: print, error: print, debug: print });

const part = (value, most) => (typeof value === "string" ? wellFormed(slice(value, 0, most)) : "");

return {
  offer(names) {
    const tools = {};
    for (const name of parse(names))
      add(tools, name, (args) =>
        new makePromise((resolve, reject) => {
          const json = args === undefined ? "{}" : stringify(args);
          if (json === undefined) throw new makeType("tools." + name + ": the arguments are a JSON object");
          pending[host("call", name, json)] = { resolve, reject, error: new makeError("") };
        }));
    add(globalThis, "tools", tools);
  },
  finish(value) {
    if (value === undefined) return;
    const isJson = typeof value === "boolean" || isFinite(value) ||
      (typeof value === "object" && !(value instanceof makeError));
    const words = isJson ? stringify(value) : undefined;
    const form = words === undefined ? "text" : "json";
    host("push", ${RETURNED}, "", form);
    send(${RETURNED}, words === undefined ? text(value) : words, form);
  },
  // The last line of the code stands for what comes after it.
  explain(error, lines) {
    const isError = typeof error === "object" && error !== null && typeof error.message === "string";
    const name = isError ? part(error.name, 100) : "";
    const message = part(isError ? error.message : "thrown: " + shown(error), 600);
    const isPlain = name === "" || name === "Error" || message === "";
    const at = isError && /code\\.js:(\\d+)/.exec(part(error.stack, 4000));
    const told = isPlain ? message || name || "Error" : name + ": " + message;
    return at ? told + "\\nLine " + least(at[1], lines) : told;
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
    return resolve(new makeProxy(rows, guard));
  },
};
})`;
