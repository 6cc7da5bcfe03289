import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { ModelRecord } from '../../../contract/index.ts';
import { examineModel } from '../../../library/index.ts';
import { resolveModel } from '../../models.ts';
import type { Services } from '../../services.ts';

type World = Pick<Services, 'store' | 'resources' | 'lab' | 'clock'>;

/** Hashing a large model takes a minute, and a window asks what an order would take at every change of it. */
const known = new Map<string, { stamp: string; model: ModelRecord }>();

/** As resolveModel; files whose sizes and times have not changed are not hashed again. @throws see resolveModel. */
export async function resolveKnownModel(
  { store, resources, lab, clock }: World,
  name: string,
  kind: ModelRecord['kind'],
): Promise<ModelRecord> {
  const path = store.getModel(name)?.path ?? name;
  const stamp = stampOf(path);
  const key = `${lab.root}\n${kind}\n${name}`;
  const before = known.get(key);
  if (stamp !== null && before?.stamp === stamp) return before.model;
  const model = await resolveModel(store, resources, name, kind, clock.now());
  const after = stampOf(model.path);
  if (after !== null) known.set(key, { stamp: after, model });
  return model;
}

/** Path, sizes and times of a model's files; null where there is none. */
function stampOf(path: string): string | null {
  if (!existsSync(path)) return null;
  const { format, hashed, path: full } = examineModel(path);
  return [
    full,
    ...hashed.map((file) => {
      const { size, mtimeMs } = statSync(format === 'gguf' ? full : join(full, file));
      return `${file}:${size}:${mtimeMs}`;
    }),
  ].join('\n');
}
