"""Writes each shell script of a CI file (GitHub workflow or action, GitLab CI) into a folder, as the server runs it.

    workflow_scripts.py FILE FOLDER

A step of a workflow becomes FOLDER/<job>.<number of the step>.sh, one of an action FOLDER/action.<number>.sh, a job of
GitLab CI FOLDER/<job>.sh. Prints their names."""

import sys
from pathlib import Path

from ruamel.yaml import YAML

# What both servers put before a script; a workflow has to ask for it by `shell: bash`.
HEAD = "#!/usr/bin/env bash\nset -eo pipefail\n"


def lines(script):
    """A script of GitLab CI is a text or a list of texts, and lists may hold lists."""
    if script is None:
        return []
    if isinstance(script, str):
        return [script.rstrip("\n")]
    return [line for part in script for line in lines(part)]


def github(workflow):
    """Yields name and text of each step that is a script."""
    shell = workflow.get("defaults", {}).get("run", {}).get("shell")
    for job_name, job in (workflow.get("jobs") or {"action": workflow["runs"]}).items():
        for number, step in enumerate(job.get("steps", []), 1):
            if "run" not in step:
                continue
            if step.get("shell", shell) != "bash":
                sys.exit(f"job {job_name}, step {number}: without `shell: bash` a failure within a pipe would pass")
            yield f"{job_name}.{number}", step["run"]


def gitlab(pipeline):
    """Yields name and text of each job; what comes before its script runs in the same shell."""
    default = pipeline.get("default", {})
    for job_name, job in pipeline.items():
        if isinstance(job, dict) and "script" in job:
            before = job.get("before_script", default.get("before_script"))
            yield job_name.replace(" ", "_"), "\n".join(lines(before) + lines(job["script"]))


def main():
    file, folder = sys.argv[1:]
    content = YAML(typ="safe").load(Path(file))
    for name, text in (github if "jobs" in content or "runs" in content else gitlab)(content):
        script = Path(folder, name + ".sh")
        script.write_text(HEAD + text.rstrip("\n") + "\n")
        print(script)


if __name__ == "__main__":
    main()
