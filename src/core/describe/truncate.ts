import { fillOf, mostCharacters } from "../measure/size-limit.js";
import { type Content, setsOf } from "../types/content.js";
import { headAndTail, type HeadAndTailInput } from "./head-and-tail.js";
import { nextPageOfCut, partNotice } from "./next-page.js";
import { restOf } from "../content/json/json-members.js";
import { aroundRecords } from "./summary.js";

export interface TruncateInput extends Pick<
  HeadAndTailInput,
  "text" | "limit" | "missing" | "count"
> {
  /** `undefined` if it could not be identified; then it is cut as text. */
  readonly content: Content | undefined;
  readonly totalTokens: number;
  readonly toolName: string;
}

export interface TruncatedOutput {
  readonly text: string;
  readonly isWhole: boolean;
}

const WARNING = "Storing this output failed, so it is truncated here and the rest is lost.";
/** In UTF-16 units. */
const REST_CHARACTERS = 300;

/**
 * Keeps whole records from the first on, as one JSON object; table rows, several sets and other data keep head and
 * tail. The cursor stays.
 */
export async function truncateOutput(input: TruncateInput): Promise<TruncatedOutput> {
  const records = await truncateRecords(input);
  if (records !== undefined) return records;
  const notice = await partNotice(input.content, input);
  const part = notice === "" ? "" : ` ${notice}`;
  const { text, droppedBytes } = await headAndTail({
    ...input,
    notice: (dropped, all) =>
      `\n[${WARNING} ${dropped} of ${all} bytes are missing here, of ${input.totalTokens} tokens in all.${part}]\n`,
  });
  return { text, isWhole: droppedBytes === 0 };
}

async function truncateRecords(input: TruncateInput): Promise<TruncatedOutput | undefined> {
  const { content, limit, count, missing, toolName } = input;
  if (content === undefined || missing !== undefined) return undefined;
  const [records, another] = setsOf(content);
  // Records of one set would be taken for all.
  if (records === undefined || another !== undefined || content.layout === "rows") return undefined;
  const fill = fillOf(limit, count);
  const { summary } = nextPageOfCut(content, toolName);
  const around = aroundRecords(records, restOf([records]), REST_CHARACTERS);
  const write = (kept: readonly string[]): string => {
    const frame = JSON.stringify({
      offload_failed: true,
      truncated: true,
      warning: WARNING,
      total_count: records.count,
      returned_count: kept.length,
      total_tokens: input.totalTokens,
      ...summary,
      ...around,
    });
    return `${frame.slice(0, -1)},"records":[${kept.join(",")}]}`;
  };
  const gathered: string[] = [];
  for (let left = mostCharacters(limit); gathered.length < records.count && left > 0;) {
    const record = records.at(gathered.length);
    left -= record.length + 1;
    gathered.push(record);
  }
  // Token counts of parts do not add up.
  let kept: TruncatedOutput | undefined;
  for (let [least, over] = [0, gathered.length + 1]; over - least > 1;) {
    const middle = Math.floor((least + over) / 2);
    const text = write(gathered.slice(0, middle));
    if ((await fill(text)) <= 1) [kept, least] = [{ text, isWhole: false }, middle];
    else over = middle;
  }
  return kept;
}
