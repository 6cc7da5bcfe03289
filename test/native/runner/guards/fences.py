"""Namespaces, mounts, limits, privileges and Landlock."""
from __future__ import annotations

from guards.edits import ANY_IOCTL, ANY_KILL, AS_ROOT, NO_SCOPE, OLD_TMP, SOCKETS
from guards.model import ANY_TEST, Guard, attack, sealed

_JAIL, _LAUNCH, _RULES = "inside/jail.py", "host/launch.py", "inside/landlock.py"


def _space(name: str, flag: str) -> Guard:
    return sealed(f"namespace {name}", "L3", f"test_a_job_has_a_namespace_of_its_own[{name}]",
                  (_JAIL, f"kernel.{flag}", "0"), f"jail.{flag}")


def _limit(name: str, line: str, instead: str = "") -> Guard:
    return sealed(f"limit {name}", "L3", f"test_a_limit_is_set_and_cannot_be_raised[{name}]",
                  (_JAIL, line, instead), f"jail.RLIMIT_{name}")


FENCES: tuple[Guard, ...] = (
    Guard("namespace user", "L3", ANY_TEST, ((_JAIL, "kernel.CLONE_NEWUSER", "0"),),
          "jail.CLONE_NEWUSER", closed=True),
    Guard("namespace mnt", "L3", ANY_TEST, ((_JAIL, "kernel.CLONE_NEWNS", "0"),),
          "jail.CLONE_NEWNS", closed=True),
    _space("pid", "CLONE_NEWPID"),
    _space("ipc", "CLONE_NEWIPC"),
    _space("net", "CLONE_NEWNET"),
    sealed("the judge's own namespaces", "L3", "test_the_judge_is_apart_from_the_machine[ipc]",
           (_LAUNCH, '"--unshare-all",', '"--unshare-pid", "--unshare-net", "--unshare-uts",'),
           "launch.--unshare-all"),
    attack("scratch folder of its own", "L3", "neighbours.leftInTemporary", OLD_TMP),
    sealed("scratch folder without powers", "L3",
           "test_what_lies_in_the_scratch_folder_has_no_powers",
           (_JAIL, "kernel.MS_NOSUID | kernel.MS_NODEV | kernel.MS_NOEXEC", "0"),
           "jail.MS_NOSUID jail.MS_NODEV jail.MS_NOEXEC"),
    sealed("scratch folder is small", "L3", "test_the_scratch_folder_is_small",
           (_JAIL, "size=16m,", "size=32m,"), "jail.size="),
    sealed("scratch folder holds few files", "L3", "test_the_scratch_folder_is_small",
           (_JAIL, "nr_inodes=1024", "nr_inodes=9999"), "jail.nr_inodes="),
    attack("no processes shown", "L3", "reading.commandLinesOfAll",
           (_JAIL, 'kernel.mount("tmpfs", "/proc", "tmpfs"', '("tmpfs", "/proc", "tmpfs"')),
    sealed("nothing to write in /proc", "L3", "test_a_job_writes_to_its_scratch_folder_only",
           (_JAIL, "quiet | kernel.MS_RDONLY", "quiet"), "jail.MS_RDONLY"),
    sealed("/proc is full", "L3", "test_the_place_of_the_judges_processes_is_empty_and_full",
           (_JAIL, "size=4k,nr_inodes=1", "size=4k,nr_inodes=9"), "jail.size=.2 jail.nr_inodes=.2"),
    sealed("folders are read-only", "L3", "test_a_job_writes_to_its_scratch_folder_only",
           (_LAUNCH, '["--ro-bind", path, path]', '["--bind", path, path]'), "launch.--ro-bind"),
    sealed("packages are read-only", "L3", "test_a_job_writes_to_its_scratch_folder_only",
           (_LAUNCH, '["--ro-bind", path, seen]', '["--bind", path, seen]'), "launch.--ro-bind.2"),
    attack("the root is read-only", "L3", "neighbours.leftAnywhere",
           (_LAUNCH, '"--remount-ro", "/", ', ""), "launch.--remount-ro"),
    attack("few devices", "L3", "devices.devicesShown",
           (_LAUNCH, '_DEVICES = (', '_DEVICES = ("/dev/tty", '), "launch.--dev-bind-try"),
    attack("the machine's scratch folder is not shown", "L3", "reading.canaryByPath",
           (_LAUNCH, '"--tmpfs", "/tmp"', '"--bind", "/tmp", "/tmp"'), "launch.--tmpfs",
           (OLD_TMP,)),
    attack("the machine's name is not shown", "L3", "neighbours.hostName",
           (_LAUNCH, '"--hostname", "sandbox", ', ""), "launch.--hostname"),

    _limit("AS", "(resource.RLIMIT_AS, memory), "),
    _limit("CPU", "(resource.RLIMIT_CPU, cpu)", "(resource.RLIMIT_CPU, cpu + 99)"),
    _limit("FSIZE", "(resource.RLIMIT_FSIZE, FILE_BYTES), "),
    _limit("NOFILE", "(resource.RLIMIT_NOFILE, MAX_OPEN_FILES),"),
    _limit("CORE", "(resource.RLIMIT_CORE, 0), ", "(resource.RLIMIT_CORE, 4096), "),
    _limit("STACK", "(resource.RLIMIT_STACK, STACK_BYTES),", "(resource.RLIMIT_STACK, 4 << 20),"),
    _limit("MEMLOCK", "(resource.RLIMIT_MEMLOCK, 0), "),
    _limit("MSGQUEUE", "(resource.RLIMIT_MSGQUEUE, 0)"),
    _limit("NPROC", "wanted.append((resource.RLIMIT_NPROC, MAX_THREADS))", "pass"),
    sealed("limits cannot be raised", "L3", "test_a_limit_is_set_and_cannot_be_raised[NOFILE]",
           (_JAIL, "setrlimit(which, (value, value))", "setrlimit(which, (value, hard))")),
    sealed("size of a file", "L2", "test_a_limit_is_set_and_cannot_be_raised[FSIZE]",
           (_JAIL, "FILE_BYTES = 8 << 20", "FILE_BYTES = 1 << 30"), "jail.FILE_BYTES"),
    sealed("size of the stack", "L2", "test_a_limit_is_set_and_cannot_be_raised[STACK]",
           (_JAIL, "STACK_BYTES = 8 << 20", "STACK_BYTES = 4 << 20"), "jail.STACK_BYTES"),
    attack("number of descriptors", "L2", "exhausting.openUntilNoMore",
           (_JAIL, "MAX_OPEN_FILES = 64", "MAX_OPEN_FILES = 4096"), "jail.MAX_OPEN_FILES"),
    sealed("number of threads", "L3", "test_a_limit_is_set_and_cannot_be_raised[NPROC]",
           (_JAIL, "MAX_THREADS = 64", "MAX_THREADS = 96"), "jail.MAX_THREADS"),

    Guard("no new privileges", "L2", ANY_TEST,
          ((_JAIL, "kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)", "pass"),),
          "jail.PR_SET_NO_NEW_PRIVS", closed=True),
    sealed("no capabilities", "L3", "test_a_job_has_no_capabilities[CapEff]",
           (_JAIL, "kernel.drop_capabilities(machine)", "pass"), "jail.drop_capabilities"),
    sealed("an ordinary user", "L2", "test_a_job_runs_as_nobody_when_we_are_root", AS_ROOT,
           needs_root=True),
    sealed("an unknown user inside", "L3", "test_a_program_sees_itself_as_nobody",
           (_LAUNCH, '"--uid", str(NOBODY), "--gid", str(NOBODY), ', ""),
           "launch.--uid launch.--gid",
           (("host/interpreter.py", "return NOBODY if", "return 65533 if"),), needs_root=True),
    sealed("no capabilities for the judge", "L3", "test_the_judge_has_no_capabilities",
           (_LAUNCH, '"--cap-drop", "ALL", ', '"--cap-add", "ALL", ')),
    sealed("nobody traces a job", "L3", "test_nobody_traces_or_dumps_a_job",
           (_JAIL, "write(text)\n    kernel.prctl(kernel.PR_SET_DUMPABLE, 0)", "write(text)"),
           "jail.PR_SET_DUMPABLE.2"),
    sealed("nobody traces the judge", "L2", "test_nobody_traces_or_dumps_the_judge",
           ("inside/zygote.py", "kernel.prctl(kernel.PR_SET_DUMPABLE, 0)", "pass"),
           "zygote.PR_SET_DUMPABLE"),

    attack("Landlock", "L2", "reading.canaryByPath",
           (_JAIL, "kernel.landlock_restrict(ruleset)", "pass"), "jail.landlock_restrict"),
    Guard("rules for writing", "L2", "test_attacks::test_an_attack_is_contained"
          "[writing.appendVictimLowLevel]", (
              (_RULES, "filesystem = (1 << 13) - 1", "filesystem = (1 << 13) - 3"),
              (_RULES, "(ruleset, allowed, path)", "(ruleset, allowed & filesystem, path)"))),
    attack("rules for truncating", "L2", "writing.truncateVictim",
           (_RULES, "((3, 14), (5, 15))", "((5, 15),)"), "landlock.3"),
    attack("rules for devices", "L2", "devices.entropyCount",
           (_RULES, ", (5, 15))", ",)"), "landlock.5", (ANY_IOCTL,)),
    attack("rules for TCP", "L2", "network.tcpConnect",
           (_RULES, "network = 3 if", "network = 0 if"), "landlock.4", (SOCKETS,)),
    attack("rules for abstract sockets", "L2", "network.abstractUnixConnect", NO_SCOPE,
           "landlock.6", (SOCKETS,)),
    attack("rules for signals", "L2", "processes.killVictim", NO_SCOPE, masks=(ANY_KILL,)),
    attack("few folders readable", "L2", "reading.canaryByPath",
           (_LAUNCH, '"/usr/share/zoneinfo",', '"/usr/share/zoneinfo", "/tmp",')),
    attack("no folder writable", "L2", "writing.createBesideVictim",
           (_LAUNCH, '"writable": ["/dev/null"', '"writable": ["/dev/null", "/tmp"'),
           masks=((_RULES, "(writable, _READ_FILE", "(writable, 8191 | _READ_FILE"),)),
)
