import type { RunAtWork } from '../../hosts/index.ts';
import { WORDS } from '../words.ts';

export type QuitChoice = 'finish' | 'background' | 'now' | 'stay';
export type QuitQuestion = {
  message: string;
  detail: string;
  buttons: string[];
  choices: QuitChoice[];
  cancelId: number;
};

/**
 * What to ask before quitting; null when nothing would be lost. Runs whose step is already being finished are waited for, so the
 * second question offers to stop waiting.
 * @param runs null when the engine does not answer.
 */
export function quitQuestion(runs: readonly RunAtWork[] | null, isFinishing: boolean): QuitQuestion | null {
  if (runs?.length === 0) return null;
  const lines =
    runs === null
      ? [WORDS.quit.unknown]
      : runs.map(({ name, step, steps }) => WORDS.quit.at(name, step, steps));
  const detail = [...lines, '', WORDS.quit.detail].join('\n');
  if (isFinishing || runs === null) {
    return {
      message: isFinishing ? WORDS.quit.finishingTitle : WORDS.quit.title,
      detail,
      buttons: [WORDS.quit.now, WORDS.quit.wait],
      choices: ['now', 'stay'],
      cancelId: 1,
    };
  }
  return {
    message: WORDS.quit.title,
    detail,
    buttons: [WORDS.quit.finish, WORDS.quit.background, WORDS.quit.cancel],
    choices: ['finish', 'background', 'stay'],
    cancelId: 2,
  };
}
