import { useState } from 'react';
import { TextInput, type TextInputProps } from '../../../ui/index.ts';

type NumberBoxProps = Omit<TextInputProps, 'value' | 'onChange'> & {
  value: unknown;
  mayBeNone?: boolean;
  onValue: (value: unknown) => void;
};

/** Text as a number: nothing is none where that may be; what is no number stays text, so that it can be told to be wrong. */
export function readNumber(text: string, mayBeNone: boolean): unknown {
  const trimmed = text.trim().replace(',', '.');
  if (trimmed === '') return mayBeNone ? null : '';
  const value = Number(trimmed);
  return Number.isFinite(value) ? value : text;
}

/** A number as a person writes it: 2e-4 is kept as typed, and half-typed numbers are not thrown away. */
export function NumberBox({ value, mayBeNone = false, onValue, ...input }: NumberBoxProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const shown =
    typed !== null && readNumber(typed, mayBeNone) === value
      ? typed
      : value === null || value === undefined
        ? ''
        : String(value);
  return (
    <TextInput
      {...input}
      value={shown}
      inputMode="decimal"
      autoComplete="off"
      spellCheck={false}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        onValue(readNumber(event.currentTarget.value, mayBeNone));
      }}
    />
  );
}
