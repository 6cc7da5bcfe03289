import { COMMON_KEYS, type DeskKey } from './desk-keys.tsx';

/** Keys of an audit, as the sheet and the guidelines list them. */
export const AUDIT_KEYS: readonly DeskKey[] = [
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
