import type { ReactNode } from 'react';
import { Kbd } from '../../../ui/index.ts';

type ChoiceProps = {
  isOn?: boolean;
  keyName?: string;
  disabled?: boolean;
  label?: string;
  onChoose: () => void;
  children: ReactNode;
};

/** A choice that is also a key. A click gives the focus back, so that the next Enter submits instead of pressing it again. */
export function Choice({ isOn, keyName, disabled = false, label, onChoose, children }: ChoiceProps) {
  return (
    <button
      type="button"
      className="reviews-choice"
      aria-pressed={isOn}
      aria-label={label}
      disabled={disabled}
      onClick={(event) => {
        onChoose();
        if (event.detail > 0) event.currentTarget.blur();
      }}
    >
      {children}
      {keyName !== undefined && (
        <Kbd size="xs" aria-hidden>
          {keyName}
        </Kbd>
      )}
    </button>
  );
}
