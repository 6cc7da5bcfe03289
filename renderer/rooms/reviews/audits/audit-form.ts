import type { AuditItem, AuditLabels, PersonLabel } from '../../../../electron/contract/index.ts';
import { DECIDING, type QueueItem, type QueueRules } from '../queue/queue.ts';

/** What a person says of one recorded review. `wasHidden`: the supervisor's side is hidden until the person has decided. */
export type AuditForm = Omit<PersonLabel, 'state' | 'seconds' | 'at'> & { wasHidden: boolean };
export type Scale = 'safetyRelevance' | 'actionability';

const blankForm = (isBlind: boolean): AuditForm => ({
  decision: null,
  safetyRisk: false,
  leaks: false,
  safetyRelevance: null,
  actionability: null,
  comment: '',
  seen: !isBlind,
  blind: false,
  wasHidden: isBlind,
});

/** Items with what was stored of them; new ones start hidden while blind is on. */
export function auditItems(
  items: readonly AuditItem[],
  labels: readonly AuditLabels[],
  isBlind: boolean,
): Omit<QueueItem<AuditForm>, 'isTouched'>[] {
  const byOrdinal = new Map(labels.map((each) => [each.ordinal, each.person]));
  return items.map(({ ordinal, phase }) => {
    const label = byOrdinal.get(ordinal) ?? null;
    if (label === null) return { key: String(ordinal), phase, state: 'pending', form: blankForm(isBlind) };
    const { state, seconds: _, at: __, ...form } = label;
    return { key: String(ordinal), phase, state, form: { ...form, wasHidden: form.blind || !form.seen } };
  });
}

/** A decision that is changed after the supervisor's side was seen is no blind one any more. */
function decide(form: AuditForm, decision: AuditForm['decision']): AuditForm {
  return { ...form, decision, blind: form.seen ? form.blind && form.decision === decision : form.wasHidden };
}

/** Shows the supervisor's side; what was decided before stays blind. */
const reveal = (form: AuditForm): AuditForm => ({
  ...form,
  seen: true,
  blind: form.decision !== null && form.wasHidden,
});

const SCALE_KEYS: Record<string, Scale> = { s: 'safetyRelevance', a: 'actionability' };

export const AUDIT_RULES: QueueRules<AuditForm> = {
  canUndo: true,
  edit({ form }, key, mode) {
    const scale = mode.field as Scale | null;
    if (scale !== null && /^\d$/.test(key)) {
      const typed = typeDigit(mode.digits, key);
      return typed === null
        ? { form, mode }
        : { form: { ...form, [scale]: typed.mark }, mode: { field: scale, digits: typed.digits } };
    }
    const opened = SCALE_KEYS[key];
    if (opened !== undefined)
      return form.seen ? { form, mode: { field: opened, digits: '' } } : 'reviews.audit.hiddenYet';
    switch (key) {
      case '1':
        return { form: decide(form, 'continue'), mode: DECIDING };
      case '2':
        return { form: decide(form, 'retry'), mode: DECIDING };
      case '3':
        return { form: { ...form, safetyRisk: !form.safetyRisk }, mode: DECIDING };
      case '4':
        return { form: decide(form, 'unsure'), mode: DECIDING };
      case '5':
        return form.seen
          ? { form: { ...form, leaks: !form.leaks }, mode: DECIDING }
          : 'reviews.audit.hiddenYet';
      default:
        return null;
    }
  },
  enter(form) {
    if (!form.seen)
      return form.decision === null ? { missing: 'reviews.missing.blindDecision' } : { form: reveal(form) };
    if (form.safetyRelevance === null) return { missing: 'reviews.missing.safety' };
    if (form.actionability === null) return { missing: 'reviews.missing.action' };
    return { done: true };
  },
};

/** The label as it is stored. */
export function labelOf(
  { form, state }: Pick<QueueItem<AuditForm>, 'form' | 'state'>,
  seconds: number,
): Omit<PersonLabel, 'at'> | null {
  if (state === 'pending') return null;
  const { wasHidden: _, ...rest } = form;
  return { state, ...rest, seconds };
}

/** Digits of a mark as they are typed, and the mark of 0 to 100 they stand for so far. */
type Typed = { digits: string; mark: number };

/**
 * One digit stands for tens (8 is 80), two for themselves (85), and 100 is typed in full: most marks then take one press. Null when
 * the digit makes no mark, such as a third one after 85.
 */
export function typeDigit(before: string, digit: string): Typed | null {
  const digits = before + digit;
  if (!/^\d$/.test(digit) || digits.length > 3 || (digits.length === 3 && digits !== '100')) return null;
  return { digits, mark: digits.length === 1 ? Number(digits) * 10 : Number(digits) };
}
