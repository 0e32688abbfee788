import { atOnce } from "../../util/at-once.js";
import { isArtifactFileName, type NameRule, prefixName } from "../store/naming.js";
import type { Notify, OffloadEvent } from "../types/events.js";
import type { ToolOutput } from "../types/output.js";

export interface FailingPlace {
  readonly output: Pick<ToolOutput, "toolName" | "toolCallId">;
  readonly sessionKey?: string | undefined;
  readonly notify: Notify;
}

type FailingOption = Extract<OffloadEvent, { readonly type: "option-failed" }>["option"];

export function reportOption(place: FailingPlace, option: FailingOption, error: unknown): void {
  const { toolName, toolCallId } = place.output;
  const { notify, sessionKey } = place;
  notify({ type: "option-failed", option, toolName, toolCallId, sessionKey, error });
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
      reportOption(place, "fileName", error);
      return prefixName("atlatl")(parts);
    }
  };
}
