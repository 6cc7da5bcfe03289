import type { EvaluationJudge, EvaluationPlanRecord } from '../../../contract/index.ts';
import {
  protocolOf,
  type AnyGradedSuite,
  type ItemPlace,
  type SuiteProtocol,
} from '../../../evaluation/index.ts';
import { loadPromptPack, type PromptPack } from '../../../library/index.ts';
import type { Services } from '../../services.ts';
import { contextFor, type AskedContext } from './contexts.ts';
import { placeOfSuite } from './places.ts';
import type { ResolvedSubject } from './subjects.ts';

/** How a suite is to be asked. `judge` is known by its files; it is loaded when it is needed. */
export type Conditions = {
  limit: number | null;
  seed: number;
  context: AskedContext;
  protocol: string | null;
  judge: { name: string; sha256: string } | null;
};

/** An evaluation that is wanted, ready to be looked for, begun or gone on with. */
export type Prepared = {
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
export async function prepare(
  services: Services,
  { subject, config }: ResolvedSubject,
  suite: AnyGradedSuite,
  { limit, seed, context, protocol: wanted, judge }: Conditions,
  judgeReference: string | null = null,
): Promise<Prepared> {
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
