import { isAuto, type ReferenceOptions } from "../../../core/describe/references.js";
import { warnOnce } from "../../../util/warn-once.js";

/** Tells who asks for references by themselves where only `offloadMiddleware` finds the parameters that take data. */
export function warnOfAuto(factory: string, asked: ReferenceOptions | undefined): void {
  if (!isAuto(asked)) return;
  warnOnce(
    `references by themselves ("auto", { never }) do nothing in ${factory}: only offloadMiddleware finds the parameters that take data. ` +
      'Name the tools here, such as references: { send_report: ["rows"] }.',
  );
}
