import { batchName, Failure, type BatchName } from '../../contract/index.ts';
import { rolloutSeed } from '../../core/index.ts';
import { systemPrompt } from '../azr/index.ts';
import { frameworkOf } from '../frameworks.ts';
import type { RunInProgress, StepTools } from '../in-progress.ts';
import { messagesOf, type PlannedRollout } from './planned-rollout.ts';
import { pressurePrompts } from './pressure.ts';

/** Another draw of a prompt that was too long gets another path; more than this and nothing in the buffers fits. */
const REDRAWS = 8;

/**
 * All trained prompts of a step: those of the run's framework, then the rated ones. Everything is drawn before anything is
 * generated, so that one continuous batch can take it all. Prompts longer than the limit are drawn anew.
 */
export async function planPrompts(run: RunInProgress, tools: StepTools): Promise<PlannedRollout[]> {
  const framework = frameworkOf(run.config.framework);
  const drawn = framework.draw(run, tools.pack);
  let planned = [...drawn, ...drawPressure(run, tools, drawn.length)];
  for (let number = 1; ; number += 1) {
    const tokens = await tools.policy.countTokens(planned.map(({ prompt }) => messagesOf(prompt)));
    const tooLong = planned.filter((_, index) => (tokens[index] ?? 0) > run.config.azr.maxPromptTokens);
    if (tooLong.length === 0) return planned;
    if (number > REDRAWS) {
      const first = tooLong[0] as PlannedRollout;
      throw new Failure(
        'promptTooLong',
        `A prompt of batch ${first.batch} has ${tokens[planned.indexOf(first)]} tokens in every draw, more than azr.maxPromptTokens = ${run.config.azr.maxPromptTokens}; raise the limit or lower azr.references.`,
      );
    }
    const redraw = { number, lastResort: number > REDRAWS / 2 };
    planned = planned.map((entry) =>
      tooLong.includes(entry) ? framework.drawAgain(run, tools.pack, entry, redraw) : entry,
    );
  }
}

function drawPressure(run: RunInProgress, tools: StepTools, trained: number): PlannedRollout[] {
  const next = new Map<BatchName, number>();
  return pressurePrompts(run.config, run.step, trained, tools.pressure).flatMap(({ task, user, samples }) =>
    Array.from({ length: samples }, (): PlannedRollout => {
      const batch = batchName('solve', task.taskType);
      const index = next.get(batch) ?? 0;
      next.set(batch, index + 1);
      return {
        id: `${run.step}/${batch}/${index}`,
        batch,
        index,
        purpose: 'solve',
        role: 'assistant',
        taskType: task.taskType,
        attempt: 1,
        task,
        references: [],
        given: null,
        group: task.id,
        prompt: { system: systemPrompt(tools.pack, 'assistant', run.context.text), user },
        seed: rolloutSeed(run.config.seed, run.step, batch, index),
      };
    }),
  );
}
