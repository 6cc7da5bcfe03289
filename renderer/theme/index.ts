export { theme, variables } from './theme.ts';
import './tokens.css';
