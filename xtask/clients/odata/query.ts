// A session with fetch and odata-query, which writes query strings. Expected values are those of spec/plant.

import assert from "node:assert/strict";

import odataQuery, { type QueryOptions } from "odata-query";

import { authorization, root } from "./token.js";

// The package is CommonJS with a default export.
const buildQuery = odataQuery.default ?? odataQuery;
const headers = await authorization();

type Entity = Record<string, any>;

async function get(set: string, query: Partial<QueryOptions<any>>): Promise<any> {
  const answer = await fetch(root + set + buildQuery(query), { headers });
  return answer.json();
}

async function list(set: string, query: Partial<QueryOptions<any>>): Promise<Entity[]> {
  return (await get(set, query)).value;
}

const areas = await list("areas", { orderBy: "name desc", top: 1 });
assert.deepEqual(areas.map((area) => area.name), ["Press shop"]);
console.log("ok list");

const high = await list("incidents", { filter: { severity: "High" } });
assert.deepEqual(high.map((incident) => incident.id), [1205]);
const filter = [
  { status: { in: ["New", "InProgress"] } },
  { or: [{ title: { contains: "cracked" } }, { id: { lt: 1000 } }] },
  { incidentDate: { le: { type: "raw", value: "2026-03-02" } } },
  { comments: { any: { level: 0 } } },
];
const selected = await list("incidents", { filter, select: ["id", "title"] });
assert.deepEqual(selected, [{ id: 1204, title: "Housing cracked at station 4" }]);
const wrong = await get("incidents", { filter: { severity: "high" } });
assert.equal(wrong.code, "odata.value");
console.log("ok filter");

const [first] = await list("incidents", {
  filter: { id: 1204 },
  expand: { area: { select: ["name"] }, comments: { orderBy: "id", top: 1 } },
});
assert.deepEqual(first?.area, { name: "Assembly" });
assert.equal(first?.comments.length, 1);
console.log("ok expand");

const counted = await get("groups", { count: true, top: 1 });
assert.equal(counted["@odata.count"], 4);
console.log("ok count");

const one = await get("incidents", { key: 1205, select: ["id", "severity"] });
assert.equal(one.severity, "High");
console.log("ok key");

const nowhere = await list("incidents", { filter: { areaId: null }, expand: "area" });
assert.deepEqual(nowhere.map(({ id, area }) => [id, area]), [[1205, null]]);
console.log("ok null");

const numbers = { aggregate: { id: { with: "countdistinct", as: "n" } } };
const transform = [
  { filter: { id: { gt: 1000 } } },
  { groupBy: { properties: ["severity"], transform: numbers } },
];
const severities = await list("incidents", { transform, orderBy: "severity" });
assert.deepEqual(severities, [{ severity: "High", n: 1 }, { severity: "Medium", n: 1 }]);
console.log("ok groups");
