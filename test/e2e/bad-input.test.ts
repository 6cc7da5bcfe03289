import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { callAnchor } from '../electron/cli/call-anchor.ts';
import { useWarmTrainer } from '../support/warm-trainer.ts';
import { makeLab, query, removeLab, type CliResult } from './anchor-cli.ts';

useWarmTrainer();

vi.setConfig({ testTimeout: 300_000 });

const root = join(import.meta.dirname, '../..');
const scratch = mkdtempSync(join(tmpdir(), 'anchor-bad-input-'));
const notes = join(scratch, 'notes.jsonl');
const lab = makeLab();
afterAll(() => {
  removeLab(lab);
  rmSync(scratch, { recursive: true, force: true });
});

/** In this process: what is refused does not depend on how the program was started. Two below start it for real. */
const anchor = (folder: string, args: readonly string[]): Promise<CliResult> =>
  callAnchor('--lab', folder, ...args);

/** One sentence for a person: `anchor: Something is wrong …; do this.` and nothing else of that kind. */
function expectSentence(result: CliResult, exitCode: 1 | 2, ...parts: RegExp[]): void {
  const sentences = result.stderr.split('\n').filter((line) => line.startsWith('anchor: '));
  expect(sentences, result.stderr).toHaveLength(1);
  for (const part of parts) expect(sentences[0]).toMatch(part);
  expect(result.stderr).not.toMatch(/\n\s+at /);
  expect(result.code).toBe(exitCode);
}

const copyPolicy = (name: string): string => {
  const folder = join(scratch, name);
  cpSync(join(root, 'resources/models/policy'), folder, { recursive: true });
  return folder;
};
const runWith = (...settings: string[]): Promise<CliResult> =>
  anchor(lab, [
    'run',
    '--set',
    'steps=1',
    '--set',
    'supervision.reviewer=rubric',
    '--set',
    'framework.seeds=embedded',
    ...settings.flatMap((setting) => ['--set', setting]),
  ]);

describe('wrong configuration', () => {
  it.each([
    ['an unknown key', ['supervision.phase.task=1'], /unknown key "supervision\.phase"/],
    ['a probability above 1', ['supervision.phases.task=1.2'], /"supervision\.phases\.task".*1/],
    ['a probability that is no number', ['supervision.phases.task=.nan'], /"supervision\.phases\.task"/],
    ['no steps', ['steps=0'], /"steps"/],
    ['a word for a number', ['train.learningRate=fast'], /"train\.learningRate"/],
    ['--set without =', ['steps'], /key=value/],
    ['--set with broken YAML', ['name=['], /--set name is not valid YAML/],
  ])('%s is one sentence and exit code 2', async (_what, settings, sentence) => {
    expectSentence(await runWith(...settings), 2, sentence);
  });

  it('a configuration file that is missing or not YAML is named', async () => {
    const file = join(scratch, 'broken.yaml');
    writeFileSync(file, 'steps: [1, 2\n');
    expectSentence(await anchor(lab, ['run', '--config', join(scratch, 'none.yaml')]), 2, /none\.yaml/);
    expectSentence(await anchor(lab, ['run', '--config', file]), 2, /broken\.yaml is not valid YAML/);
  });

  it.each([
    [['demo', '--reviewer', 'human'], /choose llama, rubric/],
    [['runs', '--limit', 'abc'], null],
    [['demo', '--rewarded-share', '1'], null],
    [['demo', '--pressure', '1'], null],
    [['demo', '--continue'], /no demo in this lab/],
    [['run', '--preset', 'none'], /no preset "none"/],
  ])('%s is refused with exit code 2', async (args, sentence) => {
    const result = await anchor(lab, args as string[]);
    expect(result.code, result.stderr).toBe(2);
    expect(result.stderr).not.toMatch(/\n\s+at /);
    if (sentence !== null) expect(result.stderr).toMatch(sentence as RegExp);
  });

  it.each([
    ['a model that is not there', ['policy.model=/nope'], /no model "\/nope"/],
    ['a model that is something else', ['policy.model=/etc/passwd'], /\/etc\/passwd is not a GGUF file/],
    [
      'a judge that is something else',
      ['supervision.reviewer=llama', 'supervision.model=/etc/passwd'],
      /is not a GGUF file/,
    ],
    [
      'a file of tasks that is not there',
      ['framework.name=fixed-tasks', 'framework.tasks=/nope'],
      /nothing at \/nope/,
    ],
    [
      'a file of tasks that holds none',
      ['framework.name=fixed-tasks', 'framework.tasks=/etc/passwd'],
      /Line 1 of \/etc\/passwd is not/,
    ],
    [
      'a file of tasks without an end',
      ['framework.name=fixed-tasks', 'framework.tasks=/dev/zero'],
      /\/dev\/zero is a device/,
    ],
    ['a seed file that holds none', [`framework.seeds=${notes}`], /Line 1 of .*notes\.jsonl is not/],
  ])('%s is refused with exit code 2', async (_what, settings, sentence) => {
    writeFileSync(notes, '{"note": "no task"}\n');
    expectSentence(await runWith(...settings), 2, sentence);
  });

  it('none of them left a run or a folder behind', async () => {
    expect((await anchor(lab, ['runs', '--json'])).stdout.trim()).toBe('[]');
    expect(readdirSync(join(lab, 'runs'))).toEqual([]);
  });
});

