import {
  Failure,
  type ContextRecord,
  type EvaluationJudge,
  type EvaluationPlanRecord,
} from '../../contract/index.ts';
import { sha256Hex } from '../../core/index.ts';
import { contextText, initialContext } from '../../supervision/index.ts';
import { protocolOf } from '../running/catalogue.ts';
import type { AnyGradedSuite, ItemPlace, SuiteProtocol } from '../running/graded-suite.ts';
import { loadPromptPack, type PromptPack } from '../../library/index.ts';
import type { EvaluationServices } from '../services.ts';
import { placeOfSuite } from './suite-data.ts';
import type { ResolvedSubject } from './subjects.ts';

/** What stands in the prompt: nothing (the weights alone), the context of a run's step, or given lines. */
export type AskedContext = null | { runId: string; step: number } | { lines: readonly string[] };

/** A context with where it comes from. */
export type FoundContext = { record: ContextRecord; runId: string | null; step: number | null };

/** Of a run's step: the context it ran under; step = committed steps + 1 is the newest. @throws Failure `noContext` (exit code 2). */
export function contextFor(
  { store }: Pick<EvaluationServices, 'store'>,
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
  const record = store.getContext(runId, step);
  if (record === null) throw new Failure('noContext', `Run "${runId}" has no context for step ${step}.`, 2);
  return { record, runId, step };
}

/** How a suite is to be asked. `judge` is known by its files; it is loaded when it is needed. */
export type Conditions = {
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
  { subject, config }: ResolvedSubject,
  suite: AnyGradedSuite,
  { limit, seed, context, protocol: wanted, judge }: Conditions,
  judgeReference: string | null = null,
): Promise<EvalRequest> {
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
