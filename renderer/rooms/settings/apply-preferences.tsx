import { useEffect } from 'react';
import { api, useApiQuery } from '../../data/index.ts';
import { useMantineColorScheme } from '../../ui/index.ts';
import './settings.css';

/** Larger text scales everything, as the zoom of a browser does. */
const ZOOM = { normal: '', large: '1.12', larger: '1.25' } as const;

/** Puts the lab's preferences on the window; the frame holds it once. */
export function ApplyPreferences() {
  const { data } = useApiQuery('lab.preferences', api.lab.preferences, undefined);
  const { setColorScheme } = useMantineColorScheme();
  const { theme, textSize, motion, marks } = data ?? {};
  useEffect(() => {
    if (theme !== undefined) setColorScheme(theme);
  }, [theme, setColorScheme]);
  useEffect(() => {
    const { style, dataset } = document.documentElement;
    style.setProperty('--text-zoom', textSize === undefined ? '' : ZOOM[textSize]);
    dataset['textSize'] = textSize ?? 'normal';
    dataset['motion'] = motion ?? 'system';
    dataset['marks'] = marks ?? 'normal';
  }, [textSize, motion, marks]);
  return null;
}
