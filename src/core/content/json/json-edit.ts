import { placeAt } from "./json-place.js";

/**
 * The JSON with the value below these keys replaced, every other character as it was. A key that is
 * missing is added at the end of its object; when the way to it leads through anything but objects,
 * the JSON comes back unchanged.
 *
 * @param json - Must be valid JSON.
 * @param value - JSON text.
 */
export function withValueAt(json: string, keys: readonly string[], value: string): string {
  const place = placeAt(json, keys);
  if (place !== undefined) return json.slice(0, place.start) + value + json.slice(place.end);
  const outer = keys.slice(0, -1);
  const member = `${JSON.stringify(keys.at(-1))}:${value}`;
  const object = placeAt(json, outer);
  if (object === undefined) return withValueAt(json, outer, `{${member}}`);
  if (json[object.start] !== "{") return json;
  const inside = json.slice(object.start + 1, object.end - 1);
  const separator = inside.trim() === "" ? "" : ",";
  return json.slice(0, object.end - 1) + separator + member + json.slice(object.end - 1);
}
