import { chooseStale, type ResolvedAgingOptions } from "../../src/plugins/aging/choose-stale.js";
import { MAX_STUB_TOKENS } from "../../src/adapters/langchain/aging/messages.js";
import { type Bill, createBill, type Part, sum } from "./bill.js";
import { SYSTEM_TOKENS, type Turn } from "./conversation.js";

/** What a simulation gives beside its bill. */
export interface Simulated extends Bill {
  readonly batches: number;
}

const HUMAN: Part = { text: "human", tokens: 10 };

/** The calls of a conversation with the policy of the library, or with none; no message has any text. */
export function simulate(
  turns: readonly Turn[],
  rules: Pick<ResolvedAgingOptions, "trigger" | "keepResults"> | undefined,
): Simulated {
  const bills = createBill();
  const parts: (Part & { readonly role: "answer" | "result" | "other" })[] = [
    { ...HUMAN, role: "other" },
  ];
  let batches = 0;

  function call(): void {
    const items = parts.map(({ role, tokens, text }) => ({
      role,
      tokens,
      agedTokens: role === "result" && !text.startsWith("aged") ? MAX_STUB_TOKENS : undefined,
    }));
    const batch = rules ? chooseStale(items, { tokens: SYSTEM_TOKENS + sum(parts) }, rules) : [];
    batches += batch.length === 0 ? 0 : 1;
    for (const place of batch) {
      parts[place] = { role: "result", text: `aged ${place}`, tokens: MAX_STUB_TOKENS };
    }
    bills.add([...parts]);
  }

  turns.forEach(({ saidTokens, resultTokens }, turn) => {
    call();
    parts.push({ role: "answer", text: `said ${turn}`, tokens: saidTokens });
    parts.push({ role: "result", text: `result ${turn}`, tokens: resultTokens });
  });
  call();
  return { ...bills.bill(), batches };
}
