import { atOnce } from "../../util/at-once.js";
import { isArtifactFileName, type NameRule, prefixName } from "../store/naming.js";
import { describeArtifact } from "../describe/describe.js";
import type { DescribeOptions, Describer, DescriberInput } from "../describe/describer.js";
import type { Notify, OffloadEvent } from "../types/events.js";
import type { ToolOutput } from "../types/output.js";
import type { Descriptor } from "../types/result.js";

interface FailingPlace {
  readonly output: Pick<ToolOutput, "toolName" | "toolCallId">;
  readonly sessionKey?: string | undefined;
  readonly notify: Notify;
}

type FailingOption = Extract<OffloadEvent, { readonly type: "option-failed" }>["option"];

function report(place: FailingPlace, option: FailingOption, error: unknown): void {
  const { toolName, toolCallId } = place.output;
  const { notify, sessionKey } = place;
  notify({ type: "option-failed", option, toolName, toolCallId, sessionKey, error });
}

/**
 * What the describer writes, or the usual forms where there is none, and with an event where it fails, or where what it
 * gives saves nothing and a usual form does.
 */
export async function descriptorOrUsual(
  place: FailingPlace,
  write: Describer | undefined,
  input: DescriberInput,
  form: DescribeOptions,
): Promise<Descriptor> {
  if (write === undefined) return await describeArtifact(input, form);
  let usual: Descriptor | undefined;
  try {
    const descriptor = await write(input);
    if (!isDescriptor(descriptor)) {
      throw new TypeError("The describer must give { form, text, tokens }.");
    }
    const { tokens } = input.storedArtifact;
    if (descriptor.tokens < tokens) return descriptor;
    usual = await describeArtifact(input, form);
    if (usual.tokens >= tokens) return descriptor;
    throw new RangeError(
      `The describer gave ${descriptor.tokens} tokens for an output of ${tokens}. Give fewer: firstWithin() takes the first text that saves enough.`,
    );
  } catch (error) {
    report(place, "describe.describer", error);
    return usual ?? (await describeArtifact(input, form));
  }
}

function isDescriptor({ form, text, tokens }: Descriptor): boolean {
  return typeof form === "string" && typeof text === "string" && Number.isFinite(tokens);
}

export function namedOrUsual(place: FailingPlace, rule: NameRule): NameRule {
  return (parts) => {
    try {
      const name: unknown = atOnce("fileName", rule(parts));
      if (typeof name === "string" && isArtifactFileName(name, parts.id)) return name;
      throw new TypeError(
        "`fileName` must give letters, digits, ., _ and - only, and end with the id and an extension.",
      );
    } catch (error) {
      report(place, "fileName", error);
      return prefixName("atlatl")(parts);
    }
  };
}
