//! `obeya completions`: a script for each shell, with every command.

use crate::binary::{commands, run, run_unread};

#[test]
fn the_script_of_each_shell_has_every_command() {
    let commands = commands();
    for (shell, begin) in [
        ("bash", "_obeya() {"),
        ("zsh", "#compdef obeya"),
        ("fish", "# Print an optspec"),
        (
            "powershell",
            "\nusing namespace System.Management.Automation",
        ),
    ] {
        let script = run(["completions", shell]).success();
        assert!(script.starts_with(begin), "{shell}: {}", &script[..200]);
        for command in &commands {
            assert!(script.contains(command), "{command} of {shell}");
        }
        assert!(script.contains("admin-listen"), "{shell}");
    }
    // As in `obeya completions bash | head`.
    run_unread(["completions", "bash"]).success();
    let err = run(["completions", "cmd"]).failure(2);
    assert!(err.contains("bash, zsh, fish, powershell"), "{err}");
}
