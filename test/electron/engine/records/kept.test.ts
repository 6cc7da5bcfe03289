import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  exportRecord,
  forgetFilter,
  keepFilter,
  savedFilters,
} from '../../../../electron/engine/verbs/records.ts';
import { useLabFolder } from '../../../../electron/library/lab-folder.ts';
import { failureOf } from '../../store/support/failures.ts';
import { inLab } from '../../store/support/in-lab.ts';

const named = (name: string, text = '') => ({ name, filter: { outcome: 'failed' as const }, text });

describe('filters kept in the lab', () => {
  it('are there by name, one for each, until they are removed', () =>
    inLab((lab) => {
      expect(savedFilters(lab)).toEqual([]);
      keepFilter(lab, named('b'));
      keepFilter(lab, named('a'));
      expect(keepFilter(lab, named('b', 'sum'))).toEqual([named('a'), named('b', 'sum')]);
      expect(forgetFilter(lab, 'a')).toEqual([named('b', 'sum')]);
      expect(forgetFilter(lab, 'never there')).toEqual(savedFilters(lab));
    }));

  it('are no more than a menu can show', () =>
    inLab(async (lab) => {
      for (let number = 0; number < 50; number += 1) keepFilter(lab, named(`filter ${number}`));
      expect(await failureOf(() => keepFilter(lab, named('one more')))).toMatchObject({
        kind: 'tooManyFilters',
        exitCode: 2,
      });
      expect(keepFilter(lab, named('filter 7', 'replaced'))).toHaveLength(50);
    }));

  it('of a shape nobody knows count as none', () =>
    inLab((lab) => {
      lab.setSetting('app.records.filters', [{ name: 'x', filter: { flavour: 'sweet' } }]);
      expect(savedFilters(lab)).toEqual([]);
    }));
});

describe('a record as a file', () => {
  it('lies in the lab under a name made of its run and its id, whole and with all its reviews', () =>
    inLab((lab, folder) => {
      const record = lab.getRecord('a', '2/pred_code_i/3');
      if (record === null) throw new Error('the record is not there');
      const { path } = exportRecord(useLabFolder(folder), 'a/../../b', record);
      expect(path).toBe(join(folder, 'exports', 'a-..-..-b-2-pred_code_i-3.json'));
      writeFileSync(path, 'older');
      exportRecord(useLabFolder(folder), 'a/../../b', record);
      expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({
        format: 'anchor-record-v1',
        runId: 'a/../../b',
        ...record,
      });
      expect(readdirSync(join(folder, 'exports'))).toHaveLength(1);
    }, 2));
});
