import { z } from 'zod';

/** How a person wants the window; kept in the lab, so that every window onto it looks the same. A value that is not known falls back. */
export const preferencesSchema = z.strictObject({
  theme: z.enum(['auto', 'light', 'dark']).catch('auto'),
  textSize: z.enum(['normal', 'large', 'larger']).catch('normal'),
  /** `system` follows the operating system's wish for less motion. */
  motion: z.enum(['system', 'reduced']).catch('system'),
  /** Underlines links and marks states by patterns beside colours. */
  marks: z.enum(['normal', 'strong']).catch('normal'),
  language: z.enum(['en']).catch('en'),
});
export type Preferences = z.infer<typeof preferencesSchema>;
export const DEFAULT_PREFERENCES: Preferences = {
  theme: 'auto',
  textSize: 'normal',
  motion: 'system',
  marks: 'normal',
  language: 'en',
};