describe('models', () => {
  it('a missing model names what there is', async () => {
    expectSentence(
      await runWith('policy.model=/nowhere/model'),
      2,
      /no model "\/nowhere\/model"/,
      /embedded-policy/,
    );
  });

  it('a pickle is refused without being opened', async () => {
    const folder = copyPolicy('pickled');
    rmSync(join(folder, 'model.safetensors'));
    writeFileSync(join(folder, 'pytorch_model.bin'), Buffer.from([0x80, 4]));
    expectSentence(await runWith(`policy.model=${folder}`), 2, /pickle/);
  });

  it('corrupt safetensors say so', async () => {
    const folder = copyPolicy('corrupt');
    const file = join(folder, 'model.safetensors');
    writeFileSync(file, readFileSync(file).subarray(0, 5000));
    expectSentence(
      await runWith(`policy.model=${folder}`),
      2,
      /model\.safetensors is not an intact safetensors file/,
    );
  });

  it('weights cut off behind an intact header are refused', async () => {
    const folder = copyPolicy('cut');
    const file = join(folder, 'model.safetensors');
    const bytes = readFileSync(file);
    writeFileSync(file, bytes.subarray(0, bytes.length - 1000));
    expectSentence(await runWith(`policy.model=${folder}`), 2, /model\.safetensors .*cut off/);
  });

  it('a tokenizer that does not fit the weights is refused', async () => {
    const folder = copyPolicy('tokenizer');
    const file = join(folder, 'tokenizer.json');
    const tokenizer = JSON.parse(readFileSync(file, 'utf8')) as {
      model: { vocab: Record<string, number> };
      added_tokens: { id: number; content: string }[];
    };
    tokenizer.added_tokens.push({
      ...(tokenizer.added_tokens[0] as { id: number; content: string }),
      id: 5000,
      content: '<|far|>',
    });
    tokenizer.model.vocab['<|far|>'] = 5000;
    writeFileSync(file, JSON.stringify(tokenizer));
    expectSentence(await runWith(`policy.model=${folder}`), 1, /tokenizer/i);
  });

  it('a corrupt GGUF never reaches the loader', async () => {
    const file = join(scratch, 'judge.gguf');
    writeFileSync(file, Buffer.concat([Buffer.from('GGUF'), Buffer.alloc(40, 0xff)]));
    const result = await anchor(lab, ['run', '--set', 'steps=1', '--set', `supervision.model=${file}`]);
    expectSentence(result, 1, /judge\.gguf/);
  });

  it('a prompt longer than the limit names the limit', async () => {
    expectSentence(await runWith('generation.maxPromptTokens=8'), 1, /generation\.maxPromptTokens = 8/);
  });

  it(
    'a judge whose context is too small for its records lets the run go on, but not in silence',
    { tags: ['full'] },
    async () => {
      const folder = copyPolicy('roomy');
      const file = join(folder, 'config.json');
      writeFileSync(
        file,
        readFileSync(file, 'utf8').replace(
          /"max_position_embeddings": *\d+/,
          '"max_position_embeddings": 4096',
        ),
      );
      const judge = join(root, 'resources/models/supervisor/supervisor.f16.gguf');
      const { code, stderr } = await anchor(lab, [
        'run',
        '--set',
        'steps=1',
        ...[
          'framework.batchSize=2',
          'framework.taskTypes=[deduction]',
          'framework.estimateSamples=1',
          'generation.maxNewTokens=48',
          'generation.maxPromptTokens=3000',
          'framework.seeds=embedded',
          `policy.model=${folder}`,
          'policy.promptPack=full',
          `supervision.model=${judge}`,
        ].flatMap((setting) => ['--set', setting]),
      ]);
      expect(code, stderr).toBe(0);
      expect(stderr).toMatch(/\d+ of \d+ reviews failed, so the supervisor was not heard there/);
    },
  );

  it('more tokens than the model has room for are refused before anything is generated', async () => {
    expectSentence(
      await runWith('generation.maxNewTokens=4000'),
      2,
      /4768 tokens together .* 1024 of the model/,
    );
  });
});

