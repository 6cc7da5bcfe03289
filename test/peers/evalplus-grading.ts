/**
 * Grading all reference solutions of HumanEval+ in the sandbox, against executing and comparing them one after the other in a
 * plain Python process. The two take turns, part by part, so that what else the machine does meets both. Expected outputs are
 * computed before and do not count.
 * Usage: node test/peers/evalplus-grading.ts [--data FILE] [--parts 8] [--level L3] [--json FILE]
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { startRunner } from '../../electron/processes/index.ts';
import { ExpectedOutputs } from '../../electron/evaluation/code/evalplus/expected.ts';
import { gradeEvalPlus } from '../../electron/evaluation/code/evalplus/grade.ts';
import { readEvalPlus, type EvalPlusTask } from '../../electron/evaluation/code/evalplus/task.ts';

const root = join(import.meta.dirname, '../..');
const { values: given } = parseArgs({
  options: {
    data: { type: 'string', default: join(root, '../shared/data/humaneval/HumanEvalPlus.jsonl.gz') },
    parts: { type: 'string', default: '8' },
    level: { type: 'string', default: 'L3' },
    json: { type: 'string' },
  },
});
if (!existsSync(given.data))
  throw new Error(`There is no ${given.data}; name HumanEvalPlus.jsonl with --data.`);
const bytes = readFileSync(given.data);
const text = (given.data.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
const tasks = text
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => readEvalPlus(line, 'humaneval'));
const scratch = mkdtempSync(join(tmpdir(), 'anchor-peer-'));

type Turn = { wall: number; cpu: number; passed: number };

const python = join(root, '.venv/bin/python');
const peer = spawn(python, ['-I', join(import.meta.dirname, 'evalplus_peer.py'), given.data], {
  stdio: ['pipe', 'pipe', 'ignore'],
});
const lines = createInterface({ input: peer.stdout })[Symbol.asyncIterator]();
const nextLine = async (): Promise<string> => {
  const { value, done } = await lines.next();
  if (done === true) throw new Error('The plain process ended.');
  return value;
};

const runner = await startRunner({
  python,
  brokerPath: join(root, 'native/runner/broker.py'),
  level: given.level === 'L2' ? 'L2' : 'L3',
  workers: 1,
  logFile: join(scratch, 'runner.log'),
});
const expected = new ExpectedOutputs({
  runner,
  folder: scratch,
  datasetHash: createHash('md5').update(text).digest('hex'),
});
await expected.prepare(tasks, (done, total) => {
  if (done % 20 === 0) process.stderr.write(`expected outputs ${done}/${total}\n`);
});
await nextLine();

async function ours(part: readonly EvalPlusTask[]): Promise<Turn> {
  const [began, before] = [performance.now(), process.cpuUsage()];
  let [passed, jobs] = [0, 0];
  const counting = {
    hello: runner.hello,
    extract: runner.extract.bind(runner),
    grade: async (job: Parameters<typeof runner.grade>[0]) => {
      const result = await runner.grade(job);
      jobs += result.cpuMs;
      return result;
    },
  };
  for (const task of part) {
    const { plusAndBase, strict } = await gradeEvalPlus(task, task.reference, {
      runner: counting,
      expected,
      loadAverage: () => loadavg()[0]!,
    });
    passed += Number(plusAndBase && strict.plusAndBase);
  }
  const { user, system } = process.cpuUsage(before);
  return { wall: (performance.now() - began) / 1000, cpu: (jobs + (user + system) / 1000) / 1000, passed };
}

async function theirs(part: readonly EvalPlusTask[]): Promise<Turn> {
  peer.stdin.write(`${JSON.stringify(part.map(({ id }) => id))}\n`);
  return JSON.parse(await nextLine()) as Turn;
}

const parts = Number(given.parts);
const sum = { ours: { wall: 0, cpu: 0, passed: 0 }, theirs: { wall: 0, cpu: 0, passed: 0 } };
for (let index = 0; index < parts; index += 1) {
  const part = tasks.filter((_, position) => position % parts === index);
  const turns =
    index % 2 === 0
      ? { ours: await ours(part), theirs: await theirs(part) }
      : { theirs: await theirs(part), ours: await ours(part) };
  for (const side of ['ours', 'theirs'] as const)
    for (const what of ['wall', 'cpu', 'passed'] as const) sum[side][what] += turns[side][what];
  process.stderr.write(
    `part ${index + 1}/${parts}: ${turns.ours.wall.toFixed(1)} s and ${turns.theirs.wall.toFixed(1)} s\n`,
  );
}
peer.stdin.end();
await runner.close();
rmSync(scratch, { recursive: true, force: true });
const say = (line: string): void => void process.stdout.write(`${line}\n`);
say(
  `${cpus().length} x ${cpus()[0]?.model ?? 'unknown'}, load ${loadavg()[0]!.toFixed(1)}, ${runner.hello.level}, Python ${runner.hello.python}`,
);
say(
  `sandboxed: ${sum.ours.passed} of ${tasks.length} pass, ${sum.ours.wall.toFixed(1)} s, ${sum.ours.cpu.toFixed(1)} s of processor (programs and grader)`,
);
say(
  `plain, serial: ${sum.theirs.passed} of ${tasks.length} pass, ${sum.theirs.wall.toFixed(1)} s, ${sum.theirs.cpu.toFixed(1)} s of processor`,
);
say(
  `the sandbox takes ${(sum.ours.wall / sum.theirs.wall).toFixed(2)} times the wall time, ${(sum.ours.cpu / sum.theirs.cpu).toFixed(2)} times the processor time`,
);
if (given.json) writeFileSync(given.json, `${JSON.stringify({ tasks: tasks.length, ...sum }, null, 2)}\n`);
