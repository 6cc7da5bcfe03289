import { existsSync } from 'node:fs';

/** Debian's; the one without a window of its own takes a third less of the processor. */
const USUAL = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];

/** The browser that pages are opened in; another one is named in CHROMIUM. */
export const CHROMIUM: string =
  process.env['CHROMIUM'] ?? USUAL.find((path) => existsSync(path)) ?? '/usr/bin/chromium';

/** Why no page can be opened here; null when it can. */
export const noChromium: string | null = existsSync(CHROMIUM)
  ? null
  : `${CHROMIUM} is not there; install chromium-headless-shell or chromium, or name another one in CHROMIUM`;

/** Without a graphics card Chromium would compute one: half of its work. Its own sandbox refuses to start as root; the pages are ours. */
export const CHROMIUM_ARGUMENTS: readonly string[] = [
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--no-first-run',
  ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
];
