import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildStale } from '../../../electron/cli/build.ts';
import { openShell, type OpenShell, type ShellOptions } from './open-shell.ts';

export { noChromium } from '../../support/chromium.ts';

/** Fresh folders and open applications of one test file, all gone at its end. */
export class Stage {
  readonly #folders: string[] = [];
  readonly #shells: OpenShell[] = [];

  folder(): string {
    const made = mkdtempSync(join(tmpdir(), 'anchor-shell-'));
    this.#folders.push(made);
    return made;
  }

  /** Builds what is stale (unless ANCHOR_WINDOW_BUILT says that it was done), then opens the application on a fresh lab unless one is given. */
  async open(options: Partial<ShellOptions> = {}): Promise<OpenShell> {
    if (options.application === undefined && process.env['ANCHOR_WINDOW_BUILT'] !== '1')
      await buildStale([], false);
    const shell = await openShell({ lab: this.folder(), ...options });
    this.#shells.push(shell);
    return shell;
  }

  async clear(): Promise<void> {
    for (const shell of this.#shells.splice(0)) await shell.close();
    for (const folder of this.#folders.splice(0))
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 }); // Chromium may still write its profile
  }
}
