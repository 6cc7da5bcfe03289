import { existsSync, statSync } from 'node:fs';
import { Failure, type ModelRecord, type RunConfig } from '../contract/index.ts';
import { gradedSuite } from '../evaluation/index.ts';
import { reviewerMaker, STARTABLE_REVIEWERS } from '../supervision/index.ts';
import { EMBEDDED_POLICY, EMBEDDED_SUPERVISOR } from '../models/index.ts';
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
  const problems: PlanProblem[] = [];
  const note = (path: string, check: () => void): void => {
    try {
      check();
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      problems.push({ path, sentence: error.message });
    }
  };
  note('supervision.reviewer', () => void withOwnSettings(config));
  note('policy.model', () => requireModel(services, config.policy.model, 'policy'));
  const reviewed = Object.values(config.supervision.phases).some((probability) => probability > 0);
  if (reviewed && reviewerMaker(config.supervision.reviewer).usesModel)
    note('supervision.model', () => requireModel(services, config.supervision.model, 'supervisor'));
  for (const suite of config.evaluation?.suites ?? [])
    note('evaluation.suites', () => void gradedSuite(suite));
  const wanted = config.generation.maxPromptTokens + config.generation.maxNewTokens;
  const window = services.store.getModel(config.policy.model)?.contextLength ?? null;
  if (window !== null && window < wanted) {
    problems.push({
      path: 'generation.maxNewTokens',
      sentence: `Prompts and answers may take ${wanted} tokens together, more than the ${window} of "${config.policy.model}"; lower generation.maxPromptTokens or generation.maxNewTokens.`,
    });
  }
  return problems;
}

function requireModel(
  { store, resources }: PlacesOfModels,
  reference: string,
  kind: ModelRecord['kind'],
): void {
  const stored = store.getModel(reference);
  const embedded: Record<string, string> = {
    [EMBEDDED_POLICY]: resources.embeddedPolicy,
    [EMBEDDED_SUPERVISOR]: resources.embeddedSupervisor,
  };
  const path = embedded[reference] ?? stored?.path ?? reference;
  if (!existsSync(path))
    throw new Failure(
      'missingModel',
      `There is no model "${reference}" in the library and no file or folder of that name; import it in the library first.`,
      2,
    );
  const found: ModelRecord['kind'] = stored?.kind ?? (statSync(path).isDirectory() ? 'policy' : 'supervisor');
  if (found !== kind) {
    const needed = kind === 'policy' ? 'a folder with config.json and safetensors' : 'a .gguf file';
    throw new Failure('badModel', `"${reference}" cannot be the ${kind}: ${needed} is needed.`, 2);
  }
}

/**
 * A configuration with the settings of its reviewer read by the reviewer itself, and paths absolute, so that a resume from
 * another folder finds the same files. Where none were given and none are needed, nothing is added.
 * @throws Failure (exit code 2) for a reviewer that cannot be started, or naming the first wrong setting.
 */
export function withOwnSettings(config: RunConfig): RunConfig {
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
  return {
    ...config,
    framework: frameworkOf(config.framework).withAbsolutePaths(config.framework),
    ...(given === undefined ? {} : { supervision: { ...supervision, reviewerSettings: read.data } }),
  };
}
