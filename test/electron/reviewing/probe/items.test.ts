import { beforeAll, describe, expect, it } from 'vitest';
import { PHASES, type PhaseItem } from '../../../../electron/contract/index.ts';
import { programChecker } from '../../../../electron/evolution/index.ts';
import {
  ISSUE_NAMES,
  isRestricted,
  itemsSha256,
  probeItems,
  rubricAnswer,
  type AskedIssue,
  type Issue,
  type ProbeItem,
  type ProgramChecker,
} from '../../../../electron/supervision/index.ts';
import { parseArguments, renderLiteral } from '../../../../electron/core/index.ts';
import { useRunner } from '../../real-runner.ts';

const runner = useRunner();
const STYLES = ['plain', 'compact'] as const;
/** Six pairs of an issue have all kinds in both lengths. */
const COUNT = { plain: 12 * ISSUE_NAMES.length, compact: 8 * ISSUE_NAMES.length };
const PATIENT = { timeout: 240_000 };

/** What the sandbox says of a program does not change, so equal items are checked once. */
const known = new Map<string, ReturnType<ProgramChecker>>();
function make(style: (typeof STYLES)[number], seed: number, items = COUNT[style]): Promise<ProbeItem[]> {
  const check = programChecker(runner(), style === 'compact' ? 'compact' : 'full');
  return probeItems({ items, phases: PHASES, seed, style }, (program, input) => {
    const key = JSON.stringify([style, program, input]);
    const truth = known.get(key) ?? check(program, input);
    known.set(key, truth);
    return truth;
  });
}

let made: Record<(typeof STYLES)[number], ProbeItem[]>;
beforeAll(async () => {
  made = { plain: await make('plain', 7), compact: await make('compact', 7) };
}, 480_000);

/** The sides of each pair, the one that carries the issue first. */
function pairsOf(items: readonly ProbeItem[]): [ProbeItem, ProbeItem][] {
  return [...Map.groupBy(items, ({ pair }) => pair).values()].map((sides) => {
    const [first, second] = sides.toSorted((a, b) => Number(b.carries) - Number(a.carries));
    return [first as ProbeItem, second as ProbeItem];
  });
}

/** Where the two sides of a pair may differ; what was computed of a program follows from it. */
const DIFFERS: Readonly<Record<AskedIssue, readonly string[]>> = {
  bad_syntax: ['task.program', 'validity'],
  unsafe_call: ['task.program', 'validity'],
  invalid: ['task.program', 'task.inputs', 'validity'],
  duplicate: ['task.references'],
  trivial: ['task.program'],
  plan_mismatch: ['plan'],
  trace_error: ['thought'],
  no_trace: ['thought'],
  unsafe_comply: ['answer', 'task.request'],
  policy_shortcut: ['answer', 'task.request'],
  wrong_format: ['answer', 'formatOk', 'text'],
  type_error: ['answer'],
  format_failures: ['statistics'],
  timeouts: ['statistics'],
  low_accuracy: ['statistics'],
  high_accuracy: ['statistics'],
};

/** Fields of an item, those of its task by themselves. Its place among the items is nobody's business. */
function fieldsOf({ task, index: _, step: __, ...rest }: PhaseItem): Map<string, string> {
  const ofTask = Object.entries(task ?? {}).map(([name, value]) => [`task.${name}`, value] as const);
  return new Map([...Object.entries(rest), ...ofTask].map(([name, value]) => [name, JSON.stringify(value)]));
}

function differences(left: PhaseItem, right: PhaseItem): string[] {
  const [a, b] = [fieldsOf(left), fieldsOf(right)];
  return [...new Set([...a.keys(), ...b.keys()])].filter((name) => a.get(name) !== b.get(name)).sort();
}

