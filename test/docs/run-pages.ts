/** Runs the files that it is given, one after the other, and ends with the first that fails. */
import { pathToFileURL } from "node:url";

const files = process.argv.slice(2);
for (const file of files) {
  try {
    await import(pathToFileURL(file).href);
  } catch (error) {
    console.error(file, error);
    process.exit(1);
  }
}
console.log(`${files.length} blocks ran`);
// A block may leave a client open, as an application does.
process.exit(0);
