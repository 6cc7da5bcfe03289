import { Failure, PHASES, type Phase } from '../../contract/index.ts';
import { canonicalJson, sha256Hex } from '../../core/index.ts';
import { ISSUE_NAMES, ISSUES, type AskedIssue } from '../reviewers/answers.ts';
import type { SupervisedItem } from '../review-batch.ts';
import { Draw } from './draw.ts';
import { ANSWER_PAIRS } from './items/answers.ts';
import { BATCH_PAIRS } from './items/batches.ts';
import { REASONING_PAIRS } from './items/reasoning.ts';
import { TASK_PAIRS } from './items/tasks.ts';
import type { ItemLength, Pair, PairMaker, ProgramChecker } from './pair.ts';
import type { ProbeStyle } from './programs.ts';

/** Raised with every change of the items, of what is asked, or of how it is scored: figures of two versions are not compared. */
export const PROBE_VERSION = 1;

/** One item with what is known of it. */
export type ProbeItem = {
  /** Its place among all items of the probe, from 0, which is the order of asking. */
  ordinal: number;
  issue: AskedIssue;
  kind: string;
  length: ItemLength;
  /** Whether it carries the issue. */
  carries: boolean;
  /** The same for the two sides of a pair. */
  pair: number;
  /** The review step it belongs to: as in a run, a step has one exec review of a batch. */
  step: number;
  supervised: SupervisedItem;
};

export type ProbeOrder = { items: number; phases: readonly Phase[]; seed: number; style: ProbeStyle };

const MAKERS: Readonly<Record<AskedIssue, PairMaker>> = {
  ...TASK_PAIRS,
  ...REASONING_PAIRS,
  ...ANSWER_PAIRS,
  ...BATCH_PAIRS,
};

const LENGTHS: readonly ItemLength[] = ['short', 'long'];
const ATTEMPTS = 40;
/** Reviews that may be under way together; a step of a small run has about as many. */
const STEP_ITEMS = 16;

/** Issues of these phases, each of which gets as many pairs as any other. */
export const issuesIn = (phases: readonly Phase[]): AskedIssue[] =>
  ISSUE_NAMES.filter((name) => phases.includes(ISSUES[name].phase));

/** Phases in their own order, without repetition. */
export const orderedPhases = (phases: readonly Phase[]): Phase[] =>
  PHASES.filter((phase) => phases.includes(phase));

/** @throws Failure `usage` (exit code 2) where an issue would have no pair. */
export function requireItems({ items, phases }: Pick<ProbeOrder, 'items' | 'phases'>): void {
  const least = 2 * issuesIn(phases).length;
  if (items < least || items % 2 !== 0)
    throw new Failure(
      'usage',
      `A probe of these phases takes an even number of at least ${least} items, two for each issue, not ${items}; 200 tell more.`,
      2,
    );
}

/**
 * Items with known answers: for each issue as many that carry it as do not, in pairs that differ in nothing else. The same order
 * gives the same items; `check` confirms in the sandbox what each program does.
 */
export async function probeItems(order: ProbeOrder, check: ProgramChecker): Promise<ProbeItem[]> {
  requireItems(order);
  const issues = issuesIn(order.phases);
  const pairs = await Promise.all(
    Array.from({ length: order.items / 2 }, async (_, index) => {
      const issue = issues[index % issues.length] as AskedIssue;
      const turn = Math.floor(index / issues.length);
      // Kinds take turns within each length, so that neither stands for the other.
      const length = LENGTHS[turn % LENGTHS.length] as ItemLength;
      const made = await drawPair(order, issue, Math.floor(turn / LENGTHS.length), turn, length, check);
      return { issue, length, pair: index, made };
    }),
  );
  const sides = pairs.flatMap(({ issue, length, pair, made }) =>
    [true, false].map((carries) => ({
      issue,
      length,
      pair,
      carries,
      kind: made.kind,
      supervised: carries ? made.carries : made.control,
    })),
  );
  return inSteps(new Draw(order.seed, 'order').shuffled(sides));
}

async function drawPair(
  { seed, style }: ProbeOrder,
  issue: AskedIssue,
  turn: number,
  place: number,
  length: ItemLength,
  check: ProgramChecker,
): Promise<Pair> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const draw = new Draw(seed, style, issue, place, attempt);
    const pair = await MAKERS[issue]({ draw, style, length, check, turn });
    if (pair !== null) return pair;
  }
  throw new Failure(
    'internal',
    `No pair of items for the issue "${issue}" was confirmed by the sandbox in ${ATTEMPTS} draws; try another seed.`,
  );
}

/** Gives every item its place in a step, as a run numbers them: the batch of exec items stands once in a step. */
function inSteps(sides: readonly Omit<ProbeItem, 'ordinal' | 'step'>[]): ProbeItem[] {
  const found: ProbeItem[] = [];
  let [step, batches, count] = [1, new Set<string>(), 0];
  for (const [ordinal, side] of sides.entries()) {
    const { item } = side.supervised;
    if (count === STEP_ITEMS || (item.phase === 'exec' && batches.has(item.batch))) {
      step++;
      count = 0;
      batches = new Set();
    }
    if (item.phase === 'exec') batches.add(item.batch);
    count++;
    found.push({
      ...side,
      ordinal,
      step,
      supervised: {
        ...side.supervised,
        item: { ...item, step, index: item.phase === 'exec' ? 0 : ordinal },
      },
    });
  }
  return found;
}

/** SHA-256 over everything that is asked and known: two probes of one hash asked the same. */
export const itemsSha256 = (items: readonly ProbeItem[]): string =>
  sha256Hex(items.map((item) => canonicalJson(item)).join('\n'));
