import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openBundle } from '../../../electron/hosts/index.ts';
import { INDEX, writeBundle } from './open-host.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'anchor-bundle-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('a built window', () => {
  it('gives the files the build listed, by their exact address', () => {
    writeBundle(folder, { 'index.html': INDEX, 'assets/a.js': 'one' });
    writeFileSync(join(folder, 'assets/secret.js'), 'not listed');
    const bundle = openBundle(folder);
    expect(bundle.file('/assets/a.js')?.bytes.toString()).toBe('one');
    for (const address of [
      '/assets/secret.js',
      '/manifest.json',
      '/index.html',
      'assets/a.js',
      '/assets/../assets/a.js',
      '//assets/a.js',
      '/__proto__',
      '/constructor',
    ]) {
      expect(bundle.file(address)).toBeUndefined();
    }
  });

  it('stays what it was when it is built again meanwhile', () => {
    writeBundle(folder, { 'index.html': INDEX, 'assets/a.js': 'one' });
    const bundle = openBundle(folder);
    writeBundle(folder, { 'index.html': INDEX, 'assets/a.js': 'two' });
    expect(bundle.file('/assets/a.js')?.bytes.toString()).toBe('one');
  });

  it('puts the nonce of each response into its page', () => {
    writeBundle(folder, { 'index.html': INDEX });
    expect(openBundle(folder).page('n0nce').bytes.toString()).toContain('content="n0nce"');
  });

  it.each<[string, () => void, RegExp]>([
    ['is not there', () => {}, /is not built .* run "npm run build"/],
    [
      'was changed after the build',
      () => {
        writeBundle(folder, { 'index.html': INDEX, 'a.js': 'one' });
        writeFileSync(join(folder, 'a.js'), 'changed');
      },
      /a\.js is not the one that was built/,
    ],
    ['has no page', () => writeBundle(folder, { 'a.js': 'one' }), /has no index\.html/],
  ])('that %s is refused with what to do', (_what, prepare, sentence) => {
    prepare();
    expect(() => openBundle(folder)).toThrow(sentence);
  });
});
