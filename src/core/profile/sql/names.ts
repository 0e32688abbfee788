import { SQL_WORDS } from "../../content/json/sets/set-names.js";

export function quotedName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

export function nameInQuery(name: string): string {
  const isPlain = /^[A-Za-z_]\w*$/.test(name) && !SQL_WORDS.has(name.toLowerCase());
  return isPlain ? name : quotedName(name);
}
