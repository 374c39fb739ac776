//! Commands to paste while the demo keeps serving.

use std::io::{self, Write};

use obeya_server::Running;
use obeya_server::admin::NewClient;

/// Prints examples for a shell and for Rust.
pub(super) fn print(out: &mut impl Write, running: &Running, client: &NewClient) -> io::Result<()> {
    let (base, auth) = (running.base_url(), running.auth_url());
    let (id, secret) = (&client.client_id, &client.client_secret);
    write!(
        out,
        r#"
Still serving on {base}; Ctrl-C ends it. In a shell:

  export OBEYA_BASE_URL='{base}' OBEYA_AUTH_URL='{auth}' OBEYA_CLIENT_ID='{id}' OBEYA_CLIENT_SECRET='{secret}'
  TOKEN=$(curl -s "$OBEYA_AUTH_URL/connect/token" -d grant_type=client_credentials -d client_id="$OBEYA_CLIENT_ID" \
    -d client_secret="$OBEYA_CLIENT_SECRET" | sed 's/.*"access_token":"\([^"]*\)".*/\1/')
  curl -s -H "Authorization: Bearer $TOKEN" "$OBEYA_BASE_URL/v2/areas?\$orderby=name&\$top=3"
  curl -s -H "Authorization: Bearer $TOKEN" "$OBEYA_BASE_URL/v1/Datasources/1/values?pageSize=5&\$orderby=valueDate%20desc"
  curl -s -H "Authorization: Bearer $TOKEN" "$OBEYA_BASE_URL/v1/Incidents/trash"

In Rust, with those variables set:

  let client = obeya::Client::from_env()?;
  let areas = client.areas().list().orderby("name").top(3).await?;
  let values = client.datasources().values(1).filter("dimension eq 'Line 3'").stream().all().await?;
"#
    )?;
    out.flush()
}
