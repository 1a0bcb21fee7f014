"""Tests what only a server can do: be absent, go away, come back. test_history.py tests histories in any database."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import make
import pytest
from conftest import Postgres, reports

from cugate_reports import site
from cugate_reports.history import History, HistoryError


@pytest.fixture
def url(postgres: Postgres) -> str:
    return postgres.new()[0]


@pytest.fixture
def server(postgres: Postgres) -> Iterator[Postgres]:
    """A server that a test may stop; it runs again afterwards."""
    yield postgres
    postgres.start()


def test_the_password_is_not_told(url: str, tmp_path: Path) -> None:
    assert "hunter2" in url
    run = tmp_path / "run.json"
    run.write_bytes(make.run())
    (tmp_path / "bad.json").write_bytes(b"{")
    done = reports("ingest", "-v", "--history", url, run, tmp_path / "bad.json")
    assert done.returncode == 2 and "cugate:***@/postgres" in done.stdout
    done = reports("ingest", "--history", url.replace("/postgres?", "/no_such?"), run)
    assert done.returncode == 2 and 'database "no_such" does not exist' in done.stderr
    assert "cugate:***@/no_such?" in done.stderr
    assert "hunter2" not in done.stdout + done.stderr and "Traceback" not in done.stderr


def test_connections_that_were_ended_are_told_and_made_anew(url: str, postgres: Postgres) -> None:
    with History(url) as history:
        history.ingest(make.run())
        postgres.ask("select pg_terminate_backend(pid) from pg_stat_activity where backend_type = 'client backend' "
                     "and pid <> pg_backend_pid()")  # fmt: skip
        with pytest.raises(HistoryError, match="terminating connection due to administrator command"):
            history.ingest(make.run(1))
        assert history.ingest(make.run(1)) == "run: kept"


def test_a_server_that_goes_is_told_and_what_it_had_is_there_when_it_is_back(url: str, server: Postgres) -> None:
    with History(url) as history:
        for night in range(40):
            history.ingest(make.run(night))
        history.ingest(make.report(make.run()))
        reader = history.read("run")
        next(reader)
        server.stop()
        for use in (
            lambda: list(reader),
            lambda: history.ingest(make.run(40)),
            lambda: history.ingest(make.report(make.run(39))),
            lambda: history.prune(1),
            lambda: history.devices(),
            lambda: list(history.read("run")),
        ):
            with pytest.raises(HistoryError) as refusal:
                use()
            assert "cugate:***@/postgres?" in str(refusal.value) and "hunter2" not in str(refusal.value)
        with pytest.raises(HistoryError, match="Is the server running locally and accepting connections"):
            History(url)
        done = reports("export", "--history", url, "--csv", "-")
        assert done.returncode == 2 and "Is the server running" in done.stderr
        assert "hunter2" not in done.stderr and "Traceback" not in done.stderr
        server.start()
        assert [stored.body for stored in history.read("run")] == [make.run(night) for night in range(40)]
        assert history.ingest(make.run(40)) == "run: kept"


def test_a_later_version_is_told(postgres: Postgres) -> None:
    url, schema = postgres.new()
    with History(url):
        postgres.ask("update cugate_schema set version = 7", schema=schema)
    with pytest.raises(HistoryError, match=r"was made by a later version of cugate \(schema 7\): update this one"):
        History(url)


def test_tables_of_other_programs_stay(postgres: Postgres) -> None:
    url, schema = postgres.new()
    postgres.ask("create table documents (id int)", "insert into documents values (7)", schema=schema)
    with History(url) as history:
        history.ingest(make.run())
    postgres.ask("do $$ begin if (select id from documents) <> 7 then raise 'gone'; end if; end $$", schema=schema)


def test_a_user_who_may_not_write_is_told(postgres: Postgres) -> None:
    url, schema = postgres.new()
    with History(url) as history:
        history.ingest(make.run())
    postgres.ask("create role reader login", f"grant usage on schema {schema} to reader")
    with pytest.raises(HistoryError, match="permission denied"):
        History(url.replace("//cugate:", "//reader:"))


def test_a_user_who_may_only_read_has_pages(postgres: Postgres, tmp_path: Path) -> None:
    url, schema = postgres.new()
    with History(url) as history:
        for night in range(2):
            history.ingest(make.run(night))
    grants = f"grant usage on schema {schema} to looker", f"grant select on all tables in schema {schema} to looker"
    postgres.ask("create role looker login", *grants)
    with History(url.replace("//cugate:", "//looker:"), create=False) as history:
        site.write(history, tmp_path / "page", 365)
    assert (tmp_path / "page/kernels/copy-plain.html").exists()
