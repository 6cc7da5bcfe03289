import type { RunConfig, StageSpan } from '../../contract/index.ts';
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
