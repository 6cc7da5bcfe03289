import { TRAIN_METHODS, withMethod, type RunConfig, type TrainMethod } from '../contract/index.ts';
import { expectedItems, frameworkOf, roleSettings } from '../evolution/index.ts';
import type { MemoryPlan } from '../models/index.ts';
import { stepPace, type Quantity } from './paces.ts';
import { policyOf, type ProbeServices } from './probe.ts';

/** One way to train on this machine. `stepSeconds` is null where no run and no timed step has told. */
export type MethodPlan = {
  method: TrainMethod;
  plan: MemoryPlan;
  stepSeconds: Quantity | null;
  /** The first in the order of fidelity whose every phase fits and that nothing else stands against. */
  isSuggested: boolean;
};

const methodOf = ({ precision, optimizer, lora }: TrainMethod): TrainMethod => ({
  ...(precision === undefined ? {} : { precision }),
  ...(optimizer === undefined ? {} : { optimizer }),
  ...(lora === undefined ? {} : { lora }),
});

/**
 * What each way to train would take of this machine's memory and disk, as its trainer reckons before it loads anything, the nearest to
 * training every parameter in float32 first. @throws Failure `badModel`
 */
export async function planMethods(services: ProbeServices, config: RunConfig): Promise<MethodPlan[]> {
  const { path } = await policyOf(services, config);
  const framework = frameworkOf(config.framework);
  const expected = expectedItems(framework, config, services.rewardedPrompts());
  return services.children.withTrainer('plan', 1, async (trainer) => {
    const found: MethodPlan[] = [];
    for (const method of TRAIN_METHODS) {
      const like = { ...config, train: withMethod(config.train, method) };
      const plan = await trainer.plan(roleSettings(framework, like, path));
      const pace = stepPace(services, like, expected);
      found.push({
        method: methodOf(like.train),
        plan,
        stepSeconds:
          pace === null
            ? null
            : {
                value: pace.seconds,
                source: pace.exact ? 'measured' : 'estimated',
                from: pace.from,
                at: pace.at,
                n: pace.steps,
                load: pace.load,
              },
        isSuggested: plan.fits && plan.obstacle === null && !found.some(({ isSuggested }) => isSuggested),
      });
    }
    return found;
  });
}