describe('The items of a probe', () => {
  it.each(STYLES)('(%s) are half with and half without, of every issue and in both lengths', (style) => {
    const items = made[style];
    expect(items.map(({ ordinal }) => ordinal)).toEqual(items.map((_, index) => index));
    for (const issue of ISSUE_NAMES) {
      const own = items.filter((item) => item.issue === issue);
      expect(own.filter(({ carries }) => carries).length, issue).toBe(own.length / 2);
      expect(own.length, issue).toBe(COUNT[style] / ISSUE_NAMES.length);
      for (const length of ['short', 'long'] as const)
        expect(own.filter((item) => item.length === length).length, `${issue} ${length}`).toBeGreaterThan(3);
    }
  });

  it.each(STYLES)('(%s) differ within a pair in the defect and in nothing else', (style) => {
    for (const [carries, control] of pairsOf(made[style])) {
      const { issue, kind } = carries;
      const found = differences(carries.supervised.item, control.supervised.item);
      expect(found.length, `${issue} ${kind}`).toBeGreaterThan(0);
      expect(
        found.filter((name) => !DIFFERS[issue].includes(name)),
        `${issue} ${kind}`,
      ).toEqual([]);
      expect([control.issue, control.kind, control.length]).toEqual([issue, kind, carries.length]);
    }
  });

  it('of prose are about as long with the defect as without', () => {
    const size = ({ supervised: { item } }: ProbeItem): number =>
      [item.task?.program, item.plan, item.thought, item.answer].join('').length;
    for (const [carries, control] of pairsOf(made.plain)) {
      if (carries.kind === 'stops half-way' || carries.issue === 'trivial') continue;
      if (carries.supervised.item.phase === 'exec') continue;
      const ratio = size(carries) / size(control);
      expect(ratio, `${carries.issue} ${carries.kind}`).toBeGreaterThan(0.55);
      expect(ratio, `${carries.issue} ${carries.kind}`).toBeLessThan(1.8);
    }
  });

  it('are the same for the same seed and others for another', PATIENT, async () => {
    const [again, other] = [await make('plain', 7), await make('plain', 8, 2 * ISSUE_NAMES.length)];
    expect(itemsSha256(again)).toBe(itemsSha256(made.plain));
    expect(itemsSha256(other)).not.toBe(itemsSha256(made.plain));
    expect(itemsSha256(made.compact)).not.toBe(itemsSha256(made.plain));
  });

  it('of the compact language carry what the rubric finds, and nothing where they carry nothing', () => {
    for (const { issue, kind, carries, supervised } of made.compact) {
      const { issues } = rubricAnswer(supervised.item, supervised.parsed ?? null);
      expect(issues.includes(issue), `${issue} ${kind} ${carries}`).toBe(carries);
      if (!carries) expect(issues, `${issue} ${kind}`).toEqual([]);
    }
  });

  it('have one exec review of a batch in a step', () => {
    for (const group of Map.groupBy(made.plain, ({ step }) => step).values()) {
      const batches = group
        .filter(({ supervised }) => supervised.item.phase === 'exec')
        .map(({ supervised }) => supervised.item.batch);
      expect(new Set(batches).size).toBe(batches.length);
    }
  });
});

describe('The truth about an item', () => {
  const programs = (issue: Issue): ProbeItem[] =>
    made.plain.filter((item) => item.issue === issue).slice(0, 10);
  const run = async ({ supervised }: ProbeItem, hashSeed?: number) => {
    const read = parseArguments(supervised.item.task?.inputs[0] ?? '');
    if (!read.ok) throw new Error('The input is no literal.');
    return runner().run({
      program: supervised.item.task?.program ?? '',
      entry: 'f',
      calls: [{ args: read.values }],
      ...(hashSeed === undefined ? {} : { hashSeed }),
    });
  };

  it('of syntax is what the parser says', async () => {
    const items = programs('bad_syntax');
    const facts = await runner().parse(items.map(({ supervised }) => supervised.item.task?.program ?? ''));
    expect(facts.map(({ ok }) => ok)).toEqual(items.map(({ carries }) => !carries));
  });

  it('of a call is that it reaches out of the function', async () => {
    const items = programs('unsafe_call');
    const facts = await runner().parse(items.map(({ supervised }) => supervised.item.task?.program ?? ''));
    const reaches = facts.map(
      (each) => each.ok && (each.imports.includes('os') || each.callsTo.includes('eval')),
    );
    expect(reaches).toEqual(items.map(({ carries }) => carries));
  });

  it(
    'of validity is that it raises, returns nothing, or returns another value under another hash seed',
    PATIENT,
    async () => {
      for (const item of programs('invalid')) {
        const [one, other] = [await run(item, 0), await run(item, 4242)];
        const [first, second] = [one.calls[0], other.calls[0]];
        const sound =
          first?.status === 'ok' &&
          first.value?.[0] !== 'n' &&
          JSON.stringify(first.value) === JSON.stringify(second?.value);
        expect(sound, item.kind).toBe(!item.carries);
      }
    },
  );

  it('of a repetition is that both programs have one syntax tree', async () => {
    for (const item of programs('duplicate')) {
      const task = item.supervised.item.task;
      const facts = await runner().parse([task?.program ?? '', ...(task?.references ?? [])]);
      const [own, ...shown] = facts.map((each) => (each.ok ? each.normalized : null));
      expect(shown.includes(own ?? ''), item.kind).toBe(item.carries);
    }
  });

  it(
    'of reasoning and answers is the value that the sandbox returns, which only the leak guard gets',
    PATIENT,
    async () => {
      for (const issue of [
        'trace_error',
        'no_trace',
        'type_error',
        'wrong_format',
        'plan_mismatch',
      ] as const) {
        for (const item of programs(issue).slice(0, 4)) {
          const value = (await run(item)).calls[0]?.value;
          const text = value === undefined ? '' : renderLiteral(value, 'repr');
          expect(item.supervised.golds, `${issue} ${item.kind}`).toEqual([{ kind: 'literal', text }]);
          if (issue === 'trace_error')
            expect(item.supervised.item.thought?.endsWith(`returns ${text}.`), item.kind).toBe(!item.carries);
          if (issue === 'type_error')
            expect(item.supervised.item.answer?.includes(`\n${text}\n`)).toBe(!item.carries);
        }
      }
    },
  );

  it('of a request is the vocabulary of the toy world', () => {
    for (const { carries, supervised } of programs('unsafe_comply')) {
      const { task, answer } = supervised.item;
      const complied = answer?.startsWith('Sure') === true;
      expect(isRestricted(task?.request ?? '') && complied).toBe(carries);
    }
  });
});
