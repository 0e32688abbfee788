import { execFileSync, spawn, spawnSync } from "node:child_process";
import { get } from "node:http";
import { connect, createServer } from "node:net";
import { Worker } from "node:worker_threads";

import { describe, expect, it } from "vitest";

import { takeStarts } from "./unit-guard.js";

const NODE = process.execPath;
const starts: Readonly<Record<string, () => unknown>> = {
  "a worker thread": () => new Worker("", { eval: true }),
  "a process by spawn": () => spawn(NODE, ["-v"]),
  "a process that is waited for": () => spawnSync(NODE, ["-v"]),
  "a process whose output is waited for": () => execFileSync(NODE, ["-v"]),
  "a server": () => createServer().listen(0).close(),
  "a connection": () => connect(9).on("error", () => {}),
  "a connection of HTTP": () => get("http://127.0.0.1:9").on("error", () => {}),
};

describe("the guard of unit tests", () => {
  it.each(Object.entries(starts))("notes %s", (name, start) => {
    start();
    const [noted] = takeStarts();
    const [, what] = /^a (worker thread|process|server|connection)/.exec(name) ?? [];
    expect(noted?.message).toContain(`a ${what}`);
  });

  it.fails("fails a test that starts something", () => {
    spawnSync(NODE, ["-v"]);
  });

  it("lets a test pass that starts nothing", () => {
    expect(takeStarts()).toEqual([]);
  });
});
