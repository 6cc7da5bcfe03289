import { useState } from 'react';
import { english, type MessageId, type Translate, useTranslate } from '../../../i18n/index.ts';
import {
  Checkbox,
  Group,
  Input,
  NativeSelect,
  Switch,
  TagsInput,
  Textarea,
  TextInput,
  type TextInputProps,
} from '../../../ui/index.ts';
import type { Leaf } from '../model/schema.ts';

type LeafControlProps = {
  leaf: Leaf;
  label: string;
  value: unknown;
  issue?: string;
  disabled?: boolean;
  description?: string;
  size?: 'xs' | 'sm';
  /** Only these of the leaf's options are offered. */
  offered?: readonly string[];
  onValue: (value: unknown) => void;
};

/** An option in words where the catalogue has them, of this value or of any, else as it is written in a file. */
export function optionWord(t: Translate, path: string, option: string): string {
  const id = [`new-run.option.${path}.${option}`, `new-run.option.${option}`].find((name) =>
    Object.hasOwn(english, name),
  );
  return id === undefined ? option : t(id as MessageId);
}

/** The control for one value of the schema, by its kind. */
export function LeafControl({
  leaf,
  label,
  value,
  issue,
  disabled = false,
  description,
  size = 'xs',
  offered,
  onValue,
}: LeafControlProps) {
  const t = useTranslate();
  /** Nothing entered is no value, where the schema knows none. */
  const orNone = <T extends string | unknown[]>(entered: T): T | undefined =>
    entered.length === 0 && leaf.fallback === undefined ? undefined : entered;
  const common = { label, description, error: issue, disabled, size } as const;
  switch (leaf.kind) {
    case 'number':
      return (
        <NumberBox
          {...common}
          value={value}
          mayBeNone={leaf.mayBeNone}
          onValue={onValue}
          placeholder={leaf.mayBeNone ? t('new-run.parameter.none') : undefined}
        />
      );
    case 'text':
      return (
        <TextInput
          {...common}
          value={typeof value === 'string' ? value : ''}
          spellCheck={false}
          onChange={(event) => onValue(orNone(event.currentTarget.value))}
        />
      );
    case 'switch':
      return (
        <Switch
          {...common}
          checked={value === true}
          onChange={(event) => onValue(event.currentTarget.checked)}
        />
      );
    case 'choice': {
      // What is set stays visible even where it is not offered, so that nobody changes it by looking.
      const options = leaf.options.filter(
        (option) => offered === undefined || offered.includes(option) || option === value,
      );
      return (
        <NativeSelect
          {...common}
          value={String(value ?? '')}
          data={options.map((option) => ({ value: option, label: optionWord(t, leaf.path, option) }))}
          onChange={(event) => onValue(event.currentTarget.value)}
        />
      );
    }
    case 'choices':
      return (
        <Checkbox.Group
          {...common}
          value={Array.isArray(value) ? (value as string[]) : []}
          onChange={(chosen) => onValue(orNone(leaf.options.filter((option) => chosen.includes(option))))}
        >
          <Group gap="sm" mt={4}>
            {leaf.options.map((option) => (
              <Checkbox
                key={option}
                size={size}
                value={option}
                label={optionWord(t, leaf.path, option)}
                disabled={disabled}
              />
            ))}
          </Group>
        </Checkbox.Group>
      );
    case 'list':
      return (
        <TagsInput {...common} value={Array.isArray(value) ? (value as string[]) : []} onChange={onValue} />
      );
    case 'numbers':
      return <NumbersBox {...common} value={value} onValue={onValue} />;
    case 'json':
      return <JsonBox {...common} value={value} onValue={onValue} />;
  }
}

type BoxProps = {
  label: string;
  description?: string;
  error?: string;
  disabled: boolean;
  size: 'xs' | 'sm';
  value: unknown;
  onValue: (value: unknown) => void;
};

/** Several numbers in one line. */
function NumbersBox({ value, onValue, ...input }: BoxProps) {
  const [typed, setTyped] = useState<string | null>(null);
  const written = Array.isArray(value) ? value.join('; ') : '';
  const read = (text: string): unknown[] =>
    text
      .split(';')
      .map((part) => (part.trim() === '' ? '' : Number.isFinite(Number(part)) ? Number(part) : part));
  const shown = typed !== null && JSON.stringify(read(typed)) === JSON.stringify(value) ? typed : written;
  return (
    <TextInput
      {...input}
      value={shown}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        onValue(read(event.currentTarget.value));
      }}
    />
  );
}

/** Settings of no fixed form, as JSON; nothing is no settings. Kept when it is valid. */
function JsonBox({ value, onValue, error, ...input }: BoxProps) {
  const t = useTranslate();
  const [typed, setTyped] = useState<string | null>(null);
  const shown = typed ?? (value === undefined ? '' : JSON.stringify(value));
  const parsed = readJson(shown);
  return (
    <Input.Wrapper
      label={input.label}
      description={input.description}
      size={input.size}
      error={parsed.ok ? error : t('new-run.issue.json')}
    >
      <Textarea
        size={input.size}
        disabled={input.disabled}
        aria-label={input.label}
        rows={2}
        resize="vertical"
        value={shown}
        spellCheck={false}
        onChange={(event) => {
          setTyped(event.currentTarget.value);
          const read = readJson(event.currentTarget.value);
          if (read.ok) onValue(read.value);
        }}
      />
    </Input.Wrapper>
  );
}

function readJson(text: string): { ok: true; value: unknown } | { ok: false } {
  if (text.trim() === '') return { ok: true, value: undefined };
  try {
    return { ok: true, value: JSON.parse(text) as unknown };
  } catch {
    return { ok: false };
  }
}

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
