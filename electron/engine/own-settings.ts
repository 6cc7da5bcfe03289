import { Failure, type RunConfig } from '../contract/index.ts';
import { frameworkOf } from '../evolution/index.ts';
import { reviewerMaker, STARTABLE_REVIEWERS } from '../supervision/index.ts';

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
