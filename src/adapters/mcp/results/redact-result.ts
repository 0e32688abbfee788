import { redactBlock } from "../../../content/redact/redact-output.js";
import { RedactFault, type Redactor, withheldSentence } from "../../../content/redact/redactor.js";

type McpResult = Readonly<Record<string, unknown>>;

/** A result of which nothing is left that may not be shown, and its text; or the answer that says that there is none. */
type RedactedResult =
  | { readonly isWithheld: false; readonly json: string; readonly result: McpResult }
  | { readonly isWithheld: true; readonly json: string };

/**
 * Redacts the texts of a result's blocks, its structured content, and what stands beside them, whichever of them a client
 * shows. A result of which nothing was taken out keeps its spelling.
 */
export async function redactResult(
  json: string,
  result: McpResult,
  redactor: Redactor,
  toolName: string,
): Promise<RedactedResult> {
  try {
    const { content, structuredContent, ...others } = result;
    const blocks = Array.isArray(content)
      ? await Promise.all(content.map((block: unknown) => redactBlock(block, redactor)))
      : [];
    const isSame = blocks.every((block, index) => block === Reflect.get(Object(content), index));
    const data =
      structuredContent === undefined
        ? undefined
        : await redactor.value(structuredContent, "output");
    // The cursor of the next page among them, which a descriptor tells.
    const beside = await redactor.value(others, "artifact");
    if (isSame && data === structuredContent && beside === others) {
      return { isWithheld: false, json, result };
    }
    const redacted = {
      ...beside,
      ...(Array.isArray(content) && { content: blocks }),
      ...(structuredContent !== undefined && { structuredContent: data }),
    };
    return { isWithheld: false, json: JSON.stringify(redacted), result: redacted };
  } catch (error) {
    if (!(error instanceof RedactFault)) throw error;
    // An error: what a tool declares of its results does not hold for it.
    const text = withheldSentence(toolName);
    const answer = { content: [{ type: "text", text }], isError: true };
    return { isWithheld: true, json: JSON.stringify(answer) };
  }
}
