import { Failure } from '../../contract/index.ts';
import { promptItem, type AnyStage, type RolloutRequest } from './framework.ts';
import type { RunState, StepContext } from './run-state.ts';

/** Another draw of a prompt that was too long gets another path; more than this and nothing there is to draw from fits. */
const REDRAWS = 8;

/**
 * All requests of a step. Everything is drawn before anything is generated, so that one continuous batch can take it all.
 * Prompts longer than the limit are drawn again.
 */
export async function buildBatch(
  run: RunState,
  env: StepContext,
  stage: AnyStage,
): Promise<RolloutRequest[]> {
  const { maxPromptTokens, maxContentTokens = null } = run.config.generation;
  const weights = env.weights(stage.generates);
  let requests = stage.requests(run, env);
  for (let number = 1; ; number += 1) {
    const tokens = await weights.countTokens(requests.map(({ prompt }) => promptItem(prompt)));
    const content =
      maxContentTokens === null
        ? []
        : await weights.countTokens(requests.map(({ prompt: { user } }) => ({ plain: user })));
    const isTooLong = (index: number): boolean =>
      (tokens[index] ?? 0) > maxPromptTokens ||
      (maxContentTokens !== null && (content[index] ?? 0) > maxContentTokens);
    const tooLong = requests.filter((_, index) => isTooLong(index));
    if (tooLong.length === 0) return requests;
    if (number > REDRAWS) {
      const first = tooLong[0] as RolloutRequest;
      const index = requests.indexOf(first);
      const [what, limit] =
        (tokens[index] ?? 0) > maxPromptTokens
          ? [`prompt of batch ${first.batch} has ${tokens[index]}`, `maxPromptTokens = ${maxPromptTokens}`]
          : [
              `question of batch ${first.batch} has ${content[index]}`,
              `maxContentTokens = ${maxContentTokens}`,
            ];
      throw new Failure(
        'promptTooLong',
        `A ${what} tokens in every draw, more than generation.${limit}; raise the limit or show fewer references.`,
      );
    }
    const redraw = { number, lastResort: number > REDRAWS / 2 };
    requests = requests.map((request) =>
      tooLong.includes(request) ? stage.resample(run, env, request, redraw) : request,
    );
  }
}
