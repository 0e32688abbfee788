/** A process of its own for tests: stores 3 MB and prints what became of it. */
import { fileStore } from "../../../src/core/store/file/index.js";
import {
  contractArtifact,
  rejectionCode,
} from "../../../src/testing/store-contract/contract-artifact.js";

const store = fileStore({ directory: process.argv[2] ?? "" });
const body = new Uint8Array(3 * 1024 * 1024);
process.stdout.write(await rejectionCode(store.put(contractArtifact(body.length), [body])));
