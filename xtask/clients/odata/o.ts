// A session with o.js (the package `odata`). Expected values are those of spec/plant.

import assert from "node:assert/strict";

import { o } from "odata";

import { authorization, root } from "./token.js";

type Entity = Record<string, any>;

const service = o(root, { headers: await authorization() });
const list = (set: string, query: object): Promise<Entity[]> => service.get(set).query(query);

const areas = await list("areas", { $orderby: "name desc", $top: 1 });
assert.deepEqual(areas.map((area) => area.name), ["Press shop"]);
console.log("ok list");

const high = await list("incidents", { $filter: "severity eq 'High'" });
assert.deepEqual(high.map((incident) => incident.id), [1205]);
const selected = await list("incidents", { $filter: "status in ('New','InProgress') and id lt 1205", $select: "id,title" });
assert.deepEqual(selected, [{ id: 1204, title: "Housing cracked at station 4" }]);
await assert.rejects(list("incidents", { $filter: "severity eq 'high'" }));
console.log("ok filter");

const [first] = await list("incidents", { $filter: "id eq 1204", $expand: "area($select=name),comments($top=1)" });
assert.deepEqual(first?.area, { name: "Assembly" });
assert.equal(first?.comments.length, 1);
console.log("ok expand");

const counted = await service.get("groups/$count").query();
assert.equal(Number(counted), 4);
console.log("ok count");

const one: Entity = await service.get("incidents(1205)").query({ $select: "id,severity" });
assert.equal(one.severity, "High");
console.log("ok key");

const nowhere = await list("incidents", { $filter: "areaId eq null", $expand: "area" });
assert.deepEqual(nowhere.map(({ id, area }) => [id, area]), [[1205, null]]);
console.log("ok null");

const severities = await list("incidents", {
  $apply: "groupby((severity),aggregate($count as n))",
  $orderby: "severity",
});
assert.deepEqual(severities, [{ severity: "High", n: 1 }, { severity: "Medium", n: 1 }]);
console.log("ok groups");
