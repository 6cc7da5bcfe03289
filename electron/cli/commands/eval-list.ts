import type { Command } from 'commander';
import {
  EVALUATION_ORDERS,
  evaluationStateSchema,
  Failure,
  type EvaluationCondition,
  type EvaluationRowFilter,
  type EvaluationRowOrder,
  type EvaluationRowCounts,
  type EvaluationState,
  type EvaluationSummary,
} from '../../contract/index.ts';
import { joinedReads, pageSummaries } from '../../evaluation/index.ts';
import { contextOption, subjectId, withGiven } from '../evaluation-options.ts';
import { summariesText } from '../evaluation-text.ts';
import { asSample, atLeastOne, type Program, type Records } from '../program.ts';

const ROWS_AT_ONCE = 200;

/** `anchor eval list`: the evaluations of a lab and those of the recorded sample after them, narrowed and ordered. */
export function addEvalList(program: Program, evaluation: Command): void {
  evaluation
    .command('list')
    .description(
      'Evaluations of this lab with their scores, oldest first, then those of the recorded sample; all that is named must hold.',
    )
    .option(
      '--model <ref>',
      'only of this run, checkpoint or model: run, run@step, run@last, a name (repeatable)',
      (value: string, all: string[]) => [...all, value],
      [],
    )
    .option('--suites <names>', 'only of these suites, with commas between them')
    .option('--context <which>', '"weights": without a context; "run": under one', contextOption)
    .option('--judge <names>', 'only judged by these, with commas between them; "none": by nobody')
    .option('--state <names>', 'only running, stopped, failed or done, with commas between them')
    .option('--find <text>', 'only with all of these words in suite, policy, run, judge, protocol or id')
    .option('--sort <by>', EVALUATION_ORDERS.join(', '), 'time')
    .option('--descending', 'newest or largest first')
    .option('--limit <number>', 'at most so many', atLeastOne)
    .action(async (own: ListOptions) => {
      const options = withGiven(evaluation, own);
      return program.withSample(options.model, (store, sample) => {
        const filter = filterOf(joinedReads(store, sample), options);
        const order = orderOption(options);
        const found = listed(store, filter, order, options.limit);
        const recorded =
          sample === null
            ? null
            : listed(sample, filter, order, (options.limit ?? Infinity) - found.rows.length);
        program.print([...found.rows, ...asSample(recorded?.rows ?? [])], () => {
          const isShown = recorded !== null && (recorded.total > 0 || found.all === 0);
          return `${listText(found)}${isShown ? `\n\nRecorded sample:\n${listText(recorded)}` : ''}`;
        });
      });
    });
}

type ListOptions = {
  model: string[];
  suites?: string;
  context?: 'weights' | 'run' | 'both';
  judge?: string;
  state?: string;
  find?: string;
  sort: string;
  descending?: boolean;
  limit?: number;
};

const named = (text: string): string[] => text.split(',').flatMap((name) => name.trim() || []);

function filterOf(store: Pick<Records, 'getRun'>, options: ListOptions): EvaluationRowFilter {
  const { model, suites, context, judge, state, find } = options;
  return {
    // A name without a step is that of a run or of a model, and both may be gone from the lab.
    ...(model.length > 0 && { subjects: model.flatMap((name) => [name, subjectId(store, name)]) }),
    ...(suites !== undefined && { suites: named(suites) }),
    ...(context !== undefined && context !== 'both' && { context }),
    ...(judge !== undefined && { judges: named(judge).map((name) => (name === 'none' ? null : name)) }),
    ...(state !== undefined && { states: named(state).map(stateOption) }),
    ...(find !== undefined && { words: find.split(/\s+/).filter((word) => word !== '') }),
  };
}

function stateOption(name: string): EvaluationState {
  const found = evaluationStateSchema.options.find((state) => state === name);
  if (found === undefined)
    throw new Failure(
      'usage',
      `There is no state "${name}"; choose ${evaluationStateSchema.options.join(', ')}.`,
      2,
    );
  return found;
}

function orderOption({ sort, descending = false }: ListOptions): EvaluationRowOrder {
  const by = EVALUATION_ORDERS.find((order) => order === sort);
  if (by === undefined)
    throw new Failure(
      'usage',
      `Evaluations cannot be sorted by "${sort}"; choose ${EVALUATION_ORDERS.join(', ')}.`,
      2,
    );
  return { by, descending };
}

type Listed = EvaluationRowCounts & { rows: EvaluationSummary[] };

/** All pages up to so many rows, as one. */
function listed(
  store: Records,
  filter: EvaluationRowFilter,
  order: EvaluationRowOrder,
  most = Infinity,
): Listed {
  const next = (cursor: string | null, left: number) =>
    pageSummaries(store, filter, order, { cursor, limit: Math.min(left, ROWS_AT_ONCE) });
  let page = next(null, most);
  const counts = page.counts as EvaluationRowCounts; // which come with the first page
  const rows = most > 0 ? [...page.rows] : []; // a page has one row at least, and its counts are wanted all the same
  while (page.next !== null && rows.length < most) {
    page = next(page.next, most - rows.length);
    rows.push(...page.rows);
  }
  return { rows, ...counts };
}

/** The options behind the conditions of a list. */
const OPTION_OF: Record<EvaluationCondition, string> = {
  suites: '--suites',
  subjects: '--model',
  context: '--context',
  judges: '--judge',
  states: '--state',
  words: '--find',
};

function listText({ rows, total, all, lifted }: Listed): string {
  if (all === 0) return 'There is no evaluation in this lab yet.';
  if (total > 0)
    return `${rows.length === 0 ? '' : `${summariesText(rows)}\n`}${rows.length < total ? `${rows.length} of ${total} that match, ` : ''}${total} of ${all}`;
  const without = Object.entries(lifted)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${count} without ${OPTION_OF[name as EvaluationCondition]}`);
  return `None of ${all} evaluations matches${without.length === 0 ? ', nor would one without one of these conditions' : `; there ${without.length === 1 && without[0]?.startsWith('1 ') ? 'is' : 'are'} ${without.join(', ')}`}.`;
}
