/** The secret. Half of it is one too: a cut through it, before it was taken out, is found. */
export const CANARY = "zebra-7431-quartz";

export const redact = (text: string): string => text.replaceAll(CANARY, "[gone]");

const BASE64 = ["", "-", "--"].map((before) => {
  const text = Buffer.from(before + CANARY).toString("base64");
  return text.slice(before === "" ? 0 : 4, -4);
});

/** Whether any text in a value has some of it: also in keys, hidden members, stacks and causes of errors, maps, sets and bytes. */
export function hasCanary(given: unknown): boolean {
  const seen = new Set<unknown>([given]);
  for (const value of seen) {
    if (typeof value === "string") {
      if (/zebra|quartz/i.test(value) || BASE64.some((form) => value.includes(form))) return true;
    } else if (typeof value === "object" && value !== null) {
      for (const member of membersOf(value)) seen.add(member);
    }
  }
  return false;
}

function membersOf(value: object): unknown[] {
  if (value instanceof Map || value instanceof Set) return [...value];
  if (ArrayBuffer.isView(value)) {
    return [Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("latin1")];
  }
  return Reflect.ownKeys(value).flatMap((key) => {
    try {
      return [key, Reflect.get(value, key)];
    } catch {
      return [key];
    }
  });
}
