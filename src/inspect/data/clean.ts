import { fileStore } from "../../store/file/index.js";
import { HttpFault } from "../server/http-fault.js";
import type { Cleaned } from "../wire.js";
import type { Catalogue } from "./catalogue.js";

/**
 * Removes what has expired, as `langchain-offload clean` does: the one thing that is ever changed here.
 *
 * @param agreed - How many outputs the person was shown and has agreed to.
 * @throws {@link HttpFault} when it is another number by now; `STORE_READ_FAILED`.
 */
export async function clean(
  catalogue: Catalogue,
  agreed: unknown,
  now: () => number,
): Promise<Cleaned> {
  const { expired } = await catalogue.listing();
  if (expired.length !== agreed) {
    throw new HttpFault(
      409,
      `${expired.length} outputs have expired by now. Look again, then agree.`,
    );
  }
  const removed = await fileStore({ directory: catalogue.directory, now }).sweep(now());
  return {
    outputs: removed.length,
    sizeBytes: removed.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
  };
}
