import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findPython, findVllm, type PythonQuestion } from '../../../electron/machine/python.ts';

const question = (there: string[], rest: Partial<PythonQuestion> = {}): PythonQuestion => ({
  application: '/app',
  labRoot: '/lab',
  setting: null,
  environment: {},
  isThere: (path) => there.includes(path),
  ...rest,
});
const CHECKOUT = join('/app/.venv', process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python');
const LAB = join('/lab/python', process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python');

describe('the Python of a lab', () => {
  it('is what ANCHOR_PYTHON names, before anything else', () => {
    expect(
      findPython(question([CHECKOUT], { environment: { ANCHOR_PYTHON: '/opt/python' }, setting: '/chosen' }))
        .python,
    ).toBe('/opt/python');
  });
  it('is what the settings name, before what is found', () => {
    expect(findPython(question([CHECKOUT], { setting: '/chosen' })).python).toBe('/chosen');
  });
  it.each([[''], [null], [7], [{}]])('is not a setting of %j', (setting) => {
    expect(findPython(question([CHECKOUT], { setting })).python).toBe(CHECKOUT);
  });
  it('is the environment of a checkout', () => {
    expect(findPython(question([CHECKOUT, LAB])).python).toBe(CHECKOUT);
  });
  it('is asked for with the set-up where a checkout has none yet', () => {
    const { python, remedy } = findPython(question(['/app/package.json']));
    expect(python).toBe(CHECKOUT);
    expect(remedy).toContain('npm run setup');
  });
  it('lies in the lab for a packed application, whose remedy says how to make it, also without a network', () => {
    const { python, remedy } = findPython(question([]));
    expect(python).toBe(LAB);
    expect(remedy).toContain('python3 -m venv "/lab/python"');
    expect(remedy).toContain(join('/app', 'native/requirements.txt'));
    expect(remedy).toContain('--no-index --find-links');
  });

  it('vLLM is looked for where it is named, then in the checkout, then in the lab', () => {
    const { setting: _, ...asked } = question([]);
    expect(findVllm({ ...asked, environment: { ANCHOR_VLLM: '/opt/vllm' } })).toBe('/opt/vllm');
    expect(findVllm({ ...asked, environment: {}, isThere: () => true })).toBe(
      `${asked.application}/.venv-vllm`,
    );
    expect(findVllm({ ...asked, environment: {}, isThere: () => false })).toBe(`${asked.labRoot}/vllm`);
  });
});
