import type { ReactNode } from 'react';
import { ActionIcon, Text, Tooltip } from '../../../ui/index.ts';
import { useTranslate } from '../../../i18n/index.ts';
import { shownValue, type Fields } from '../model/fields.ts';

/** What stands around every field: whether it was changed from what the plan began with, and the way back. */
export function FieldFrame({
  path,
  name,
  fields,
  children,
}: {
  path: string;
  name: string;
  fields: Fields;
  children: ReactNode;
}) {
  const t = useTranslate();
  const changed = fields.isChanged(path);
  const before = shownValue(fields.base(path), t('new-run.parameter.none'));
  return (
    <div className="plan-field" data-changed={changed}>
      {children}
      {changed && (
        <Text size="xs" component="div" className="plan-changed">
          <span aria-hidden>● </span>
          {t('new-run.parameter.changed', { value: before })}
          {!fields.isLocked(path) && (
            <Tooltip label={t('new-run.parameter.reset', { name, value: before })}>
              <ActionIcon
                size="xs"
                variant="subtle"
                aria-label={t('new-run.parameter.reset', { name, value: before })}
                onClick={() => fields.reset(path)}
              >
                ↺
              </ActionIcon>
            </Tooltip>
          )}
        </Text>
      )}
    </div>
  );
}
