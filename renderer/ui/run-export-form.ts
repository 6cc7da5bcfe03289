import {
  checkpointFormatSchema,
  type CheckpointFormat,
  type RunRecord,
} from '../../electron/contract/index.ts';
import type { MessageId } from '../i18n/index.ts';

/** What `anchor export` writes of the weights when nothing else is said. */
export const USUAL_FORMATS: readonly CheckpointFormat[] = ['safetensors', 'gguf'];

/** Every form of the weights, and why a run cannot be written in it; null where it can. */
export function formatChoices(
  { config, committedSteps }: Pick<RunRecord, 'config' | 'committedSteps'>,
  hasCheckpoint: boolean,
): { format: CheckpointFormat; obstacle: MessageId | null }[] {
  return checkpointFormatSchema.options.map((format) => {
    if (format === 'peft' && config.train.lora === undefined)
      return { format, obstacle: 'runExport.peft.whole' };
    if (format === 'peft' && committedSteps === 0) return { format, obstacle: 'runExport.peft.early' };
    return { format, obstacle: hasCheckpoint ? null : 'runExport.noCheckpoint' };
  });
}

/** Whether a path says by itself where it is: the engine's own folder, which a person does not see, would complete any other. */
export const isWholePath = (path: string): boolean => /^(\/|[A-Za-z]:[\\/]|\\\\)/.test(path);

/** A new folder of this name in a folder, as the system of that folder writes paths. */
export function newFolderIn(folder: string, name: string): string {
  const separator = folder.startsWith('/') || !folder.includes('\\') ? '/' : '\\';
  return `${folder.endsWith(separator) ? folder : `${folder}${separator}`}${name}`;
}
