import { describe, expect, it } from 'vitest';
import { startSupervisor } from '../../../../electron/processes/index.ts';
import { AT_ONCE, scratch, supervisorModel } from '../support.ts';
import { answersSideBySide, request } from './side-by-side.ts';

const folder = scratch();
const logFile = `${folder}/supervisor.log`;

answersSideBySide('a random model', () => supervisorModel(folder));

describe('A supervisor without rows', () => {
  it('refuses to write beside others', async () => {
    const client = await startSupervisor({ logFile, backoff: AT_ONCE });
    try {
      await client.load({ path: supervisorModel(folder), contextSize: 512, threads: 1 });
      await expect(client.review(request(1))).rejects.toMatchObject({ kind: 'badRequest' });
    } finally {
      await client.close();
    }
  }, 300_000);
});
