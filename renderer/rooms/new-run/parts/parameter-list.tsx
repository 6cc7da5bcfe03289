import { useState } from 'react';
import { english, type MessageId, type Translate, useTranslate } from '../../../i18n/index.ts';
import { Button, Collapse, Switch, Quiet, TextInput } from '../../../ui/index.ts';
import { type Fields, shownValue } from '../model/fields.ts';
import { type Entry, firstValues, type Group, type Leaf } from '../model/schema.ts';
import { type Step, stepOf } from '../model/steps.ts';
import { FieldFrame } from './field.tsx';
import { LeafControl } from './leaf-control.tsx';

/** Every value of the schema that belongs to a step; on the last step, every value there is. */
export function Advanced({ step, fields }: { step: Step; fields: Fields }) {
  const t = useTranslate();
  const [isOpen, setOpen] = useState(false);
  const entries = fields.entries.filter(({ path }) => step === 'review' || stepOf(path) === step);
  return (
    <section className="plan-advanced">
      <Button
        variant="subtle"
        size="compact-sm"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        leftSection={<span aria-hidden>{isOpen ? '▾' : '▸'}</span>}
      >
        {t(step === 'review' ? 'new-run.advanced.all' : 'new-run.advanced', { n: entries.length })}
      </Button>
      <Collapse expanded={isOpen} transitionDuration={0}>
        <div className="plan-advanced-body">
          {isOpen && <ParameterList entries={entries} fields={fields} searchable={entries.length > 8} />}
        </div>
      </Collapse>
    </section>
  );
}

/** What a value means: the catalogue's words, else the schema's own, so that a new value is never without. */
function meaningOf(t: Translate, { path, description }: Pick<Leaf, 'path' | 'description'>): string {
  return Object.hasOwn(english, `param.${path}`) ? t(`param.${path}` as MessageId) : (description ?? '');
}

/** Every value of these entries, straight from the schema: path, meaning, default, and whether it was changed. */
export function ParameterList({
  entries,
  fields,
  searchable = false,
}: {
  entries: readonly Entry[];
  fields: Fields;
  searchable?: boolean;
}) {
  const t = useTranslate();
  const [text, setText] = useState('');
  const wanted = text.trim().toLowerCase();
  const shown = entries.filter(
    (entry) => wanted === '' || `${entry.path} ${meaningOf(t, entry)}`.toLowerCase().includes(wanted),
  );
  return (
    <>
      {searchable && (
        <TextInput
          size="xs"
          mb="sm"
          maw={320}
          value={text}
          placeholder={t('new-run.advanced.find')}
          aria-label={t('new-run.advanced.find')}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      )}
      {shown.length === 0 && <Quiet>{t('new-run.advanced.noMatch', { text })}</Quiet>}
      <div className="plan-parameters">
        {shown.map((entry) =>
          entry.kind === 'group' ? (
            <ParameterGroup key={entry.path} group={entry} fields={fields} />
          ) : (
            <Parameter key={entry.path} leaf={entry} fields={fields} />
          ),
        )}
      </div>
    </>
  );
}

function Parameter({ leaf, fields }: { leaf: Leaf; fields: Fields }) {
  const t = useTranslate();
  const fallback = t('new-run.parameter.default', {
    value: shownValue(leaf.fallback, t('new-run.parameter.none')),
  });
  return (
    <FieldFrame path={leaf.path} name={leaf.path} fields={fields}>
      <LeafControl
        leaf={leaf}
        label={leaf.path}
        description={[meaningOf(t, leaf), fallback].filter((part) => part !== '').join(' ')}
        value={fields.value(leaf.path)}
        issue={fields.issue(leaf.path)}
        disabled={fields.isLocked(leaf.path)}
        onValue={(value) => fields.set(leaf.path, value)}
      />
    </FieldFrame>
  );
}

/** Values that are there together or not at all. */
function ParameterGroup({ group, fields }: { group: Group; fields: Fields }) {
  const t = useTranslate();
  const isOn = fields.value(group.path) != null;
  return (
    <fieldset className="plan-group">
      <legend>
        <code>{group.path}</code>
      </legend>
      <Quiet size="xs" mb={4}>
        {meaningOf(t, group)}
      </Quiet>
      <Switch
        size="xs"
        label={t('new-run.group.on')}
        checked={isOn}
        disabled={fields.isLocked(group.path)}
        onChange={(event) =>
          fields.set(group.path, event.currentTarget.checked ? firstValues(group) : group.absent)
        }
      />
      {isOn && group.leaves.map((leaf) => <Parameter key={leaf.path} leaf={leaf} fields={fields} />)}
    </fieldset>
  );
}
