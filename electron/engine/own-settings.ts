import type { z } from 'zod';
import { Failure, type OwnSettings, type RunConfig } from '../contract/index.ts';
import { frameworkOf } from '../evolution/index.ts';
import { reviewerMaker, STARTABLE_REVIEWERS } from '../supervision/index.ts';

/**
 * A configuration with the settings of its framework and reviewer read by those themselves: paths absolute, so that a resume from
 * another folder finds the same files. Where none were given and none are needed, nothing is added.
 * @throws Failure (exit code 2) for a reviewer that cannot be started, or naming the first wrong setting.
 */
export function withOwnSettings(config: RunConfig): RunConfig {
  const { framework, frameworkSettings, supervision } = config;
  const maker = reviewerMaker(supervision.reviewer);
  if (!maker.startable) {
    throw new Failure(
      'reviewerUnavailable',
      `The reviewer "${maker.kind}" cannot be started from a configuration; choose ${STARTABLE_REVIEWERS.join(', ')}.`,
      2,
    );
  }
  const ofFramework = read(
    frameworkOf(framework).settings,
    frameworkSettings,
    'frameworkSettings',
    `framework "${framework}"`,
  );
  const ofReviewer = read(
    maker.settings,
    supervision.reviewerSettings,
    'supervision.reviewerSettings',
    `reviewer "${maker.kind}"`,
  );
  return {
    ...config,
    ...(ofFramework === undefined ? {} : { frameworkSettings: ofFramework }),
    supervision: { ...supervision, ...(ofReviewer === undefined ? {} : { reviewerSettings: ofReviewer }) },
  };
}

function read(
  schema: z.ZodType<OwnSettings>,
  given: OwnSettings | undefined,
  key: string,
  whose: string,
): OwnSettings | undefined {
  const result = schema.safeParse(given ?? {});
  if (result.success) return given === undefined ? undefined : result.data;
  const [issue] = result.error.issues;
  throw new Failure(
    'usage',
    `The configuration value "${[key, ...(issue?.path ?? [])].join('.')}" is not valid for the ${whose}: ${issue?.message.replace(/\.$/, '')}.`,
    2,
  );
}
