"""
Prompts as they were sent: the system prompt with C_t of the step, the same for proposer, solver
and estimates (ANCHOR section 4), and what a solver was shown of its task.
"""

from __future__ import annotations

import json
from pathlib import Path

from jinja2 import TemplateError
from jinja2.sandbox import ImmutableSandboxedEnvironment
from tokenizers import Tokenizer

from .canonical import canonical, sha256
from .findings import Ledger
from .lab import Record
from .packs import Pack
from .programs import CODE_TYPES


class Chat:
    """Tokenizer and chat template of a checkpoint."""

    def __init__(self, folder: Path) -> None:
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.config: Record = json.loads((folder / "tokenizer_config.json").read_text("utf-8"))
        apart = folder / "chat_template.jinja"
        source = apart.read_text("utf-8") if apart.is_file() else self.config.get("chat_template")
        environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True)
        self._template = environment.from_string(source) if isinstance(source, str) else None
        said, asked = "what the system says", "what is asked"
        self._has_place = {
            False: said in (self._written(said, None) or ""),
            True: said in (self._written(said, asked) or ""),
        }

    def count(self, text: str) -> int:
        return len(self.ids(text))

    def ids(self, text: str) -> list[int]:
        return list(self.tokenizer.encode(text, add_special_tokens=False).ids)

    def rendered(self, system: str, user: str | None = None) -> str | None:
        """The text of a prompt; None without a template that can render it."""
        if self._has_place[user is not None]:
            return self._written(system, user)
        # Where the template refuses a system text or leaves it out, the question begins with it.
        parts = [one for one in (system.strip(), user) if one]
        return self._written(None, "\n\n".join(parts))

    def _written(self, system: str | None, user: str | None) -> str | None:
        if self._template is None:
            return None
        special = {name: self._text_of(name) for name in ("bos_token", "eos_token", "pad_token")}
        turns = [("system", system), ("user", user)]
        messages = [{"role": who, "content": text} for who, text in turns if text is not None]
        try:
            return self._template.render(
                messages=messages, add_generation_prompt=True, enable_thinking=False, **special
            )
        except TemplateError:
            return None

    def _text_of(self, name: str) -> str:
        token = self.config.get(name) or ""
        return str(token["content"]) if isinstance(token, dict) else str(token)


QUESTION = "question"


class Prompts:
    def __init__(self, ledger: Ledger, run: Record, pack: Pack, chat: Chat | None) -> None:
        self.ledger, self.pack, self.chat = ledger, pack, chat
        self.thinks = run["config"]["policy"].get("thinking") == "on"

    def system(self, rollout: Record, context: Record) -> str | None:
        template = "system-question" if rollout["taskType"] == QUESTION else "system"
        return self.pack.fill(template, role=rollout["role"], context=context["text"])

    def tokens_of(self, context: str) -> int | None:
        """What a context's record counts: the text as a system message by itself, with the marks
        that the template puts around it."""
        if self.chat is None:
            return None
        if context == "":
            return 0
        is_plain = self.pack.find("frame.txt") is not None
        text = context if is_plain else self.chat.rendered(context)
        return None if text is None else self.chat.count(text)

    def why_not(self, rollout: Record) -> str | None:
        """Why the text of a prompt is not made again; None where it is."""
        if self.pack.find("frame.txt") is not None:
            return f"the pack {self.pack.name} has a template of its own"
        if self._is_opened(rollout):
            return "an answer that was begun for the policy"
        return "a policy that thinks in a form of its own" if self.thinks else None

    def verify(
        self,
        rollout: Record,
        context: Record,
        task: Record | None,
        sent: Record | None,
    ) -> None:
        """`sent`: the system prompt as it was recorded when it was sent; None of runs from before
        it was."""
        rule, about = "prompts.context", rollout["id"]
        self.ledger.check(rule, f"{about}, hash of C_t", rollout["contextHash"], context["hash"])
        system = self.system(rollout, context)
        why = self.why_not(rollout)
        if system is not None:
            self._verify_sent(rollout, system, sent, why)
        if why is not None or system is None or self.chat is None:
            self.ledger.skip("prompts.tokens", why or "no tokenizer is kept")
        else:
            text = self.chat.rendered(system, rollout["user"])
            if text is None:
                self.ledger.skip("prompts.tokens", "a chat template that renders otherwise")
            else:
                count = self.chat.count(text)
                self.ledger.check("prompts.tokens", about, rollout["promptTokens"], count)
        if rollout["purpose"] != "propose":
            self._verify_task(rollout, task)
        elif rollout["taskType"] == QUESTION:
            self.ledger.check(
                "prompts.task", about, rollout["user"], self.pack.fill("propose-question")
            )

    def _verify_sent(
        self, rollout: Record, system: str, sent: Record | None, why: str | None
    ) -> None:
        """What was heard on its way to the weights is what the records say was sent."""
        about, is_plain = rollout["id"], self.pack.find("frame.txt") is not None
        if sent is None:
            for rule in ("prompts.system", "prompts.sent"):
                self.ledger.skip(rule, "what was sent was not recorded")
            return
        if sent["sha256"] is not None:
            said = sent["text"]
            self.ledger.check("prompts.system", about, said, system)
            self.ledger.check(
                "prompts.system", f"{about}, hash", sent["sha256"], sha256(said or "")
            )
        else:
            self.ledger.skip("prompts.system", "a prompt of one plain text")
        if why is not None and not (is_plain and not self._is_opened(rollout)):
            self.ledger.skip("prompts.sent", why)
            return
        if is_plain:
            plain = self.pack.fill("frame", system=system, user=rollout["user"])
            content: Record = {"plain": plain}
        else:
            messages = [("system", system), ("user", rollout["user"])]
            content = {"messages": [{"role": role, "content": text} for role, text in messages]}
        self.ledger.check("prompts.sent", about, sent["prompt"], sha256(canonical(content)))

    def _is_opened(self, rollout: Record) -> bool:
        """Whether the pack begins the answer for the policy."""
        kind = "propose" if rollout["purpose"] == "propose" else "solve"
        return self.pack.find(f"open-{kind}-{rollout['taskType']}.txt") is not None

    def _verify_task(self, rollout: Record, task: Record | None) -> None:
        """A solver sees its task as the pack words it: of an induction the first half of the pairs,
        and never an answer."""
        rule = "prompts.task"
        if task is None:
            self.ledger.skip(rule, "the task was not kept")
            return
        if rollout["purpose"] == "solve" and task["origin"] in ("proposal", "labelled"):
            older = task["step"] < rollout["step"]
            self.ledger.check(rule, f"{rollout['id']}, task of an earlier step", older, True)
        if rollout["taskType"] == QUESTION:
            text = self.pack.fill("solve-question", question=task["message"])
            self.ledger.check(rule, rollout["id"], rollout["user"], text)
            return
        if rollout["taskType"] not in CODE_TYPES:
            self.ledger.check(rule, rollout["id"], rollout["user"], task["message"])
            return
        values = {"program": task["program"], "message": task["message"] or ""}
        if rollout["taskType"] == "induction":
            shown = len(task["inputs"]) // 2
            pairs = list(zip(task["inputs"], task["outputs"], strict=True))[:shown]
            written = [self.pack.fill("example", input=i, output=o) or "" for i, o in pairs]
            values["examples"] = "\n".join(written)
        else:
            values |= {"input": task["inputs"][0], "output": task["outputs"][0]}
        text = self.pack.fill(f"solve-{rollout['taskType']}", **values)
        self.ledger.check(rule, rollout["id"], rollout["user"], text)
