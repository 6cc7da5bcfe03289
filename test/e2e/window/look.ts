/** Takes a picture of a place of the window: `node test/e2e/window/look.ts /runs --theme dark --out x.png [--lab folder] [--size 1280x800] [--wait ms] [--full]`. */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { noChromium, openWindow } from './open-window.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    theme: { type: 'string', default: 'light' },
    out: { type: 'string', default: 'window.png' },
    lab: { type: 'string' },
    size: { type: 'string', default: '1280x800' },
    wait: { type: 'string', default: '300' },
    full: { type: 'boolean', default: false },
  },
});
const [width = 1280, height = 800] = values.size.split('x').map(Number);
if (noChromium !== null) throw new Error(noChromium);
const window = await openWindow({
  labFolder: values.lab,
  theme: values.theme === 'dark' ? 'dark' : 'light',
  size: { width, height },
  place: positionals[0] ?? '/',
});
try {
  await window.page.waitForTimeout(Number(values.wait));
  writeFileSync(values.out, await window.page.screenshot({ fullPage: values.full }));
  for (const complaint of window.complaints) process.stderr.write(`complaint: ${complaint}\n`);
  process.stdout.write(`${values.out}: ${await window.page.title()}, ${window.page.url()}\n`);
} finally {
  await window.close();
}
