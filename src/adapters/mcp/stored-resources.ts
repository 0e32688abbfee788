import { mediaWords, MAX_VIEW_BYTES } from "../../core/content/media/shown-media.js";
import type { DrillInContext } from "../../core/drill-in/context.js";
import { findIn } from "../../core/drill-in/find.js";
import { MAX_CHARACTERS_PER_TOKEN } from "../../core/measure/size-limit.js";
import { internals, type Offloader } from "../../core/pipeline/offloader.js";
import { ARTIFACT_ID_PATTERN } from "../../core/store/naming.js";
import type { Access } from "../../core/types/access.js";
import type { StoredArtifact } from "../../core/types/artifact.js";
import type { ContentKind } from "../../core/types/content.js";
import { grouped } from "../../util/amounts.js";
import { wholeCharactersEnd } from "../../util/safe-text.js";
import { decodeText, encodeText, unfinishedBytes } from "../../util/text-encoding.js";

/** One of the contents of a resource: text, or base64 where the bytes are no text. */
interface ResourceContent {
  readonly uri: string;
  readonly mimeType: string;
  readonly text?: string;
  readonly blob?: string;
}

/** What was read, or the sentence that says why nothing was. */
type ResourceReading =
  | { readonly contents: readonly ResourceContent[]; readonly problem?: undefined }
  | { readonly problem: string };

/** One page of what a session has stored. */
interface ResourcePage {
  /** JSON of each resource. */
  readonly entries: readonly string[];
  /** The store's; `undefined` on the last page. */
  readonly cursor: string | undefined;
}

/** The stored outputs of one session as resources: what of them is asked for by address. */
export interface StoredResources {
  /** @throws {@link OffloadError} whatever the store throws. */
  page(cursor: string | undefined): Promise<ResourcePage>;
  /**
   * Reads the part of a stored output that an address names, as it is stored, byte for byte. What is more than may be
   * read at once ends at a line's end if it can, and a second content says where to read on: those addresses, followed
   * to the last, give the whole part.
   *
   * @throws {@link OffloadError} whatever the store throws.
   */
  read(uri: string): Promise<ResourceReading>;
}

/** Whose resources they are, and how much of one is read at once. */
interface ResourceReach {
  /** The hashed session. */
  readonly scope: string;
  /** What other sessions let this one read: by address, and not in lists. */
  readonly access?: Access | undefined;
  /** In tokens. */
  readonly maxReadTokens?: number | undefined;
}

/** What an address names: lines from 1, the end inclusive, or bytes from 0, the end exclusive. */
interface Address {
  readonly id: string;
  readonly unit?: string | undefined;
  readonly start?: number | undefined;
  readonly end?: number | undefined;
}

const PREFIX = "offload://tool-output/";
const ID_LENGTH = 26;
/** Longer than any address that is ours, in UTF-16 units; what is longer is not looked at. */
const MAX_ADDRESS_CHARACTERS = 200;
/** The end of a part in an address. The digits are more than any file has, and exact as a number; templates may leave them out. */
const PLACE = /^(start|end)_(line|byte)=(\d{0,15})$/;
const WRONG_ADDRESS =
  "This is no address of a stored output. Take one from resources/list, or a template with start_line and end_line or start_byte and end_byte.";
const PAGE_SIZE = 100;
/** Kept free for what says where the next part is, in tokens. */
const NOTE_TOKENS = 120;

const MEDIA_TYPES: Readonly<Partial<Record<ContentKind, string>>> = {
  csv: "text/csv",
  tsv: "text/tab-separated-values",
  xml: "application/xml",
  html: "text/html",
  yaml: "application/yaml",
  markdown: "text/markdown",
  binary: "application/octet-stream",
};

/** JSON of the templates of parts. */
export const TEMPLATES: readonly string[] = [
  ["lines", "{?start_line,end_line}", "Lines from 1, the last one included"],
  ["bytes", "{?start_byte,end_byte}", "Bytes from 0, the end not included"],
].map(([unit, query, part]) =>
  JSON.stringify({
    uriTemplate: `${PREFIX}{id}${query}`,
    name: `stored-output-${unit}`,
    description: `Part of a stored tool output. ${part}.`,
  }),
);

