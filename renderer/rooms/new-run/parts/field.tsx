import { useTranslate, type MessageId } from '../../../i18n/index.ts';
import type { Fields } from '../model/fields.ts';
import { LEAF_BY_PATH } from '../model/schema-tree.ts';
import { FieldFrame } from './field-frame.tsx';
import { LeafControl } from './leaf-control.tsx';

/** Paths that have a name of their own on the steps of the plan. */
export type NamedPath = MessageId extends infer Id
  ? Id extends `new-run.field.${infer Path}`
    ? Path
    : never
  : never;

/** One named value of the plan, with what it means, whether it was changed, and what is wrong with it. */
export function Field({
  path,
  fields,
  offered,
}: {
  path: NamedPath;
  fields: Fields;
  offered?: readonly string[];
}) {
  const t = useTranslate();
  const leaf = LEAF_BY_PATH.get(path);
  if (leaf === undefined) throw new RangeError(`The schema of runs has no value ${path}.`);
  const name = t(`new-run.field.${path}`);
  return (
    <FieldFrame path={path} name={name} fields={fields}>
      <LeafControl
        leaf={leaf}
        label={name}
        description={t(`param.${path}` as MessageId)}
        value={fields.value(path)}
        issue={fields.issue(path)}
        disabled={fields.isLocked(path)}
        offered={offered}
        size="sm"
        onValue={(value) => fields.set(path, value)}
      />
    </FieldFrame>
  );
}
