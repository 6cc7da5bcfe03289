/**
 * Measures the store at its design size, one run of 100,000 rollouts and their reviews, in a lab on a real disk.
 * Usage: node test/peers/durable-ingest.ts [rollouts=100000] [folder=<temporary>]
 * Prints a table; every read figure is the median and the worst of several repetitions with the page cache warm, and
 * "first page after open" starts from a closed lab.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import type { ReviewRecord, RolloutRecord, StepCommit } from '../../electron/contract/index.ts';
import { DATABASE_FILE, openLab } from '../../electron/store/index.ts';
import type { Lab } from '../../electron/store/index.ts';
import {
  hex,
  makeCheckpoint,
  makeCommit,
  makeConfig,
  makeContext,
  makeInitial,
  makeReview,
  makeRollout,
  seededRandom,
  steadyClock,
} from '../electron/store/support/make-records.ts';

const TOTAL = Number(process.argv[2] ?? 100_000);
/** The embedded policy writes about 250 rollouts a step: six batches and the estimates of the proposals. */
const PER_STEP = 250;
const RUN = 'big';

const random = seededRandom(2026);
const WORDS = (
  'def return for while if else range append value list number string total count index trace step first then because ' +
  'answer input output sort reverse sum min max join split lower upper even odd prime digit word pair triple zip map filter'
).split(' ');

/** What the answers of a run are told before their prompt, mostly one text a step. */
const SYSTEM = 'You solve small tasks about programs.';

function prose(words: number): string {
  return Array.from({ length: words }, () => {
    const word = WORDS[Math.floor(random() * WORDS.length)] ?? 'value';
    return random() < 0.2 ? `${word}_${Math.floor(random() * 5000)}` : word;
  }).join(' ');
}

function bigCommit(step: number): StepCommit {
  const rollouts: RolloutRecord[] = Array.from({ length: PER_STEP }, (_, index) => ({
    ...makeRollout(step, index, `${prose(70)}${step === 200 && index === 100 ? ' quetzalcoatl' : ''}`),
    user: prose(60),
    taskId: null,
  }));
  const reviews: ReviewRecord[] = rollouts
    .filter(() => random() < 0.3)
    .map((rollout, position) => ({
      ...makeReview(rollout, 'output', position),
      feedback: prose(15),
      prompt: prose(100),
    }));
  const small = makeCommit(step, 0);
  const nextContext = { ...makeContext(step + 1), lines: [] };
  return {
    ...small,
    step: { ...small.step, stepHash: hex(`big ${step}`) },
    rollouts,
    generations: rollouts.map(({ id, index }) => ({
      rolloutId: id,
      at: '2026-01-01T00:00:01.000Z',
      promptSha256: hex(`prompt ${step} ${index}`),
      system: SYSTEM,
    })),
    reviews,
    summaries: [],
    wordings: [],
    nextContext,
    checkpoint: makeCheckpoint(step),
  };
}

function timed<T>(work: () => T): { milliseconds: number; value: T } {
  const start = performance.now();
  const value = work();
  return { milliseconds: performance.now() - start, value };
}

const lines: [string, string][] = [];
const note = (name: string, figure: string): void => void lines.push([name, figure]);

function repeat(name: string, times: number, work: () => unknown): void {
  const all = Array.from({ length: times }, () => timed(work).milliseconds).sort(
    (left, right) => left - right,
  );
  note(
    name,
    `${(all[Math.floor(times / 2)] ?? 0).toFixed(1)} ms median, ${(all.at(-1) ?? 0).toFixed(1)} ms worst of ${times}`,
  );
}

function ingest(lab: Lab): void {
  const steps = Math.ceil(TOTAL / PER_STEP);
  let records = 0;
  let seconds = 0;
  let worst = 0;
  let processor = 0;
  for (let step = 1; step <= steps; step += 1) {
    const commit = bigCommit(step);
    const before = process.cpuUsage();
    const { milliseconds } = timed(() => lab.commitStep(RUN, commit));
    const used = process.cpuUsage(before);
    processor += (used.user + used.system) / 1e6;
    records += commit.rollouts.length + commit.reviews.length;
    seconds += milliseconds / 1000;
    worst = Math.max(worst, milliseconds);
  }
  note(
    'ingest, durable',
    `${records} records in ${seconds.toFixed(1)} s = ${Math.round(records / seconds)} records/s, ${steps} commits, slowest ${worst.toFixed(0)} ms, ${processor.toFixed(1)} s of processor time`,
  );
}

