import { redactOutput } from "../../../content/redact/redact-output.js";
import { createRedactor, withheldSentence } from "../../../content/redact/redactor.js";
import { internals, type Offloader } from "../../../offload/offloader.js";

/** Of which call a text is. */
interface AboutText {
  readonly toolName: string;
  readonly toolCallId?: string | undefined;
}

/** What `redact` leaves of a text, or that it is withheld. */
export async function redactedText(
  offloader: Offloader,
  text: string,
  about: AboutText,
): Promise<{ readonly text: string; readonly isWithheld: boolean }> {
  const { redact } = offloader.options;
  if (redact === undefined) return { text, isWithheld: false };
  try {
    const redacted = await createRedactor(redact, about.toolName).text(text, "output");
    return { text: redacted, isWithheld: false };
  } catch (error) {
    return { text: withheldText(offloader, error, about), isWithheld: true };
  }
}

/** What `redact` leaves of what a tool returned, blocks and streams too, or the sentence in its place. */
export async function redactedValue(
  offloader: Offloader,
  value: unknown,
  about: AboutText,
): Promise<{ readonly value: unknown } | { readonly withheld: string }> {
  const { redact } = offloader.options;
  if (redact === undefined) return { value };
  const { toolName } = about;
  try {
    const given = { toolName, sessionId: "", value };
    const { output, replaced } = await redactOutput(given, createRedactor(redact, toolName));
    if (replaced === undefined) return output;
    const { text, keptBlocks } = replaced;
    if (keptBlocks.length === 0) return { value: text };
    const ofText = text === undefined ? [] : [{ type: "text", text }];
    return { value: [...ofText, ...keptBlocks] };
  } catch (error) {
    return { withheld: withheldText(offloader, error, about) };
  }
}

/** What stands for a text that could not be redacted; tells of it. */
export function withheldText(
  offloader: Offloader,
  fault: unknown,
  { toolName, toolCallId }: AboutText,
): string {
  const error = fault instanceof Error ? fault.cause : fault;
  const told = { option: "redact", toolName, toolCallId, error } as const;
  internals(offloader).notify({ type: "option-failed", ...told });
  return withheldSentence(toolName);
}
