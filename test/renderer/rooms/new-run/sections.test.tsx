// @vitest-environment happy-dom
import { cleanup, fireEvent, screen } from '@testing-library/react';
import { useEffect, useState } from 'react';
import { createIntl } from 'react-intl';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { english, type Translate } from '../../../../renderer/i18n/index.ts';
import { baseValue, changed, draftChanges } from '../../../../renderer/rooms/new-run/model/draft.ts';
import { type Fields, fieldsOf } from '../../../../renderer/rooms/new-run/model/fields.ts';
import {
  entriesOf,
  leavesOf,
  RUN_ENTRIES,
  schemaEntries,
} from '../../../../renderer/rooms/new-run/model/schema.ts';
import { type Tree, valueAt } from '../../../../renderer/rooms/new-run/model/tree.ts';
import { optionWord } from '../../../../renderer/rooms/new-run/parts/leaf-control.tsx';
import { ParameterList } from '../../../../renderer/rooms/new-run/parts/parameter-list.tsx';
import { show } from '../../ui/show.tsx';

afterEach(cleanup);

const proposing = z.strictObject({
  name: z.literal('azr'),
  width: z.int().positive().default(8).describe('Prompts side by side.'),
  verifier: z.enum(['strict', 'lenient']).default('strict'),
  intrinsic: z.strictObject({ coefficient: z.number().nonnegative().default(0) }).prefault({}),
  kl: z.strictObject({ coefficient: z.number().nonnegative() }).nullable().default(null),
});
const fixed = z.strictObject({
  name: z.literal('fixed-tasks'),
  source: z.string().min(1).describe('The file with the tasks.'),
  width: z.int().positive().default(4),
});
const schema = z.strictObject({
  seed: z.int().default(1),
  framework: z.discriminatedUnion('name', [proposing, fixed]).prefault({ name: 'azr' }),
});
const base = schema.parse({ framework: { name: 'azr', width: 16 } }) as Tree;
const entries = schemaEntries(schema, schema.parse({}));
const pathsOf = (config: Tree): string[] => leavesOf(entriesOf(entries, config)).map(({ path }) => path);
const withFixed = changed({ config: base, base, entries }, 'framework.name', 'fixed-tasks');

describe('a section with several forms', () => {
  it('a section has a field for its choice and for each value of the chosen form, groups included', () => {
    expect(pathsOf(base)).toEqual([
      'seed',
      'framework.name',
      'framework.width',
      'framework.verifier',
      'framework.intrinsic.coefficient',
      'framework.kl.coefficient',
    ]);
    expect(pathsOf(withFixed)).toEqual(['seed', 'framework.name', 'framework.source', 'framework.width']);
  });

  it('a section carries the defaults, options and descriptions of each form', () => {
    const leaf = (config: Tree, path: string) =>
      leavesOf(entriesOf(entries, config)).find((each) => each.path === path);
    expect(leaf(base, 'framework.name')).toMatchObject({
      kind: 'choice',
      options: ['azr', 'fixed-tasks'],
      fallback: 'azr',
    });
    expect(leaf(base, 'framework.width')).toMatchObject({
      fallback: 8,
      description: 'Prompts side by side.',
    });
    expect(leaf(withFixed, 'framework.width')).toMatchObject({ fallback: 4 });
    expect(leaf(withFixed, 'framework.source')).toMatchObject({
      kind: 'text',
      fallback: undefined,
      description: 'The file with the tasks.',
    });
  });

  it('a section begins again when another form is chosen, and comes back as the draft began', () => {
    expect(valueAt(withFixed, 'framework')).toEqual({ name: 'fixed-tasks', width: 4 });
    const back = changed({ config: withFixed, base, entries }, 'framework.name', 'azr');
    expect(back).toEqual(base);
    expect(
      schema.safeParse(changed({ config: back, base: {}, entries }, 'framework.name', 'azr')),
    ).toMatchObject({ success: true, data: { framework: { width: 8, kl: null } } });
  });

  it('a change of form lists its values one by one, and none of the form that was left', () => {
    expect(draftChanges({ config: withFixed, base, entries })).toEqual(['framework.name', 'framework.width']);
    expect(baseValue({ config: withFixed, base, entries }, 'framework.width')).toBe(4);
    expect(baseValue({ config: base, base, entries }, 'framework.width')).toBe(16);
    expect(baseValue({ config: withFixed, base, entries }, 'framework.name')).toBe('azr');
  });
});

