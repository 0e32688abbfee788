import { expect, it } from "vitest";

import { OffloadError } from "../../../src/core/types/errors.js";
import { fileStore } from "../../../src/core/store/file/index.js";
import { langgraphStore } from "../../../src/stores/langgraph/index.js";
import { memoryStore } from "../../../src/core/store/memory.js";
import { postgresStore } from "../../../src/stores/postgres/index.js";
import { redisStore } from "../../../src/stores/redis/index.js";
import { s3Store } from "../../../src/stores/s3/index.js";

const pool = { connect: () => {} };
const redis = { sendCommand: () => {} };
const s3 = { send: () => {} };

type Factory = (...given: readonly never[]) => unknown;

/** What is given, and what the refusal says of it. */
const wrong: readonly (readonly [Factory, readonly unknown[], RegExp])[] = [
  [postgresStore, [{ pool, table: "a-b" }], /"a-b"; use 1 to 48 letters.*\n.*at table/],
  [postgresStore, [{ pool, table: "x".repeat(1_000_000) }], /"x{80}"; use/],
  [postgresStore, [{ pool: {} }], /use a pool of `pg`/],
  [redisStore, [{}], /undefined; use a connected client.*\n.*at client/],
  [redisStore, [{ client: redis, prefix: "a b" }], /"a b"; use 1 to 64 letters/],
  [s3Store, [{ client: s3, bucket: "" }], /""; use the name of a bucket/],
  [s3Store, [{ client: {}, bucket: "b" }], /use an S3Client/],
  [langgraphStore, [], /undefined; use a LangGraph store/],
  [fileStore, [{ folders: "sessions" }], /"none"\|"session".*\n.*at folders/],
  [memoryStore, [{ maxBytes: "1" }], /"1"; use a whole number from 1 up/],
  [memoryStore, [null], /expected object, received null/],
];

it.each(wrong.map((row) => [row[0].name, ...row] as const))(
  "a store that is made with what it cannot use says so at once, with what is allowed: %s",
  (name, factory, given, says) => {
    const make = (): unknown => Reflect.apply(factory, undefined, given);
    expect(make).toThrow(OffloadError);
    expect(make).toThrow(expect.objectContaining({ code: "INVALID_OPTIONS" }));
    expect(make).toThrow(new RegExp(`^These options of ${name} cannot be used:`));
    expect(make).toThrow(says);
  },
);
