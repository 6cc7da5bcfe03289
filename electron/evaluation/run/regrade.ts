import { Failure, LOAD_AFFECTED, type SandboxConfig } from '../../contract/index.ts';
import type { StoredEvaluation, StoredItem } from '../../store/index.ts';
import type { EvaluationServices, JobHandle } from '../services.ts';
import { gradingTools, withGrader } from './execute.ts';
import type { EvalRequest } from '../plan/eval-request.ts';
import { verdictOn } from './run-suite.ts';

/**
 * Grades the answers of a finished evaluation anew that are marked load-affected, one at a time and with nothing else of ours beside
 * them. The verdict before stays among the details. Cut off, the evaluation is stopped and can be resumed.
 * @throws Failure `evaluationState` when it is not finished, `nothingLoadAffected` (exit code 2)
 */
export async function regrade(
  services: EvaluationServices,
  sandbox: SandboxConfig,
  { plan, suite, protocol, place, planned }: EvalRequest,
  { id, milliseconds }: StoredEvaluation,
  job: JobHandle,
): Promise<void> {
  const { store, clock } = services;
  const { rows } = store.listEvaluationItemRows(id, 'load-affected', { offset: 0, limit: planned });
  if (rows.length === 0)
    throw new Failure(
      'nothingLoadAffected',
      `No verdict of evaluation "${id}" is marked as decided under load.`,
      2,
    );
  const wanted = new Set(rows.map(({ ordinal }) => ordinal));
  await withGrader(services, suite.needs.maths, async (grader) => {
    const tools = await gradingTools(
      services,
      sandbox,
      suite,
      place,
      { judge: null, maths: grader },
      job.signal,
    );
    store.reopenEvaluation(id, 'verdicts decided under load are made anew');
    const began = clock.monotonicMs();
    const spent = (): number => milliseconds + clock.monotonicMs() - began;
    try {
      let index = 0;
      for await (const item of suite.read(place, job.signal)) {
        for (let sample = 0; sample < plan.protocol.samples; sample += 1) {
          const ordinal = index * plan.protocol.samples + sample;
          if (!wanted.has(ordinal)) continue;
          const answered = store.getEvaluationItem(id, ordinal) as StoredItem;
          const grade = await verdictOn(
            { suite, protocol, tools, signal: job.signal },
            item,
            answered,
            'stop',
          );
          const before = {
            outcome: answered.grade?.outcome ?? null,
            reason: answered.grade?.reason ?? null,
            under: LOAD_AFFECTED,
          };
          store.putEvaluationItems(id, [
            { ...answered, grade: { ...grade, details: { ...grade.details, before } } },
          ]);
          job.advance(1);
        }
        index += 1;
        if (index === plan.items) break;
      }
      store.finishEvaluation(id, suite.scores(store.listGrades(id), plan.seed), spent());
    } catch (error) {
      store.setEvaluationState(
        id,
        'stopped',
        'Grading anew was stopped; resuming ends it with the verdicts there are.',
        spent(),
      );
      throw error;
    }
  });
}
