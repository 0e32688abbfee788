/**
 * A process of its own for tests, on the built files: stores artifacts, all at once, and kills itself at
 * one of the steps that they take together. Prints `done` when it was not killed.
 *
 * Arguments: the store, where it is and its name there, the step, whether it ends `before` or `after` the step has
 * begun, and the artifacts as JSON. The body of each comes on standard input.
 */
import { promises as files, writeSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { buffer } from "node:stream/consumers";

const [kind, place, name, step, moment, given] = process.argv.slice(2);
let stepsLeft = Number.POSITIVE_INFINITY;

function end() {
  process.kill(process.pid, "SIGKILL");
}

/** Lets a method count as a step; with what it says of itself, such as how it is made a promise. */
function counted(method) {
  const counting = function (...args) {
    stepsLeft -= 1;
    if (stepsLeft === -1 && moment === "before") end();
    const result = Reflect.apply(method, this, args);
    if (stepsLeft === -1) setImmediate(end);
    return result;
  };
  return Object.defineProperties(counting, Object.getOwnPropertyDescriptors(method));
}

async function countFileCalls() {
  const file = await files.open(process.execPath);
  const handles = Object.getPrototypeOf(file);
  await file.close();
  for (const call of ["writeFile", "sync"]) handles[call] = counted(handles[call]);
  for (const call of ["open", "rename", "unlink", "mkdir", "lstat", "lutimes"])
    files[call] = counted(files[call]);
  syncBuiltinESMExports();
}

async function connect() {
  if (kind === "file") {
    await countFileCalls();
    const { fileStore } = await import("../../../dist/core.js");
    const folders = name.includes("session") ? "session" : "none";
    return fileStore({ directory: place, folders, fsync: name.includes("fsync") });
  }
  const { S3Client } = await import("@aws-sdk/client-s3");
  const { s3Store } = await import("../../../dist/stores/s3/index.js");
  const client = new S3Client({
    endpoint: place,
    forcePathStyle: true,
    region: "us-east-1",
    credentials: { accessKeyId: "test", secretAccessKey: "test" },
  });
  client.send = counted(client.send);
  return s3Store({ client, bucket: "test", prefix: name });
}

const body = await buffer(process.stdin);
const artifacts = JSON.parse(given);
const store = await connect();
stepsLeft = Number(step);
const pieces = [body.subarray(0, 1000), body.subarray(1000)];
await Promise.all(artifacts.map((artifact) => store.put(artifact, pieces)));
stepsLeft = Number.POSITIVE_INFINITY;
writeSync(1, "done\n");
process.exit();
