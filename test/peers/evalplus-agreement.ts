/**
 * Whether our grader gives the verdicts of the published package evalplus, on programs neither was made for: seeded mutants
 * of the reference solutions (evalplus/mutants.py), each graded by both, in base and plus, under the same time limits. A
 * program on which they differ is graded again by both, so that a busy machine is not taken for a rule.
 * --every N takes one mutant of N, for a short look (44: twenty; all take some ten minutes of one thread).
 * The original needs an environment of its own, see evalplus/requirements.txt.
 * Usage: node test/peers/evalplus-agreement.ts [--python .venv-evalplus/bin/python] [--seed 1] [--per-task 3] [--every 1] [--humaneval FILE] [--mbpp FILE] [--json FILE]
 */
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { startRunner } from '../../electron/processes/index.ts';
import { linesOf, type Row, type Verdict } from './evalplus/report.ts';
import { EVALPLUS_LIMITS, gradeEvalPlus } from '../../electron/evaluation/code/evalplus/grade.ts';
import { ExpectedOutputs } from '../../electron/evaluation/code/evalplus/expected.ts';
import {
  readEvalPlus,
  type EvalPlusDataset,
  type EvalPlusTask,
} from '../../electron/evaluation/code/evalplus/task.ts';

const root = join(import.meta.dirname, '../..');
const { values: given } = parseArgs({
  options: {
    python: { type: 'string', default: join(root, '.venv-evalplus/bin/python') },
    seed: { type: 'string', default: '1' },
    'per-task': { type: 'string', default: '3' },
    every: { type: 'string', default: '1' },
    humaneval: { type: 'string', default: join(root, '../shared/data/humaneval/HumanEvalPlus.jsonl.gz') },
    mbpp: { type: 'string', default: join(root, '../shared/data/mbpp/MbppPlus.jsonl.gz') },
    json: { type: 'string' },
  },
});
const hints = {
  python: 'make it as evalplus/requirements.txt says, or name it with --python',
  humaneval: 'name it with --humaneval',
  mbpp: 'name it with --mbpp',
};
for (const name of ['python', 'humaneval', 'mbpp'] as const)
  if (!existsSync(given[name])) throw new Error(`There is no ${given[name]}; ${hints[name]}.`);

const here = join(import.meta.dirname, 'evalplus');
const own = join(root, '.venv/bin/python');
const scratch = mkdtempSync(join(tmpdir(), 'anchor-peer-'));
const note = (line: string): void => void process.stderr.write(`${line}\n`);
const texts = { humaneval: textOf(given.humaneval), mbpp: textOf(given.mbpp) };
const tasks = new Map<string, EvalPlusTask>();
for (const dataset of ['humaneval', 'mbpp'] as const)
  for (const line of texts[dataset].split('\n').filter(Boolean)) {
    const task = readEvalPlus(line, dataset);
    tasks.set(task.id, task);
  }

function textOf(path: string): string {
  const bytes = readFileSync(path);
  return (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
}

type Mutant = { id: string; dataset: EvalPlusDataset; task: string; kind: string; program: string };
const mutants = execFileSync(
  own,
  [
    join(here, 'mutants.py'),
    given.seed,
    given['per-task'],
    `humaneval=${given.humaneval}`,
    `mbpp=${given.mbpp}`,
  ],
  { encoding: 'utf8', maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'inherit'] },
)
  .split('\n')
  .filter(Boolean)
  .filter((_, index) => index % Number(given.every) === 0)
  .map((line) => JSON.parse(line) as Mutant);
note(`${mutants.length} mutants of ${new Set(mutants.map(({ task }) => task)).size} tasks`);

/** The original's verdicts, one process for all; its expected outputs are kept in the scratch folder for the second round. */
async function byOriginal(programs: readonly Mutant[]): Promise<Map<string, Verdict>> {
  const child = spawn(
    given.python,
    [
      join(here, 'original.py'),
      scratch,
      String(EVALPLUS_LIMITS.leastSeconds),
      String(EVALPLUS_LIMITS.referenceFactor),
    ],
    {
      stdio: ['pipe', 'pipe', 'ignore'],
      env: {
        PATH: process.env['PATH'],
        HUMANEVAL_OVERRIDE_PATH: given.humaneval,
        MBPP_OVERRIDE_PATH: given.mbpp,
      },
    },
  );
  child.stdin.end(programs.map((mutant) => JSON.stringify(mutant)).join('\n'));
  const verdicts = new Map<string, Verdict>();
  for await (const line of createInterface({ input: child.stdout })) {
    const told = JSON.parse(line) as { ready: string } | (Verdict & { id: string });
    if ('ready' in told) note(`evalplus ${told.ready} has its expected outputs`);
    else verdicts.set(told.id, { base: told.base, plus: told.plus });
    if (verdicts.size % 50 === 0) note(`original ${verdicts.size}/${programs.length}`);
  }
  if (verdicts.size !== programs.length)
    throw new Error(
      `The original graded ${verdicts.size} of ${programs.length} programs, then ended; run evalplus/original.py by hand to see why.`,
    );
  return verdicts;
}

const runner = await startRunner({
  python: own,
  brokerPath: join(root, 'native/runner/broker.py'),
  level: 'auto',
  workers: 1,
  logFile: join(scratch, 'runner.log'),
});
const expectedOf = (dataset: EvalPlusDataset): ExpectedOutputs =>
  new ExpectedOutputs({
    runner,
    folder: scratch,
    datasetHash: createHash('md5').update(texts[dataset]).digest('hex'),
  });
const expected = { humaneval: expectedOf('humaneval'), mbpp: expectedOf('mbpp') };

async function byOurs(
  programs: readonly Mutant[],
): Promise<Map<string, Verdict & { flags: readonly string[] }>> {
  const verdicts = new Map<string, Verdict & { flags: readonly string[] }>();
  for (const { id, dataset, task, program } of programs) {
    const { base, plus, flags } = await gradeEvalPlus(tasks.get(task)!, program, {
      runner,
      expected: expected[dataset],
      loadAverage: () => loadavg()[0]!,
    });
    verdicts.set(id, { base, plus, flags });
    if (verdicts.size % 50 === 0) note(`ours ${verdicts.size}/${programs.length}`);
  }
  return verdicts;
}

async function round(programs: readonly Mutant[]): Promise<Row[]> {
  const [theirs, ours] = [await byOriginal(programs), await byOurs(programs)];
  return programs.map(({ id, dataset, kind }) => ({
    id,
    dataset,
    kind,
    original: theirs.get(id)!,
    ours: ours.get(id)!,
  }));
}

const differs = ({ original, ours }: Row): boolean =>
  original.base !== ours.base || original.plus !== ours.plus;
try {
  const first = await round(mutants);
  const doubtful = new Set(first.filter(differs).map(({ id }) => id));
  const again =
    doubtful.size === 0
      ? new Map<string, Row>()
      : new Map((await round(mutants.filter(({ id }) => doubtful.has(id)))).map((row) => [row.id, row]));
  const rows = first.map((row) => again.get(row.id) ?? row);
  for (const line of linesOf(rows, doubtful.size)) process.stdout.write(`${line}\n`);
  if (given.json) writeFileSync(given.json, `${JSON.stringify({ seed: given.seed, rows }, null, 1)}\n`);
} finally {
  await runner.close();
  rmSync(scratch, { recursive: true, force: true });
}
