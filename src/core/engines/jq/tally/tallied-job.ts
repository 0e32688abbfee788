import type { ByteReader } from "../../readers/byte-reader.js";
import type { JqJob, JqReply } from "../job.js";
import { tallyPlan } from "./tally-filter.js";
import { tallyValues } from "./tally-values.js";

const SLURP = "-s";
const NULL_INPUT = "-n";

/**
 * A job that gives the same answer over far fewer values, when it only counts them: the sorting of `group_by` is most of
 * what jq takes for many records. `undefined` for every other job, and for data that only jq reads.
 *
 * @param open - Opens the input as jq reads it.
 * @param checkTime - Called now and then; what it throws is thrown.
 */
export function talliedJob(
  job: JqJob,
  open: () => ByteReader,
  checkTime: () => void,
): JqJob | undefined {
  const { flags, filter } = job;
  const given = { slurp: flags.includes(SLURP), nullInput: flags.includes(NULL_INPUT) };
  const plan = job.markup === undefined ? tallyPlan(filter, given) : undefined;
  if (plan === undefined) return undefined;
  const reader = open();
  try {
    const bytes = tallyValues(reader, plan, checkTime);
    return (
      bytes && {
        ...job,
        source: { bytes },
        rowFormat: undefined,
        linesIn: undefined,
        set: undefined,
        filter: plan.program,
        flags: flags.filter((flag) => flag !== SLURP && flag !== NULL_INPUT),
      }
    );
  } finally {
    reader.close();
  }
}

/** Whether an answer of such a job stands: errors are told of by the records themselves. */
export function isPlain(reply: JqReply): boolean {
  return reply.ok && reply.result.error === undefined && reply.result.printed === undefined;
}
