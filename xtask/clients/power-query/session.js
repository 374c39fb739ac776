// The Power Query examples parsed by the parser that Excel's editor is made of: the files, and the queries that the connection file
// has. It needs no service.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";

import { DefaultSettings, ResultUtils, TaskUtils } from "@microsoft/powerquery-parser";

const FOLDER = new URL("../../../examples/power-query/", import.meta.url);

/** Parses a query; the fault is that of the parser, with its place. */
async function fault(text) {
  const task = await TaskUtils.tryLexParse(DefaultSettings, text);
  return TaskUtils.isParseStageOk(task) ? undefined : (task.error?.innerError?.message ?? task.error?.message ?? task.stage);
}

const unescape = (text) => text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&amp;", "&");

assert.match(await fault("let a = 1 on a"), /./);
console.log("ok parser");

const names = readdirSync(FOLDER).filter((name) => name.endsWith(".pq"));
assert.ok(names.length > 3, names.join());
for (const name of names) {
  assert.equal(await fault(readFileSync(new URL(name, FOLDER), "utf8")), undefined, name);
}
console.log("ok files");

const connection = readFileSync(new URL("incidents.odc", FOLDER), "utf8");
const mashup = unescape(connection.match(/<odc:PowerQueryMashupData>(.*?)<\/odc:PowerQueryMashupData>/s)[1]);
const formulas = [...mashup.matchAll(/<Formula><!\[CDATA\[(.*?)\]\]><\/Formula>/gs)].map(([, formula]) => formula);
assert.equal(formulas.length, 5);
for (const formula of formulas) {
  assert.equal(await fault(formula), undefined, formula);
}
console.log("ok connection");
