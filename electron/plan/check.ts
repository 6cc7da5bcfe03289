import { Failure, isWordedByModel, type RunConfig } from '../contract/index.ts';
import { gradedSuite } from '../evaluation/index.ts';
import { requireWordingPlaces, reviewerMaker, STARTABLE_REVIEWERS } from '../supervision/index.ts';
import { embeddedKind, requireModelFiles } from '../models/index.ts';
import { frameworkOf } from '../evolution/index.ts';
import type { Lab } from '../store/index.ts';
import type { ResourcePaths } from '../library/index.ts';

type PlacesOfModels = { store: Lab; resources: ResourcePaths };

/** Something that would end the run at its start: the key it concerns and what to do, one sentence. */
export type PlanProblem = { path: string; sentence: string };

/**
 * What can be known before a run starts, without hashing a model or starting a process: settings of its framework and reviewer,
 * models that are not there, a window too small for its prompts. An empty list is no promise, but what is in it is certain.
 */
export function planProblems(services: PlacesOfModels, config: RunConfig): PlanProblem[] {
  return failuresOf(services, config).map(({ path, failure }) => ({ path, sentence: failure.message }));
}

/** @throws Failure (exit code 2), the first problem there is, so that nothing of such a run is stored. */
export function requireNoProblem(services: PlacesOfModels, config: RunConfig): void {
  const [first] = failuresOf(services, config);
  if (first !== undefined) throw first.failure;
}

function failuresOf(
  { store, resources }: PlacesOfModels,
  config: RunConfig,
): { path: string; failure: Failure }[] {
  const failures: { path: string; failure: Failure }[] = [];
  const note = (path: string, check: () => void): void => {
    try {
      check();
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      failures.push({ path, failure: error });
    }
  };
  note('framework', () => void withWholePaths(config));
  note('supervision.reviewer', () => void withReviewerSettings(config));
  note('policy.model', () => requireModelFiles(store, resources, config.policy.model, 'policy'));
  note('framework.seeds', () => requireNamedSeeds(config));
  const reviewed = Object.values(config.supervision.phases).some((probability) => probability > 0);
  const { reviewer, wordingPrompts } = config.supervision;
  const isWorded = isWordedByModel(config.supervision);
  if (reviewed && isWorded && wordingPrompts !== undefined)
    note('supervision.wordingPrompts', () => requireWordingPlaces(wordingPrompts));
  if (reviewed && (isWorded || reviewerMaker(reviewer).usesModel))
    note('supervision.model', () =>
      requireModelFiles(store, resources, config.supervision.model, 'supervisor'),
    );
  const judge = config.evaluation?.judge ?? null;
  if (judge !== null)
    note('evaluation.judge', () => requireModelFiles(store, resources, judge, 'supervisor'));
  for (const suite of config.evaluation?.suites ?? [])
    note('evaluation.suites', () => void gradedSuite(suite));
  // Told at the larger of the two, where lowering helps most.
  const { maxPromptTokens, maxNewTokens } = config.generation;
  note(`generation.${maxPromptTokens > maxNewTokens ? 'maxPromptTokens' : 'maxNewTokens'}`, () =>
    requireWindow(store, config),
  );
  return failures;
}

/** The programs of the toy world are where its own policy begins; any other begins with them only where a configuration says so. */
function requireNamedSeeds({ framework, policy }: RunConfig): void {
  if (frameworkOf(framework).saysItsStart?.(framework) !== false || embeddedKind(policy.model) !== null)
    return;
  throw new Failure(
    'usage',
    `framework.seeds says nothing of what "${policy.model}" begins with; set it to own (the policy writes its first tasks), to a .jsonl file of tasks, or to embedded (programs of the toy world).`,
    2,
  );
}

function requireWindow(store: Lab, { policy, generation }: RunConfig): void {
  const wanted = generation.maxPromptTokens + generation.maxNewTokens;
  const window = store.getModel(policy.model)?.contextLength ?? null;
  if (window === null || wanted <= window) return;
  throw new Failure(
    'usage',
    `Prompts and answers may take ${wanted} tokens together and have only the ${window} of the model "${policy.model}"; lower generation.maxPromptTokens or generation.maxNewTokens.`,
    2,
  );
}

/**
 * A configuration with the settings of its reviewer read by the reviewer itself, and paths absolute, so that a resume from
 * another folder finds the same files. Where none were given and none are needed, nothing is added.
 * @throws Failure (exit code 2) for a file that cannot be opened, a reviewer that cannot be started, or naming the first wrong setting.
 */
export function withOwnSettings(config: RunConfig): RunConfig {
  return withReviewerSettings(withWholePaths(config));
}

const withWholePaths = (config: RunConfig): RunConfig => ({
  ...config,
  framework: frameworkOf(config.framework).withAbsolutePaths(config.framework),
});

function withReviewerSettings(config: RunConfig): RunConfig {
  const { supervision } = config;
  const maker = reviewerMaker(supervision.reviewer);
  if (!maker.startable) {
    throw new Failure(
      'reviewerUnavailable',
      `The reviewer "${maker.kind}" cannot be started from a configuration; choose ${STARTABLE_REVIEWERS.join(', ')}.`,
      2,
    );
  }
  const given = supervision.reviewerSettings;
  const read = maker.settings.safeParse(given ?? {});
  if (!read.success) {
    const [issue] = read.error.issues;
    const path = ['supervision.reviewerSettings', ...(issue?.path ?? [])].join('.');
    throw new Failure(
      'usage',
      `The configuration value "${path}" is not valid for the reviewer "${maker.kind}": ${issue?.message.replace(/\.$/, '')}.`,
      2,
    );
  }
  return given === undefined
    ? config
    : { ...config, supervision: { ...supervision, reviewerSettings: read.data } };
}
