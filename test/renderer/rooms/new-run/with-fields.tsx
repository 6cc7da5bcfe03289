import { type ReactNode, useEffect, useState } from 'react';
import { runConfigSchema } from '../../../../electron/contract/index.ts';
import { AZR_PRESETS as PRESETS } from '../../../../electron/evolution/frameworks/azr/presets.ts';
import { useTranslate } from '../../../../renderer/i18n/index.ts';
import { changed, type Only } from '../../../../renderer/rooms/new-run/model/draft.ts';
import { checkDraft, type Fields, fieldsOf } from '../../../../renderer/rooms/new-run/model/fields.ts';
import { type Tree, valueAt } from '../../../../renderer/rooms/new-run/model/tree.ts';

export const demo = runConfigSchema.parse(PRESETS.demo) as Tree;
/** The plan as the fields of the last test left it. */
let read: () => Tree = () => demo;
export const now = (): Tree => read();

/** A plan that really changes under the fields, as in the room. */
export function WithFields({
  only = null,
  children,
}: {
  only?: Only;
  children: (fields: Fields) => ReactNode;
}) {
  const t = useTranslate();
  const [draft, setDraft] = useState(demo);
  useEffect(() => {
    read = () => draft;
  }, [draft]);
  const set = (path: string, value: unknown): void =>
    setDraft((config) => changed({ config, base: demo }, path, value));
  return (
    <>
      {children(
        fieldsOf({
          config: draft,
          base: demo,
          issues: checkDraft(draft, t).issues,
          only,
          set,
          reset: (path) => set(path, valueAt(demo, path)),
        }),
      )}
    </>
  );
}
