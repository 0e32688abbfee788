import { listDirectory, type DirectoryListing } from "../core/store/file/directory.js";
import type { Surroundings } from "./command.js";
import { withProgress } from "./print/progress.js";
import { grouped } from "../util/amounts.js";

/**
 * Everything in a directory, whatever session it belongs to, with progress.
 *
 * @throws {@link OffloadError} with code `STORE_READ_FAILED`.
 */
export async function listOutputs(
  directory: string,
  surroundings: Surroundings,
): Promise<DirectoryListing> {
  let progress = { read: 0, total: 0 };
  return await withProgress(
    surroundings,
    () => `Reading records: ${grouped(progress.read)} of ${grouped(progress.total)}`,
    () =>
      listDirectory(directory, surroundings.now(), (read, total) => {
        progress = { read, total };
      }),
  );
}
