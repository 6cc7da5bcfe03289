import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { main, programFor } from '../../../electron/cli/main.ts';
import { openLab } from '../../../electron/store/index.ts';
import { Draw, HOSTILE_TEXTS } from '../../support/drawn.ts';
import { makeConfig } from '../store/support/make-records.ts';

const folder = mkdtempSync(join(tmpdir(), 'anchor-commands-'));
const lab = join(folder, 'lab');
const files = join(folder, 'files');
const place = (name: string): string => join(files, name);
const here = process.cwd();
beforeAll(async () => {
  for (const made of [lab, join(folder, 'here/below/it'), join(folder, 'home'), place('empty')])
    mkdirSync(made, { recursive: true });
  writeFileSync(place('text.txt'), 'not what was asked for\n');
  writeFileSync(place('broken.json'), '{"a": [1, 2');
  writeFileSync(place('judge.gguf'), 'GGUF and no more');
  symlinkSync(place('loop'), place('loop'));
  // Paths that are not whole, and what belongs to a person, lie in this folder as well.
  process.chdir(join(folder, 'here/below/it'));
  vi.stubEnv('HOME', join(folder, 'home'));
  vi.stubEnv('XDG_DATA_HOME', join(folder, 'home'));
  vi.stubEnv('ANCHOR_LAB', lab);
  const store = await openLab(lab, { now: () => new Date() });
  store.createRun({ id: 'a', config: makeConfig(), folder: 'runs/a' });
  store.close();
  // What opening a lab makes is there from the first command on.
  await anchor(['dataset', 'list']);
});
afterAll(() => {
  process.chdir(here);
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

// Hundreds of command lines, each of which opens the lab anew.
vi.setConfig({ testTimeout: 600_000 });
const HUNG_MS = 60_000;

async function anchor(
  args: readonly string[],
): Promise<{ code: number | 'hung'; stdout: string; stderr: string }> {
  const printed = { stdout: '', stderr: '' };
  let timer: NodeJS.Timeout | undefined;
  const hung = new Promise<'hung'>((resolve) => {
    timer = setTimeout(resolve, HUNG_MS, 'hung');
  });
  const ended = main(args, {
    stdout: { write: (text) => void (printed.stdout += text) },
    stderr: { write: (text) => void (printed.stderr += text) },
    environment: process.env,
  });
  const code = await Promise.race([ended, hung]);
  clearTimeout(timer);
  return { code, ...printed };
}

/** Everything there is but the files of the database, which come and go as it is opened. */
const everything = (): string[] =>
  (readdirSync(folder, { recursive: true }) as string[])
    .filter((name) => !/lab\.sqlite-(?:wal|shm)$/.test(name))
    .sort();

/** What must hold of every command line: one sentence for a person, and nothing left of what was refused. */
async function expectSound(args: readonly string[], about: string): Promise<number> {
  const before = everything();
  const { code, stdout, stderr } = await anchor(args);
  const said = `${about}\n${stdout}${stderr}`;
  expect([0, 1, 2], said).toContain(code);
  expect(stderr, said).not.toMatch(/should not have happened|\n\s+at /);
  // What a check finds is an answer too.
  const isFinding = code === 1 && stderr === '' && args[0] === 'check';
  if (code === 0 || isFinding) return code;
  if (stderr.startsWith('Usage: anchor ')) return code as number;
  const sentences = stderr.split('\n').filter((line) => /^(?:anchor|error): /.test(line));
  expect(sentences, said).toHaveLength(1);
  expect(sentences[0], said).toMatch(/^(?:anchor|error): [^\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]{8,2100}$/u);
  expect(sentences[0], said).not.toMatch(/: ?$|expected \w+, received/);
  expect(everything(), said).toEqual(before);
  return code as number;
}

type Known = { path: string[]; command: Command };
async function commandsOf(): Promise<Known[]> {
  const silent = { write: () => {} };
  const { command } = await programFor([], { stdout: silent, stderr: silent, environment: {} }, () => {});
  const below = (parent: Command, path: string[]): Known[] =>
    parent.commands.flatMap((child) => [
      { path: [...path, child.name()], command: child },
      ...below(child, [...path, child.name()]),
    ]);
  return below(command, []);
}

/** Begin work that takes long, or wait for a person; what is refused of them is refused before. */
const LONG = new Set([
  'run',
  'resume',
  'demo',
  'eval',
  'judge calibrate',
  'judge probe',
  'record-sample',
  'sample checkpoints',
  'start',
  'serve',
  'doctor',
  'backup',
  'check',
]);
/** Each is refused wherever it stands first. */
const FAULTS: Readonly<Record<string, readonly string[]>> = {
  run: ['--set=nonsense=1', '--set=steps=0', '--set=seed', '--set=name=["', '--set=__proto__.steps=3'],
  demo: ['--steps=99999999999999999999', '--steps=2000000', '--p=2', '--merge=nobody', '--seed=-1'],
  eval: ['--limit=0', '--seed=x', '--context=walk', '--protocol=x'],
  'judge probe': ['--items=1.5', '--phases=lunch', '--threads=0'],
  'judge calibrate': ['--limit=none'],
  'record-sample': ['--steps=many', '--items=0'],
  backup: ['--every=0', '--keep=-1', '--every=sometimes'],
  start: ['--port=99999'],
  serve: ['--port=1e9', '--port='],
};
const PLAUSIBLE = [
  'a',
  'embedded',
  'toy-memory',
  'run',
  'csv',
  'markdown',
  '1',
  '5',
  'text',
  'all',
  '1/pred_code_o/0',
];

const PLACES = ['text.txt', 'broken.json', 'judge.gguf', 'loop', 'empty/x/..', 'none', 'text.txt/x'].map(
  place,
);
const WRONG_PLACES = [...PLACES, ...HOSTILE_TEXTS, '/dev/full', '/proc/x', '/dev/null/x'];

function lineFor(number: number, commands: readonly Known[]): string[] {
  const draw = new Draw(number);
  const { path, command } = draw.pick(commands);
  const name = path.join(' ');
  const isLong = LONG.has(name);
  const paths = ['text.txt', 'broken.json', 'judge.gguf', 'loop', 'empty', 'none', 'text.txt/x'].map(place);
  const value = (): string =>
    draw.pick(isLong || draw.chance(0.6) ? HOSTILE_TEXTS : draw.chance(0.5) ? PLAUSIBLE : paths);
  const option = (): string[] => {
    if (draw.chance(0.1))
      return [draw.pick(['--frobnicate', '--jsn', '-x', '--', '--=', '---', '--no-json'])];
    const { long, required, optional } = draw.pick(command.options) ?? { long: '--json' };
    if (required !== true && optional !== true)
      return [long ?? '--json', ...(draw.chance(0.1) ? [value()] : [])];
    if (draw.chance(0.1)) return [long as string];
    return draw.chance(0.5) ? [`${long}=${value()}`] : [long as string, value()];
  };
  const wanted = command.registeredArguments.filter(({ required }) => required).length;
  const given = draw.chance(0.7) ? wanted : draw.below(wanted + 2);
  const rest = [
    ...Array.from({ length: given }, () => [value()]),
    ...Array.from({ length: draw.below(3) }, option),
  ];
  const labs = ['', '\0', '/dev/full/x', '/proc/x', '/dev/null', place('text.txt'), place('loop'), '/proc'];
  const global = draw.chance(0.15) ? [draw.chance(0.5) ? '--lab' : '--json', draw.pick(labs)] : [];
  const fault = isLong ? [draw.pick([...(FAULTS[name] ?? []), '--frobnicate'])] : [];
  const asked = name === 'judge calibrate' || draw.chance(0.98) ? path : path.slice(0, -1);
  return [...global, ...asked, ...fault, ...rest.toSorted(() => draw.share() - 0.5).flat()];
}

/** One that is right as often as one that is wrong. */
const either = (draw: Draw, right: readonly string[], wrong: readonly string[]): string =>
  draw.pick(draw.chance(0.5) ? right : wrong);

/** What right and wrong lines of commands that end by themselves within seconds are put together from; `made` is a new place each time. */
const ENDING: Readonly<Record<string, (draw: Draw, known: { backup: string; made: string }) => string[]>> = {
  check: (draw, { backup }) => draw.pick([[], [either(draw, [backup, lab], WRONG_PLACES)]]),
  backup: (draw, { backup, made }) =>
    draw.pick([
      ['--list'],
      [],
      [`--remove=${either(draw, [backup], HOSTILE_TEXTS)}`],
      [
        `--every=${either(draw, ['6', 'never'], HOSTILE_TEXTS)}`,
        `--keep=${either(draw, ['3'], HOSTILE_TEXTS)}`,
      ],
      [`--to=${either(draw, [made], WRONG_PLACES)}`],
    ]),
  restore: (draw, { backup, made }) => [
    either(draw, [backup], [lab, ...WRONG_PLACES]),
    ...draw.pick([[], [`--to=${either(draw, [made], WRONG_PLACES)}`], ['--to', made]]),
    ...draw.pick([[], ['--needed-only'], ['--salvage']]),
  ],
  export: (draw, { made }) => [
    either(draw, ['a'], HOSTILE_TEXTS),
    ...draw.pick([[], [`--to=${either(draw, [made], WRONG_PLACES)}`]]),
    ...draw.pick([[], ['--no-gguf', '--no-safetensors'], ['--peft']]),
  ],
  // A run that is there would be gone on with.
  resume: (draw) => [
    draw.pick(HOSTILE_TEXTS),
    ...draw.pick([[], [`--from=${draw.pick(['1', ...HOSTILE_TEXTS])}`]]),
  ],
  // Neither would come to an end, so nothing is right of these two.
  run: (draw) => [
    // Of two values of one option the last one counts.
    ...draw.pick([[], ['--preset=demo'], [`--config=${draw.pick(PLACES)}`], ['--set=steps=1'], ['a']]),
    `--${draw.pick(['config', 'preset', 'set', 'set=steps', 'set=framework.batchSize', 'set=policy.model'])}=${draw.pick(HOSTILE_TEXTS)}`,
  ],
  serve: (draw) =>
    draw.pick([
      [`--port=${draw.pick(HOSTILE_TEXTS.filter((text) => text !== '0'))}`],
      ['--port', draw.pick(['65536', '1.5', '0x10', '1e3', ' 80', '+1'])],
      ['--port=0', draw.pick(HOSTILE_TEXTS.filter((text) => !text.startsWith('-')))],
      ['--port=0', '--lab', draw.pick(['', '\0', '/dev/full/x', '/proc/x', '/dev/null', ...PLACES])],
    ]),
};
/** Of these every line is refused. */
const REFUSED = new Set(['resume', 'run', 'serve']);
const LINES: Readonly<Record<keyof typeof ENDING, number>> = {
  check: 10,
  backup: 20,
  restore: 20,
  export: 15,
  resume: 10,
  run: 30,
  serve: 15,
};

describe('command lines', () => {
  it('240 drawn from the tree of commands, their options and hostile values end with one sentence and leave nothing', async () => {
    const commands = await commandsOf();
    expect(commands.length).toBeGreaterThan(25);
    const codes = { 0: 0, 1: 0, 2: 0 };
    for (let number = 0; number < 240; number += 1) {
      const args = lineFor(number, commands);
      codes[
        (await expectSound(args, `line ${number}: ${JSON.stringify(args).slice(0, 1500)}`)) as 0 | 1 | 2
      ] += 1;
    }
    expect(codes[2]).toBeGreaterThan(120);
    expect(codes[0]).toBeGreaterThan(5);
  });

  it.each(Object.keys(ENDING))(
    'of "%s" that nothing refuses beforehand end with what they did or one sentence',
    async (name) => {
      // What a line makes under a hostile name is in nobody else's way.
      mkdirSync(place(`of-${name}`));
      process.chdir(place(`of-${name}`));
      await anchor(['backup']);
      const codes = { 0: 0, 1: 0, 2: 0 };
      for (let number = 0; number < LINES[name]!; number += 1) {
        const backup =
          readdirSync(join(lab, 'backups')).findLast((file) => file.endsWith('.sqlite')) ?? 'none';
        const args = [
          name,
          ...ENDING[name]!(new Draw(5000 + number), { backup, made: place(`made-${name}-${number}`) }),
        ];
        codes[(await expectSound(args, `line ${number}: ${JSON.stringify(args)}`)) as 0 | 1 | 2] += 1;
      }
      process.chdir(join(folder, 'here/below/it'));
      // Each did its work and was refused, but for what would train.
      expect(codes[0] > 0, JSON.stringify(codes)).toBe(!REFUSED.has(name));
      expect(codes[1] + codes[2], JSON.stringify(codes)).toBeGreaterThan(0);
    },
  );

  const set = (text: string): string[] => ['run', '--set', text];
  it.each<[string[], 1 | 2, RegExp]>([
    [['--lab', '', 'runs'], 2, /folder of --lab is empty; name one/],
    [['--lab', '', 'demo'], 2, /folder of --lab is empty; name one/],
    [['demo', '--steps', '99999999999999999999'], 2, /must be a whole number/],
    [['demo', '--steps', '1000001'], 2, /at most 1,000,000 steps/],
    [
      ['eval', '--model', 'embedded', '--suites', ''],
      2,
      /which suites are wanted with --suites, for example/,
    ],
    [['eval', '--model', 'embedded', '--suites', ' , '], 2, /which suites are wanted/],
    [['eval', '--suites', 'mini'], 2, /whose answers are wanted with --model/],
    [['eval', '--model', '/etc/passwd', '--suites', 'toy-memory'], 2, /passwd/],
    [['import', place('judge.gguf'), '--name', ''], 2, /"" cannot be a name in the library/],
    [['import', place('judge.gguf'), '--name', 'a/b'], 2, /"a\/b" cannot be a name/],
    [['import', place('judge.gguf'), '--name', 'x'.repeat(300)], 2, /at most 100 letters/],
    [['import', place('judge.gguf'), '--name', 'embedded-policy'], 2, /begin with "embedded-" belong to/],
    [['dataset', 'remove', 'x'.repeat(300)], 2, /"name" of datasets\.remove is wrong/],
    [['check', ''], 2, /no lab or backup at/],
    [['check', place('none')], 2, /none/],
    [['backup', '--remove', '../lab.sqlite'], 2, /lab\.sqlite/],
    [['restore', place('judge.gguf'), '--to', place('made')], 1, /judge\.gguf/],
    [['run', '--config', '/dev/full'], 2, /is a device, a pipe or a socket/],
    [['run', '--config', '/dev/zero'], 2, /is a device, a pipe or a socket/],
    [['run', '--config', place('loop')], 2, /leads to itself by links/],
    [set('name='), 2, /"name" is not valid: it must be text/],
    [set('name=\n'), 2, /"name" is not valid: it must be text/],
    [set('name=!!js/function x'), 2, /Unresolved tag.*; write the value without a tag/],
    [set('train.learningRate=2147483648'), 2, /at most 1, because AdamW/],
    [
      set('train.kl={coefficient: 0.1}'),
      2,
      /lacks a value for "train\.kl\.estimator"; add one: it must be one of k1, k2, k3/,
    ],
    [set('policy.model=/nope'), 2, /no model "\/nope"/],
    [set('policy.model=constructor'), 2, /no model "constructor"/],
    [set('policy.model=/etc/passwd'), 2, /passwd/],
    [set('supervision.model=/etc/passwd'), 2, /passwd/],
    [['run', '--set=framework.name=fixed-tasks', '--set=framework.tasks=/nope'], 2, /nope/],
    [['show', 'a\nb\u001b[2J'], 2, /no run "a\\u\{a\}b\\u\{1b\}\[2J"/],
    [['serve', '--port='], 2, /A port is a whole number/],
    [['rnus'], 2, /did you mean "runs"/],
    [['runs', '--limt', '3'], 2, /unknown option '--limt'/],
  ])('%j is refused', async (args, code, sentence) => {
    expect(await expectSound(args, JSON.stringify(args))).toBe(code);
    expect((await anchor(args)).stderr).toMatch(sentence);
  });
});