/** The whole list, page by page. */
function walkAll(lab: Lab): number {
  let seen = 0;
  for (let cursor: string | null = null, more = true; more;) {
    const page = lab.pageRollouts(RUN, {}, { cursor, limit: 500 });
    seen += page.rows.length;
    cursor = page.next;
    more = cursor !== null;
  }
  return seen;
}

const given = process.argv[3];
const folder = given ?? mkdtempSync(join(tmpdir(), 'anchor-ingest-'));
try {
  const first = await openLab(folder, { now: steadyClock() });
  first.createRun({ id: RUN, config: makeConfig('ingest'), folder: 'runs/big' });
  first.putInitial(RUN, { ...makeInitial(), context: { ...makeContext(1), lines: [] } });
  ingest(first);
  note('close (checkpoint, optimize)', `${timed(() => first.close()).milliseconds.toFixed(0)} ms`);
  note('size', `${(statSync(join(folder, DATABASE_FILE)).size / 1e6).toFixed(0)} MB`);

  const start = performance.now();
  const lab = await openLab(folder, { now: steadyClock() });
  lab.pageRollouts(RUN, {}, { limit: 100 });
  note('open, first page of 100', `${(performance.now() - start).toFixed(1)} ms`);
  repeat('first page of 100', 9, () => lab.pageRollouts(RUN, {}, { limit: 100 }));
  const middle = lab.pageRollouts(RUN, { fromStep: Math.ceil(TOTAL / PER_STEP / 2) }, { limit: 1 }).next;
  repeat('page of 100 in the middle', 9, () => lab.pageRollouts(RUN, {}, { cursor: middle, limit: 100 }));
  repeat('filter batch + outcome, page of 100', 9, () =>
    lab.pageRollouts(RUN, { batch: 'pred_code_o', outcome: 'failed' }, { limit: 100 }),
  );
  repeat('filter that nothing matches', 9, () =>
    lab.pageRollouts(RUN, { batch: 'pred_memory' }, { limit: 100 }),
  );
  repeat('filter issue, page of 100', 9, () => lab.pageRollouts(RUN, { issue: 'complied' }, { limit: 100 }));
  repeat('count under a filter', 9, () => lab.countRollouts(RUN, { outcome: 'failed' }));
  repeat('all facets, no filter', 9, () => lab.rolloutFacets(RUN));
  repeat('all facets, filtered by issue', 9, () => lab.rolloutFacets(RUN, { issue: 'complied' }));
  repeat('full text, word in every record, 50 hits', 9, () => lab.searchRecords(RUN, 'return', 50));
  repeat('full text, one record of all', 9, () => lab.searchRecords(RUN, 'quetzalcoatl', 50));
  repeat('full text, phrase', 9, () => lab.searchRecords(RUN, '"return value"', 50));
  repeat('full text, three words, all runs', 9, () => lab.searchRecords(null, 'sort reverse prime', 50));
  repeat('full text, nothing', 9, () => lab.searchRecords(RUN, 'nonexistentword', 50));
  repeat('one record', 9, () =>
    lab.getRecord(RUN, lab.pageRollouts(RUN, { fromStep: 50 }, { limit: 1 }).rows[0]?.id ?? ''),
  );
  repeat('issue counts', 5, () => lab.issueCounts(RUN));
  repeat('supervision cost', 5, () => lab.supervisionCost(RUN));
  repeat('metric series', 5, () => lab.metricSeries(RUN, ['loss']));
  const walk = timed(() => walkAll(lab));
  note('walk through all pages of 500', `${walk.value} rows in ${(walk.milliseconds / 1000).toFixed(2)} s`);
  note('verify the event chain', `${timed(() => lab.verifyEvents()).milliseconds.toFixed(0)} ms`);
  const check = timed(() => lab.checkIntegrity());
  note('check everything', `${(check.milliseconds / 1000).toFixed(1)} s, ${check.value.length} findings`);
  const backupStart = performance.now();
  await lab.backup(join(folder, 'copy.sqlite'));
  note('online backup, verified', `${((performance.now() - backupStart) / 1000).toFixed(1)} s`);
  note('delete the run', `${(timed(() => lab.deleteRun(RUN)).milliseconds / 1000).toFixed(1)} s`);
  lab.close();
  note('machine', `${cpus().length} cores, load ${loadavg()[0]?.toFixed(1)}, Node ${process.version}`);
  for (const [name, figure] of lines) process.stdout.write(`${name.padEnd(42)} ${figure}\n`);
} finally {
  if (given === undefined) rmSync(folder, { recursive: true, force: true });
}
