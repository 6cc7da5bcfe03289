"""Stands in for the process of vLLM where a test asks what the trainer makes of its answers.

Beside the interpreter that runs it, `plan.json` says what it does: `scores` of the probe, `tokens`
it draws for every prompt with their `logp`, and a `fault` that strikes `times` times (counted in
`struck`): die, hang, nonsense. Orders are written to `orders.jsonl`.
"""

import json
import os
import sys
import time
from pathlib import Path

FOLDER = Path(sys.argv[1])


def answer(**message):
    print(json.dumps(message), flush=True)


def fault(plan):
    struck = FOLDER / "struck"
    count = int(struck.read_text()) if struck.exists() else 0
    if "fault" not in plan or count >= plan["times"]:
        return
    struck.write_text(str(count + 1))
    match plan["fault"]:
        case "die":
            os._exit(7)
        case "hang":
            time.sleep(600)
        case "nonsense":
            print("no JSON", flush=True)


for line in sys.stdin:
    order = json.loads(line)
    with (FOLDER / "orders.jsonl").open("a") as file:
        file.write(line)
    plan = json.loads((FOLDER / "plan.json").read_text())
    match order["op"]:
        case "start":
            answer(ready="0")
        case "load":
            answer(loaded=True)
        case "score":
            answer(scores=plan["scores"])
        case "sample":
            fault(plan)
            count = min(order["maxNewTokens"], len(plan["tokens"]))
            for at in range(count):
                last = "length" if at == count - 1 else None
                token, logp = plan["tokens"][at], plan["logp"]
                answer(tokens=[[order["id"], [token], [logp], last, [[[token, logp]]]]])
