import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Checkout } from './checkout.ts';

const repository = mkdtempSync(join(tmpdir(), 'anchor-repository-'));
const git = (...args: string[]): string =>
  execFileSync(
    'git',
    ['-C', repository, '-c', 'user.name=test', '-c', 'user.email=test@localhost', ...args],
    { encoding: 'utf8' },
  ).trim();
const file = join(repository, 'version.txt');
const installed = join(repository, 'node_modules/package.json');

function commit(version: string): void {
  writeFileSync(file, version);
  git('add', 'version.txt');
  git('commit', '--quiet', '--message', version);
}

beforeAll(() => {
  git('init', '--quiet');
  commit('first');
  commit('second');
  mkdirSync(join(repository, 'node_modules'));
  writeFileSync(installed, '{}');
});
afterAll(() => rmSync(repository, { recursive: true, force: true }));

describe('A checkout of a commit', () => {
  it('has the files of that commit and the packages of the repository', () => {
    using first = new Checkout('HEAD~1', repository);
    expect(readFileSync(join(first.folder, 'version.txt'), 'utf8')).toBe('first');
    expect(readFileSync(join(first.folder, 'node_modules/package.json'), 'utf8')).toBe('{}');
    expect(first.commit).toBe(git('rev-parse', 'HEAD~1'));
    expect(readFileSync(file, 'utf8')).toBe('second');
  });

  it('leaves nothing behind, and the packages where they are', () => {
    const before = git('worktree', 'list');
    const made = new Checkout('HEAD', repository);
    expect(git('worktree', 'list')).not.toBe(before);
    made[Symbol.dispose]();
    expect(existsSync(made.folder)).toBe(false);
    expect(git('worktree', 'list')).toBe(before);
    expect(existsSync(installed)).toBe(true);
  });

  it('of no commit is refused', () => {
    expect(() => new Checkout('no-such-commit', repository)).toThrow('no-such-commit');
  });
});
