import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Failure, FAILURE_KINDS } from '../../electron/contract/index.ts';
import { JSON_RPC } from '../../electron/processes/child/json-rpc.ts';

const ROOT = join(import.meta.dirname, '../..');
const UNION = 'electron/contract/failure.ts';

/**
 * Kinds that a text raises: a quoted name as the first argument of whatever makes a failure, as its field `kind`, or as one of
 * several it chooses from. A name that is only compared with is not raised.
 */
function raisedIn(text: string): Set<string> {
  const argument = /(?<!Process)(?:Failure|Error|say)\(\s*["'](\w+)["']/g;
  const field = /\bkind: ["'](\w+)["']/g;
  const choice = /\bkind =[^;]*;/g;
  return new Set([
    ...[...text.matchAll(argument)].map(([, kind]) => kind ?? ''),
    ...[...text.matchAll(field)].map(([, kind]) => kind ?? ''),
    ...[...text.matchAll(choice)].flatMap(([all]) =>
      [...all.matchAll(/[?:]\s*'(\w+)'/g)].map(([, kind]) => kind ?? ''),
    ),
  ]);
}

describe('the kinds of failures', () => {
  const files = execFileSync('git', ['ls-files', 'electron', 'native', 'test/study'], { cwd: ROOT })
    .toString()
    .split('\n')
    .filter((path) => /\.(ts|py)$/.test(path) && path !== UNION);
  const raised = new Set(files.flatMap((path) => [...raisedIn(readFileSync(join(ROOT, path), 'utf8'))]));

  it('are each raised somewhere: a kind that nothing raises any more leaves the list', () => {
    expect(FAILURE_KINDS.filter((kind) => !raised.has(kind))).toEqual([]);
  });

  it('stand in the list once', () => {
    expect(new Set(FAILURE_KINDS).size).toBe(FAILURE_KINDS.length);
  });

  it('count as raised where a failure is made, and not where one is compared', () => {
    expect(
      raisedIn(
        `throw new Failure(\n 'made', 'x'); new ProcessFailure('runner', { kind: 'field' }); if (error.kind === 'compared') return;
         const kind = code === 'EX' ? 'chosen' : 'other'; raise TrainerError("python", f"x")`,
      ),
    ).toEqual(new Set(['made', 'field', 'chosen', 'other', 'python']));
  });

  it('are checked where a failure comes over the wire: an unknown one is a surprise that keeps its sentence', () => {
    const answer = (kind: string) =>
      JSON_RPC.decode({
        jsonrpc: '2.0',
        id: 1,
        error: { code: -32000, message: 'The disk hums.', data: { kind } },
      });
    expect(answer('diskFull')).toMatchObject({ type: 'error', error: { kind: 'diskFull' } });
    expect(answer('diskHums')).toMatchObject({
      type: 'error',
      error: { kind: 'internal', message: 'The disk hums.' },
    });
  });

  it('do not compile when they are misspelt', () => {
    // @ts-expect-error the kind is not in the union
    expect(new Failure('unknwonRun', 'There is no such run.').kind).toBe('unknwonRun');
  });
});
