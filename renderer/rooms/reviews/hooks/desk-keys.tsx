import { useEffect, useEffectEvent } from 'react';
import { isTyping, useCommand } from '../../../commands/index.ts';
import { useTranslate, type MessageId } from '../../../i18n/index.ts';

export type DeskKey = { key: string; word: MessageId };

/** Keys both desks have. */
export const COMMON_KEYS: readonly DeskKey[] = [
  { key: 'Enter', word: 'reviews.key.submit' },
  { key: 'd', word: 'reviews.key.draft' },
  { key: 'Backspace', word: 'reviews.key.discard' },
  { key: 'ArrowRight', word: 'reviews.key.next' },
  { key: 'ArrowLeft', word: 'reviews.key.previous' },
  { key: 'e', word: 'reviews.key.comment' },
];

/** Digits that are no decision: they only mean something after a letter that opens a field. */
const MORE_DIGITS = ['0', '6', '7', '8', '9'];

/** Puts the desk's keys where every key of the window is: on the keyboard, in the palette and on the sheet. */
export function DeskKeys({ keys, press }: { keys: readonly DeskKey[]; press: (key: string) => void }) {
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
  return keys.map(({ key, word }) => <DeskCommand key={key} name={key} word={word} press={press} />);
}

function DeskCommand({ name, word, press }: { name: string; word: MessageId; press: (key: string) => void }) {
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
