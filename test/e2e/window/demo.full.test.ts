// @module-tag full
import { findings } from './findings.ts';
import { walkDemo } from './walk-demo.ts';

walkDemo({ theme: 'dark', isWatched: true, looked: (page) => findings(page, 'contrast') });
