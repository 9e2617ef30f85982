"""What a process may do in each level, with real processes, by bubblewrap and by Landlock."""

from __future__ import annotations

import ctypes
import json
import os
import resource
import select
import socket
import subprocess
import sys
import threading
import zlib
from pathlib import Path

import pytest

from holdfast.adapters.processes.commands import OsCommands, readable
from holdfast.adapters.processes.sandbox import landlock, layout
from holdfast.adapters.processes.sandbox.probe import SandboxChoice
from holdfast.vocab.sandbox import SandboxLevel
from tests.adapters.sandbox.attempt import attempt, files_below, open_at
from tests.waiting import (
    FOREVER,
    LONGEST,
    has_text,
    limit_to_begin,
    set_when,
    wait_until,
    wait_until_gone,
)

pytestmark = pytest.mark.integration

LEVELS: tuple[SandboxLevel, ...] = ("read", "write")


def test_read_changes_nothing(kind: SandboxChoice, place: Path) -> None:
    before = files_below(place)
    done = attempt(
        kind,
        place,
        "echo x >> a.txt; touch new; rm a.txt; mkdir d; mv a.txt b; ln -s a l; chmod 777 a.txt;"
        f"touch {place}/outside/new; echo x >> ~/notes.txt; git commit -qm x --allow-empty; cat a.txt",
    )
    assert done.output.endswith("text\n")
    assert files_below(place) == before
    assert (place / "root/a.txt").stat().st_mode & 0o777 != 0o777


def test_write_changes_the_project_only(kind: SandboxChoice, place: Path) -> None:
    done = attempt(
        kind,
        place,
        "echo x >> a.txt; mkdir d && touch d/new && mv d/new d/moved; chmod 755 d/moved; rm sub/b.txt;"
        f"touch {place}/outside/new; echo x >> {place}/outside/c.txt; touch ~/new",
        "write",
    )
    root = place / "root"
    assert (root / "a.txt").read_text() == "text\nx\n", done.output
    assert os.access(root / "d/moved", os.X_OK)
    assert not (root / "sub/b.txt").exists()
    assert sorted(path.name for path in (place / "outside").iterdir()) == ["c.txt"]
    assert (place / "outside/c.txt").read_text() == "hunter2\n"
    assert not (place / "home/new").exists()


@pytest.mark.parametrize("level", LEVELS)
def test_homes_and_neighbours_are_not_read(
    kind: SandboxChoice, place: Path, level: SandboxLevel
) -> None:
    names = ["home/.ssh/id_rsa", "home/notes.txt", "outside/c.txt", "state/grants.json"]
    names.append("home/.cargo/credentials.toml")
    paths = " ".join(f"{place}/{name}" for name in names)
    done = attempt(
        kind, place, f"cat {paths}; ls -R ~/.ssh {place}/state; cat ~/.cargo/registry/*", level
    )
    assert "hunter2" not in done.output
    assert "id_rsa\n" not in done.output.replace("/id_rsa", "")
    assert "crate\n" in done.output


KEYS = {
    ".gitconfig": "[user]\n\tname = N\n\temail = n@x\n[sendemail]\n\tsmtpPass = hunter2\n",
    ".config/git/config": '[http "https://git.corp"]\n\textraheader = X-Api-Key: hunter2\n',
    ".cargo/config.toml": '[registries.corp]\ntoken = "hunter2"\n',
    ".conan2/credentials.json": "hunter2",
    ".dotnet/corefx/cryptography/x509stores/my/a.pfx": "hunter2",
    ".gradle/init.d/corp.gradle": "hunter2",
    ".julia/servers/pkg.corp/auth.toml": "hunter2",
    ".local/share/gem/credentials": "hunter2",
    ".local/share/uv/credentials/credentials.toml": "hunter2",
    ".npm-global/etc/npmrc": "hunter2",
    ".nvm/versions/node/v20/etc/npmrc": "hunter2",
    ".sbt/1.0/credentials.sbt": "hunter2",
    ".stack/upload/credentials.json": "hunter2",
    "miniconda3/.condarc": "hunter2",
}
PACKAGES = (".cargo/registry/crate.rs", ".dotnet/tools/a", ".npm-global/lib/a.js", ".rustup/a")


