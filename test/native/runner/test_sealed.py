"""A running job has exactly the protections its level promises, as the kernel itself tells.

Several protections cover one another, so that no attack shows when one is gone. Here each is seen
for itself.
"""

from __future__ import annotations

import os

import pytest

from client import Broker
from sight import Sight, look

# The other two are the zygote's, and closed to changes.
OWN_OF_A_JOB = ("ipc", "mnt", "net", "pid", "user")
LIMITS = {"cpuSeconds": 3, "memoryBytes": 256 << 20}
EXPECTED_LIMITS = {
    "AS": 256 << 20,
    "CPU": 6,
    "FSIZE": 8 << 20,
    "NOFILE": 64,
    "CORE": 0,
    "STACK": 8 << 20,
    "MEMLOCK": 0,
    "MSGQUEUE": 0,
    "NPROC": 64,
}
root_only = pytest.mark.skipif(os.geteuid() != 0, reason="only root changes who a program runs as")


@pytest.fixture(scope="module")
def sight(broker: Broker, level: str) -> Sight:
    return look(broker, level)


def only_at(wanted: str, level: str) -> None:
    if level != wanted:
        pytest.skip(f"{wanted} only")


def seen(value: object) -> object:
    if value is None:
        pytest.skip("only root, or the owner of the namespace, may see this")
    return value


@pytest.mark.parametrize("name", OWN_OF_A_JOB)
def test_a_job_has_a_namespace_of_its_own(sight: Sight, level: str, name: str) -> None:
    only_at("L3", level)
    assert seen(sight.job.namespaces)[name] != seen(sight.zygote.namespaces)[name]


@pytest.mark.parametrize("name", ("cgroup", "ipc", "mnt", "net", "pid", "user", "uts"))
def test_the_zygote_is_apart_from_the_machine(sight: Sight, level: str, name: str) -> None:
    only_at("L3", level)
    assert seen(sight.zygote.namespaces)[name] != os.readlink(f"/proc/self/ns/{name}")


def test_a_job_can_never_gain_privileges(sight: Sight) -> None:
    assert sight.job.status["NoNewPrivs"] == "1"


def test_a_job_has_a_filter_that_cannot_be_lifted(sight: Sight) -> None:
    assert (sight.job.status["Seccomp"], sight.job.status["Seccomp_filters"]) == ("2", "1")


@pytest.mark.parametrize("kind", ("CapInh", "CapPrm", "CapEff", "CapAmb"))
def test_a_job_has_no_capabilities(sight: Sight, kind: str) -> None:
    assert int(sight.job.status[kind], 16) == 0


def test_the_zygote_has_no_capabilities(sight: Sight) -> None:
    assert int(sight.zygote.status["CapEff"], 16) == int(sight.zygote.status["CapPrm"], 16) == 0


@root_only
def test_a_job_runs_as_nobody_when_we_are_root(sight: Sight) -> None:
    assert sight.job.status["Uid"].split() == ["65534"] * 4
    assert sight.job.status["Gid"].split() == ["65534"] * 4
    assert set(sight.job.status["Groups"].split()) <= {"65534"}


def test_a_program_sees_itself_as_nobody(broker: Broker, level: str) -> None:
    only_at("L3", level)
    result = broker.run("import os\ndef f(): return [os.getuid(), os.getegid()]")
    assert result["calls"][0]["value"] == ["l", [["i", "0xfffe"]] * 2]


def test_nobody_traces_or_dumps_a_job(sight: Sight) -> None:
    assert str(sight.job.owner) != sight.job.status["Uid"].split()[0]


def test_nobody_traces_or_dumps_the_zygote(sight: Sight) -> None:
    assert str(sight.zygote.owner) != sight.zygote.status["Uid"].split()[0]


