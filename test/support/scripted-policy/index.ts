import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PYTHON = join(import.meta.dirname, '../../../.venv/bin/python');
const PROGRAM = join(import.meta.dirname, 'scripted_trainer.py');

/**
 * From here on, trainers write what `scripted_trainer.py` says instead of what their weights would: for runs whose policy has to be
 * understood. Everything else of them is real. Returns what puts the interpreter of before back.
 */
export function useScriptedPolicy(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'anchor-scripted-'));
  const python = join(folder, 'python');
  writeFileSync(
    python,
    `#!/bin/sh
if [ "$*" = '-m anchor_trainer' ]; then exec '${PYTHON}' '${PROGRAM}'; fi
exec '${PYTHON}' "$@"
`,
  );
  chmodSync(python, 0o755);
  const before = process.env['ANCHOR_PYTHON'];
  process.env['ANCHOR_PYTHON'] = python;
  return () => {
    if (before === undefined) delete process.env['ANCHOR_PYTHON'];
    else process.env['ANCHOR_PYTHON'] = before;
    rmSync(folder, { recursive: true, force: true });
  };
}
