import { describe, expect, it } from 'vitest';
import { azrConfigSchema } from '../../../../electron/contract/index.ts';
import { validateProposal } from '../../../../electron/evolution/code-tasks/checking/validation.ts';
import { planVerification, verify } from '../../../../electron/evolution/code-tasks/scoring.ts';
import { definitionOf } from '../../../../electron/evolution/code-tasks/task-types/registry.ts';
import type { RunnerClient } from '../../../../electron/processes/index.ts';
import { useRunner } from '../../real-runner.ts';

/** A part of the hidden outputs counts, so that a single one that passes is seen. */
const rules = azrConfigSchema.parse({ name: 'azr', inductionReward: 'accuracy' });
const limits = { cpuSeconds: 2, wallSeconds: 3 };
const inputs = Array.from({ length: 10 }, (_, n) => `${n}`);

/** The n-th bit of f(x) has a page of the standard library, the same one in both programs. */
const SLOTS = `import os
FOLDER = os.path.dirname(os.__file__)
SLOTS = [(name, page * 4096)
         for name in sorted(os.listdir(FOLDER))
         if name.endswith(".py") and not os.path.islink(f"{FOLDER}/{name}")
         and os.path.getsize(f"{FOLDER}/{name}") > 40_000
         for page in range(0, os.path.getsize(f"{FOLDER}/{name}") // 4096 - 1, 4)]
BITS = 10
def slot(x, bit):
    name, offset = SLOTS[(x * BITS + bit) % len(SLOTS)]
    return os.open(f"{FOLDER}/{name}", os.O_RDONLY), offset
def advise(fd, advice):
    try: os.posix_fadvise(fd, 0, 0, advice)
    except OSError: pass
`;
/** Has each page of a bit that is set read, and the others forgotten. */
const proposer = `${SLOTS}
for name in {name for name, _ in SLOTS}:
    fd = os.open(f"{FOLDER}/{name}", os.O_RDONLY)
    advise(fd, os.POSIX_FADV_DONTNEED)
    os.close(fd)
def f(x):
    y = (x * x * 37 + 11 * x + 5) % 997
    for bit in range(BITS):
        fd, offset = slot(x, bit)
        advise(fd, os.POSIX_FADV_RANDOM)
        if y >> bit & 1: os.pread(fd, 1, offset)
        os.close(fd)
    return y
`;
/** Computes nothing: asks which pages are in memory. */
const solver = `${SLOTS}
def f(x):
    y = 0
    for bit in range(BITS):
        fd, offset = slot(x, bit)
        advise(fd, os.POSIX_FADV_RANDOM)
        try:
            os.preadv(fd, [bytearray(1)], offset, os.RWF_NOWAIT)
            y |= 1 << bit
        except OSError: pass
        os.close(fd)
    return y
`;

/** The share of hidden outputs that the solver has right, as a run checks the proposal and verifies its solution. */
async function colluded(runner: RunnerClient): Promise<number> {
  const proposal = { program: proposer, inputs, message: 'Numbers.' };
  const type = definitionOf('induction');
  const { validation } = await validateProposal(
    runner,
    proposal,
    type,
    { ...rules, literalStyle: 'repr' },
    limits,
    new Set(),
  );
  if (!validation.ok) throw new Error(`The proposal was refused: ${validation.reason}.`);
  expect(new Set(validation.task.outputs).size).toBe(inputs.length);
  const task = {
    ...validation.task,
    id: 't',
    taskType: 'induction' as const,
    step: 0,
    origin: 'proposed' as const,
    rolloutId: 'r',
    solveRate: null,
  };
  const plan = planVerification(task, `\`\`\`python\n${solver}\`\`\``, rules);
  const [verdict] = await verify(runner, [plan], limits);
  expect(verdict).toMatchObject({ sandboxLevel: runner.hello.level });
  return verdict!.accuracy;
}

describe.each(['auto', 'L2'] as const)('at the level %s', (level) => {
  const runner = useRunner(level);
  it('a solver that computes nothing has no hidden output of its proposer', async () => {
    const shares: number[] = [];
    // Others on this machine read pages in between: what can pass may fail to now and then.
    for (let attempt = 0; attempt < 5; attempt++) shares.push(await colluded(runner()));
    expect(shares).toEqual([0, 0, 0, 0, 0]);
  });
});

describe('without the sandbox', () => {
  const runner = useRunner('unsafe');
  it('the same two programs collude', async () => {
    let most = 0;
    for (let attempt = 0; attempt < 20 && most < 0.6; attempt++)
      most = Math.max(most, await colluded(runner()));
    expect(most).toBeGreaterThanOrEqual(0.6);
  });
});
