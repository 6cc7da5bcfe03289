import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect } from 'vitest';
import type { CheckpointRecord } from '../../../electron/contract/index.ts';
import { sha256Hex } from '../../../electron/core/index.ts';
import { recordingLabelSchema, unpackRecording } from '../../../electron/experiments/sample/recording.ts';
import { recordedRun } from '../../../electron/experiments/sample/weights.ts';
import type { Trainer } from '../../../electron/models/index.ts';
import { APPLICATION } from '../../support/engine.ts';

export const SHIPPED = join(APPLICATION, 'resources/sample-run');
const label = recordingLabelSchema.parse(JSON.parse(readFileSync(join(SHIPPED, 'label.json'), 'utf8')));
export const recording = unpackRecording(readFileSync(join(SHIPPED, 'recording.json.br')), label);
export const POLICY = join(APPLICATION, 'resources/models/policy');

type Rounding = 'as recorded' | 'otherwise';
export type OnSave = (runId: string, step: number) => void;

/** Saves checkpoints with the recorded hashes, or with others for all that was computed, as another family of processors would. */
export function trainerOf(rounding: Rounding, onSave: OnSave = () => {}): Trainer {
  const make = (runId: string) => {
    const { checkpoints } = recordedRun(recording, runId);
    return {
      load: async () => {},
      repeatUpdates: async (folder: string) => {
        expect(sha256Hex(readFileSync(join(folder, 'updates.safetensors')))).toBe(
          checkpoints.get(24)?.files.find(({ path }) => path === 'updates.safetensors')?.sha256,
        );
      },
      save: async (folder: string) => {
        const step = Number(basename(folder).replace('step-', ''));
        onSave(runId, step);
        const { files, bytes, weightsSha256 } = checkpoints.get(step) as CheckpointRecord;
        const isOther = rounding === 'otherwise' && step > 0;
        mkdirSync(folder, { recursive: true });
        return {
          bytes,
          weightsSha256: isOther ? sha256Hex(`${runId} ${step}`) : weightsSha256,
          files: files.map((file) => {
            const ofPolicy = join(POLICY, file.path);
            writeFileSync(
              join(folder, file.path),
              existsSync(ofPolicy) ? readFileSync(ofPolicy) : 'content of an optimizer',
            );
            return {
              ...file,
              path: join(folder, file.path),
              sha256: isOther ? sha256Hex(`${file.path} of ${runId} ${step}`) : file.sha256,
            };
          }),
        };
      },
    };
  };
  return {
    weights: (_settings: unknown, _point: unknown, _on: unknown, runId: string) => make(runId),
    unload: async () => {},
  } as unknown as Trainer;
}
