import { afterAll } from 'vitest';

/** Set-up of files that follow each other in one process: what one changes of that process is as before for the next. */
const found = { environment: { ...process.env }, folder: process.cwd(), mask: process.umask(0o022) };
process.umask(found.mask);

afterAll(() => {
  process.chdir(found.folder);
  process.umask(found.mask);
  for (const name of Object.keys(process.env)) if (!(name in found.environment)) delete process.env[name];
  Object.assign(process.env, found.environment);
});
