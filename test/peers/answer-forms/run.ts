/**
 * Answers of one policy to Absolute Zero's own template, read by its own reader, beside those to this application's pack and reader:
 * the questions of one step of a preset, first of step 1, asked in both forms with the same references, tasks, seeds and sampling.
 * Counted are answers that can be read, proposals that become tasks and solutions that are right; programs run in the sandbox.
 * An answer that repeats what the form itself shows is counted as copied and not as readable.
 *
 * Usage: node test/peers/answer-forms/run.ts --model FOLDER --original CHECKOUT [--pack instruct] [--batch 67] [--rows 48] [--threads 1]
 *   [--forms original,ours] [--out FOLDER]
 * The pack `base` is for models that were pretrained and nothing else. Answers are kept in --out, so one form can be asked alone.
 * CHECKOUT is a clone of Absolute Zero Reasoner; its templates and seeds are read there.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import {
  runConfigSchema,
  type AzrConfig,
  type CodeTaskType,
  type TaskRecord,
} from '../../../electron/contract/index.ts';
import { findFences, wilsonInterval } from '../../../electron/core/index.ts';
import {
  beginCodeTasks,
  scoreProposal,
  scoreSolution,
  type CodeTaskRequest,
  type CodeTaskState,
} from '../../../electron/evolution/code-tasks/scoring.ts';
import { tasksOfSeedFile } from '../../../electron/evolution/code-tasks/seed-file.ts';
import { splitPairs } from '../../../electron/evolution/code-tasks/task-types/induction/index.ts';
import { selfPlay } from '../../../electron/evolution/frameworks/azr/index.ts';
import { PRESETS } from '../../../electron/evolution/index.ts';
import { generateItem, wholeRollout } from '../../../electron/evolution/loop/framework.ts';
import type { RunState, StepContext } from '../../../electron/evolution/loop/run-state.ts';
import { loadPromptPack } from '../../../electron/library/index.ts';
import { startRunner, type Rollout, type RunnerClient } from '../../../electron/processes/index.ts';
import { machine, writeJson } from '../support/figures.ts';
import { answersTo, ROOT, type Answer } from './answers.ts';

const HERE = import.meta.dirname;
const PRESET = 'small-real';
/** Both of the original's seed files of its smallest model of code. */
const SEEDS = ['data/3b_coder_seed_io.jsonl', 'data/3b_coder_code_f_seed_io.jsonl'];
const FORMS = ['original', 'ours'] as const;

type Form = (typeof FORMS)[number];
type Asked = { form: Form; request: CodeTaskRequest; shown: readonly string[]; plain: string | null };
type Counted = { readable: boolean; passed: boolean; copied: boolean; cut: boolean; tokens: number };

const { values: given } = parseArgs({
  options: {
    model: { type: 'string' },
    original: { type: 'string' },
    pack: { type: 'string', default: 'instruct' },
    batch: { type: 'string', default: '67' },
    rows: { type: 'string', default: '48' },
    threads: { type: 'string', default: '1' },
    forms: { type: 'string', default: 'original,ours' },
    out: { type: 'string', default: 'lab/answer-forms' },
  },
});
const { model, original: checkout, out } = given;
if (model === undefined || checkout === undefined)
  throw new Error('Give --model, a folder of a policy, and --original, a clone of Absolute Zero Reasoner.');
const forms = given.forms.split(',');
const unknown = forms.filter((form) => !(FORMS as readonly string[]).includes(form));
if (unknown.length > 0) throw new Error(`--forms takes ${FORMS.join(' and ')}, not ${unknown.join(', ')}.`);
const say = (line: string): void => void process.stdout.write(`${line}\n`);

const configOf = (form: Form) => {
  const preset = PRESETS[PRESET];
  const config = runConfigSchema.parse({
    ...preset,
    policy: { ...preset.policy, promptPack: given.pack },
    framework: {
      ...preset.framework,
      batchSize: Number(given.batch),
      ...(form === 'original'
        ? { reader: 'azr-compat', validator: 'azr-compat', verifier: 'azr-compat' }
        : {}),
    },
  });
  return { ...config, framework: config.framework as AzrConfig };
};
const pack = loadPromptPack(join(ROOT, 'resources/prompts', given.pack), given.pack);
const signal = new AbortController().signal;

async function stepOne(form: Form, runner: RunnerClient): Promise<RunState<AzrConfig, CodeTaskState>> {
  const config = configOf(form);
  const seeds = join(out, 'seeds.jsonl');
  writeFileSync(seeds, SEEDS.map((file) => readFileSync(join(checkout as string, file), 'utf8')).join(''));
  const tasks = await tasksOfSeedFile(configOf('ours'), seeds, { runner, signal, onChecked: () => {} });
  return {
    config,
    step: 1,
    context: { step: 1, hash: '', text: '', tokens: 0, lines: [], removed: [] },
    state: beginCodeTasks(config.framework, tasks),
    previousHash: '',
  };
}

