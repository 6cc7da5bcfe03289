import { statSync } from 'node:fs';
import type { JobHandle } from '../../core/index.ts';
import { bytesAt } from '../../machine/index.ts';
import type { ExportNews } from '../exports/export-thread.ts';

/** How often it is looked how much of its file the trainer has written. */
const LOOK_EVERY_MS = 500;

type ExportProgress = {
  /** What a step's records take, of which the later steps are taken to have as many, or bytes of the model that were hashed or copied. */
  news(news: ExportNews): void;
  /** While `work` writes a form of the model to `path`, as far as its file has grown. */
  ofForm(path: string, work: () => Promise<void>): Promise<void>;
};

/**
 * How far an export is, in bytes: those of its records, and those of the model once for its hashes and once for each form. A form counts
 * as many as the model is stored in, whatever it takes itself, so that the whole is known before anything is written.
 */
export function exportProgress(
  handle: Pick<JobHandle, 'at' | 'total'>,
  { steps, modelFiles, forms }: { steps: number; modelFiles: readonly string[]; forms: number },
): ExportProgress {
  const ofModel = modelFiles.reduce(
    (sum, path) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
  let done = 0;
  let written = 0;
  const reach = (bytes: number): void => {
    done = bytes;
    handle.at(done);
  };
  handle.total(ofModel * (1 + forms));
  return {
    news({ kind, amount }) {
      if (kind === 'step') {
        written += 1;
        handle.total(Math.ceil(((done + amount) / written) * steps) + ofModel * (1 + forms));
      }
      reach(done + amount);
    },
    async ofForm(path, work) {
      const before = done;
      const look = async (): Promise<void> => {
        // What is renamed in just this moment is looked at the next time.
        const grown = await bytesAt([path, `${path}.tmp`]).catch(() => 0);
        reach(Math.max(done, before + Math.min(ofModel, grown)));
      };
      const looking = setInterval(() => void look(), LOOK_EVERY_MS).unref();
      try {
        await work();
      } finally {
        clearInterval(looking);
      }
      reach(before + ofModel);
    },
  };
}
