import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import { matrixRequestSchema } from '../contract/index.ts';
import type { JobHandle } from '../core/index.ts';
import { comparedFigures, comparedScoresSection, differencesSection, namesOf } from './comparison.ts';
import { matrixSections } from './matrix.ts';
import { page, section, table } from './page.ts';
import { frameworkSection } from './framework-parts.ts';
import {
  configSection,
  hashSection,
  outcomeSection,
  repeatSection,
  runFigures,
  scoreSection,
  supervisionSection,
} from './run-parts.ts';
import type { ReportSources } from './sources.ts';
import { momentText } from './words.ts';

/** A figure of more runs shows nothing any more. */
const MOST_RUNS = 12;

/** What a report is of: a run, a comparison of several with the first, or a matrix of evaluations. */
export const reportSubjectSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('runs'), runIds: z.array(z.string().min(1)).min(1).max(MOST_RUNS) }),
  z.object({ kind: z.literal('matrix'), request: matrixRequestSchema }),
]);
export type ReportSubject = z.input<typeof reportSubjectSchema>;

export type Report = { name: string; html: string };

/**
 * One page that needs nothing else: no script, no network. The same records give the same bytes, but for the moment that is stated. Read
 * piece by piece, so that whoever else asks is answered meanwhile; nothing is written here.
 * @throws Failure `unknownRun` (exit code 2), and the signal's reason on abort.
 */
export async function makeReport(
  sources: ReportSources,
  subject: ReportSubject,
  at: Date,
  job: Pick<JobHandle, 'signal' | 'total' | 'advance'>,
): Promise<Report> {
  const { title, name, parts } =
    subject.kind === 'runs' ? ofRuns(sources, subject.runIds) : ofMatrix(sources, subject.request);
  job.total(parts.length);
  const sections: string[] = [];
  for (const part of parts) {
    await setImmediate();
    job.signal.throwIfAborted();
    sections.push(part());
    job.advance(1);
  }
  const program = Object.entries(sources.program)
    .map(([of, version]) => `${of} ${version}`)
    .join(', ');
  return {
    name,
    html: page(
      title,
      [`Written ${momentText(at.toISOString())} from stored records by ${program}.`],
      sections,
    ),
  };
}

type Parts = { title: string; name: string; parts: (() => string)[] };

function ofRuns(sources: ReportSources, runIds: readonly string[]): Parts {
  const compared = [...new Set(runIds)].map((id) => {
    const store = sources.storeOf(id);
    return { store, run: store.requireRun(id) };
  });
  const runs = compared.map(({ run }) => run);
  const [first] = compared as [(typeof compared)[number]];
  const repeat = (): string => repeatSection(runs, `anchor report ${runs.map(({ id }) => id).join(' ')}`);
  if (compared.length === 1) {
    const { run, store } = first;
    return {
      title: `${run.config.name} (${run.id})`,
      name: `${run.id}.html`,
      parts: [
        () => outcomeSection(store, run),
        () => runFigures(store, run.id),
        () => frameworkSection(store, run),
        () => scoreSection(store, run.id),
        () => supervisionSection(store, run),
        () => configSection(run),
        () => hashSection(store, run, sources),
        repeat,
      ],
    };
  }
  const names = namesOf(compared);
  return {
    title: `Comparison of ${[...names.values()].join(', ')}`,
    name: `comparison-${first.run.id}-and-${compared.length - 1}.html`,
    parts: [
      () =>
        section(
          'Runs',
          table(
            'Compared with the first',
            ['run', 'id', 'state', 'steps', 'policy', 'seed'],
            runs.map(({ id, state, committedSteps, config }) => [
              names.get(id) ?? '',
              id,
              state,
              `${committedSteps} of ${config.steps}`,
              config.policy.model,
              config.seed,
            ]),
          ),
        ),
      () => differencesSection(compared),
      () => comparedFigures(compared),
      () => comparedScoresSection(sources.evaluations, compared),
      ...compared.flatMap(({ run, store }) => [
        () => outcomeSection(store, run, names.get(run.id)),
        () => hashSection(store, run, sources, names.get(run.id)),
      ]),
      repeat,
    ],
  };
}

function ofMatrix(
  { evaluations }: ReportSources,
  request: Extract<ReportSubject, { kind: 'matrix' }>['request'],
): Parts {
  return {
    title: 'Evaluation matrix',
    name: 'evaluation-matrix.html',
    parts: matrixSections(evaluations, request),
  };
}
