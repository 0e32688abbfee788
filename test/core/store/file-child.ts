/**
 * A process of its own for tests: `put` stores 3 MB and prints what became of it, `sweep` prints the
 * ids that it deleted.
 */
import { fileStore } from "../../../src/core/store/file/index.js";
import {
  contractArtifact,
  rejectionCode,
} from "../../../src/testing/store-contract/contract-artifact.js";

const [command, directory = "", nowMs = ""] = process.argv.slice(2);
const store = fileStore({ directory });

if (command === "put") {
  const body = new Uint8Array(3 * 1024 * 1024);
  process.stdout.write(await rejectionCode(store.put(contractArtifact(body.length), [body])));
} else {
  const swept = await store.sweep(Number(nowMs));
  process.stdout.write(JSON.stringify(swept.map(({ id }) => id)));
}
