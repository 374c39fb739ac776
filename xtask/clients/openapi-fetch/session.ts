// A session with openapi-fetch, typed by openapi-typescript. Expected values are those of spec/plant.

import assert from "node:assert/strict";

import createClient from "openapi-fetch";

import type { paths } from "./api.js";

const { OBEYA_URL = "", OBEYA_CLIENT_ID = "", OBEYA_CLIENT_SECRET = "" } = process.env;

const issued = await fetch(`${OBEYA_URL}/connect/token`, {
  method: "POST",
  body: new URLSearchParams({
    grant_type: "client_credentials",
    client_id: OBEYA_CLIENT_ID,
    client_secret: OBEYA_CLIENT_SECRET,
  }),
});
assert.equal(issued.status, 200);
const { access_token } = (await issued.json()) as { access_token: string };
// Values are served as CSV and Arrow too; this client reads JSON.
const client = createClient<paths, "application/json" | "application/problem+json">({
  baseUrl: OBEYA_URL,
  headers: { Authorization: `Bearer ${access_token}` },
});
console.log("ok token");

const all = await client.GET("/v1/Incidents");
assert.equal(all.data?.total, 2);
assert.deepEqual(all.data.values.map((incident) => incident.id), [1204, 1205]);
const areas = await client.GET("/v2/areas", { params: { query: { $orderby: "name desc", $top: 1 } } });
assert.deepEqual(areas.data?.value.map((area) => area.name), ["Press shop"]);
console.log("ok list");

const high = await client.GET("/v2/incidents", {
  params: { query: { $filter: "severity eq 'High'", $expand: "comments", $count: true } },
});
assert.equal(high.data?.["@odata.count"], 1);
assert.equal(high.data.value[0]?.id, 1205);
const wrong = await client.GET("/v2/incidents", { params: { query: { $filter: "severity eq 'high'" } } });
assert.equal(wrong.error?.code, "odata.value");
console.log("ok filter");

const created = await client.POST("/v1/Incidents", {
  body: {
    incidentTypeId: 6,
    severity: "Low",
    title: "Bolt fell from the crane",
    incidentDate: "2026-03-06",
    dueDate: "2026-03-20T12:00:00+01:00",
    categories: [{ id: 60 }],
  },
});
assert.equal(created.data?.status, "New");
assert.equal(created.data.dueDate, "2026-03-20T11:00:00Z");
const id = created.data.id;
assert.ok(id > 1205);
console.log("ok create");

const updated = await client.PUT("/v1/Incidents/{id}", {
  params: { path: { id } },
  body: { incidentTypeId: 6, severity: "Medium", title: "Bolt fell from crane 2", incidentDate: "2026-03-06" },
});
assert.equal(updated.data?.title, "Bolt fell from crane 2");
assert.equal(updated.data.severity, "Medium");
assert.equal(updated.data.dueDate, "2026-03-20T11:00:00Z");
console.log("ok update");

for (const status of ["InProgress", "Resolved"] as const) {
  const moved = await client.PUT("/v1/Incidents/{id}/status", { params: { path: { id } }, body: { status } });
  assert.equal(moved.data?.status, status);
}
console.log("ok resolve");

const period = async (from: string, to: string) => {
  const page = await client.GET("/v1/Datasources/{id}/values", {
    params: { path: { id: 12 }, query: { from, to } },
  });
  return page.data?.values.map((value) => value.value);
};
assert.deepEqual(await period("2026-03-02T00:00:00Z", "2026-03-03T00:00:00Z"), [97.4, 88]);
assert.deepEqual(await period("2026-03-02T16:00:00+02:00", "2026-03-03T00:00:00+02:00"), []);
assert.deepEqual(await period("2026-03-02T15:59:59.5+02:00", "2026-03-03T00:00:00+02:00"), [97.4]);
console.log("ok values");

const near = await client.GET("/v1/Incidents/{id}", { params: { path: { id: 1205 } } });
assert.equal(near.data?.areaId, null);
assert.equal(near.data?.evaluationStatus, null);
const linked = await client.GET("/v2/incidents/{incidentId}", {
  params: { path: { incidentId: 1205 }, query: { $expand: "area" } },
});
assert.equal(linked.data?.area, null);
const cleared = await client.PUT("/v1/Incidents/{id}", {
  params: { path: { id } },
  body: {
    incidentTypeId: 6,
    severity: "Medium",
    title: "Bolt fell from crane 2",
    incidentDate: "2026-03-06",
    dueDate: null,
  },
});
assert.equal(cleared.data?.dueDate, null);
console.log("ok null");

const deleted = await client.DELETE("/v1/Incidents/{id}", { params: { path: { id } } });
assert.equal(deleted.response.status, 200);
const gone = await client.GET("/v1/Incidents/{id}", { params: { path: { id } } });
assert.equal(gone.error?.code, "not_found");
console.log("ok delete");
