import { findings } from './findings.ts';
import { walkTour } from './walk-tour.ts';

// `tour.full.test.ts` asks for the contrast of the dark theme.
walkTour((page) => findings(page));