describe('the lab folder', () => {
  it('a run of no known id is exit code 2', async () => {
    expectSentence(await anchor(lab, ['show', 'run-none']), 2, /no run "run-none"/);
    expectSentence(await anchor(lab, ['resume', 'run-none']), 2, /no run "run-none"/);
  });

  it('a schema from the future is refused and left as it is', async () => {
    const future = makeLab();
    expect((await anchor(future, ['runs'])).code).toBe(0);
    const db = new SqliteDatabase(join(future, 'lab.sqlite'));
    db.pragma('user_version = 9999');
    db.pragma('wal_checkpoint(TRUNCATE)');
    db.close();
    const before = readFileSync(join(future, 'lab.sqlite'));
    expectSentence(await anchor(future, ['runs']), 1, /later Anchor Lab \(schema 9999/);
    expect(readFileSync(join(future, 'lab.sqlite')).equals(before)).toBe(true);
    removeLab(future);
  });

  it('a second program that wants the lab for itself is told who holds it', () => {
    const held = makeLab();
    const script = `const { openLab } = await import(${JSON.stringify(join(root, 'electron/store/index.ts'))});
      await openLab(${JSON.stringify(held)}, { now: () => new Date() });
      const { spawnSync } = await import('node:child_process');
      const r = spawnSync(process.execPath, [${JSON.stringify(join(root, 'electron/cli/anchor.ts'))}, '--lab', ${JSON.stringify(held)}, 'dataset', 'list'], { encoding: 'utf8' });
      process.stdout.write(JSON.stringify({ code: r.status, stdout: r.stdout, stderr: r.stderr })); process.exit(0);`;
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      encoding: 'utf8',
      cwd: root,
    });
    expectSentence(JSON.parse(stdout) as CliResult, 1, /\d+/);
    removeLab(held);
  });

  const isRoot = process.getuid?.() === 0;
  it('a read-only folder is refused', () => {
    const folder = join(scratch, 'read-only');
    mkdirSync(folder);
    chmodSync(folder, 0o555);
    // Root may write anywhere, so the program is run as an ordinary user then.
    const user = isRoot ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'] : [];
    chmodSync(scratch, 0o755);
    const command = [
      ...user,
      process.execPath,
      join(root, 'electron/cli/anchor.ts'),
      '--lab',
      folder,
      'runs',
    ];
    const { status, stdout, stderr } = spawnSync(command[0] as string, command.slice(1), {
      encoding: 'utf8',
    });
    expectSentence({ code: status, stdout, stderr }, 1, /read-only/);
  });
});

describe.runIf(process.getuid?.() === 0)('a full disk (needs root for a small file system)', () => {
  const mount = join(scratch, 'small');
  beforeAll(() => {
    mkdirSync(mount);
    expect(spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=40m', 'tmpfs', mount]).status).toBe(0);
  });
  afterAll(() => {
    spawnSync('umount', ['-l', mount]);
  });

  it('is noticed before a run starts, and nothing is left half-written', async () => {
    const result = await anchor(join(mount, 'lab'), [
      'run',
      '--set',
      'steps=1',
      '--set',
      'supervision.reviewer=rubric',
    ]);
    expectSentence(result, 1, /free/);
    const [run] = query<{ state: string }>(join(mount, 'lab'), 'SELECT state FROM runs');
    expect(run?.state).toBe('failed');
    expect(
      readdirSync(join(mount, 'lab/runs')).flatMap((name) =>
        readdirSync(join(mount, 'lab/runs', name, 'checkpoints')),
      ),
    ).toEqual([]);
  });
});
