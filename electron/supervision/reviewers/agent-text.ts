export { asData } from '../../core/index.ts';
