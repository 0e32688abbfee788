import type { ShapeKind } from "./shape-tree.js";

const NUMBER =
  /^[-+]?(?:\d+|0o[0-7]+|0x[\da-fA-F]+|\d*\.\d+(?:[eE][-+]?\d+)?|\d+\.?(?:[eE][-+]?\d+)|\d+\.)$/;
const BOOLEAN = /^(?:true|True|TRUE|false|False|FALSE)$/;
const NOTHING = /^(?:~|null|Null|NULL)?$/;

const MAX_TOKEN_CHARACTERS = 26;

/** The kind of a plain scalar. */
export function kindOf(plain: string): ShapeKind {
  if (NOTHING.test(plain)) return "null";
  if (BOOLEAN.test(plain)) return "boolean";
  return NUMBER.test(plain) ? "number" : "string";
}

/** A short scalar as JSON writes it; `undefined` where that takes a parser. */
export function tokenOf(plain: string, kind: ShapeKind): string | undefined {
  if (plain.length > MAX_TOKEN_CHARACTERS || plain.includes("\\")) return undefined;
  if (kind === "null") return "null";
  if (kind !== "string") return plain.toLowerCase();
  const first = plain[0] ?? "";
  if (first === "&" || first === "*" || first === "!") return undefined;
  const isQuoted = first === '"' || first === "'";
  if (isQuoted && (plain.length < 2 || !plain.endsWith(first))) return undefined;
  return JSON.stringify(isQuoted ? plain.slice(1, -1) : plain);
}

const TEXT_TAG = /(?:^| )!(?:!str)?(?: |$)/;

/** Whether the tag of a value makes text of it, whatever it looks like. */
export function isTaggedText(properties: string): boolean {
  return properties !== "" && TEXT_TAG.test(properties);
}
