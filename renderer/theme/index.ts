import './tokens.css';
import { createTheme, type CSSVariablesResolver, type MantineColorsTuple } from '@mantine/core';

/** Deep teal: keeps 4.5:1 on both backgrounds in the shades used for text, and differs from the phase colours in every common colour vision. */
const ANCHOR: MantineColorsTuple = [
  '#e6f6f5',
  '#cdebe9',
  '#9bd8d4',
  '#66c3bd',
  '#3cb1aa',
  '#1fa59d',
  '#0b7f79',
  '#086b66',
  '#055a56',
  '#014642',
];

/** The window itself never scrolls, so nothing has to be locked; the lock would write a style element that the page's policy refuses. */
const UNLOCKED = { defaultProps: { lockScroll: false } };

export const theme = createTheme({
  primaryColor: 'anchor',
  // White text on it has 4.5:1 in both themes.
  primaryShade: { light: 7, dark: 6 },
  colors: { anchor: ANCHOR },
  fontFamily: 'Inter, "Segoe UI", system-ui, -apple-system, "Noto Sans", sans-serif',
  fontFamilyMonospace: '"JetBrains Mono", "Cascadia Mono", "DejaVu Sans Mono", ui-monospace, monospace',
  defaultRadius: 'sm',
  cursorType: 'pointer',
  autoContrast: true,
  luminanceThreshold: 0.35,
  respectReducedMotion: true,
  components: {
    Modal: UNLOCKED,
    Drawer: UNLOCKED,
    Spotlight: UNLOCKED,
    // A menu that opens has the focus on its first item; an empty element that takes it is none of a menu's children.
    // No field of tags offers any; an empty list that counts as open takes the Escape that is meant for the dialog around it.
    TagsInput: { defaultProps: { dropdownOpened: false } },
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
  },
  headings: {
    fontWeight: '600',
    sizes: { h1: { fontSize: '1.25rem' }, h2: { fontSize: '1.05rem' }, h3: { fontSize: '0.95rem' } },
  },
});

/** Mantine's own greys are too pale to read (3.3:1 on white); all its text takes the colours of meaning instead. */
export const variables: CSSVariablesResolver = () => {
  const colors = {
    '--mantine-color-body': 'var(--panel)',
    '--mantine-color-dimmed': 'var(--quiet)',
    '--mantine-color-placeholder': 'var(--quiet)',
    '--mantine-color-error': 'var(--bad)',
  };
  return { variables: {}, light: colors, dark: colors };
};
