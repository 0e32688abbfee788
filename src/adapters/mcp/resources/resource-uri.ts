import { ARTIFACT_ID_PATTERN } from "../../../core/store/naming.js";

/** What every address of a stored output begins with. */
const PREFIX = "offload://tool-output/";
/** Characters of an id. */
const ID_LENGTH = 26;
/** Longer than any address that is ours, in UTF-16 units; what is longer is not looked at. */
const MAX_CHARACTERS = 200;
/** Digits of a place: more than any file has, and exact as a number. */
const MAX_DIGITS = 15;
/** What may be asked for by lines, and by bytes. */
const LINES = ["start_line", "end_line"] as const;
const BYTES = ["start_byte", "end_byte"] as const;

type Place = (typeof LINES)[number] | (typeof BYTES)[number];

/** The part of a stored output that an address names. */
export interface ResourceAddress {
  readonly id: string;
  /** Lines from 1, the end inclusive; bytes from 0, the end exclusive. */
  readonly places: Readonly<Partial<Record<Place, number>>>;
}

/** The addresses of parts, as URI templates, and how people are told of them. */
export const TEMPLATES: readonly (readonly [template: string, name: string, part: string])[] = [
  [
    `${PREFIX}{id}{?${LINES.join(",")}}`,
    "stored-output-lines",
    "Lines from 1, the last one included",
  ],
  [
    `${PREFIX}{id}{?${BYTES.join(",")}}`,
    "stored-output-bytes",
    "Bytes from 0, the end not included",
  ],
];

/** The address of a stored output, or of the part of it in these bytes. */
export function resourceUri(id: string, startByte?: number, endByte?: number): string {
  const start = startByte === undefined ? "" : `?start_byte=${startByte}`;
  return `${PREFIX}${id}${start}${endByte === undefined ? "" : `&end_byte=${endByte}`}`;
}

/** Whether an address is one of those that servers behind a proxy cannot have: a prefix and an id. */
export function isOwnUri(uri: unknown): uri is string {
  return (
    typeof uri === "string" &&
    uri.startsWith(PREFIX) &&
    ARTIFACT_ID_PATTERN.test(uri.slice(PREFIX.length, PREFIX.length + ID_LENGTH))
  );
}

/** What an address of ours names; `undefined` when what follows its id is nothing that can be asked for. */
export function addressIn(uri: string): ResourceAddress | undefined {
  if (uri.length > MAX_CHARACTERS || !isOwnUri(uri)) return undefined;
  const end = PREFIX.length + ID_LENGTH;
  const id = uri.slice(PREFIX.length, end);
  if (uri.length === end) return { id, places: {} };
  if (uri[end] !== "?") return undefined;
  const places = new Map<string, number>();
  for (const pair of uri.slice(end + 1).split("&")) {
    const [name = "", value = "", ...more] = pair.split("=");
    if (more.length > 0 || places.has(name)) return undefined;
    // A template whose variable was left empty.
    if (value === "" && isPlace(name)) continue;
    if (value.length > MAX_DIGITS || !/^\d+$/.test(value)) return undefined;
    places.set(name, Number(value));
  }
  const isOf = (names: readonly string[]): boolean =>
    [...places.keys()].every((name) => names.includes(name));
  return isOf(LINES) || isOf(BYTES) ? { id, places: Object.fromEntries(places) } : undefined;
}

function isPlace(name: string): boolean {
  return [...LINES, ...BYTES].some((place) => place === name);
}
