import { membersOf, placeAt, textAt } from "../../core/content/json/json-text.js";
import { jsonOf } from "../../core/content/value/any-json.js";
import { isRecord } from "../../util/is-record.js";

/** What stands for a result that left the context, as structured content. */
const DESCRIPTOR_SCHEMA =
  '{"type":"object","properties":{"offloaded":{"type":"boolean"}},"required":["offloaded"]}';

/** Members that stay at the root, so that references to their parts still point there. */
const AT_ROOT = new Set(["$schema", "$defs", "definitions"]);
/** What another place in the document would change: names, and references to anything but these parts. */
const IMMOVABLE =
  /"\$(?:(?:id|anchor|dynamicRef|dynamicAnchor|recursiveRef)":"|ref":"(?!#\/(?:\$defs|definitions)\/))/;

/**
 * JSON of an output schema that both a tool's own results and descriptors satisfy, spelled as it came. `undefined` when
 * there is none that means the same, because parts of the schema refer to its root: without a schema a client
 * checks nothing.
 *
 * @param json - Of the schema, an object.
 */
export function unionSchema(json: string): string | undefined {
  // Keys and references may be spelled with escapes.
  const plain = jsonOf(JSON.parse(json));
  if (plain === undefined || IMMOVABLE.test(plain)) return undefined;
  const place = placeAt(json, []);
  const members = place === undefined ? [] : membersOf(json, place);
  const written = members.map(
    ([key, at]) => [JSON.parse(key), `${key}:${textAt(json, at)}`] as const,
  );
  const atRoot = written.filter(([key]) => AT_ROOT.has(key)).map(([, member]) => `${member},`);
  const own = written.filter(([key]) => !AT_ROOT.has(key)).map(([, member]) => member);
  const isObject = own.includes('"type":"object"');
  return `{${atRoot.join("")}${isObject ? '"type":"object",' : ""}"anyOf":[{${own.join()}},${DESCRIPTOR_SCHEMA}]}`;
}

/** A descriptor as structured content: an object with `offloaded`, whatever form the preset gives it. */
export function structuredDescriptor(text: string, offloaded: boolean): string {
  try {
    const value: unknown = JSON.parse(text);
    if (isRecord(value) && typeof value["offloaded"] === "boolean") return text;
  } catch {
    // A form that is no JSON, such as a message with a preview.
  }
  return JSON.stringify({ offloaded, text });
}
