import { startShell } from './shell/index.ts';

startShell();
