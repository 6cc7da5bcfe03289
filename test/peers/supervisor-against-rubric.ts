/**
 * The embedded supervisor as it ships, through llama.cpp with its grammar and one thread, against the rubric.
 *
 * --lab: on what an evolving policy wrote. Runs that the rubric reviewed hold the prompt a model would have been shown, and the
 * rubric's word on it; the supervisor is asked the same prompts, each once, spread evenly over all steps of all such runs of a
 * lab. What the lab's own reviews by a model came to (failed, leaked) is counted beside it. npm run study -- --seeds 1 leaves a
 * lab with runs of both kinds (lab/study/lab).
 *
 * --records: on injected defects, which occur in every kind, also those that a policy hardly ever writes. Drawn by
 * python -m anchor_trainer.recipes records --out FILE (in native/trainer).
 *
 * Usage: node test/peers/supervisor-against-rubric.ts --lab FOLDER | --records FILE [--reviews 5000] [--json FILE]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import {
  PHASES,
  type ReviewerKind,
  type ReviewRecord,
  type RunRecord,
} from '../../electron/contract/index.ts';
import { wilsonInterval } from '../../electron/core/index.ts';
import { readJsonLines } from '../../electron/library/index.ts';
import { startSupervisor } from '../../electron/processes/index.ts';
import { ISSUE_NAMES, parseAnswer, reviewRequest } from '../../electron/supervision/index.ts';
import { openLab, type Lab } from '../../electron/store/index.ts';
import { machine, writeJson } from './support/figures.ts';
import { ProcessCpu } from './support/process-cpu.ts';

const MODEL = join(import.meta.dirname, '../../resources/models/supervisor/supervisor.f16.gguf');
const CONTEXT_TOKENS = 1024;
const say = (line: string): void => void process.stdout.write(`${line}\n`);

type Judged = Pick<ReviewRecord, 'phase' | 'issues'> & { system: string; user: string; batch: string };
type Asked = Judged & { answer: readonly string[] | null };
type Share = { name: string; of: number; same: number };
type Kept = { reviews: number; failed: number; leaked: number };
/** Prompts with the rubric's word on each; what models' own reviews in the same place came to. */
type Source = { judged: Judged[]; kept: Kept | null; what: string };

const { values: given } = parseArgs({
  options: {
    lab: { type: 'string' },
    records: { type: 'string' },
    reviews: { type: 'string', default: '5000' },
    json: { type: 'string' },
  },
});
if ((given.lab === undefined) === (given.records === undefined))
  throw new Error(
    'Give either --lab, a lab with runs that the rubric reviewed, such as lab/study/lab, or --records, a file that anchor_trainer.recipes records wrote.',
  );
if (!/^[1-9]\d{0,6}$/.test(given.reviews))
  throw new Error(`--reviews takes a whole number from 1, not "${given.reviews}".`);

function* runsOf(lab: Lab): Generator<RunRecord> {
  let cursor: string | null = null;
  do {
    const page = lab.listRuns({}, { cursor, limit: 500 });
    yield* page.rows;
    cursor = page.next;
  } while (cursor !== null);
}

function* reviewsOf(lab: Lab, { id, committedSteps }: RunRecord): Generator<ReviewRecord> {
  for (let step = 1; step <= committedSteps; step += 1) yield* lab.listReviews(id, step);
}

/** Different prompts only, in the order of runs and steps; and what reviews by models came to. */
function readLab(lab: Lab): Source {
  const by = (kind: ReviewerKind): RunRecord[] =>
    [...runsOf(lab)].filter(({ config }) => config.supervision.reviewer === kind);
  const byRubric = by('rubric');
  const judged = new Map<string, Judged>();
  for (const run of byRubric)
    for (const review of reviewsOf(lab, run)) {
      const [system = '', ...user] = review.prompt.split('\n\n');
      judged.set(review.prompt, { ...review, system, user: user.join('\n\n') });
    }
  const kept: Kept = { reviews: 0, failed: 0, leaked: 0 };
  for (const run of by('llama')) {
    for (const { status, leaks } of reviewsOf(lab, run)) {
      kept.reviews += 1;
      kept.failed += status === 'failed' ? 1 : 0;
      kept.leaked += leaks.length > 0 ? 1 : 0;
    }
  }
  return { judged: [...judged.values()], kept, what: `${byRubric.length} runs that the rubric reviewed` };
}

const recordSchema = z.object({
  phase: z.enum(PHASES),
  issues: z.array(z.string()),
  system: z.string(),
  user: z.string(),
});

function readRecords(file: string): Source {
  const judged = readJsonLines(file, recordSchema).map((record) => ({ ...record, batch: 'injected' }));
  return {
    judged: [...new Map(judged.map((one) => [one.user, one])).values()],
    kept: null,
    what: 'records with injected defects',
  };
}

