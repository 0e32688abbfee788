import { messageOf } from "../src/util/error-message.js";

const STATUSES = new Set([408, 409, 425, 429, 500, 502, 503, 504, 529]);
const CODES = new Set([
  "ECONNRESET",
  "ECONNREFUSED",
  "ETIMEDOUT",
  "EAI_AGAIN",
  "EPIPE",
  "UND_ERR_SOCKET",
]);
const MAX_CAUSES = 8;

/** Whether the same model call may succeed later: a limit of rate, a server or a connection that failed. */
export function isTransient(error: unknown): boolean {
  let cause = error;
  for (let depth = 0; depth < MAX_CAUSES && typeof cause === "object" && cause !== null; depth++) {
    const status: unknown = Reflect.get(cause, "status") ?? Reflect.get(cause, "statusCode");
    const code: unknown = Reflect.get(cause, "code");
    if (STATUSES.has(Number(status)) || CODES.has(String(code))) return true;
    cause = Reflect.get(cause, "cause");
  }
  return false;
}

/** Whether a provider refused a request because it is longer than the model's window. */
export function isTooLong(error: unknown): boolean {
  const text = messageOf(error);
  return /context[ _-]?(?:length|window)|prompt is too long|too many (?:input )?tokens|maximum.{0,30}tokens/i.test(
    text,
  );
}
