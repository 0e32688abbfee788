import { licenceText, packageFile } from "../tasks/data/package-file.js";

/** A text that a model may need as a whole. */
export interface WholeDocument {
  readonly name: string;
  readonly load: () => string;
}

function file(path: string): WholeDocument {
  return { name: path, load: () => packageFile(path) };
}

function licence(id: string): WholeDocument {
  return { name: `licence ${id}`, load: () => licenceText(id) };
}

/** Texts of 2,000 to 12,000 tokens: licences, pages, changelogs, source code; shortest first. */
export const WHOLE_DOCUMENTS: readonly WholeDocument[] = [
  file("fastify/docs/Reference/ContentTypeParser.md"),
  licence("EPL-2.0"),
  file("fastify/docs/Reference/Decorators.md"),
  licence("MPL-2.0"),
  file("fastify/docs/Reference/Request.md"),
  file("mime-db/HISTORY.md"),
  file("qs/lib/parse.js"),
  file("fastify/lib/route.js"),
  licence("GPL-3.0-only"),
  file("fastify/docs/Reference/Hooks.md"),
  file("fastify/lib/reply.js"),
  file("fastify/docs/Reference/Validation-and-Serialization.md"),
  file("qs/README.md"),
  file("@babel/parser/CHANGELOG.md"),
];
