// A session with @odata/client. Expected values are those of spec/plant.

import assert from "node:assert/strict";

import { OData, transformation } from "@odata/client";

import { authorization, root } from "./token.js";

const client = OData.New4({ serviceEndpoint: root, commonHeaders: await authorization(), processCsrfToken: false });
const areas = client.getEntitySet("areas");
const incidents = client.getEntitySet("incidents");
const groups = client.getEntitySet("groups");

const listed = await areas.query(client.newOptions().orderby("name", "desc").top(1));
assert.deepEqual(listed.map((area) => area.name), ["Press shop"]);
console.log("ok list");

const high = await incidents.query(incidents.newFilter().property("severity").eq("High"));
assert.deepEqual(high.map((incident) => incident.id), [1205]);
const open = client.newFilter().property("status").in(["New", "InProgress"]).property("id").lt(1205);
const selected = await incidents.query(client.newOptions().filter(open).select(["id", "title"]));
assert.deepEqual(selected, [{ id: 1204, title: "Housing cracked at station 4" }]);
console.log("ok filter");

const [first] = await incidents.query(client.newOptions().filter("id eq 1204").expand(["area", "comments"]));
assert.equal(first.area.name, "Assembly");
assert.equal(first.comments.length, 2);
console.log("ok expand");

assert.equal(await groups.count(), 4);
assert.equal(await incidents.count(client.newFilter().property("severity").eq("High")), 1);
console.log("ok count");

const one = await incidents.retrieve(1205);
assert.equal(one.id, 1205);
console.log("ok key");

const nowhere = await incidents.query(client.newOptions().filter("areaId eq null").expand("area"));
assert.deepEqual(nowhere.map(({ id, area }) => [id, area]), [[1205, null]]);
console.log("ok null");

const numbers = transformation().groupBy(["severity"], transformation().aggregate("id with countdistinct as n"));
const groupsOfIncidents = await incidents.query(client.newOptions().apply(numbers).orderby("severity", "asc"));
assert.deepEqual(groupsOfIncidents.map(({ severity, n }: any) => [severity, n]), [["High", 1], ["Medium", 1]]);
console.log("ok groups");