def test_a_job_holds_input_output_and_its_report_and_nothing_else(sight: Sight) -> None:
    held = seen(sight.job.descriptors)
    assert sorted(held) == [0, 1, 2, 3]
    assert held[0] == "/dev/null" and len({held[fd] for fd in (1, 2, 3)}) == 3
    assert all(held[fd].startswith("pipe:") for fd in (1, 2, 3))


def test_the_zygote_was_given_no_variables_of_ours(sight: Sight) -> None:
    names = set(seen(sight.zygote.environment)) - {"PWD"}  # bubblewrap's own
    assert names == {"LANG", "PATH", "PYTHONHASHSEED", "TZ"}


def test_a_program_sees_only_these_variables(broker: Broker) -> None:
    result = broker.run("import os\ndef f(): return sorted(os.environ)")
    names = [one[1] for one in result["calls"][0]["value"][1]]
    assert names == ["HOME", "LANG", "PATH", "TZ"]


def test_the_zygote_is_in_no_terminals_session(sight: Sight) -> None:
    assert sight.zygote.session not in (os.getsid(0), 0)


def test_a_job_without_namespaces_leads_a_group_of_its_own(sight: Sight, level: str) -> None:
    only_at("L2", level)
    assert sight.job.session == sight.job.pid


@pytest.mark.parametrize("name", EXPECTED_LIMITS)
def test_a_limit_is_set_and_cannot_be_raised(broker: Broker, level: str, name: str) -> None:
    if name == "NPROC":
        only_at("L3", level)  # at L2 it would count the user's other processes too
    program = f"import resource\ndef f(): return resource.getrlimit(resource.RLIMIT_{name})"
    value = broker.run(program, limits=LIMITS)["calls"][0]["value"]
    assert value == ["t", [["i", hex(EXPECTED_LIMITS[name])]] * 2]


def test_a_job_writes_to_its_scratch_folder_only(sight: Sight, level: str) -> None:
    only_at("L3", level)
    writable = {place for place, options in sight.mounts.items() if "ro" not in options}
    assert {place for place in writable if not place.startswith("/dev/")} == {"/tmp"}


def test_what_lies_in_the_scratch_folder_has_no_powers(sight: Sight, level: str) -> None:
    only_at("L3", level)
    assert {"nosuid", "nodev", "noexec", "tmpfs"} <= sight.mounts["/tmp"]
    assert {"nosuid", "nodev", "noexec", "ro", "tmpfs"} <= sight.mounts["/proc"]


def test_no_mount_is_shared_with_the_machine(sight: Sight, level: str) -> None:
    only_at("L3", level)
    assert not [
        place
        for place, options in sight.mounts.items()
        if any(one.startswith("shared:") for one in options)
    ]


def test_the_scratch_folder_is_small(broker: Broker, level: str) -> None:
    only_at("L3", level)
    result = broker.run(
        "import os\ndef f():\n    seen = os.statvfs('/tmp')\n"
        "    return seen.f_blocks * seen.f_frsize, seen.f_files"
    )
    assert result["calls"][0]["value"] == ["t", [["i", hex(16 << 20)], ["i", hex(1024)]]]


def test_the_place_of_the_zygotes_processes_is_empty_and_full(broker: Broker, level: str) -> None:
    only_at("L3", level)
    result = broker.run(
        "import os\ndef f():\n    seen = os.statvfs('/proc')\n"
        "    return os.listdir('/proc'), seen.f_files"
    )
    assert result["calls"][0]["value"] == ["t", [["l", []], ["i", "0x1"]]]


def test_only_the_standard_library_can_be_imported(broker: Broker) -> None:
    program = """
import sys
def f():
    names = ("no_site", "no_user_site", "safe_path", "dont_write_bytecode")
    return [bool(getattr(sys.flags, name)) for name in names], sys.path
"""
    flags, path = broker.run(program)["calls"][0]["value"][1]
    assert flags == ["l", [["b", True]] * 4]
    assert all("/lib/python" in one[1] for one in path[1])
    assert not [one[1] for one in path[1] if "packages" in one[1] or one[1] == ""]
