"""The `ventuno` command: each module is one subcommand; rules and figures come from the other rooms."""
