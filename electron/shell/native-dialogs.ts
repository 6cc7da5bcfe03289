import type { BrowserWindow, Dialog } from 'electron';
import type { PathRequest, SaveRequest } from '../contract/index.ts';
import { writeWholeFile } from '../library/index.ts';
import type { QuitChoice, QuitQuestion } from './quitting.ts';
import { WORDS } from './words.ts';

/** The system's own dialogs, on the window. */
export class NativeDialogs {
  readonly #dialog: Pick<Dialog, 'showOpenDialog' | 'showSaveDialog' | 'showMessageBox'>;
  readonly #window: () => BrowserWindow;

  constructor(
    dialog: Pick<Dialog, 'showOpenDialog' | 'showSaveDialog' | 'showMessageBox'>,
    window: () => BrowserWindow,
  ) {
    this.#dialog = dialog;
    this.#window = window;
  }

  /** Paths that the person chose; none when the dialog was cancelled. */
  async choosePaths({ kind, many, title, extensions }: PathRequest): Promise<string[]> {
    const { canceled, filePaths } = await this.#dialog.showOpenDialog(this.#window(), {
      title,
      properties: [
        kind === 'file' ? 'openFile' : 'openDirectory',
        ...(many ? ['multiSelections' as const] : []),
      ],
      ...(kind === 'file' && extensions.length > 0
        ? { filters: [{ name: extensions.map((name) => `.${name}`).join(', '), extensions }] }
        : {}),
    });
    return canceled ? [] : filePaths;
  }

  /** Writes a text where the person says; null when the dialog was cancelled or the disk refused, which the person is told. */
  async saveText({ name, text }: SaveRequest): Promise<string | null> {
    const { canceled, filePath } = await this.#dialog.showSaveDialog(this.#window(), { defaultPath: name });
    if (canceled || filePath === '') return null;
    try {
      writeWholeFile(filePath, text);
      return filePath;
    } catch (error) {
      const why = (error as NodeJS.ErrnoException).code ?? String(error);
      await this.#dialog.showMessageBox(this.#window(), {
        type: 'error',
        message: WORDS.save.failed(filePath, why),
      });
      return null;
    }
  }

  async ask({ message, detail, buttons, choices, cancelId }: QuitQuestion): Promise<QuitChoice> {
    const { response } = await this.#dialog.showMessageBox(this.#window(), {
      type: 'question',
      message,
      detail,
      buttons,
      cancelId,
      defaultId: 0,
      noLink: true,
    });
    return choices[response] ?? 'stay';
  }
}
