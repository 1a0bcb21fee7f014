"""Writes each shell script of a CI file (GitHub workflow or action, GitLab CI) into a folder, as the server runs it.

    workflow_scripts.py FILE FOLDER

A step of a workflow becomes FOLDER/<job>.<number of the step>.sh, one of an action FOLDER/action.<number>.sh, a job of
GitLab CI FOLDER/<job>.sh. Local components that a pipeline includes are part of it, as GitLab puts them in; the whole
of it becomes FOLDER/pipeline.json. A step that calls the action of this tree becomes FOLDER/<job>.<number>.inputs, a
line NAME=VALUE each, as the action gives them to its scripts. Prints the names of all of them."""

import json
import sys
from pathlib import Path

from ruamel.yaml import YAML

# Both servers put this before a script; a workflow has to ask for it by `shell: bash`.
HEAD = "#!/usr/bin/env bash\nset -eo pipefail\n"


def lines(script):
    """A script of GitLab CI is a text or a list of texts, and lists may hold lists."""
    if script is None:
        return []
    if isinstance(script, str):
        return [script.rstrip("\n")]
    return [line for part in script for line in lines(part)]


def filled_in(component, inputs):
    """The jobs of a component, with its inputs put in as GitLab does: text as it is, all else as YAML."""
    head, body = component.read_text().split("\n---\n")
    for name, facts in YAML(typ="safe").load(head)["spec"]["inputs"].items():
        value = inputs.get(name, facts.get("default"))
        body = body.replace(f"$[[ inputs.{name} ]]", value if isinstance(value, str) else json.dumps(value))
    return YAML(typ="safe").load(body)


def merged(below, above):
    """What GitLab makes of a key that is there twice: maps become one, of all else the last counts."""
    if not (isinstance(below, dict) and isinstance(above, dict)):
        return above
    return {**below, **{key: merged(below.get(key), value) for key, value in above.items()}}


def with_includes(pipeline):
    whole = {}
    for include in pipeline.pop("include", []):
        whole = merged(whole, filled_in(Path(include["local"].lstrip("/")), include["inputs"]))
    return merged(whole, pipeline)


def inputs(workflow):
    """Yields name and inputs of each step that calls the action of this tree, in a pull request."""
    for job_name, job in workflow.get("jobs", {}).items():
        for number, step in enumerate(job["steps"], 1):
            if step.get("uses") == "./ci":
                given = {"base": "HEAD^1", **step["with"]}
                yield (
                    f"{job_name}.{number}",
                    "".join(f"CUGATE_{name.upper().replace('-', '_')}={value}\n" for name, value in given.items()),
                )


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
            job = merged(pipeline.get(job.get("extends"), {}), job)
            before = job.get("before_script", default.get("before_script"))
            yield job_name.replace(" ", "_"), "\n".join(lines(before) + lines(job["script"]))


def main():
    file, folder = sys.argv[1:]
    content = YAML(typ="safe").load(Path(file))
    if "include" in content:
        content = with_includes(content)
        Path(folder, "pipeline.json").write_text(json.dumps(content))
    for name, text in inputs(content):
        Path(folder, name + ".inputs").write_text(text)
        print(Path(folder, name + ".inputs"))
    for name, text in (github if "jobs" in content or "runs" in content else gitlab)(content):
        script = Path(folder, name + ".sh")
        script.write_text(HEAD + text.rstrip("\n") + "\n")
        print(script)


if __name__ == "__main__":
    main()
