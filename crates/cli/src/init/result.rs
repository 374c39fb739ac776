//! What `obeya init` prints: what was made, the client, and the commands to go on with.

use std::io::{self, Write};
use std::net::SocketAddr;
use std::path::Path;

use obeya_server::admin::NewClient;
use obeya_server::without_password;

use super::plan::Plan;
use crate::client;

/// Prints it. The secret is shown only here, unless it has a file.
pub(super) fn show(
    out: &mut io::Stdout,
    plan: &Plan,
    config: &Path,
    made: &NewClient,
) -> io::Result<()> {
    let config = quoted(&config.display().to_string());
    writeln!(
        out,
        "made {config}, with the database {}",
        without_password(&plan.db)
    )?;
    let mut status = format!("obeya status http://{}", reachable(plan.listen));
    match &plan.secret_file {
        Some(file) => {
            writeln!(out, "client_id      {}", made.client_id)?;
            writeln!(out, "scopes         {}", made.scopes.join(" "))?;
            writeln!(out, "The secret is in {} and nowhere else.", file.display())?;
            let file = quoted(&file.display().to_string());
            status.push_str(&format!(
                " --client-id {} --secret-file {file}",
                made.client_id
            ));
        }
        None => client::show(out, made, false)?,
    }
    writeln!(
        out,
        "\nStart the service, and look at it from another shell:\n  obeya serve --config {config}\n  {status}"
    )?;
    out.flush()
}

/// The address from this machine.
fn reachable(listen: SocketAddr) -> SocketAddr {
    let mut address = listen;
    if address.ip().is_unspecified() {
        address.set_ip(match address.is_ipv4() {
            true => std::net::Ipv4Addr::LOCALHOST.into(),
            false => std::net::Ipv6Addr::LOCALHOST.into(),
        });
    }
    address
}

/// An argument as a shell reads it.
fn quoted(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-:@%+,=".contains(&byte);
    match !text.is_empty() && text.bytes().all(is_plain) {
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_argument_is_quoted_where_a_shell_needs_it() {
        assert_eq!(quoted("/srv/plant-1.db"), "/srv/plant-1.db");
        assert_eq!(quoted("my plant's"), r"'my plant'\''s'");
    }

    #[test]
    fn an_address_of_every_interface_is_reached_on_this_machine() {
        for (listen, address) in [
            ("0.0.0.0:80", "127.0.0.1:80"),
            ("[::]:80", "[::1]:80"),
            ("10.0.0.1:80", "10.0.0.1:80"),
        ] {
            assert_eq!(reachable(listen.parse().unwrap()).to_string(), address);
        }
    }
}
