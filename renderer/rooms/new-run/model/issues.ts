import type { z } from 'zod';
import { runConfigSchema, type RunConfig } from '../../../../electron/contract/index.ts';
import type { Translate } from '../../../i18n/index.ts';
import type { Tree } from './tree.ts';

export type Checked = {
  config: RunConfig | null;
  /** The first sentence for each path that is wrong. */ issues: ReadonlyMap<string, string>;
};

/** Reads a draft by the schema of runs: either it is a configuration, or each wrong value has a sentence. */
export function checkDraft(draft: Tree, t: Translate): Checked {
  const read = runConfigSchema.safeParse(draft);
  if (read.success) return { config: read.data, issues: new Map() };
  const issues = new Map<string, string>();
  for (const issue of read.error.issues) {
    const path = issue.path.join('.');
    if (!issues.has(path)) issues.set(path, sentence(issue, t));
  }
  return { config: null, issues };
}

/** What the schema objects to, as a person would say it. */
function sentence(issue: z.core.$ZodIssue, t: Translate): string {
  switch (issue.code) {
    case 'too_small':
      if (issue.origin === 'string') return t('new-run.issue.empty');
      if (issue.origin === 'array') return t('new-run.issue.few', { least: Number(issue.minimum) });
      return t(issue.inclusive === false ? 'new-run.issue.above' : 'new-run.issue.least', {
        least: Number(issue.minimum),
      });
    case 'too_big':
      if (issue.origin === 'string') return t('new-run.issue.long', { most: Number(issue.maximum) });
      if (issue.origin === 'array') return t('new-run.issue.many', { most: Number(issue.maximum) });
      return t('new-run.issue.most', { most: Number(issue.maximum) });
    case 'invalid_type':
      if (issue.expected === 'int') return t('new-run.issue.whole');
      return t(issue.expected === 'number' ? 'new-run.issue.number' : 'new-run.issue.kind', {
        expected: String(issue.expected),
      });
    case 'invalid_value':
      return t('new-run.issue.choice', { options: issue.values.map(String).join(', ') });
    case 'unrecognized_keys':
      return t('new-run.issue.unknown', { keys: issue.keys.join(', ') });
    default:
      return issue.message;
  }
}
