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
  const { maxPromptTokens } = run.config.generation;
  const weights = env.weights(stage.generates);
  let requests = stage.requests(run, env);
  for (let number = 1; ; number += 1) {
    const tokens = await weights.countTokens(requests.map(({ prompt }) => promptItem(prompt)));
    const tooLong = requests.filter((_, index) => (tokens[index] ?? 0) > maxPromptTokens);
    if (tooLong.length === 0) return requests;
    if (number > REDRAWS) {
      const first = tooLong[0] as RolloutRequest;
      throw new Failure(
        'promptTooLong',
        `A prompt of batch ${first.batch} has ${tokens[requests.indexOf(first)]} tokens in every draw, more than generation.maxPromptTokens = ${maxPromptTokens}; raise the limit or show fewer references.`,
      );
    }
    const redraw = { number, lastResort: number > REDRAWS / 2 };
    requests = requests.map((request) =>
      tooLong.includes(request) ? stage.resample(run, env, request, redraw) : request,
    );
  }
}
