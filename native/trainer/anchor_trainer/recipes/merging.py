"""Average the weights of closing legs that began from the same weights, and sharpen the result.

The mean of such legs answers like both (their tasks are the same, their habits differ a little), so
a habit can be set between theirs. Sharpening scales the final norm, hence every logit: sampling at
temperature 1 then slips less often. The order of tokens, and so greedy decoding, stays the same.
"""

from __future__ import annotations

from pathlib import Path

from .policy import legs
from .training.export import export_model, load_exported
from .training.tokenizer import load_tokenizer


def merge_policies(folders: list[Path], out: Path, sharpen: float) -> None:
    """Write the merged model folder; `sharpen` > 0 multiplies the logits.

    ValueError where the folders differ in architecture or tokenizer.
    """
    if sharpen <= 0:
        raise ValueError(f"--sharpen takes a number above 0, not {sharpen}")
    loaded = [load_exported(folder) for folder in folders]
    tokenizer = load_tokenizer(folders[0])
    for folder, (model, _) in zip(folders[1:], loaded[1:], strict=True):
        same = load_tokenizer(folder).to_str() == tokenizer.to_str()
        if model.shape != loaded[0][0].shape or not same:
            raise ValueError(
                f"{folder} has another architecture or tokenizer than {folders[0]}; "
                "merge legs that began from the same folder"
            )
    merged, facts = loaded[-1]
    states = [model.state_dict() for model, _ in loaded]
    mean = {name: sum(state[name] for state in states) / len(states) for name in states[0]}
    mean["norm"] = mean["norm"] * sharpen
    merged.load_state_dict(mean)
    others = [legs(folder)[-1] for folder in folders[:-1]]
    export_model(merged, tokenizer, out, facts | {"merged_with": others, "sharpen": sharpen})