/** Whether an address is one of those that servers behind a proxy cannot have: a prefix and an id. */
export function isOwnUri(uri: unknown): uri is string {
  return (
    typeof uri === "string" &&
    uri.startsWith(PREFIX) &&
    ARTIFACT_ID_PATTERN.test(uri.slice(PREFIX.length, PREFIX.length + ID_LENGTH))
  );
}

/** What an address of ours names; `undefined` when what follows its id is nothing that can be asked for. */
function addressIn(uri: string): Address | undefined {
  if (uri.length > MAX_ADDRESS_CHARACTERS || !isOwnUri(uri)) return undefined;
  const id = uri.slice(PREFIX.length, PREFIX.length + ID_LENGTH);
  const query = uri.slice(PREFIX.length + ID_LENGTH);
  if (query === "") return { id };
  const places = new Map<string, number | undefined>();
  const units = new Set<string>();
  for (const pair of query.slice(1).split("&")) {
    const [, edge = "", unit = "", digits] = PLACE.exec(pair) ?? [];
    if (edge === "" || places.has(edge)) return undefined;
    places.set(edge, digits ? Number(digits) : undefined);
    units.add(unit);
  }
  const [unit] = units;
  return query.startsWith("?") && units.size === 1
    ? { id, unit, start: places.get("start"), end: places.get("end") }
    : undefined;
}

/** The resources of a session, and by address those that it may read. */
export function storedResources(
  offloader: Offloader,
  { scope, access, maxReadTokens }: ResourceReach,
): StoredResources {
  const { store, options } = offloader;
  const { core, report, used } = internals(offloader);
  const context = core.drillIns();
  const maxTokens = maxReadTokens ?? options.drillInLimits.maxOutputTokens;
  const hasMedia = options.plugins.some(({ name }) => name === "media");

  async function partOf(uri: string, address: Address, artifact: StoredArtifact) {
    const { sizeBytes, kind, media } = artifact;
    const isFile = media !== undefined && kind === "binary" && address.unit === undefined;
    // A part of an image shows nothing.
    if (!isFile || !hasMedia || sizeBytes > MAX_VIEW_BYTES) {
      return await readPart(context, artifact, uri, address, maxTokens);
    }
    const blob = base64Of(await store.read(artifact));
    return { contents: [{ uri, mimeType: mediaTypeOf(artifact), blob }] };
  }

  return {
    async page(cursor) {
      const { artifacts, cursor: next } = await store.list(scope, { cursor, pageSize: PAGE_SIZE });
      return { entries: artifacts.map(entryOf), cursor: next };
    },
    async read(uri) {
      const startedAt = performance.now();
      const address = addressIn(uri);
      if (address === undefined) return { problem: WRONG_ADDRESS };
      const found = await findIn(context, { scope, access })(address.id);
      const { storedArtifact: artifact } = found;
      if (artifact === undefined) return { problem: found.problem };
      await used(artifact);
      const reading: ResourceReading = await partOf(uri, address, artifact);
      const { problem } = reading;
      await report({
        tool: "read",
        name: "resources/read",
        artifactId: artifact.id,
        scope,
        failed: problem !== undefined,
        text: problem ?? reading.contents.map(({ text, blob }) => text ?? blob).join("\n"),
        durationMs: performance.now() - startedAt,
      });
      return reading;
    },
  };
}

async function readPart(
  context: DrillInContext,
  artifact: StoredArtifact,
  uri: string,
  address: Address,
  maxTokens: number,
): Promise<ResourceReading> {
  const { id, sizeBytes, encoding } = artifact;
  const range = await rangeOf(context, artifact, address);
  if ("problem" in range) return range;
  const { start, end } = range;
  const reach = Math.min(end, start + maxTokens * MAX_CHARACTERS_PER_TOKEN);
  const isWhole = reach === end;
  const given =
    start === reach ? new Uint8Array() : await context.store.read(artifact, { start, end: reach });
  const unfinished = isWhole ? 0 : unfinishedBytes(given, encoding);
  const bytes = given.subarray(0, given.length - unfinished);
  const room = Math.max(maxTokens - NOTE_TOKENS, maxTokens >> 1);
  const text = textOf(bytes, encoding);
  let { length } = bytes;
  let shown: string;
  if (text === undefined) {
    // Four characters of base64 for three bytes, a token each at the most.
    length = Math.min(length, Math.max(1, (room * 3) >> 2));
    shown = base64Of(bytes.subarray(0, length));
  } else if (isWhole && (await context.measure.count(text)).tokens <= maxTokens) shown = text;
  else {
    shown = text.slice(0, wholeLines(text, await context.measure.fit(text, room)));
    ({ length } = encodeText(shown).bytes);
  }
  const next = start + length;
  const content = text === undefined ? { blob: shown } : { text: shown };
  const contents = [{ uri, mimeType: mediaTypeOf(artifact), ...content }];
  if (next >= end) return { contents };
  const last = end < sizeBytes ? `&end_byte=${end}` : "";
  const nextUri = `${PREFIX}${id}?start_byte=${next}${last}`;
  const note = `Bytes ${grouped(start)} to ${grouped(next)} of ${grouped(sizeBytes)} are above. Read on at ${nextUri}`;
  return { contents: [...contents, { uri: nextUri, mimeType: "text/plain", text: note }] };
}

