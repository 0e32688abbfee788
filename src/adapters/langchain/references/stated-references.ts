import { AIMessage } from "@langchain/core/messages";

import { internals, type Offloader } from "../../../core/pipeline/offloader.js";
import { type Reference, readReference } from "../../../plugins/references/reference.js";
import type { StoredArtifact } from "../../../core/types/artifact.js";
import { fieldOf } from "../../../util/field-of.js";
import { isRecord } from "../../../util/is-record.js";
import type { RunSite } from "../run/call-site.js";
import { referredCall } from "../run/reading-call.js";
import type { ReferenceRules } from "./reference-rules.js";
import { grouped } from "../../../util/amounts.js";

const UNKNOWN = "no stored output of this conversation";

/** What a reference stands for, for a person who decides on its call: `list_rows: 2,000 records, 61,234 bytes`. */
export async function statementOf(
  offloader: Offloader,
  reference: Reference,
  site: RunSite,
): Promise<string> {
  try {
    const call = await referredCall(offloader, site, reference.output);
    if (call === undefined) return UNKNOWN;
    const storedArtifact = await internals(offloader).core.find(reference.output, call);
    return storedArtifact === undefined ? UNKNOWN : statedAs(storedArtifact);
  } catch {
    return UNKNOWN;
  }
}

/** The statement of what is there. */
export function statedAs({ toolName, recordCount, sizeBytes, media }: StoredArtifact): string {
  const records = recordCount === undefined ? [] : [`${grouped(recordCount)} records`];
  const what = media === undefined ? records : [media.type];
  return `${toolName}: ${[...what, `${grouped(sizeBytes)} bytes`].join(", ")}`;
}

/**
 * A model's answer in which each reference states what it stands for, under the key `is`: whoever is asked to approve a
 * call, by whatever means, sees it with the arguments. Anything else is as it came. Never rejects.
 */
export async function withStatements<Answer>(
  answer: Answer,
  {
    offloader,
    rules,
    tools,
    site,
  }: {
    readonly offloader: Offloader;
    readonly rules: ReferenceRules;
    /** Among which the model chose. */
    readonly tools: readonly object[];
    readonly site: RunSite;
  },
): Promise<Answer> {
  if (!AIMessage.isInstance(answer) || !Array.isArray(answer.tool_calls)) return answer;
  try {
    const calls = await Promise.all(
      answer.tool_calls.map(async (call) => {
        const tool = tools.find((one) => fieldOf(one, "name") === call.name);
        const taken = rules.takenBy(call.name, tool);
        if (taken === undefined || !isRecord(call.args)) return call;
        const stated: Record<string, unknown> = {};
        for (const [name, value] of Object.entries(call.args)) {
          if (taken.parameters?.includes(name) === false || !isRecord(value)) continue;
          const reference = readReference(value)?.reference;
          if (reference === undefined) continue;
          stated[name] = { ...value, is: await statementOf(offloader, reference, site) };
        }
        return Object.keys(stated).length === 0
          ? call
          : { ...call, args: { ...call.args, ...stated } };
      }),
    );
    if (calls.every((call, index) => call === answer.tool_calls?.[index])) return answer;
    return withToolCalls(answer, calls);
  } catch {
    // What is not stated is not filled in where it would have to be.
    return answer;
  }
}

/** A copy of the same class: a model may keep its answer and give it to others. */
function withToolCalls<Message extends AIMessage>(
  message: Message,
  calls: AIMessage["tool_calls"],
): Message {
  const copy: Message = Object.create(Object.getPrototypeOf(message));
  return Object.assign(copy, message, {
    tool_calls: calls,
    lc_kwargs: { ...message.lc_kwargs, tool_calls: calls },
  });
}
