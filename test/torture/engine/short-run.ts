import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { PHASES, runConfigSchema, type AzrConfig, type RunConfig } from '../../../electron/contract/index.ts';
import { PRESETS } from '../../../electron/evolution/index.ts';

/**
 * What a review that asks for a retry does; the second form has one more stretch of generation and reviewing in each step, and
 * summaries and context in the words of the supervisor's writer.
 */
export const VARIANTS = ['record', 'enforce'] as const;
export type Variant = (typeof VARIANTS)[number];

export const STEPS = 2;

/**
 * As short as a run can be with everything in it: two task types, estimates, rewarded prompts, reviews of every phase, two updates
 * that move the weights whatever the answers are worth: where all are worth the same, the entropy term still pulls.
 */
export function shortRun(variant: Variant): RunConfig {
  const { supervision, rewardedPrompts, train } = PRESETS.demo;
  return runConfigSchema.parse({
    ...PRESETS.demo,
    name: 'short',
    steps: STEPS,
    framework: { name: 'azr', taskTypes: ['deduction', 'abduction'], batchSize: 2, estimateSamples: 2 },
    generation: { maxNewTokens: 48 },
    train: { ...train, entropyCoefficient: 0.01 },
    rewardedPrompts: { ...rewardedPrompts, samplesPerPrompt: 2 },
    supervision: {
      ...supervision,
      phases: Object.fromEntries(PHASES.map((phase) => [phase, 0.3])),
      retry: variant,
      ...(variant === 'enforce'
        ? { summary: 'model', merge: 'model', summaryScope: 'all', minimumSupport: 1 }
        : {}),
    },
    sandbox: { workers: 1 },
  });
}

/** Shorter still, with one task type: faults are met one at a time, and each starts an engine twice. */
export function faultRun(): RunConfig {
  const run = shortRun('record');
  return {
    ...run,
    framework: { ...(run.framework as AzrConfig), taskTypes: ['deduction'] },
    supervision: { ...run.supervision, phases: { task: 1, plan: 1, thought: 1, output: 1, exec: 1 } },
  };
}

export type StoredStep = { step: number; step_hash: string; weights_sha256: string };

/** Reads a lab with a connection of its own; its writer has closed it or is another process. */
export function query<Row>(lab: string, sql: string): Row[] {
  const file = join(lab, 'lab.sqlite');
  if (!existsSync(file)) return [];
  const db = new SqliteDatabase(file, { readonly: true });
  try {
    return db.prepare(sql).all() as Row[];
  } catch (error) {
    // The writer died before it had made the tables.
    if (/no such table/.test((error as Error).message)) return [];
    throw error;
  } finally {
    db.close();
  }
}

export function storedRun(
  lab: string,
): { id: string; state: string; reason: string | null; committed: number } | null {
  return (
    query<{ id: string; state: string; reason: string | null; committed: number }>(
      lab,
      'SELECT id, state, reason, committed_steps AS committed FROM runs',
    )[0] ?? null
  );
}

/** What must repeat of a finished run: hashes and weights of its steps, and which files it left. */
export type Result = { steps: StoredStep[]; files: string[] };

export function resultOf(lab: string): Result {
  const run = storedRun(lab);
  return {
    steps: query<StoredStep>(lab, 'SELECT step, step_hash, weights_sha256 FROM steps ORDER BY step'),
    files:
      run === null
        ? []
        : readdirSync(join(lab, 'runs', run.id), { recursive: true, encoding: 'utf8' }).sort(),
  };
}

/** A run whose weights stand still could lose or repeat an update unseen. @throws an Error when it does. */
export function requireMovement({ steps }: Result): void {
  const different = new Set(steps.map((step) => step.weights_sha256)).size;
  if (steps.length !== STEPS || different !== STEPS)
    throw new Error(
      `The undisturbed run must have ${STEPS} steps with weights of their own, and has: ${JSON.stringify(steps)}`,
    );
}

export const STEP_PHASES = [
  'set-up',
  'generate',
  'judge and estimate',
  'update',
  'save',
  'reviews and commit',
  'files',
] as const;
export type StepPhase = (typeof STEP_PHASES)[number];

/** Where a run stands, told from what lies in its folder. `step` is the one under way; 0 before the first. */
export function whereIs(lab: string): { step: number; phase: StepPhase } {
  const run = storedRun(lab);
  if (run === null) return { step: 0, phase: 'set-up' };
  const folder = join(lab, 'runs', run.id);
  const has = (...path: string[]): boolean => existsSync(join(folder, ...path));
  const checkpoint = (step: number): string => `step-${String(step).padStart(5, '0')}`;
  if (!has('checkpoints', checkpoint(0))) return { step: 0, phase: 'set-up' };
  const step = run.committed + 1;
  const spooled = (of: number): boolean => has('spool', `s${of}-trained.safetensors`);
  if (run.committed > 0 && (spooled(run.committed) || step > STEPS))
    return { step: run.committed, phase: 'files' };
  if (has('checkpoints', checkpoint(step))) return { step, phase: 'reviews and commit' };
  if (has('checkpoints', `${checkpoint(step)}.tmp`) || isUpdated(join(folder, 'journal.jsonl'), step))
    return { step, phase: 'save' };
  if (has('spool', `s${step}-estimate.safetensors`)) return { step, phase: 'update' };
  return { step, phase: spooled(step) ? 'judge and estimate' : 'generate' };
}

function isUpdated(journal: string, step: number): boolean {
  const last = existsSync(journal) ? (readFileSync(journal, 'utf8').trimEnd().split('\n').at(-1) ?? '') : '';
  return last.includes(`"opId": "s${step}/update"`);
}
