import type { RewardedPrompt, RunConfig, StageSpan } from '../../contract/index.ts';
import type { AnyFramework } from './framework.ts';

/** All of a run's steps, those still to come included, as stretches of one stage; empty for a framework of one stage. */
export function spansOf(framework: AnyFramework, config: RunConfig): StageSpan[] {
  const spans: StageSpan[] = [];
  for (let step = 1; step <= config.steps; step += 1) {
    const { stage, iteration, position } = framework.stageAt(config, step);
    if (position === undefined) return [];
    const last = spans.at(-1);
    if (last !== undefined && last.stage === stage.name && last.iteration === iteration) last.to = step;
    else
      spans.push({
        stage: stage.name,
        iteration,
        from: step,
        to: step,
        globalStep: position.globalStep,
        trains: stage.trains !== null,
      });
  }
  return spans;
}

/** What a stage of a schedule comes to before anything is run. */
export type ExpectedStage = {
  stage: string;
  /** In the whole run. */
  steps: number;
  /** Responses asked for in one of them, and measurements at most. */
  generated: number;
  measured: number;
  trains: boolean;
};

/** The stages of a run, each with the mean of its first steps; empty for a framework of one stage. */
export function expectedStages(
  framework: AnyFramework,
  config: RunConfig,
  rewardedPrompts: readonly RewardedPrompt[],
): ExpectedStage[] {
  const byStage = Map.groupBy(spansOf(framework, config), ({ stage }) => stage);
  return [...byStage].map(([stage, spans]) => {
    const [first] = spans as [StageSpan, ...StageSpan[]];
    const counted = first.to - first.from + 1;
    let [generated, measured] = [0, 0];
    for (let step = first.from; step <= first.to; step += 1)
      for (const batch of framework.stageAt(config, step).stage.batchSizes(config, step, rewardedPrompts)) {
        // A batch of measurements alone asks for nothing else.
        if (batch.purpose !== 'estimate') generated += batch.size;
        measured += batch.size * batch.measurements;
      }
    return {
      stage,
      steps: spans.reduce((sum, { from, to }) => sum + to - from + 1, 0),
      generated: generated / counted,
      measured: measured / counted,
      trains: first.trains,
    };
  });
}
