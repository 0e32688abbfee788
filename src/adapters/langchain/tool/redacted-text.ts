import { createRedactor, withheldSentence } from "../../../core/content/redact/redactor.js";
import { internals, type Offloader } from "../../../core/pipeline/offloader.js";

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
