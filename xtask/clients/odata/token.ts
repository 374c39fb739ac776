// The address of the OData service and a header with a token, for the sessions of this folder.

import assert from "node:assert/strict";

const { OBEYA_URL = "", OBEYA_CLIENT_ID = "", OBEYA_CLIENT_SECRET = "" } = process.env;

export const root = `${OBEYA_URL}/v2/`;

export async function authorization(): Promise<{ Authorization: string }> {
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
  console.log("ok token");
  return { Authorization: `Bearer ${access_token}` };
}
