import { redactOutput } from "../../content/redact/redact-output.js";
import {
  createRedactor,
  type Redact,
  RedactFault,
  type Redactor,
  withheldSentence,
} from "../../content/redact/redactor.js";
import { OffloadError } from "../../types/errors.js";
import { StreamFault } from "../../content/stream/held-stream.js";
import { jsonOf } from "../../content/value/json-of.js";
import type { UnwrappedOutput } from "../../types/output.js";
import type { OffloadResult } from "../../types/result.js";
import type { Call } from "../call.js";
import { type Steps, walk } from "../walk.js";

export type Walk = (call: Call, steps: Steps) => OffloadResult | Promise<OffloadResult>;

/**
 * The walk of outputs that are redacted before anything looks at them: all that is measured, stored, described, passed
 * on or cut is what the function left. Where it fails, a sentence takes the place of the output.
 */
export function redactedWalk(redact: Redact): Walk {
  return async (given, steps) => {
    try {
      const { output: came, options } = given;
      const redactor = createRedactor(redact, came.toolName);
      const { output, replaced } = await redactOutput(came, redactor);
      const call = { ...given, output, options: withRedactedSet(options, redactor) };
      const result = asReplaced(await walk(call, steps), replaced);
      const { artifact } = output;
      return artifact === came.artifact ? result : { ...result, artifact };
    } catch (error) {
      const fault = error instanceof StreamFault ? error.thrown : error;
      if (fault instanceof RedactFault) return await withheld(given, fault);
      // A tool's own fault, or one that `put` tells its caller. After any other the output would be passed on as it came.
      if (error instanceof StreamFault || OffloadError.isInstance(error)) throw error;
      return await withheld(given, new RedactFault(error));
    }
  };
}

/** Without it, what a preset selects out of a tool's artifact would be stored as it is. */
function withRedactedSet(options: Call["options"], redactor: Redactor): Call["options"] {
  const { selectResultSet } = options;
  if (selectResultSet === undefined) return options;
  return {
    ...options,
    async selectResultSet(output) {
      const json = jsonOf(await selectResultSet(output));
      return json === undefined ? undefined : await redactor.text(json, "output");
    },
  };
}

/** What stays inline is shown as it was redacted, with the blocks that stood beside it. */
function asReplaced(result: OffloadResult, replaced: UnwrappedOutput | undefined): OffloadResult {
  if (replaced === undefined) return result;
  const { text = "", keptBlocks } = replaced;
  if (result.outcome !== "inline") return { ...result, keptBlocks };
  return { ...result, text: result.text ?? text, keptBlocks };
}

/** What `redact` has thrown may have the text in it: it is the cause, and no part of the message. */
function redactFailed(toolName: string, cause: unknown): OffloadError {
  return new OffloadError(
    "REDACT_FAILED",
    `The output of ${toolName} is not stored, since \`redact\` failed: it has to give a text, in time. The cause says why.`,
    { cause },
  );
}

/** The door says what is given where something failed; here it has a sentence for the output. */
async function withheld(call: Call, { cause }: RedactFault): Promise<OffloadResult> {
  const { toolName, toolCallId } = call.output;
  call.notify({ type: "option-failed", option: "redact", toolName, toolCallId, error: cause });
  const value = withheldSentence(toolName);
  const output = { ...call.output, value, unwrapped: true as const, artifact: undefined };
  const so = {
    call: { ...call, output },
    payload: undefined,
    verdict: undefined,
    encoded: undefined,
  };
  const result = await call.door.recover(redactFailed(toolName, cause), so);
  return { ...result, ...(result.outcome === "inline" && { text: value }), artifact: undefined };
}
