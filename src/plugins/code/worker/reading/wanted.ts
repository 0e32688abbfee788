import { fieldOf } from "../../../../util/field-of.js";
import type { CodeBody } from "../../request.js";
import { GuestFault } from "../ends.js";
import type { Wanted } from "./readings.js";

/** One text in place of the fields names a set where there are several, and a field where not. */
export function wantedOf(
  { sets }: CodeBody,
  fieldsJson: string | undefined,
  setJson: string | undefined,
): Wanted {
  const fields = jsonOf(fieldsJson);
  const set = jsonOf(setJson);
  const setName = fieldOf(set, "set") ?? set;
  if (setName !== undefined && typeof setName !== "string")
    throw new GuestFault('outputs.open(id, fields, set): the set is a text such as "orders"');
  if (typeof fields === "string")
    return sets !== undefined && setName === undefined
      ? { set: fields }
      : { fields: [fields], set: setName };
  if (fields === undefined) return { set: setName };
  const isList = Array.isArray(fields) && fields.every((field) => typeof field === "string");
  if (!isList)
    throw new GuestFault(
      'outputs.open(id, fields): fields are a list of names, such as ["id", "user.name"]',
    );
  return fields.length === 0 ? { set: setName } : { fields, set: setName };
}

function jsonOf(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    throw new GuestFault("outputs.open(id, fields, set): the list of fields is too long");
  }
}
