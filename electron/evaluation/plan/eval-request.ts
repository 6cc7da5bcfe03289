import {
  Failure,
  type ContextRecord,
  type EvaluationJudge,
  type EvaluationPlanRecord,
  type EvaluationEstimate,
} from '../../contract/index.ts';
import { sha256Hex, canonicalJson } from '../../core/index.ts';
import { loadPromptPack, type PromptPack } from '../../library/index.ts';
import type { Lab, StoredEvaluation } from '../../store/index.ts';
import { contextText, initialContext } from '../../supervision/index.ts';
import { protocolOf } from '../registry.ts';
import type { EvaluationServices } from '../services.ts';
import type { AnyGradedSuite, ItemPlace, SuiteProtocol } from '../suites/graded-suite.ts';
import { ggufRows } from './answer-windows.ts';
import type { ResolvedSubject } from './subjects.ts';
import { placeOfSuite } from './suite-data.ts';

/** What stands in the prompt: nothing (the weights alone), the context of a run's step, or given lines. */
export type AskedContext = null | { runId: string; step: number } | { lines: readonly string[] };

/** A context with where it comes from. */
type FoundContext = { record: ContextRecord; runId: string | null; step: number | null };

/** Of a run's step: the context it ran under; step = committed steps + 1 is the newest. @throws Failure `noContext` (exit code 2). */
function contextFor(
  { storeOf }: Pick<EvaluationServices, 'storeOf'>,
  asked: AskedContext,
  pack: PromptPack,
): FoundContext | null {
  if (asked === null) return null;
  if ('lines' in asked) {
    const text = contextText(
      pack,
      asked.lines.map((line) => ({ text: line })),
    );
    return { record: { ...initialContext(), text, hash: sha256Hex(text) }, runId: null, step: null };
  }
  const { runId, step } = asked;
  const record = storeOf(runId).getContext(runId, step);
  if (record === null) throw new Failure('noContext', `Run "${runId}" has no context for step ${step}.`, 2);
  return { record, runId, step };
}

/** How a suite is to be asked. `judge` is known by its files; it is loaded when it is needed. */
type Conditions = {
  limit: number | null;
  seed: number;
  context: AskedContext;
  protocol: string | null;
  judge: { name: string; sha256: string } | null;
};

/** An evaluation that is wanted, ready to be looked for, begun or gone on with. */
export type EvalRequest = {
  plan: EvaluationPlanRecord;
  suite: AnyGradedSuite;
  protocol: SuiteProtocol;
  place: ItemPlace;
  pack: PromptPack;
  context: string;
  planned: number;
};

/**
 * @param judgeReference how the judge was named, so that resuming finds it again.
 * @throws Failure (exit code 2) when the suite's data, protocol or context is not there.
 */
export async function planRequest(
  services: EvaluationServices,
  resolved: ResolvedSubject,
  suite: AnyGradedSuite,
  { limit, seed, context, protocol: wanted, judge }: Conditions,
  judgeReference: string | null = null,
): Promise<EvalRequest> {
  const { subject, config } = resolved;
  const protocol = protocolOf(suite, wanted);
  const { place, source, items: all, beside } = await placeOfSuite(services, suite);
  const pack = loadPromptPack(services.resources.prompts(config.policy.promptPack), config.policy.promptPack);
  const found = contextFor(services, context, pack);
  const items = Math.min(all, limit ?? all);
  const { says: _says, stops: _stops, ...recorded } = protocol;
  const isJudged = suite.judgedBy !== undefined;
  const plan: EvaluationPlanRecord = {
    subject,
    suite: suite.name,
    group: suite.group,
    suiteVersion: suite.version,
    source,
    protocol: { ...recorded, promptPack: protocol.promptPack === null ? null : pack.name },
    context: found === null ? null : { hash: found.record.hash, runId: found.runId, step: found.step },
    judge: judgeOf(suite, judge),
    ...(subject.format === 'gguf' ? { answered: ggufRows(resolved, protocol.maxNewTokens) } : {}),
    seed,
    limit: items === all ? null : limit,
    items,
    grader: {
      ...(suite.needs.sandbox ? { sandbox: config.sandbox.level } : {}),
      ...(isJudged && judgeReference !== null ? { judge: judgeReference } : {}),
      ...beside,
    },
  };
  return {
    plan,
    suite,
    protocol,
    place,
    pack,
    context: found?.record.text ?? '',
    planned: items * protocol.samples,
  };
}

/** A judge is known by its file and the rubric's wording, neither of which needs it loaded. */
function judgeOf(suite: AnyGradedSuite, judge: Conditions['judge']): EvaluationJudge | null {
  if (suite.judgedBy === undefined) return null;
  return suite.judgedBy(
    judge === null
      ? null
      : {
          port: { review: () => Promise.reject(new Error('This judge only has a name.')) },
          model: judge,
          seed: 0,
        },
  );
}

/** One subject with what it is to be asked. */
export type SubjectPlan = {
  resolved: ResolvedSubject;
  requests: EvalRequest[];
  judge: string | null;
  seed: number;
};
export type Skipped = { subject: string; suite: string; why: string };

/** Seconds an answer of a suite took, of the same model where that was measured; null where the suite was never asked. */
export function secondsPerAnswer(
  all: readonly StoredEvaluation[],
  suite: string,
  model: string | null,
): { seconds: number; exact: boolean } | null {
  const measured = all.filter(
    ({ plan, graded, milliseconds }) => plan.suite === suite && graded > 0 && milliseconds > 0,
  );
  const own = measured.filter(({ plan }) => plan.subject.model === model);
  const from = (own.length > 0 ? own : measured).at(-1);
  return from === undefined
    ? null
    : { seconds: from.milliseconds / 1000 / from.graded, exact: own.length > 0 };
}

const withoutLabel = (plan: EvaluationPlanRecord): string =>
  canonicalJson({ ...plan, subject: { ...plan.subject, label: '' } });

/** What an order would take, from what this lab measured. Whatever is stored already takes nothing; what was cut off takes its rest. */
export function estimateOf(
  store: Lab,
  { plans, skipped }: { plans: readonly SubjectPlan[]; skipped: readonly Skipped[] },
  again: boolean,
): EvaluationEstimate {
  const all = store.listStoredEvaluations();
  const cells = plans.flatMap(({ resolved: { subject }, requests }) =>
    requests.flatMap(({ plan, planned, suite }): EvaluationEstimate['cells'] => {
      const same = all.filter((one) => one.form === 2 && withoutLabel(one.plan) === withoutLabel(plan));
      if (!again && same.some(({ state }) => state === 'done')) return [];
      const done = same.findLast(({ state }) => state === 'stopped' || state === 'failed')?.graded ?? 0;
      const pace = secondsPerAnswer(all, suite.name, subject.model);
      return [
        {
          subject: subject.id,
          suite: suite.name,
          items: planned,
          done,
          seconds: pace === null ? null : pace.seconds * (planned - done),
          basis: pace === null ? 'unknown' : pace.exact ? 'measured' : 'similar',
        },
      ];
    }),
  );
  const known = cells.every(({ seconds }) => seconds !== null);
  return {
    cells,
    skipped: [...skipped],
    items: cells.reduce((sum, { items, done }) => sum + items - done, 0),
    seconds: known ? cells.reduce((sum, { seconds }) => sum + (seconds ?? 0), 0) : null,
  };
}
