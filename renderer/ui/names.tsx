import { batchSpec, type ReviewerKind } from '../../electron/contract/index.ts';
import { english, type MessageId, type Translate, useTranslate, visibleString } from '../i18n/index.ts';

/** An issue in words; one of a reviewer's own is shown by its name. */
export function issueText(t: Translate, issue: string): string {
  const id = `issue.${issue}`;
  return Object.hasOwn(english, id) ? t(id as MessageId) : visibleString(issue);
}

/** An issue in words, with the key of the records for whoever looks for it there. */
export function IssueName({ issue }: { issue: string }) {
  return <span title={visibleString(issue)}>{issueText(useTranslate(), issue)}</span>;
}

/** Who reviews, in words, with the model where one does. */
export function reviewerText(t: Translate, reviewer: ReviewerKind, model: string | null = null): string {
  const words = t(`reviewer.${reviewer}`);
  return model === null ? words : t('reviewer.of', { reviewer: words, model });
}

/** A batch by who writes in it, and what kind of task. */
export function batchText(t: Translate, batch: string): string {
  const { role, taskType } = batchSpec(batch);
  return t('live.batch', {
    role: t(`live.role.${role}`),
    taskType: t(`live.task.${taskType}`),
    name: 'none',
  });
}