def fill_home(place: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = place / "home" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


@pytest.mark.parametrize("level", LEVELS)
def test_keys_in_the_folders_of_toolchains_are_not_read(
    kind: SandboxChoice, place: Path, level: SandboxLevel, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill_home(place, KEYS | dict.fromkeys(PACKAGES, "package\n"))
    home = place / "home"
    (home / ".npm-global/bin").mkdir()
    path = f"{home}/.npm-global/bin:{home}/.dotnet:{os.environ['PATH']}"
    monkeypatch.setenv("PATH", path)
    monkeypatch.setenv("CARGO_HOME", str(home / ".cargo"))
    names = " ".join(f"~/{name}" for name in (*KEYS, *PACKAGES))
    done = attempt(kind, place, f"cat {names}; find ~ -type f | xargs cat", level)
    assert "hunter2" not in done.output
    assert done.output.count("package\n") >= len(PACKAGES)


def test_settings_without_keys_are_read_and_those_of_git_by_git_alone(
    kind: SandboxChoice, place: Path
) -> None:
    settings = {".gitconfig": "[user]\n\tname = N\n", ".cargo/config.toml": "[net]\noffline = 1\n"}
    fill_home(place, settings)
    command = "cat ~/.gitconfig; cat ~/.cargo/config.toml"
    assert attempt(kind, place, command, git="read").output == "".join(settings.values())
    hidden = attempt(kind, place, command, git="hidden").output
    assert "[user]" not in hidden
    assert "[net]" in hidden


def test_a_commit_has_the_name_of_the_user_also_where_their_settings_have_a_key(
    bubblewrap: SandboxChoice, place: Path
) -> None:
    fill_home(place, KEYS)
    for name in ("user.name", "user.email"):
        subprocess.run(["git", "config", "--unset", name], cwd=place / "root", check=True)
    done = attempt(
        bubblewrap, place, "git commit -q --allow-empty -m x; git log -1", "write", git="write"
    )
    assert "Author: N <n@x>" in done.output
    assert "hunter2" not in attempt(bubblewrap, place, "git config --list", git="read").output


def test_secrets_of_the_project_are_masked_from_what_runs_unasked(
    kind: SandboxChoice, place: Path
) -> None:
    done = attempt(kind, place, "cat .e* sub/.env; cat *.txt sub/b.txt; grep -r KEY .")
    assert "hunter2" not in done.output
    assert "text\n" in done.output
    assert "more\n" in done.output


def test_secrets_of_the_project_are_empty_files_for_bubblewrap(
    bubblewrap: SandboxChoice, place: Path
) -> None:
    done = attempt(bubblewrap, place, "wc -c < .env; echo x > .env; rm .env; mv .env e", "write")
    assert done.output.startswith("0\n")
    assert (place / "root/.env").read_text() == "KEY=hunter2\n"


@pytest.mark.parametrize("level", LEVELS)
def test_no_network_is_reached(kind: SandboxChoice, place: Path, level: SandboxLevel) -> None:
    with socket.socket() as tcp, socket.socket(type=socket.SOCK_DGRAM) as udp:
        for each in (tcp, udp):
            each.bind(("127.0.0.1", 0))
        tcp.listen()
        tries = (
            "import socket\n"
            f"for kind, port in ((1, {tcp.getsockname()[1]}), (2, {udp.getsockname()[1]})):\n"
            "  try:\n"
            "    s = socket.socket(2, kind); s.settimeout(5); s.connect(('127.0.0.1', port)); s.send(b'x'); print('sent', kind)\n"
            "  except OSError as error: print(error)\n"
        )
        done = attempt(kind, place, f'/usr/bin/env python3 -c "{tries}"', level)
        udp.settimeout(0.2)
        with pytest.raises(TimeoutError):
            udp.recv(1)
        tcp.settimeout(0.2)
        with pytest.raises(TimeoutError):
            tcp.accept()
    assert "sent 1" not in done.output


def test_the_network_is_open_where_that_was_allowed(kind: SandboxChoice, place: Path) -> None:
    with socket.socket() as tcp:
        tcp.bind(("127.0.0.1", 0))
        tcp.listen()
        port = tcp.getsockname()[1]
        tries = f"import socket; socket.create_connection(('127.0.0.1', {port}))"
        done = attempt(kind, place, f'python3 -c "{tries}"', "write", network=True)
    assert (done.exit_code, done.output) == (0, "")


@pytest.mark.parametrize("level", LEVELS)
def test_a_service_behind_a_socket_file_is_not_reached(
    kind: SandboxChoice, place: Path, level: SandboxLevel
) -> None:
    """A read-only mount would not stop it, and docker would act for it outside of the sandbox."""
    path = place / "outside" / "docker.sock"
    with socket.socket(socket.AF_UNIX) as service:
        service.bind(str(path))
        service.listen()
        tries = f"import socket; socket.socket(socket.AF_UNIX).connect('{path}'); print('reached')"
        done = attempt(kind, place, f'python3 -c "{tries}"', level)
    assert "reached" not in done.output
    assert done.exit_code == 1


@pytest.mark.skipif(landlock.version() < 6, reason="only Linux 6.12 and later can refuse it")
@pytest.mark.parametrize("level", LEVELS)
def test_a_service_on_an_abstract_socket_is_not_reached_by_the_network(
    kind: SandboxChoice, place: Path, level: SandboxLevel
) -> None:
    """Such as an X server, which would type into other windows."""
    name = abstract_name(place)
    with socket.socket(socket.AF_UNIX) as service:
        service.bind(f"\0{name}")
        service.listen()
        tries = f"import socket; socket.socket(socket.AF_UNIX).connect('\\0{name}')"
        done = attempt(
            kind, place, f"python3 -c \"{tries}; print('reached')\"", level, network=True
        )
    assert "reached" not in done.output
    assert "PermissionError" in done.output


def abstract_name(place: Path) -> str:
    """Return a name of its own for a place: a path may be longer than the name of a socket."""
    return f"holdfast-{zlib.crc32(bytes(place)):x}"


def test_a_command_reaches_abstract_sockets_of_its_own(place: Path) -> None:
    """With Landlock none can be made while a service of the machine could be reached by one."""
    name = abstract_name(place)
    (place / "root/own.py").write_text(
        "import socket\n"
        "service, client = socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX)\n"
        f"service.bind('\\0{name}'); service.listen(); client.connect('\\0{name}')\n"
    )
    done = attempt("bubblewrap", place, "python3 own.py", "write", network=True)
    assert (done.exit_code, done.output) == (0, "")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root sees what is in folders of others")
@pytest.mark.parametrize("level", LEVELS)
def test_a_service_in_a_folder_of_another_user_is_no_obstacle_for_root(
    kind: SandboxChoice, place: Path, level: SandboxLevel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such as `private` of postfix: in its own namespace of users root cannot mount there."""
    monkeypatch.setattr(layout, "_HIDDEN", ())
    path = place / "outside/private/service.sock"
    path.parent.mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as service, socket.socket(socket.AF_UNIX) as second:
        for each, name in ((service, path), (second, path.with_name("second.sock"))):
            each.bind(str(name))
            each.listen()
        os.chown(path.parent, 65534, 65534)
        tries = f"import socket; print('run'); socket.socket(socket.AF_UNIX).connect('{path}')"
        done = attempt(kind, place, f'python3 -c "{tries}"', level)
    assert done.output.startswith("run\n")
    assert done.exit_code == 1


SERVICE = """
import os, socket, sys
service = socket.socket(socket.AF_UNIX)
service.bind("service.sock")
service.listen()
os.chdir(sys.argv[1])
print("ready", flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("folder", ["root", "outside"])
@pytest.mark.parametrize("moves_to", [".", "/"])
def test_a_service_that_bound_its_socket_by_a_relative_name_is_not_reached(
    kind: SandboxChoice, place: Path, level: SandboxLevel, folder: str, moves_to: str
) -> None:
    """The kernel lists it by that name, which does not say where it is."""
    with subprocess.Popen(
        [sys.executable, "-c", SERVICE, moves_to],
        cwd=place / folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as service:
        assert service.stdout is not None
        assert service.stdout.readline() == b"ready\n"
        path = place / folder / "service.sock"
        tries = f"import socket; socket.socket(socket.AF_UNIX).connect('{path}'); print('reached')"
        done = attempt(kind, place, f'python3 -c "{tries}"', level)
        service.kill()
    assert "reached" not in done.output
    assert done.exit_code == 1


def test_a_socket_that_nobody_listens_on_any_more_can_be_removed(
    kind: SandboxChoice, place: Path
) -> None:
    with socket.socket(socket.AF_UNIX) as service:
        service.bind(str(place / "root/stale.sock"))
    done = attempt(kind, place, "rm stale.sock", "write")
    assert (done.exit_code, done.output) == (0, "")


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("type_of_pair", ["SOCK_DGRAM", "SOCK_RAW"])
def test_no_datagram_is_sent_to_a_service(
    kind: SandboxChoice, place: Path, level: SandboxLevel, type_of_pair: str
) -> None:
    """An end of a pair of sockets can send to another socket, without a call of `socket`."""
    path = place / "outside" / "log.sock"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as service:
        service.bind(str(path))
        tries = (
            f"import socket;socket.socketpair(type=socket.{type_of_pair})[0].sendto(b'x', '{path}')"
        )
        attempt(kind, place, f'python3 -c "{tries}"', level)
        service.settimeout(0.2)
        with pytest.raises(TimeoutError):
            service.recv(1)


def test_pairs_of_sockets_work(kind: SandboxChoice, place: Path) -> None:
    tries = "import socket; a, b = socket.socketpair(); a.send(b'x'); print(b.recv(1))"
    assert attempt(kind, place, f'python3 -c "{tries}"', "write").output == "b'x'\n"


@pytest.mark.parametrize("level", LEVELS)
def test_only_limits_of_the_process_itself_are_changed(
    kind: SandboxChoice, place: Path, level: SandboxLevel
) -> None:
    kind_of_limit = resource.RLIMIT_NOFILE
    with subprocess.Popen(["sleep", str(LONGEST)]) as other:
        try:
            before = resource.prlimit(other.pid, kind_of_limit)
            tries = (
                "import resource; number = resource.RLIMIT_NOFILE;"
                "resource.prlimit(0, number, (9, 9)); print(resource.getrlimit(number));"
                f"resource.prlimit({other.pid}, number, (9, 9))"
            )
            done = attempt(kind, place, f'python3 -c "{tries}"', level)
            after = resource.prlimit(other.pid, kind_of_limit)
        finally:
            other.kill()
    assert done.output.startswith("(9, 9)\n")
    assert done.exit_code == 1
    assert after == before


PRIORITIES = """
import ctypes, sys
libc = ctypes.CDLL(None, use_errno=True)
syscall = libc.syscall
other = int(sys.argv[1])
zero = ctypes.create_string_buffer(4)
mask = ctypes.create_string_buffer(bytes([1]) + bytes(127))
idle = (ctypes.c_uint32 * 12)(48, 5)
for number in (0, other):
    batch = ctypes.byref(zero)
    results = [
        libc.setpriority(0, number, 9),
        libc.sched_setaffinity(number, ctypes.c_size_t(128), mask),
        libc.sched_setscheduler(number, 3, batch),
        libc.sched_setparam(number, batch),
        syscall(int(sys.argv[2]), number, idle, 0),
        syscall(int(sys.argv[3]), 1, number, 3 << 13),
    ]
    print(results)
print([libc.setpriority(1, 0, 9), syscall(int(sys.argv[3]), 2, 0, 3 << 13)])
"""


@pytest.mark.parametrize("level", LEVELS)
def test_only_priorities_of_the_process_itself_are_changed(
    kind: SandboxChoice, place: Path, level: SandboxLevel
) -> None:
    numbers = {"x86_64": (314, 251), "aarch64": (274, 30)}[os.uname().machine]
    (place / "root/priorities.py").write_text(PRIORITIES)
    # One of root is out of reach in any case for who has fewer capabilities.
    plain = ["setpriv", "--bounding-set", "-all"] if os.geteuid() == 0 else []
    with subprocess.Popen([*plain, "sleep", str(LONGEST)]) as other:
        try:
            before = scheduling_of(other.pid)
            words = " ".join(map(str, (other.pid, *numbers)))
            done = attempt(kind, place, f"python3 priorities.py {words}", level)
            after = scheduling_of(other.pid)
        finally:
            other.kill()
    own, others, *_ = done.output.splitlines()
    assert own == str([0] * 6)
    assert others == str([-1] * 6)
    if kind == "landlock":
        assert done.output.splitlines()[2] == "[-1, -1]"
    assert after == before


def scheduling_of(number: int) -> tuple[object, ...]:
    ionice = subprocess.run(["ionice", "-p", str(number)], check=True, capture_output=True).stdout
    return (
        os.getpriority(os.PRIO_PROCESS, number),
        os.sched_getaffinity(number),
        os.sched_getscheduler(number),
        ionice,
    )


@pytest.mark.parametrize("level", LEVELS)
def test_flags_of_files_do_not_change(
    landlock: SandboxChoice, place: Path, level: SandboxLevel
) -> None:
    path = place / "root/a.txt"
    try:
        before = subprocess.run(["lsattr", path], check=True, capture_output=True).stdout
        subprocess.run(["chattr", "+d", path], check=True, capture_output=True)
        subprocess.run(["chattr", "-d", path], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("the file system of temporary files has no flags")
    done = attempt(landlock, place, "chattr +d a.txt; lsattr a.txt; nice -n 3 echo ran", level)
    assert subprocess.run(["lsattr", path], check=True, capture_output=True).stdout == before
    assert done.output.endswith(" a.txt\nran\n")


@pytest.mark.parametrize("level", LEVELS)
def test_shared_memory_of_other_processes_is_not_reached(
    kind: SandboxChoice, place: Path, level: SandboxLevel
) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    number = libc.shmget(0, 4096, 0o1600)
    assert number >= 0
    try:
        tries = (
            "import ctypes; libc = ctypes.CDLL(None); libc.shmat.restype = ctypes.c_void_p;"
            f"print(libc.shmat({number}, None, 0) == ctypes.c_void_p(-1).value)"
        )
        done = attempt(kind, place, f'python3 -c "{tries}"', level)
    finally:
        libc.shmctl(number, 0, None)
    assert done.output == "True\n"


@pytest.mark.parametrize("level", LEVELS)
def test_nothing_is_written_into_a_named_pipe_outside(
    kind: SandboxChoice, place: Path, level: SandboxLevel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A read-only mount would not stop it, and a daemon may obey what is written there."""
    # Otherwise a process would not see the pipe at all, for tests run in a hidden folder.
    monkeypatch.setattr(layout, "_HIDDEN", ())
    path = place / "outside/control"
    os.mkfifo(path)
    daemon = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        done = attempt(kind, place, f"test -p {path} && echo halt > {path}; echo $?", level)
        received = os.read(daemon, 100)
    finally:
        os.close(daemon)
    assert received == b""
    assert done.output.endswith(": Permission denied\n2\n")


def test_named_pipes_and_moves_in_the_project_work(kind: SandboxChoice, place: Path) -> None:
    command = (
        "mkfifo pipe; p=$(mktemp -u); mkfifo $p; for p in pipe $p; do echo through > $p & cat $p; done;"
        "mkdir -p d/e && mv a.txt d/e/moved && ln d/e/moved linked && cat linked;"
        "echo shown > /dev/stdout; echo shown > /dev/null"
    )
    done = attempt(kind, place, command, "write")
    assert (done.exit_code, done.output) == (0, "through\nthrough\ntext\nshown\n")


ATTRIBUTES = """
import ctypes, os, sys
libc = ctypes.CDLL(None)
path = sys.argv[1].encode()
value = ctypes.create_string_buffer(b"x")
arguments = (ctypes.c_uint64 * 2)(ctypes.addressof(value), 1)
for call in (
    lambda: os.setxattr(path, "user.first", b"x"),
    lambda: os.removexattr(path, "user.own"),
    lambda: libc.syscall(463, -100, path, 0, b"user.second", ctypes.byref(arguments), ctypes.c_size_t(16)),
    lambda: libc.syscall(466, -100, path, 0, b"user.own"),
):
    try:
        call()
    except OSError:
        pass
"""


@pytest.mark.parametrize("level", LEVELS)
def test_extended_attributes_of_files_outside_do_not_change(
    kind: SandboxChoice, place: Path, level: SandboxLevel
) -> None:
    path = place / "outside/c.txt"
    set_attribute(path)
    (place / "root/attributes.py").write_text(ATTRIBUTES)
    attempt(kind, place, f"python3 attributes.py {path}", level)
    assert os.listxattr(path) == ["user.own"]


def test_a_file_with_extended_attributes_is_copied(kind: SandboxChoice, place: Path) -> None:
    set_attribute(place / "root/a.txt")
    command = "cp -a a.txt b && cp -p a.txt c && sed -i s/text/more/ b && cat b c"
    done = attempt(kind, place, command, "write")
    assert (done.exit_code, done.output) == (0, "more\ntext\n")


def set_attribute(path: Path) -> None:
    try:
        os.setxattr(path, "user.own", b"x")
    except OSError:
        pytest.skip("the file system of temporary files has no extended attributes")


def test_other_processes_are_neither_read_nor_ended(kind: SandboxChoice, place: Path) -> None:
    with subprocess.Popen(["sleep", str(LONGEST)], env={"KEY": "hunter2"}) as other:
        done = attempt(
            kind,
            place,
            f"cat /proc/{other.pid}/environ /proc/{os.getpid()}/environ /proc/$PPID/environ; kill {other.pid}",
        )
        ended = other.poll()
        other.kill()
    assert "hunter2" not in done.output
    assert ended is None


@pytest.mark.parametrize("level", LEVELS)
def test_other_terminals_of_the_user_are_not_reached(
    kind: SandboxChoice, place: Path, level: SandboxLevel
) -> None:
    ours, theirs = os.openpty()
    try:
        done = attempt(kind, place, f"echo typed > {os.ttyname(theirs)} && echo reached", level)
        shown = select.select([ours], [], [], 0)[0]
    finally:
        os.close(ours)
        os.close(theirs)
    assert (shown, "reached" in done.output) == ([], False)


def test_the_kernel_is_not_configured(kind: SandboxChoice, place: Path) -> None:
    """As root: one of these files names a program that the kernel runs, outside of every sandbox."""
    before = Path("/proc/sys/kernel/core_pattern").read_text()
    done = attempt(
        kind,
        place,
        'cat /proc/sys/kernel/core_pattern > p; echo "$(cat p)" > /proc/sys/kernel/core_pattern && echo written',
        "write",
    )
    assert "written" not in done.output
    assert Path("/proc/sys/kernel/core_pattern").read_text() == before


def test_nothing_gains_privileges(kind: SandboxChoice, place: Path) -> None:
    done = attempt(
        kind, place, "grep NoNewPrivs /proc/self/status; mount -t tmpfs t /mnt && echo mounted"
    )
    assert done.output.startswith("NoNewPrivs:\t1\n")
    assert "mounted" not in done.output


def test_temporary_files_are_private_and_removed(kind: SandboxChoice, place: Path) -> None:
    done = attempt(kind, place, "f=$(mktemp) && echo $f && echo x > $f && cat $f")
    name, text = done.output.split()
    assert text == "x"
    assert not Path(name).exists()


def test_ends_are_as_without_a_sandbox(kind: SandboxChoice, place: Path) -> None:
    assert attempt(kind, place, "exit 3").exit_code == 3
    assert attempt(kind, place, "kill -SEGV $$").signal == "SIGSEGV"


def test_a_program_can_clean_up_at_its_limit(kind: SandboxChoice, place: Path) -> None:
    command = f"trap 'echo cleaned; exit 0' TERM; echo begun; {FOREVER} & wait"
    _, done = limit_to_begin(
        lambda limit: attempt(kind, place, command, limit=limit),
        lambda done: done.output != "",
    )
    assert (done.timed_out, done.output) == (True, "begun\ncleaned\n")


def test_what_left_its_group_ends_too(bubblewrap: SandboxChoice, place: Path) -> None:
    cancel, pid = threading.Event(), place / "root/pid"
    script = f"setsid sh -c 'trap \"\" TERM; touch mine; readlink /proc/self/ns/pid > pid; {FOREVER}' & {FOREVER}"
    canceller = set_when(cancel, lambda: has_text(pid))
    done = attempt(bubblewrap, place, script, "write", cancel=cancel)
    canceller.join()
    assert done.cancelled
    namespace = pid.read_text().strip()
    assert wait_until_gone_from(namespace)


def test_a_killed_holdfast_leaves_no_process(bubblewrap: SandboxChoice, place: Path) -> None:
    pid = place / "root/pid"
    command = f"setsid sh -c 'readlink /proc/self/ns/pid > pid; {FOREVER}' & {FOREVER}"
    request = {"place": str(place), "kind": bubblewrap, "command": command, "level": "write"}
    words = [sys.executable, "-m", "tests.adapters.sandbox.attempt", json.dumps(request)]
    with subprocess.Popen(words, cwd=Path(__file__).parents[3]) as holdfast:
        assert wait_until(lambda: has_text(pid))
        holdfast.kill()
    assert wait_until_gone_from(pid.read_text().strip())


STRAY = f"setsid env -i sh -c 'trap \"\" TERM; echo $$ > pid; {FOREVER}' > /dev/null 2>&1 & "
"""A process with a session and an environment of its own, which writes its number."""


def test_with_landlock_what_left_its_group_ends_with_the_command(
    landlock: SandboxChoice, place: Path
) -> None:
    done = attempt(landlock, place, f"{STRAY} until test -s pid; do sleep 0.1; done", "write")
    assert done.exit_code == 0
    assert wait_until_gone(int((place / "root/pid").read_text()))


def test_with_landlock_a_cancel_ends_what_left_its_group(
    landlock: SandboxChoice, place: Path
) -> None:
    cancel, pid = threading.Event(), place / "root/pid"
    canceller = set_when(cancel, lambda: has_text(pid))
    done = attempt(landlock, place, f"trap '' TERM; {STRAY} {FOREVER}", "write", cancel=cancel)
    canceller.join()
    assert done.cancelled
    assert wait_until_gone(int(pid.read_text()))


def test_with_landlock_a_killed_holdfast_leaves_no_process(
    landlock: SandboxChoice, place: Path
) -> None:
    pid = place / "root/pid"
    request = {"place": str(place), "kind": landlock, "command": STRAY + FOREVER, "level": "write"}
    words = [sys.executable, "-m", "tests.adapters.sandbox.attempt", json.dumps(request)]
    with subprocess.Popen(words, cwd=Path(__file__).parents[3]) as holdfast:
        assert wait_until(lambda: has_text(pid))
        holdfast.kill()
    assert wait_until_gone(int(pid.read_text()))


def wait_until_gone_from(namespace: str) -> bool:
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            found = str((folder / "ns/pid").readlink())
        except OSError:
            continue
        if found == namespace and not wait_until_gone(int(folder.name)):
            return False
    return True


def test_a_cache_of_a_toolchain_is_written_to_in_private(
    bubblewrap: SandboxChoice, place: Path
) -> None:
    done = attempt(
        bubblewrap,
        place,
        "echo evil > ~/.cargo/registry/crate.rs && cat ~/.cargo/registry/crate.rs",
        "write",
    )
    assert done.output == "evil\n"
    assert (place / "home/.cargo/registry/crate.rs").read_text() == "crate\n"


def test_a_program_that_is_none_is_told_as_without_a_sandbox(
    kind: SandboxChoice, place: Path
) -> None:
    root = str(place / "root")
    commands = OsCommands(root, open_at(kind, place))
    for words, code, output in (
        (["no-such-program"], 127, "no-such-program: no such program."),
        (["./a.txt"], 126, "./a.txt: this cannot be run (Permission denied)."),
    ):
        done = commands.run(words, "read", cwd=root, timeout=LONGEST, cancel=threading.Event())
        assert (done.exit_code, done.output) == (code, output)


def test_a_long_line_takes_no_longer_than_many_short_ones() -> None:
    """Each state of a progress bar is looked for once: twice the line takes twice the time."""
    assert readable("\0" * 2_000_000) == "\0" * 2_000_000
    assert readable("10%\r" * 200_000 + "done\n" + "20%\r\nlast\r") == "done\n20%\n"
