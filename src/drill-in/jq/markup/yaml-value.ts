import { loadAll, YAMLException } from "js-yaml";

const MAX_DEPTH = 500;
const MAX_ALIASES = 100_000;

/**
 * The value of YAML: of several documents their array, of a repeated key the last one's.
 *
 * @throws Error with the line that cannot be read.
 */
export function readYaml(text: string): unknown {
  try {
    const documents = loadAll(text, { json: true, maxDepth: MAX_DEPTH, maxAliases: MAX_ALIASES });
    return documents.length > 1 ? documents : documents[0];
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    const line = error.mark === undefined ? "" : `line ${error.mark.line + 1}: `;
    throw new Error(`it is no YAML, ${line}${error.reason}.`, { cause: error });
  }
}
