import { sampleWithoutReplacement, shuffle } from '../../electron/core/index.ts';

/**
 * One program and the calls of it that one step of Absolute Zero makes. `proposed` programs are executed twice over, as the
 * determinism check of either side does.
 */
export type Unit = { program: string; args: number[]; proposed: boolean };

/** The function hangs for this argument and for no other. */
export const HANGING = -1;

/** Programs of the size and kind a small policy proposes; each takes one integer. */
const BODIES = [
  'return sorted(range(x % 30), key=lambda n: (n * 7) % 11)',
  'words = ["alpha", "beta", "gamma", "delta"]\n    return " ".join(words[(x + n) % 4] for n in range(x % 9 + 1))',
  'a, b = 0, 1\n    for _ in range(x % 60):\n        a, b = b, a + b\n    return a',
  'seen = {}\n    for n in range(x % 40):\n        seen[n % 7] = seen.get(n % 7, 0) + n\n    return seen',
  'total = 0\n    while x:\n        total, x = total + x % 10, x // 10\n    return total',
  'text = str(x) * 3\n    return text[::-1].replace("1", "one")',
  'return [n for n in range(2, x % 50 + 3) if all(n % d for d in range(2, n))]',
  'return {"even": x % 2 == 0, "digits": [int(d) for d in str(x)], "half": x / 2}',
];

function programOf(index: number): string {
  return `def f(x):\n    while x == ${HANGING}:\n        pass\n    ${BODIES[index % BODIES.length] ?? ''}  # ${index}\n`;
}

/**
 * About `executions` calls, shaped like one step of the original at its full batch (64 prompts a task type, 8 estimates a
 * proposal, 10 inputs an induction proposal of which 5 are held out), of which the share `hangs` never ends. The same
 * numbers give the same work.
 */
export function makeWork(executions: number, hangs: number, seed: number): Unit[] {
  const shape: { share: number; calls: number; proposed: boolean }[] = [
    { share: 128 / 4800, calls: 1, proposed: true }, // abduction and deduction proposals
    { share: 640 / 4800, calls: 10, proposed: true }, // induction proposals
    { share: 1024 / 4800, calls: 1, proposed: false }, // estimates of abduction and deduction
    { share: 2560 / 4800, calls: 5, proposed: false }, // estimates of induction
    { share: 128 / 4800, calls: 1, proposed: false }, // solutions
    { share: 320 / 4800, calls: 5, proposed: false },
  ];
  const units = shape.flatMap(({ share, calls, proposed }, kind) =>
    Array.from({ length: Math.max(1, Math.round((share * executions) / calls)) }, (_, index): Unit => ({
      program: programOf(kind * 1000 + index),
      args: Array.from({ length: calls }, (__, call) => 37 * index + 11 * call + kind),
      proposed,
    })),
  );
  const places = units.flatMap((unit) => unit.args.map((_, call) => ({ unit, call })));
  for (const { unit, call } of sampleWithoutReplacement(
    places,
    Math.round(places.length * hangs),
    seed,
    'hang',
  ))
    unit.args[call] = HANGING;
  return shuffle(units, seed, 'order');
}
