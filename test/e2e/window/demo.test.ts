import { findings } from './findings.ts';
import { walkDemo } from './walk-demo.ts';

// `demo.full.test.ts` watches the recording at the speed it begins at, and asks for the contrast of the dark theme.
walkDemo({ theme: 'light', isWatched: false, looked: (page) => findings(page) });
