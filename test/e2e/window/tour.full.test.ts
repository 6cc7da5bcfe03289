// @module-tag full
import { findingsInTheDark } from './findings.ts';
import { walkTour } from './walk-tour.ts';

walkTour(findingsInTheDark);
