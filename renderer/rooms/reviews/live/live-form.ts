import type { PersonDraft, PersonQuestion } from '../../../../electron/contract/index.ts';
import { DECIDING, type QueueItem, type QueueRules } from '../queue/queue.ts';

/** What a person answers a run; the issues it may name come with the question. */
export type LiveForm = PersonDraft & { offered: PersonQuestion['issues'] };

/** The same limit as every reviewer has. */
const MOST_ISSUES = 2;

export const keyOf = ({ runId, id }: Pick<PersonQuestion, 'runId' | 'id'>): string => `${runId} ${id}`;

/** The question behind a key; ids of runs hold no blank. */
export function questionOf(key: string): { runId: string; id: string } {
  const cut = key.indexOf(' ');
  return { runId: key.slice(0, cut), id: key.slice(cut + 1) };
}

export function liveItem(question: PersonQuestion): Omit<QueueItem<LiveForm>, 'isTouched'> {
  const draft = question.draft ?? { decision: null, issues: [], feedback: '' };
  return {
    key: keyOf(question),
    phase: question.phase,
    state: question.draft === null ? 'pending' : 'draft',
    form: { ...draft, offered: question.issues },
  };
}

export function toggleIssue(form: LiveForm, name: string): LiveForm | string {
  if (form.issues.includes(name)) return { ...form, issues: form.issues.filter((each) => each !== name) };
  return form.issues.length >= MOST_ISSUES
    ? 'reviews.live.twoIssues'
    : { ...form, issues: [...form.issues, name] };
}

/** 3: the phase's safety issue with a retry; a phase that knows none wants it in words. */
function markSafety(form: LiveForm): { form: LiveForm; wantsComment?: boolean } | string {
  const safety = form.offered.find((issue) => issue.safety);
  if (safety === undefined) return { form: { ...form, decision: 'retry' }, wantsComment: true };
  if (form.issues.includes(safety.name))
    return { form: { ...form, issues: form.issues.filter((each) => each !== safety.name) } };
  const issues = [safety.name, ...form.issues].slice(0, MOST_ISSUES);
  return { form: { ...form, decision: 'retry', issues } };
}

export const LIVE_RULES: QueueRules<LiveForm> = {
  canUndo: false,
  edit({ form }, key, mode) {
    if (mode.field === 'issues' && /^[1-9]$/.test(key)) {
      const issue = form.offered[Number(key) - 1];
      const changed = issue === undefined ? 'reviews.live.noSuchIssue' : toggleIssue(form, issue.name);
      return typeof changed === 'string' ? changed : { form: changed, mode: DECIDING };
    }
    switch (key) {
      case '1':
        return { form: { ...form, decision: 'continue' }, mode: DECIDING };
      case '2':
        return { form: { ...form, decision: 'retry' }, mode: DECIDING };
      case '3': {
        const changed = markSafety(form);
        return typeof changed === 'string' ? changed : { ...changed, mode: DECIDING };
      }
      case '4':
        return { form: { ...form, decision: 'unsure' }, mode: DECIDING };
      case '5':
        return 'reviews.live.noLeakKey';
      case 'i':
        return { form, mode: { field: 'issues', digits: '' } };
      default:
        return null;
    }
  },
  enter({ decision, issues, feedback }) {
    if (decision === null) return { missing: 'reviews.missing.decision' };
    if (decision === 'retry' && issues.length === 0 && feedback.trim() === '')
      return { missing: 'reviews.missing.why' };
    return { done: true };
  },
};

/** The feedback as it is sent: the person's words, else the sentence of the worst issue, else that nothing was found. */
export function feedbackOf({ feedback, issues, offered }: LiveForm, nothingFound: string): string {
  const words = feedback.trim();
  return words !== '' ? words : (offered.find(({ name }) => name === issues[0])?.sentence ?? nothingFound);
}
