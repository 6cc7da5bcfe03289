import { z } from 'zod';
import { Failure, PHASES } from '../../../contract/index.ts';
import type { RecordedRun, Reviewer, ReviewerMaker } from '../reviewer.ts';

const settingsSchema = z.strictObject({
  /** Id of a run in the same lab, over at least as many steps, with another seed and the same probabilities of the phases. */
  run: z.string().min(1),
});

/**
 * The yoked control: each place (step, batch, index, phase) gets the review that another run got there, whatever stands in this one. What
 * is reviewed is drawn by that run's seed, so both get as many reviews, of the same phases, at the same steps. A difference
 * from that run is then what reviews owe to the work they speak of.
 */
export function yokedReviewer({ id, seed, reviewOf }: RecordedRun): Reviewer {
  return {
    kind: 'yoked',
    model: id,
    gateSeed: seed,
    concurrency: Infinity,
    async review(subject, signal) {
      signal.throwIfAborted();
      const found = reviewOf(subject.item.step, subject.id);
      // What the leak guard held back there says nothing here either, and a part that was blank there had no review.
      const isThere = found !== null && found.status === 'done' && found.decision !== null;
      return {
        answer: isThere
          ? {
              decision: found.decision ?? 'continue',
              issues: found.issues,
              feedback: found.feedback,
              ...(found.quote === undefined ? {} : { quote: found.quote }),
            }
          : null,
        problem: isThere ? null : `Run ${id} has no review of this place that counts.`,
        skipped: !isThere,
        prompt: `The review ${subject.id} of run ${id}.`,
        tokensIn: 0,
        tokensOut: 0,
        milliseconds: 0,
        attempts: 1,
      };
    },
  };
}

export const yoked: ReviewerMaker = {
  kind: 'yoked',
  startable: true,
  settings: settingsSchema,
  async make({ supervision, steps, seed }, { recordedRun }) {
    const { run } = settingsSchema.parse(supervision.reviewerSettings ?? {});
    const source = recordedRun(run);
    const refused = (why: string): Failure =>
      new Failure(
        'usage',
        `The run "${run}" cannot lend its reviews (supervision.reviewerSettings.run): ${why}.`,
        2,
      );
    if (source === null)
      throw refused(
        'it is not in this lab; take one that is listed in Runs, or by "anchor runs", of the lab that holds it',
      );
    if (source.committedSteps < steps)
      throw refused(
        `it has ${source.committedSteps} of the ${steps} steps this run is to take; let it finish, or ask for fewer steps`,
      );
    if (source.seed === seed)
      throw refused(
        `it has the same seed ${seed}, under which the same work would meet its own reviews again; choose another seed`,
      );
    const other = PHASES.find((phase) => source.phases[phase] !== supervision.phases[phase]);
    if (other !== undefined)
      throw refused(
        `it reviewed ${other} with a probability of ${source.phases[other]} and this run would with ${supervision.phases[other]}; set supervision.phases.${other} to ${source.phases[other]}`,
      );
    return { reviewer: yokedReviewer(source), sha256: source.stepHash(steps) };
  },
};
