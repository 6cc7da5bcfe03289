"""The program that compiles and renders chat templates, one request a line of JSON.

An answer is a line for the compiling and one for each rendered text; a fault is the last of them.

It runs beside the trainer, because a template is a program and no interpreter bounds what one of
its expressions may cost: the kernel does. Computing time and memory are limits of this process, so
work inside of one operation ends as surely as a loop.
"""

from __future__ import annotations

import datetime
import functools
import json
import signal
import sys
from typing import Any, NoReturn

import jinja2
from jinja2 import nodes
from jinja2.ext import Extension
from jinja2.parser import Parser
from jinja2.sandbox import ImmutableSandboxedEnvironment

from ..process_guard import die_with_parent

MEMORY_BYTES = 512 * 1024 * 1024
# A prompt longer than this is a runaway loop.
MAX_RENDERED_CHARACTERS = 4_000_000
MAX_FAULT_CHARACTERS = 300


# What a template is told of today: the date that Llama's own takes where it is told none. With the
# real one a run that goes on tomorrow would ask other prompts than the same run today.
DAY_OF_PROMPTS = datetime.datetime(2024, 7, 26)


class Generation(Extension):
    """`{% generation %}` marks what the model wrote, for training elsewhere; here it is text."""

    tags = {"generation"}  # noqa: RUF012 - as the library declares it

    def parse(self, parser: Parser) -> list[nodes.Node]:
        next(parser.stream)
        return parser.parse_statements(("name:endgeneration",), drop_needle=True)


def main() -> None:
    """Answers requests until standard input ends or a limit ends the process."""
    die_with_parent()
    if sys.platform != "win32":
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    for line in sys.stdin.buffer:
        request = json.loads(line)
        for values in [None, *request["conversations"]]:
            _limit_computing(request["seconds"])
            answer = _answer(request["source"], values)
            _limit_computing(0)
            sys.stdout.buffer.write(json.dumps(answer).encode() + b"\n")
            if "fault" in answer:
                break
        sys.stdout.buffer.flush()


def _limit_computing(seconds: float) -> None:
    """The signal keeps its default, which ends the process wherever it is. 0 takes it away."""
    if sys.platform != "win32":
        signal.setitimer(signal.ITIMER_PROF, seconds)


def _answer(source: str, values: dict[str, Any] | None) -> dict[str, str]:
    """The `text`, empty where values are None and the template is only compiled; or the `fault`."""
    try:
        template = _compiled(source)
        text = "" if values is None else template.render(**values)
        text.encode()
    except MemoryError:
        return {"fault": f"it takes more than {MEMORY_BYTES >> 20} MiB of memory"}
    except RecursionError:
        return {"fault": "it calls itself without end"}
    except UnicodeEncodeError:
        return {"fault": "its text is not valid Unicode"}
    except jinja2.TemplateError as error:
        return {"fault": _sentence(str(error))}
    except Exception as error:  # noqa: BLE001 - operations of a template raise what they like
        return {"fault": _sentence(f"{type(error).__name__}: {error}")}
    if len(text) > MAX_RENDERED_CHARACTERS:
        return {"fault": f"it writes more than {MAX_RENDERED_CHARACTERS:,} characters"}
    return {"text": text}


def _sentence(text: str) -> str:
    return " ".join(text.split())[:MAX_FAULT_CHARACTERS].rstrip(".")


@functools.lru_cache(maxsize=8)
def _compiled(source: str) -> jinja2.Template:
    # Same settings as the transformers library, so that published templates render the same.
    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols", Generation]
    )
    environment.filters["tojson"] = lambda value, indent=None: json.dumps(
        value, ensure_ascii=False, indent=indent
    )
    environment.globals["raise_exception"] = _raise_from_template
    environment.globals["strftime_now"] = DAY_OF_PROMPTS.strftime
    return environment.from_string(source)


def _raise_from_template(message: str) -> NoReturn:
    raise jinja2.TemplateError(message)


if __name__ == "__main__":
    main()