async function readSource(): Promise<Source> {
  if (given.records !== undefined) return readRecords(given.records);
  const lab = await openLab(given.lab ?? '', { now: () => new Date() });
  try {
    return readLab(lab);
  } finally {
    lab.close();
  }
}

const evenly = <T>(all: readonly T[], count: number): T[] =>
  all.length <= count
    ? [...all]
    : Array.from({ length: count }, (_, index) => all[Math.floor((index * all.length) / count)] as T);

async function askSupervisor(
  judged: readonly Judged[],
): Promise<{ asked: Asked[]; wallSeconds: number; cpuSeconds: number }> {
  const scratch = mkdtempSync(join(tmpdir(), 'anchor-peer-'));
  const client = await startSupervisor({ logFile: join(scratch, 'supervisor.log') });
  const cpu = new ProcessCpu(process.pid);
  try {
    await client.load({ path: MODEL, contextSize: CONTEXT_TOKENS, threads: 1 });
    const before = cpu.sample().supervisor;
    const began = performance.now();
    const asked: Asked[] = [];
    for (const one of judged) {
      const reply = await client.review({
        ...reviewRequest({ system: one.system, user: one.user }, one.phase),
        seed: 1,
        temperature: 0,
        timeoutMs: 60_000,
      });
      asked.push({ ...one, answer: parseAnswer(one.phase, reply.value)?.issues ?? null });
      if (asked.length % 500 === 0)
        process.stderr.write(
          `${asked.length} of ${judged.length} reviews, ${((1000 * asked.length) / (performance.now() - began)).toFixed(1)} a second\n`,
        );
    }
    return {
      asked,
      wallSeconds: (performance.now() - began) / 1000,
      cpuSeconds: cpu.sample().supervisor - before,
    };
  } finally {
    await client.close();
    rmSync(scratch, { recursive: true, force: true });
  }
}

function sharesOf(asked: readonly Asked[]): Share[] {
  const same = ({ issues, answer }: Asked): boolean =>
    answer !== null && JSON.stringify(issues) === JSON.stringify(answer);
  const share = (name: string, all: readonly Asked[], isSame: (one: Asked) => boolean): Share => ({
    name,
    of: all.length,
    same: all.filter(isSame).length,
  });
  const found = ISSUE_NAMES.filter((issue) => asked.some(({ issues }) => issues.includes(issue)));
  return [
    share("a review, by the answer's rules", asked, ({ answer }) => answer !== null),
    share('same issues', asked, same),
    ...[...Map.groupBy(asked, ({ phase }) => phase)].flatMap(([phase, ofPhase]) => [
      share(`same issues, ${phase}`, ofPhase, same),
      ...[...Map.groupBy(ofPhase, ({ batch }) => batch)]
        .map(([batch, all]) => share(`  of ${batch}`, all, same))
        .filter(({ same: passed, of }) => passed < of),
    ]),
    share(
      'no issue where the rubric finds none',
      asked.filter(({ issues }) => issues.length === 0),
      same,
    ),
    ...found.map((issue) =>
      share(
        `recall of ${issue}`,
        asked.filter(({ issues }) => issues.includes(issue)),
        ({ answer }) => answer?.includes(issue) === true,
      ),
    ),
  ];
}

const { judged, kept, what } = await readSource();
if (judged.length === 0)
  throw new Error(
    `No run in ${given.lab ?? given.records} was reviewed by the rubric; npm run study -- --seeds 1 leaves some in lab/study/lab.`,
  );
const { asked, wallSeconds, cpuSeconds } = await askSupervisor(evenly(judged, Number(given.reviews)));
const shares = sharesOf(asked);
const { cpu: processor, load } = machine();
say(
  `${processor}, load ${load.toFixed(1)}; ${asked.length} of ${judged.length} different prompts of ${what}`,
);
for (const { name, of, same } of shares) {
  const { low, high } = wilsonInterval(same, of);
  say(
    `${name.padEnd(40)} ${((100 * same) / of).toFixed(1).padStart(5)} % (${(100 * low).toFixed(1)} to ${(100 * high).toFixed(1)}, n = ${of})`,
  );
}
const pace = { perSecond: asked.length / wallSeconds, perCpuSecond: asked.length / cpuSeconds };
say(
  `${pace.perSecond.toFixed(1)} reviews a second, ${pace.perCpuSecond.toFixed(1)} a second of the processor`,
);
if (kept !== null)
  say(
    `Reviews by models in this lab: ${kept.reviews}, of them ${kept.failed} failed and ${kept.leaked} leaked.`,
  );
writeJson(given.json ?? null, { of: what, asked: asked.length, shares, pace, kept });
