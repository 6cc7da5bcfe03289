import { useState } from 'react';
import { Button, Collapse } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import { stepOf, type Fields } from '../model/fields.ts';
import { RUN_ENTRIES } from '../model/schema-tree.ts';
import type { Step } from '../model/search.ts';
import { ParameterList } from './parameter-list.tsx';

/** Every value of the schema that belongs to a step; on the last step, every value there is. */
export function Advanced({ step, fields }: { step: Step; fields: Fields }) {
  const t = useTranslate();
  const [isOpen, setOpen] = useState(false);
  const entries = step === 'review' ? RUN_ENTRIES : RUN_ENTRIES.filter(({ path }) => stepOf(path) === step);
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
