// @module-tag full
import { playEach } from './play-each.ts';
import { FAULTS } from './table.ts';

playEach(FAULTS.filter(({ full }) => full === true));
