import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it, vi } from 'vitest';
import { stringify } from 'yaml';
import { buildRunConfig } from '../../../electron/cli/commands/run.ts';
import {
  Failure,
  runConfigFields,
  runConfigSchema,
  storedRunConfigSchema,
  type RunConfig,
} from '../../../electron/contract/index.ts';
import { PRESET_NAMES, PRESETS } from '../../../electron/evolution/index.ts';
import { configFromYaml, configToYaml } from '../../../electron/plan/index.ts';
import { openLab } from '../../../electron/store/index.ts';
import { Draw, HOSTILE_TEXTS, hostileValue } from '../../support/drawn.ts';
import { drawnFor, placesIn, withPlace } from '../../support/schema-values.ts';

const folder = mkdtempSync(join(tmpdir(), 'anchor-config-fuzz-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Pieces of YAML that mean something to its readers. */
const SNIPPETS: readonly string[] = [
  '!!js/function "x"',
  '!!python/object/apply:os.system [id]',
  '!!set {a, b}',
  '!!timestamp 2026-01-01',
  '!!binary aGk=',
  '!local 1',
  '&x [*x]',
  '&x {a: *x}',
  '*nowhere',
  '<<: {steps: 3}',
  '? [a, b]\n: 1',
  '{a: 1}: 2',
  '---\n',
  '...\n',
  '%YAML 1.1\n---\n',
  '%TAG ! tag:x,2000:\n---\n',
  '__proto__: {steps: 3}',
  '"__proto__": {"polluted": true}',
  'constructor: {prototype: {polluted: true}}',
  '0x1fffffffffffffffff',
  '.inf',
  '.nan',
  '-0',
  '|\n  text\n   more',
  '>-\n\tx',
  '\t',
  '# nothing',
  '[',
  '}',
  '"',
  "'",
  '[['.repeat(60),
  '[{"a":'.repeat(320),
  '- '.repeat(200),
];

const tree = (draw: Draw): unknown => {
  const base: unknown = draw.chance(0.5)
    ? draw.pick([{}, ...PRESET_NAMES.map((name) => PRESETS[name])])
    : drawnFor(runConfigFields, draw);
  let mutated = draw.chance(0.5) ? (runConfigSchema.safeParse(base).data ?? base) : base;
  for (let changes = draw.below(3); changes > 0; changes -= 1) {
    const place = draw.pick(placesIn(mutated));
    const other = draw.chance(0.4) ? draw.pick([1, 2, 0.25, 'x', true, null, []]) : hostileValue(draw);
    mutated = withPlace(mutated, draw.chance(0.2) ? [...place, draw.pick(HOSTILE_TEXTS)] : place, other);
  }
  return mutated;
};

const written = (draw: Draw): string => {
  const value = tree(draw);
  return (draw.chance(0.5) ? JSON.stringify(value) : stringify(value)) ?? '';
};

const damaged = (draw: Draw): string => {
  let text = written(draw);
  for (let cuts = draw.chance(0.5) ? 0 : 1 + draw.below(2); cuts > 0; cuts -= 1) {
    const [from, to] = [draw.below(text.length + 1), draw.below(text.length + 1)];
    const lines = text.split('\n');
    text = draw.pick([
      () => text.slice(0, from),
      () => text.slice(0, from) + text.slice(Math.max(from, to)),
      () => text.slice(0, from) + draw.pick(SNIPPETS) + text.slice(from),
      () => text.slice(0, from) + written(draw).slice(to),
      () => text.replaceAll(/: [^\n{[]+/g, (part) => (draw.chance(0.1) ? `: ${draw.pick(SNIPPETS)}` : part)),
      () => [...lines, draw.pick(lines), draw.pick(SNIPPETS)].join('\n'),
      () => text.slice(0, from) + draw.pick(HOSTILE_TEXTS) + text.slice(from),
    ])();
  }
  return text;
};

const PLACES = placesIn(runConfigSchema.parse(PRESETS.demo));
const assignment = (draw: Draw): string => {
  const place = draw.pick(PLACES).join('.');
  const key = draw.chance(0.2)
    ? draw.pick(['', '.', `${place}.`, `${place}.x`, 'a.'.repeat(3000), ...HOSTILE_TEXTS])
    : place;
  const value = hostileValue(draw);
  return `${key}${draw.chance(0.95) ? '=' : ''}${draw.chance(0.3) ? draw.pick(SNIPPETS) : (JSON.stringify(value) ?? '')}`;
};

/** A configuration in one of the three ways in which people give one, and how to read it. */
function given(number: number): { what: string; read: () => RunConfig } {
  const draw = new Draw(number);
  if (number % 3 === 0) {
    const sets = [assignment(draw), ...(draw.chance(0.3) ? [assignment(draw)] : [])];
    return { what: JSON.stringify(sets), read: () => buildRunConfig(PRESETS.demo, null, sets) };
  }
  const text = damaged(draw);
  const what = JSON.stringify(text);
  if (number % 3 === 1) return { what, read: () => configFromYaml(text) };
  const file = join(folder, 'run.yaml');
  writeFileSync(file, text);
  return { what, read: () => buildRunConfig(draw.chance(0.5) ? {} : PRESETS.demo, file, []) };
}

/** One line without anything that acts on a terminal, which names a key, a place in the text, or what the text must be. */
const SENTENCE = /^(?:[A-Z]|--set )[^\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]{8,900}\.$/u;
const NAMES =
  /"[^"]*"|line \d+, column \d+|--set |must hold keys and values|within each other|is not valid YAML/;

function fuzz(from: number, count: number): { accepted: number; refused: number } {
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  const seen = { accepted: 0, refused: 0 };
  for (let number = from; number < from + count; number += 1) {
    const { what, read } = given(number);
    const about = `configuration ${number}: ${what.slice(0, 2000)}`;
    let config: RunConfig;
    try {
      config = read();
    } catch (error) {
      expect(error, about).toBeInstanceOf(Failure);
      const { message, exitCode } = error as Failure;
      expect(exitCode, about).toBe(2);
      expect(message, about).toMatch(SENTENCE);
      expect(message, about).toMatch(NAMES);
      expect(message, about).not.toMatch(/received|expected \w+,/);
      seen.refused += 1;
      continue;
    }
    seen.accepted += 1;
    // As it is stored: JSON knows no negative zero.
    expect(JSON.stringify(configFromYaml(configToYaml(config))), about).toBe(JSON.stringify(config));
  }
  expect(warned.mock.calls, 'warnings of the process').toEqual([]);
  warned.mockRestore();
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  return seen;
}

it('320 damaged and hostile configurations are accepted and read back the same, or refused with one sentence', () => {
  const { accepted, refused } = fuzz(0, 320);
  // Both happen often enough to mean something.
  expect(accepted).toBeGreaterThan(20);
  expect(refused).toBeGreaterThan(150);
});

it('so are 5,000 others', { tags: ['full'], timeout: 600_000 }, () => {
  fuzz(1000, 5000);
});

it('every number of a configuration has an upper bound', () => {
  const open = placesIn(drawnForAll()).filter((path) => {
    const huge = withPlace(drawnForAll(), path, Number.MAX_SAFE_INTEGER - 1);
    return runConfigSchema.safeParse(huge).success;
  });
  expect(open.map((path) => path.join('.'))).toEqual(['seed', 'evaluation.tripwires.0.by']);
});

/** A configuration of every number there is. */
function drawnForAll(): unknown {
  return {
    ...runConfigSchema.parse({
      framework: { name: 'azr', ownSeeds: { temperature: 1 } },
      train: { kl: { coefficient: 0.1, estimator: 'k1' }, dualClip: 3, miniBatch: 8 },
      generation: {
        roles: {
          proposer: { temperature: 1, topP: 1 },
          solver: { temperature: 1, topP: 1 },
          estimator: { temperature: 1, topP: 1 },
        },
      },
      supervision: { budgetSeconds: 60, human: {} },
      evaluation: { suites: ['toy-memory'], tripwires: [{ suite: 'toy-memory', when: 'below', by: 0.5 }] },
    }),
  };
}

it('a run that began with numbers no new run may have is read from its lab as it was stored', async () => {
  const wild = { train: { learningRate: 2 ** 31 }, sandbox: { cpuSeconds: 9e15 } };
  expect(runConfigSchema.safeParse(wild).success).toBe(false);
  mkdirSync(join(folder, 'lab'));
  const store = await openLab(join(folder, 'lab'), { now: () => new Date() });
  try {
    store.createRun({ id: 'wild', config: storedRunConfigSchema.parse(wild), folder: 'runs/wild' });
    expect(store.getRun('wild')?.config).toMatchObject(wild);
    expect(store.listRuns({}, { limit: 5 }).rows).toHaveLength(1);
  } finally {
    store.close();
  }
});
