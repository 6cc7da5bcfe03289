import { execFileSync } from 'node:child_process';
import { mkdtempSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from './measured-run.ts';

/**
 * A commit of a repository in a folder of its own, which is gone once this is disposed of. Packages and the Python environment are those
 * of `repository`; a commit that needs others cannot run there.
 */
export class Checkout implements Disposable {
  readonly folder: string;
  readonly commit: string;
  readonly #repository: string;

  /** @throws what git says where there is no such commit. */
  constructor(name: string, repository = ROOT) {
    this.#repository = repository;
    this.commit = this.#git('rev-parse', '--verify', '--end-of-options', `${name}^{commit}`);
    this.folder = mkdtempSync(join(tmpdir(), 'anchor-checkout-'));
    this.#git('worktree', 'add', '--quiet', '--detach', this.folder, this.commit);
    for (const shared of ['node_modules', '.venv'])
      symlinkSync(join(repository, shared), join(this.folder, shared));
  }

  [Symbol.dispose](): void {
    // By force: what was linked is not of the commit. Links are removed, not what they lead to.
    this.#git('worktree', 'remove', '--force', this.folder);
  }

  #git(...args: readonly string[]): string {
    return execFileSync('git', ['-C', this.#repository, ...args], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trim();
  }
}