/** The bytes that are asked for. */
async function rangeOf(
  context: DrillInContext,
  artifact: StoredArtifact,
  { unit, start, end }: Address,
): Promise<{ readonly start: number; readonly end: number } | { readonly problem: string }> {
  const { sizeBytes, lineCount } = artifact;
  const isByLine = unit === "line";
  const first = start ?? (isByLine ? 1 : 0);
  if (isByLine && (first === 0 || end === 0)) return { problem: "Lines are counted from 1." };
  if (end !== undefined && end < first) {
    return { problem: "The end of the part is before its start." };
  }
  /** Where a line or a byte begins; `undefined` past the end. */
  const placeOf = async (at: number): Promise<number | undefined> => {
    if (isByLine) return at === 1 ? 0 : await context.indexOf(artifact).lineStart(at);
    return at > sizeBytes ? undefined : at;
  };
  const from = await placeOf(first);
  if (from === undefined) {
    const size = isByLine ? `${grouped(lineCount)} lines` : `${grouped(sizeBytes)} bytes`;
    return { problem: `The part starts past the end: the output has ${size}.` };
  }
  const to = end === undefined ? undefined : await placeOf(isByLine ? end + 1 : end);
  return { start: from, end: to ?? sizeBytes };
}

/** The text whose bytes these are; `undefined` when they are no text. */
function textOf(bytes: Uint8Array, encoding: StoredArtifact["encoding"]): string | undefined {
  const text = encoding === "latin1" ? "" : decodeText(bytes, encoding);
  return Buffer.compare(encodeText(text).bytes, bytes) === 0 ? text : undefined;
}

function base64Of({ buffer, byteOffset, length }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, length).toString("base64");
}

/** Length of whole lines, or of whole characters where no line ends; at least one of them. */
function wholeLines(text: string, fits: number): number {
  const lineEnd = fits === 0 ? 0 : text.lastIndexOf("\n", fits - 1) + 1;
  const first = (text.codePointAt(0) ?? 0) > 0xffff ? 2 : 1;
  return lineEnd > 0 ? lineEnd : Math.max(wholeCharactersEnd(text, fits), first);
}

/** JSON of a stored output as one of a list of resources: nothing of its data. */
function entryOf(artifact: StoredArtifact): string {
  const { id, fileName, title, toolName, recordCount, lineCount, tokens, createdAt, media } =
    artifact;
  const [count, unit] = recordCount === undefined ? [lineCount, "line"] : [recordCount, "record"];
  const amount = `${grouped(count)} ${unit}${count === 1 ? "" : "s"}, about ${grouped(tokens)} tokens`;
  const what = media === undefined ? amount : mediaWords(media, artifact.sizeBytes);
  return JSON.stringify({
    uri: `${PREFIX}${id}`,
    name: fileName,
    title,
    description: `Output of ${toolName}: ${what}`,
    mimeType: mediaTypeOf(artifact),
    size: artifact.sizeBytes,
    annotations: { lastModified: new Date(createdAt).toISOString() },
  });
}

/** The media type of a stored output as it lies in its store. */
function mediaTypeOf({ layout, kind, media }: StoredArtifact): string {
  if (media !== undefined) return media.type;
  if (layout === "records") return "application/jsonl";
  if (layout === "document") return "application/json";
  return MEDIA_TYPES[kind] ?? "text/plain";
}
