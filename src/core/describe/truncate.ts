import { fillOf, firstWithin, mostCharacters } from "../measure/size-limit.js";
import { type Content, type RecordSet, setsOf } from "../types/content.js";
import { headAndTail, type HeadAndTailInput } from "./head-and-tail.js";
import { type NextPage, nextPageOf, partNotice, SHORT_CURSOR_CHARACTERS } from "./next-page.js";
import { restOf } from "../profile/profile-document.js";
import { aroundRecords } from "./summary.js";

export interface TruncateInput extends Pick<
  HeadAndTailInput,
  "text" | "limit" | "missing" | "count"
> {
  /** `undefined` when the output could not be identified. Then, and when some of the text is missing, it is cut as text. */
  readonly content: Content | undefined;
  readonly totalTokens: number;
  readonly toolName?: string | undefined;
}

export interface TruncatedOutput {
  readonly text: string;
  /** Whole records in the result; `undefined` when it is text. */
  readonly returnedCount: number | undefined;
  readonly isWhole: boolean;
}

const WARNING = "Storing this output failed; it is truncated and what is missing is lost.";
/** UTF-16 units of a cursor, which is nowhere else, and of what stood around the records. */
const CURSOR_CHARACTERS = 2_000;
const REST_CHARACTERS = 300;
const FRAME_SHARE = 0.5;

/**
 * Cuts an output to a limit, with a warning inside the limit that says what is missing. Records come back whole, from the
 * first on, as one JSON object; rows of a table, anything else, several sets, and records of which not one has room, as the
 * head and the tail of the text. What says that it is one page of more stays.
 */
export async function truncateOutput(input: TruncateInput): Promise<TruncatedOutput> {
  const { content, toolName = "the tool", limit, count } = input;
  const notice = await partNotice(content, { toolName, limit, count });
  const part = notice === "" ? "" : ` ${notice}`;
  const records = await truncateRecords(input);
  if (records !== undefined) return records;
  const { text, droppedBytes } = await headAndTail({
    ...input,
    notice: (dropped, all) =>
      `\n[${WARNING} ${dropped} of ${all} bytes are missing here, of ${input.totalTokens} tokens in all.${part}]\n`,
  });
  return { text, returnedCount: undefined, isWhole: droppedBytes === 0 };
}

async function truncateRecords(input: TruncateInput): Promise<TruncatedOutput | undefined> {
  const { content, limit, count, missing, toolName = "the tool" } = input;
  if (content === undefined || missing !== undefined) return undefined;
  const [records, another] = setsOf(content);
  // The records of one of several sets would stand for all of them.
  if (records === undefined || another !== undefined || content.layout === "rows") return undefined;
  const fill = fillOf(limit, count);
  const writers = besideRecords(records, nextPageOf(content, { toolName })).map((around) =>
    recordsWriter(input, records, around),
  );
  const write = await firstWithin(writers, (writer) => fill(writer([])), FRAME_SHARE);
  if (write === undefined) return undefined;
  const gathered: string[] = [];
  let left = mostCharacters(limit);
  for (let index = 0; index < records.count && left > 0; index += 1) {
    const record = records.at(index);
    left -= record.length + 1;
    gathered.push(record);
  }
  // The parts cost other tokens together than alone, so each try is counted whole.
  let kept = { text: "", count: 0 };
  for (let over = gathered.length + 1; over - kept.count > 1;) {
    const middle = Math.floor((kept.count + over) / 2);
    const text = write(gathered.slice(0, middle));
    if ((await fill(text)) <= 1) kept = { text, count: middle };
    else over = middle;
  }
  if (kept.count === 0) return undefined;
  return { text: kept.text, returnedCount: kept.count, isWhole: false };
}

type Writer = (records: readonly string[]) => string;

function besideRecords(records: RecordSet, nextPage: NextPage): object[] {
  const around = aroundRecords(records, restOf([records]), REST_CHARACTERS);
  return [
    { ...nextPage.summary(CURSOR_CHARACTERS), ...around },
    nextPage.summary(CURSOR_CHARACTERS),
    nextPage.summary(SHORT_CURSOR_CHARACTERS),
  ];
}

function recordsWriter({ totalTokens }: TruncateInput, all: RecordSet, around: object): Writer {
  return (records) => {
    const frame = JSON.stringify({
      offload_failed: true,
      truncated: true,
      warning: WARNING,
      total_count: all.count,
      returned_count: records.length,
      total_tokens: totalTokens,
      ...around,
    });
    return `${frame.slice(0, -1)},"records":[${records.join(",")}]}`;
  };
}
