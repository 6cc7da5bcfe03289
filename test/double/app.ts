import { EventEmitter } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { record } from './record.ts';
import { preventable, strict } from './strict.ts';

type Closable = { close(): void; isDestroyed(): boolean };

const scratch = mkdtempSync(join(tmpdir(), 'anchor-stand-in-'));

class App extends EventEmitter {
  readonly isPackaged = process.env['DOUBLE_PACKAGED'] === '1';
  readonly #ready = Promise.withResolvers<void>();
  #isReady = false;
  #exited = false;
  windows: () => readonly Closable[] = () => [];
  endChromium: () => Promise<void> = async () => {};
  readonly commandLine = strict('commandLine', {
    appendSwitch: (name: string, value?: string): void => void record.switches.push([name, value]),
  });
  isSandboxEnabled = false;

  begin(): void {
    this.#isReady = true;
    this.emit('ready');
    this.#ready.resolve();
  }

  whenReady(): Promise<void> {
    return this.#ready.promise;
  }
  isReady(): boolean {
    return this.#isReady;
  }
  enableSandbox(): void {
    this.isSandboxEnabled = true;
  }
  requestSingleInstanceLock(): boolean {
    return process.env['DOUBLE_SECOND'] !== '1';
  }
  getAppPath(): string {
    return process.env['DOUBLE_APP'] ?? process.cwd();
  }
  getVersion(): string {
    return (JSON.parse(readFileSync(join(this.getAppPath(), 'package.json'), 'utf8')) as { version: string })
      .version;
  }

  getPath(name: string): string {
    const path = join(process.env['DOUBLE_HOME'] ?? scratch, name);
    mkdirSync(path, { recursive: true });
    return path;
  }

  /** In Electron's order: before-quit, every window's close, will-quit, quit; each but the last can be prevented. */
  quit(): void {
    if (this.#exited || this.#wasPrevented('before-quit')) return;
    for (const window of this.windows()) {
      window.close();
      if (!window.isDestroyed()) return;
    }
    if (!this.#wasPrevented('will-quit')) this.exit(0);
  }

  exit(code = 0): void {
    if (this.#exited) return;
    this.#exited = true;
    this.emit('quit', {}, code);
    void this.endChromium()
      .catch(() => {})
      .then(() => {
        rmSync(scratch, { recursive: true, force: true });
        process.exit(code);
      });
  }

  #wasPrevented(name: string): boolean {
    const { event, wasPrevented } = preventable({});
    this.emit(name, event);
    return wasPrevented();
  }
}

export const theApp = new App();
export const app = strict('app', theApp);
