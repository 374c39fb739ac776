// The C# templates of openapi-generator 7.26 never make a required property of an enumeration nullable, although the
// specification says that it may be null, and then cannot read a record without an evaluation. A user of that generator
// makes this change too.

import { copyFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";

const MODELS = "generated/src/Obeya/Model";
const TYPE = /\bEvaluationStatusV1 (EvaluationStatus \{|evaluationStatus = )/g;

let changed = 0;
for (const name of readdirSync(MODELS)) {
  const path = `${MODELS}/${name}`;
  const source = readFileSync(path, "utf8");
  const nullable = source.replace(TYPE, "EvaluationStatusV1? $1");
  if (nullable !== source) {
    writeFileSync(path, nullable);
    changed += 1;
  }
}
if (changed === 0) throw new Error(`no model in ${MODELS} has a required evaluation: is this change still needed?`);

// The compiler's options have no quotes, and this path has a space.
copyFileSync(
  "node_modules/jillejr.newtonsoft.json-for-unity/Plugins/Newtonsoft.Json Editor/Newtonsoft.Json.dll",
  "Newtonsoft.Json.dll",
);
