import { existsSync } from "node:fs";

import { type Browser, chromium } from "playwright-core";

const PATHS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** Where a Chromium is on this machine; `CHROMIUM` names another one. */
export const browserPath: string | undefined = [process.env["CHROMIUM"] ?? "", ...PATHS].find(
  (path) => path !== "" && existsSync(path),
);

/** Starts it without what would ask the network by itself. */
export async function startBrowser(): Promise<Browser> {
  return await chromium.launch({
    executablePath: browserPath ?? "",
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}