/** What the original's functions take, by the names of original.py. */
function askOf({ purpose, taskType, detail: { task, references, given: about } }: CodeTaskRequest): object {
  const { bannedModules, inductionInputs } = configOf('original').framework;
  const snippetOf = ({ program, inputs, outputs }: TaskRecord): object => ({
    snippet: program,
    input: inputs[0],
    output: outputs[0],
  });
  const pairs = task === null ? [] : splitPairs(task).given.map(({ input, output }) => [input, output]);
  const snippets = purpose === 'propose' && taskType === 'induction' ? [about] : references;
  return {
    purpose,
    taskType,
    banned: bannedModules,
    inputs: inductionInputs,
    references: snippets.map((one) => snippetOf(one as TaskRecord)),
    program: task?.program,
    input: task?.inputs[0],
    output: task?.outputs[0],
    message: task?.message,
    pairs,
    // What the question is about may be repeated; it is no example of the form.
    shown: [task, about, ...references].flatMap((one) =>
      one === null ? [] : [one.program, ...one.inputs, ...one.outputs],
    ),
  };
}

function inOriginalForm(requests: readonly CodeTaskRequest[]): Asked[] {
  const { stdout, status, stderr } = spawnSync(
    join(ROOT, '.venv/bin/python'),
    [join(HERE, 'original.py'), checkout as string],
    { input: JSON.stringify(requests.map(askOf)), encoding: 'utf8', maxBuffer: 1e9 },
  );
  if (status !== 0) throw new Error(stderr);
  const questions = JSON.parse(stdout) as { text: string; shown: string[] }[];
  return requests.map((request, index) => {
    const { text, shown } = questions[index] as (typeof questions)[number];
    return { form: 'original', request, shown, plain: text };
  });
}

const keyOf = ({ form, request }: Asked): string => `${form}/${request.id}`;
const withoutSpace = (text: string): string => text.replace(/\s+/g, '');

async function count(
  run: RunState<AzrConfig, CodeTaskState>,
  runner: RunnerClient,
  { request, shown, plain }: Asked,
  answer: Answer,
): Promise<Counted> {
  // The original's question ends within the text that its reader reads.
  const text = plain === null ? answer.text : `<think>${answer.text}`;
  const rollout = wholeRollout(plain === null ? request.prompt : { system: '', user: '' }, {
    ...answer,
    text,
  } as unknown as Rollout);
  const score = request.purpose === 'propose' ? scoreProposal : scoreSolution;
  const { response, verdict } = await score(
    run,
    { runner, pack } as unknown as StepContext,
    request,
    rollout,
  );
  const examples = new Set(shown.map(withoutSpace));
  const copied =
    (response as { cause?: string }).cause === 'copied-example' ||
    [response.answer ?? '', ...findFences(response.answer ?? '').map(({ body }) => body)].some((part) =>
      examples.has(withoutSpace(part)),
    );
  return {
    copied,
    readable: response.formatOk && !copied,
    passed: verdict.outcome === 'passed' && !copied,
    cut: answer.finish === 'length',
    tokens: answer.newTokens,
  };
}

function report(counted: ReadonlyMap<string, readonly Counted[]>): object[] {
  return [...counted].map(([name, all]) => {
    const share = (test: (one: Counted) => boolean): string => {
      const hits = all.filter(test).length;
      const { low, high } = wilsonInterval(hits, all.length);
      return `${hits} of ${all.length} (${(100 * low).toFixed(0)} to ${(100 * high).toFixed(0)} %)`;
    };
    const row = {
      name,
      readable: share(({ readable }) => readable),
      passed: share(({ passed }) => passed),
      copied: all.filter(({ copied }) => copied).length,
      cut: all.filter(({ cut }) => cut).length,
      tokens: Math.round(all.reduce((sum, { tokens }) => sum + tokens, 0) / all.length),
    };
    say(
      `${name.padEnd(30)} readable ${row.readable}, valid or right ${row.passed}, copied ${row.copied}, cut off ${row.cut}, ${row.tokens} tokens`,
    );
    return row;
  });
}

mkdirSync(out, { recursive: true });
const runner = await startRunner({
  python: join(ROOT, '.venv/bin/python'),
  brokerPath: join(ROOT, 'native/runner/broker.py'),
  level: 'auto',
  workers: 1,
  logFile: join(out, 'runner.log'),
});
try {
  const run = await stepOne('ours', runner);
  const requests = selfPlay.requests(run, { pack, rewardedPrompts: [] }) as CodeTaskRequest[];
  const originals = inOriginalForm(requests);
  const asked = requests
    .flatMap((request, index): Asked[] => [
      originals[index] as Asked,
      { form: 'ours', request, shown: [], plain: null },
    ])
    .filter(({ form }) => forms.includes(form));
  const { temperature, topP, maxNewTokens } = run.config.generation;
  const questions = asked.map((one) => ({
    key: keyOf(one),
    seed: one.request.seed,
    ...(one.plain === null ? generateItem(one.request.prompt) : { plain: one.plain }),
  }));
  const [rows, threads] = [Number(given.rows), Number(given.threads)];
  const answers = await answersTo(questions, { model, out, temperature, topP, maxNewTokens, rows, threads });
  const runs = { ours: run, original: { ...run, config: configOf('original') } };
  const counted = new Map<string, Counted[]>();
  for (const one of asked) {
    const counts = await count(runs[one.form], runner, one, answers.get(keyOf(one)) as Answer);
    const { purpose, taskType } = one.request;
    for (const what of [taskType as CodeTaskType, 'all']) {
      const name = `${purpose} ${what}, ${one.form}`;
      counted.set(name, [...(counted.get(name) ?? []), counts]);
    }
  }
  say(`${model}, preset ${PRESET}, pack ${given.pack}, ${machine().cpu}`);
  writeJson(join(out, 'figures.json'), { rows: report(counted) });
} finally {
  await runner.close();
}
