import type { Translate } from '../../../i18n/index.ts';
import type { FilterKey } from '../model/search-schema.ts';

export type FacetKey = Exclude<FilterKey, 'fromStep' | 'toStep'>;

/** A value of a facet in words; names of batches, task types, roles and issues are their own. */
export function valueLabel(t: Translate, key: FacetKey, value: string | boolean): string {
  switch (key) {
    case 'outcome':
      return t(`records.value.outcome.${value as 'passed' | 'failed' | 'invalid'}`);
    case 'reviewed':
      return t(value === true ? 'records.value.reviewed.true' : 'records.value.reviewed.false');
    case 'decision':
      return t(`records.value.decision.${value as 'continue' | 'retry'}`);
    case 'phase':
      return t(`phase.${value as 'task' | 'plan' | 'thought' | 'output' | 'exec'}.short`);
    case 'leak':
      return t('records.value.leak.true');
    case 'batch':
    case 'role':
    case 'taskType':
    case 'issue':
      return String(value);
  }
}
