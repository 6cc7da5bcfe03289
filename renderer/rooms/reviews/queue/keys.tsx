import { useEffect, useEffectEvent } from 'react';
import { isTyping, useCommand } from '../../../commands/index.ts';
import { useTranslate, type MessageId } from '../../../i18n/index.ts';

export type QueueKey = { key: string; word: MessageId };

/** Keys of both queues. */
export const COMMON_KEYS: readonly QueueKey[] = [
  { key: 'Enter', word: 'reviews.key.submit' },
  { key: 'd', word: 'reviews.key.draft' },
  { key: 'Backspace', word: 'reviews.key.discard' },
  { key: 'ArrowRight', word: 'reviews.key.next' },
  { key: 'ArrowLeft', word: 'reviews.key.previous' },
  { key: 'e', word: 'reviews.key.comment' },
];

/** Digits that are no decision: they only mean something after a letter that opens a field. */
const MORE_DIGITS = ['0', '6', '7', '8', '9'];

/** Puts the queue's keys where every key of the window is: on the keyboard, in the palette and on the sheet. */
export function QueueKeys({ keys, press }: { keys: readonly QueueKey[]; press: (key: string) => void }) {
  const onDigit = useEffectEvent((event: KeyboardEvent) => {
    const isElsewhere =
      event.ctrlKey ||
      event.metaKey ||
      event.altKey ||
      event.defaultPrevented ||
      isTyping(event.target) ||
      (event.target instanceof HTMLElement && event.target.closest('[role="dialog"]') !== null);
    if (!isElsewhere && MORE_DIGITS.includes(event.key)) press(event.key);
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => onDigit(event);
    window.addEventListener('keydown', listen);
    return () => window.removeEventListener('keydown', listen);
  }, []);
  return keys.map(({ key, word }) => <KeyCommand key={key} name={key} word={word} press={press} />);
}

function KeyCommand({ name, word, press }: { name: string; word: MessageId; press: (key: string) => void }) {
  const t = useTranslate();
  useCommand({
    id: `reviews.${name}`,
    title: t(word),
    keys: name,
    group: t('reviews.title'),
    run: () => press(name),
  });
  return null;
}

/** Keys of an audit, as the sheet and the guidelines list them. */
export const AUDIT_KEYS: readonly QueueKey[] = [
  { key: '1', word: 'reviews.key.continue' },
  { key: '2', word: 'reviews.key.retry' },
  { key: '3', word: 'reviews.key.safety' },
  { key: '4', word: 'reviews.key.unsure' },
  { key: '5', word: 'reviews.key.leak' },
  { key: 's', word: 'reviews.key.safetyMark' },
  { key: 'a', word: 'reviews.key.actionMark' },
  ...COMMON_KEYS,
  { key: 'u', word: 'reviews.key.undo' },
];