let read: () => Tree = () => base;
const sentences: Record<string, string> = {
  'framework.source': 'It must not be empty.',
  framework: 'No such key.',
};

function Editor({ children }: { children: (fields: Fields) => React.ReactNode }) {
  const [config, setConfig] = useState(base);
  useEffect(() => {
    read = () => config;
  }, [config]);
  const set = (path: string, value: unknown): void =>
    setConfig((before) => changed({ config: before, base, entries }, path, value));
  const reset = (path: string): void => set(path, baseValue({ config, base, entries }, path));
  const issues = new Map(
    Object.entries(sentences).filter(([path]) => valueAt(config, path) === undefined || path === 'framework'),
  );
  return <>{children(fieldsOf({ config, base, entries, issues, only: null, set, reset }))}</>;
}

describe('the fields of a section', () => {
  it('the fields of a section are drawn from its schema and follow the choice', () => {
    show(<Editor>{(fields) => <ParameterList entries={fields.entries} fields={fields} />}</Editor>);
    expect(screen.queryByLabelText('framework.source')).toBeNull();
    expect(screen.getByText(/^Prompts side by side\. Default 8/)).toBeTruthy();
    fireEvent.change(screen.getByLabelText('framework.name'), { target: { value: 'fixed-tasks' } });
    expect(screen.queryByLabelText('framework.verifier')).toBeNull();
    expect(screen.getByText('It must not be empty.')).toBeTruthy();
    fireEvent.change(screen.getByLabelText('framework.source'), { target: { value: '/data/tasks.jsonl' } });
    expect(valueAt(read(), 'framework')).toEqual({
      name: 'fixed-tasks',
      width: 4,
      source: '/data/tasks.jsonl',
    });
    expect(schema.safeParse(read()).success).toBe(true);
    fireEvent.click(
      screen.getByRole('button', { name: 'Set framework.name back to AZR: proposes its own tasks' }),
    );
    expect(read()).toEqual(base);
  });

  it('the choice says what is wrong with the section as a whole', () => {
    show(<Editor>{(fields) => <p>{fields.issue('framework.name')}</p>}</Editor>);
    expect(screen.getByText('No such key.')).toBeTruthy();
  });
});

describe('choices of a plan', () => {
  it('are told in words wherever a step names them, and not as a file writes them', () => {
    const leaves = leavesOf(RUN_ENTRIES.flatMap((entry) => (entry.kind === 'section' ? [] : [entry])));
    const choices = leaves.flatMap((leaf) =>
      (leaf.kind === 'choice' || leaf.kind === 'choices') && `new-run.field.${leaf.path}` in english
        ? leaf.options.map((option) => ({ path: leaf.path, option }))
        : [],
    );
    expect(choices.length).toBeGreaterThan(10);
    const intl = createIntl({ locale: 'en', messages: english });
    const t: Translate = (id, values) => intl.formatMessage({ id }, values);
    // A person has a share of the reviews, which is a field of its own.
    expect(
      choices.filter(({ path, option }) => option !== 'human' && optionWord(t, path, option) === option),
    ).toEqual([]);
    const asked = choices.filter(({ path }) => path === 'evaluation.contexts');
    expect(asked.map(({ path, option }) => optionWord(t, path, option))).toEqual([
      'the weights alone',
      'the context of the run',
    ]);
  });
});
