import { closeSync, existsSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import {
  BATCHES,
  Failure,
  placeOfStep,
  type ReviewRecord,
  type RolloutRecord,
  type TaskRecord,
  type ContextLine,
  type ContextRecord,
} from '../../contract/index.ts';
import { writeExport, extendExport } from '../../library/index.ts';
import type { Lab } from '../../store/index.ts';
import { isFixedLine } from '../context/context-update.ts';
import {
  batchSummaries,
  evaluationSummary,
  recordsOfRollout,
  supervisorEntry,
  trainedOf,
  type ExportedRecord,
} from './records.ts';

/** The reading half of the store these exports need. */
type StepSource = Pick<
  Lab,
  'getStep' | 'listRollouts' | 'listGenerations' | 'listReviews' | 'listSummaries' | 'getContext' | 'getTask'
>;

const stepFileName = (step: number, batch: string): string => `step${step}_${batch}.json`;
const contextFileName = (step: number): string => `context_${step}.md`;

/**
 * Writes what a committed step left, under the paper's names, into `folder`: `step{t}_{batch}.json` for each batch, its lines in
 * `events.jsonl`, and `context_{t}.md` with the context the next step gets beside it. Everything comes from the store, which
 * stays the truth; writing a step again gives the same files. Returns the names written.
 * @throws Failure `noSuchStep`, or `cannotWrite` naming the file; no file is ever half-written.
 */
export function writeStepFiles(folder: string, store: StepSource, runId: string, step: number): string[] {
  const committed = store.getStep(runId, step);
  if (committed === null)
    throw new Failure(
      'noSuchStep',
      `Step ${step} of run "${runId}" is not stored, so it cannot be exported; choose a committed step.`,
      2,
    );
  // Steps taken before the time of each response was recorded have only that of their end.
  const at = committed.finishedAt;
  const writtenAt = new Map(store.listGenerations(runId, step).map((each) => [each.rolloutId, each.at]));
  const rollouts = store.listRollouts(runId, step);
  const reviews = store.listReviews(runId, step);
  const summaries = store.listSummaries(runId, step);
  const placed = placeOfStep(committed);
  const place =
    placed === null
      ? {}
      : {
          iteration: placed.iteration,
          stage: placed.stage,
          stage_step: placed.stageStep,
          global_step: placed.globalStep,
        };
  const names: string[] = [];
  const events: (ExportedRecord | ReturnType<typeof batchSummaries>[number])[] = [];
  for (const { name: batch } of BATCHES) {
    const about = reviews.filter((review) => review.batch === batch);
    const own = trainedOf(rollouts, batch, new Set(about.map(({ rolloutId }) => rolloutId)));
    const records = batchRecords(
      own,
      about,
      (id) => store.getTask(runId, id),
      (id) => writtenAt.get(id) ?? at,
    ).map((record) => ({ ...record, ...place }));
    if (records.length === 0) continue;
    const closing = evaluationSummary(summaries.find((summary) => summary.batch === batch));
    names.push(stepFileName(step, batch));
    writeExport(join(folder, stepFileName(step, batch)), [
      `${JSON.stringify([...records, ...closing], null, 1)}\n`,
    ]);
    events.push(...records);
  }
  events.push(...batchSummaries(step, summaries, at));
  appendStepEvents(join(folder, 'events.jsonl'), step, events);
  for (const context of [store.getContext(runId, step), store.getContext(runId, step + 1)]) {
    if (context === null) continue;
    names.push(contextFileName(context.step));
    writeExport(join(folder, contextFileName(context.step)), [contextMarkdown(context)]);
  }
  return [...names, 'events.jsonl'];
}

function batchRecords(
  rollouts: RolloutRecord[],
  reviews: ReviewRecord[],
  taskOf: (id: string) => TaskRecord | null,
  timeOf: (id: string) => string,
): ExportedRecord[] {
  const ofRollout = Map.groupBy(reviews, ({ rolloutId }) => rolloutId);
  const records = rollouts.flatMap((rollout) =>
    recordsOfRollout(
      rollout,
      rollout.taskId === null ? null : taskOf(rollout.taskId),
      ofRollout.get(rollout.id) ?? [],
      timeOf(rollout.id),
    ),
  );
  return [...records, ...(ofRollout.get(null) ?? []).map(supervisorEntry)];
}

/** context_{t}.md: the text the agents of step t saw, then where each line comes from and what left. */
export function contextMarkdown({ step, hash, text, tokens, lines, removed }: ContextRecord): string {
  const shown = text === '' ? '*(empty)*' : fenced(text.trim());
  const origin = lines.map((line) =>
    [`- **${line.text}** (${line.id}): ${history(line)}`, ...line.reviewIds.map((id) => `  - ${id}`)].join(
      '\n',
    ),
  );
  const replaced = lines.some((line) => !text.includes(line.text));
  const left = removed.map((line) => `- ${line.text} (${line.id}): ${REASONS[line.reason]}`);
  return [
    `# Context of step ${step}`,
    '',
    `${tokens} tokens, SHA-256 ${hash}`,
    '',
    shown,
    '',
    ...(origin.length > 0
      ? [
          '## Where the lines come from',
          '',
          ...(replaced
            ? ['The policy was shown neutral text of as many tokens in place of these lines.', '']
            : []),
          ...origin,
          '',
        ]
      : []),
    ...(left.length > 0 ? ['## What left', '', ...left, ''] : []),
  ].join('\n');
}

const history = (line: ContextLine): string =>
  isFixedLine(line)
    ? 'set for the whole run'
    : `in the context since step ${line.enteredStep}, last supported by ${line.support} review${line.support === 1 ? '' : 's'} of step ${line.lastSupportedStep}`;

const REASONS: Record<ContextRecord['removed'][number]['reason'], string> = {
  expired: 'nobody supported it for too long',
  conflict: 'a newer line says otherwise',
  repeat: 'another line says the same',
  budget: 'no room beside newer lines',
  model: "left out, or taken up in another line, by the supervisor's model",
};

/** A fence longer than any run of backticks inside. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}

/** Bytes read from the end of the log to find its last line; lines hold one agent text and stay far below. */
const TAIL_BYTES = 4 * 1024 * 1024;

/**
 * Adds the lines of one step to events.jsonl. Doing it again changes nothing: a step that is there already, or one whose
 * writing was cut off, is replaced together with everything after it.
 */
function appendStepEvents(path: string, step: number, events: readonly { step: number }[]): void {
  const lines = events.map((event) => `${JSON.stringify(event)}\n`);
  if (!existsSync(path)) return writeExport(path, lines);
  const last = lastStep(path);
  if (last !== null && last < step) return extendExport(path, lines.join(''));
  writeExport(path, [...linesBefore(path, step), ...lines]);
}

/** Step of the last line; 0 for an empty file, null when the end is no complete line or does not fit the tail. */
function lastStep(path: string): number | null {
  const file = openSync(path, 'r');
  try {
    const size = fstatSync(file).size;
    if (size === 0) return 0;
    const tail = Buffer.alloc(Math.min(size, TAIL_BYTES));
    readSync(file, tail, 0, tail.length, size - tail.length);
    if (tail.at(-1) !== 0x0a) return null;
    const start = tail.lastIndexOf(0x0a, tail.length - 2) + 1;
    if (start === 0 && tail.length < size) return null;
    return stepOf(tail.subarray(start).toString('utf8'));
  } finally {
    closeSync(file);
  }
}

function stepOf(line: string): number | null {
  try {
    const { step } = JSON.parse(line) as { step?: unknown };
    return typeof step === 'number' ? step : null;
  } catch {
    return null;
  }
}

/** Complete lines of earlier steps. */
function linesBefore(path: string, step: number): string[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '' && (stepOf(line) ?? Infinity) < step)
    .map((line) => `${line}\n`);
}
