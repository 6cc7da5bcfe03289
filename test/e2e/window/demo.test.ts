import { findings } from './findings.ts';
import { walkDemo } from './walk-demo.ts';

// `demo.full.test.ts` plays the recording as a person watches it, and asks for the contrast of the dark theme.
walkDemo({ theme: 'light', plays: false, looked: (page) => findings(page) });
