// @module-tag full
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { buildStale } from '../../../electron/cli/build.ts';
import { Stage } from './labs.ts';
import { FUSES, makeStandInDistribution, packApplication, readFuses } from './packing.ts';

const isHere = process.platform === 'linux' && existsSync('/bin/true');
if (!isHere)
  process.stderr.write('skipped: packing with a stand-in for the distribution works on Linux only\n');

describe.skipIf(!isHere)('the packed application', () => {
  const stage = new Stage();
  afterAll(() => stage.clear(), 60_000);

  it('19: a package with other switches is noticed', async () => {
    if (process.env['ANCHOR_WINDOW_BUILT'] !== '1') await buildStale([], false);
    const other = packApplication(makeStandInDistribution(join(stage.folder(), 'electron')), stage.folder(), [
      '-c.electronFuses.runAsNode=true',
      '-c.electronFuses.onlyLoadAppFromAsar=false',
    ]);
    expect(other.status, other.output).toBe(0);
    expect(readFuses(join(other.folder, 'anchor-lab'))).not.toEqual(FUSES);
  }, 300_000);
});
