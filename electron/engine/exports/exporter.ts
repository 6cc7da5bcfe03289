/** The thread that writes exports; see export-thread.ts. */
import { APP_VERSION } from '../../contract/index.ts';
import { doOrder } from '../../core/index.ts';
import { writeItems } from '../../evaluation/index.ts';
import { copyInto, requireUnchanged } from '../../library/index.ts';
import { openLab } from '../../store/index.ts';
import type { ExportNews, ExportOrder, ExportResults } from './export-thread.ts';
import { writeRecords } from './run-records.ts';

/** A change that is worth a message. */
const WORTH = { step: 1, model: 4 * 1024 * 1024, answers: 50 };

await doOrder<ExportOrder, ExportResults['run' | 'items'], ExportNews>(async (order, say) => {
  const kept = { step: 0, model: 0, answers: 0 };
  const tell = (kind: ExportNews['kind'], amount: number): void => {
    kept[kind] += amount;
    if (kept[kind] < WORTH[kind]) return;
    say({ kind, amount: kept[kind] });
    kept[kind] = 0;
  };
  const store = await openLab(order.lab, { now: () => new Date(), readonly: true });
  try {
    if (order.what === 'items') {
      const { id, format, path } = order;
      return writeItems(store, { id, format, path, version: APP_VERSION }, () => tell('answers', 1));
    }
    const { runId, folder, model, copy } = order;
    const written = writeRecords(store, runId, folder, (bytes) => tell('step', bytes));
    const onBytes = (bytes: number): void => tell('model', bytes);
    await requireUnchanged(model, 'put the files of this checkpoint back, or export without weights', {
      onBytes,
    });
    if (copy !== null) await copyInto(copy.to, copy.files, { onBytes });
    return written;
  } finally {
    store.close();
  }
});
