"""
What each setting means, in a line, for who looks at those in force.

The words are those of docs/settings.md, and a test holds the two together: a setting that is added,
or worded anew there, is told here too.
"""

from collections.abc import Mapping

MEANINGS: Mapping[str, str] = {
    "project": "the folder that runs work in",
    "data": "where runs, events and the board are kept, and what they need to go on",
    "only_dirs": "the folders of skills that were named by `--dir`: these and no others",
    "database_url": (
        "keep runs, events and the board in PostgreSQL, `postgresql://user@host/database`; "
        "the first line of the file, above all tables"
    ),
    "skills_enabled": "offer skills to agents in the loop's prompts",
    "skills_dirs": "where skills are looked for, in order",
    "skills_builtin_dir": "the folder of built-in skills",
    "skills_sync_dir": "where a long-lived process copies them",
    "skills_sync_on_start": "whether it does",
    "skills_max_selected_impl": "skills chosen for an implementation step, 0 to 255",
    "skills_max_selected_review": "and for a review step",
    "skills_load_references": "load references/ together with a skill",
    "skills_max_body_chars": "a longer skill is cut when it is loaded into a prompt",
    "skills_max_catalog_chars": "shorten descriptions to fit so many characters; 0: never",
    "skills_semantic": "add an embedding model to the matching; needs the extra `semantic`",
    "skills_registry": "skills by phase of a loop, beside those that fit the task",
    "model_default": "the model of a run when neither the call nor the skill names one",
    "model_aliases": "names of your own for models, `[model.aliases]`",
    "run_max_iterations": "iterations of a run when the skill does not say, 1 to 1,000",
    "run_max_retries_per_tool": "how often the same call may fail",
    "run_timeout_per_iteration": "one iteration, its tools included",
    "run_max_depth": "how deep sub-agents may start sub-agents; 0: never",
    "permissions_default": (
        "what a skill without `allowed-tools` may do: `sandbox`, `ask` or `read-only`"
    ),
    "permissions_never": (
        "rules for what no skill, workflow or call may do, whatever it is granted, such as "
        '`["Bash(curl:*)"]`'
    ),
    "sandbox_level": (
        "`auto` takes the strongest that runs here; `bubblewrap`, `landlock`, or `none` to do"
        " without"
    ),
    "sandbox_network": "let commands reach the network",
    "sandbox_seconds": "how long one command may take",
    "sandbox_memory_mb": "and how much memory it may use",
    "sandbox_processes": "and how many processes",
    "sandbox_file_mb": "and how large a file it may write",
    "privacy_personal_data": "`keep` lets personal data into the log; secrets never",
    "visibility": "who sees how much of a run",
    "limits": "how much of each skill, model and user may go on, `[limits.user.NAME]`",
    "worker_at_once": "how many queued runs a worker or a server works on at once",
    "check_use_layered_skills": (
        "literally `true`: whoever proposes evidence is guided by `safe-shell-search` and "
        "`task-spec-check`"
    ),
    "serve_host": "where `prowess serve` listens; a wider one needs tokens",
    "serve_port": "its port; 0: any that is free",
    "serve_hosts": "other names by which browsers may ask for it",
    "serve_works": (
        "whether `prowess serve` works on queued runs itself, or leaves them to workers"
    ),
    "serve_tokens": (
        "who may ask, `[serve.tokens]`: a token, or `sha256:` and its digest, and a role, "
        "`END_USER`, `DEVELOPER` or `ADMIN`"
    ),
    "mcp_servers": "servers whose tools join a run's, `[mcp_servers.NAME]`",
}
