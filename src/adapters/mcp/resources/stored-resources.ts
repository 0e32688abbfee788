import { MAX_VIEW_BYTES } from "../../../core/content/media/shown-media.js";
import { findIn } from "../../../core/drill-in/shared/named-outputs.js";
import type { Access } from "../../../core/types/access.js";
import { internals, type Offloader } from "../../../core/pipeline/offloader.js";
import type { StoredArtifact } from "../../../core/types/artifact.js";
import { addressIn, type ResourceAddress } from "./resource-uri.js";
import { resourceEntry } from "./describe-resource.js";
import { readResource, type ResourceReading } from "./read-resource.js";

/** One page of what a session has stored. */
interface ResourcePage {
  /** JSON of each resource. */
  readonly entries: readonly string[];
  /** The store's; `undefined` on the last page. */
  readonly cursor: string | undefined;
}

/** The stored outputs of one session as resources: what of them is asked for by address. */
export interface StoredResources {
  /** @throws {@link OffloadError} whatever the store throws. */
  page(cursor: string | undefined): Promise<ResourcePage>;
  /** @throws {@link OffloadError} whatever the store throws. */
  read(uri: string): Promise<ResourceReading>;
  /** The id of a stored output that is there, or why it is not. @throws {@link OffloadError} whatever the store throws. */
  find(uri: string): Promise<{ readonly id: string } | { readonly problem: string }>;
}

const PAGE_SIZE = 100;
const WRONG_ADDRESS =
  "This is no address of a stored output. Take one from resources/list, or a template with start_line and end_line or start_byte and end_byte.";

/** Whose resources they are, and how much of one is read at once. */
interface ResourceReach {
  /** The hashed session. */
  readonly scope: string;
  readonly access?: Access | undefined;
  readonly maxReadTokens?: number | undefined;
}

/** The resources of a session, and by address those that it may read. */
export function storedResources(
  offloader: Offloader,
  { scope, access, maxReadTokens }: ResourceReach,
): StoredResources {
  const { store, options } = offloader;
  const { core, report, used } = internals(offloader);
  const reader = core.drillIns();
  const maxTokens = maxReadTokens ?? options.drillInLimits.maxOutputTokens;

  async function located(uri: string): Promise<
    | {
        readonly artifact: StoredArtifact;
        readonly address: ResourceAddress;
        readonly problem?: undefined;
      }
    | { readonly problem: string }
  > {
    const address = addressIn(uri);
    if (address === undefined) return { problem: WRONG_ADDRESS };
    const { storedArtifact, problem } = await findIn(reader, { scope, access })(address.id);
    return storedArtifact === undefined ? { problem } : { artifact: storedArtifact, address };
  }

  return {
    async page(cursor) {
      const { artifacts, cursor: next } = await store.list(scope, { cursor, pageSize: PAGE_SIZE });
      return {
        entries: artifacts.map((artifact) => JSON.stringify(resourceEntry(artifact))),
        cursor: next,
      };
    },
    async find(uri) {
      const found = await located(uri);
      return found.problem === undefined ? { id: found.artifact.id } : found;
    },
    async read(uri) {
      const startedAt = performance.now();
      const found = await located(uri);
      if (found.problem !== undefined) return found;
      const { artifact, address } = found;
      await used(artifact);
      const maxFileBytes = options.plugins.some(({ name }) => name === "media")
        ? MAX_VIEW_BYTES
        : undefined;
      const reading = await readResource(reader, artifact, {
        ...address,
        uri,
        maxTokens,
        maxFileBytes,
      });
      const shown =
        reading.problem ?? reading.contents.map(({ text, blob }) => text ?? blob).join("\n");
      await report({
        tool: "read",
        name: "resources/read",
        artifactId: artifact.id,
        scope,
        failed: reading.problem !== undefined,
        text: shown,
        durationMs: performance.now() - startedAt,
      });
      return reading;
    },
  };
}
