import type { OpenWindow } from '../../e2e/window/open-window.ts';
import { BIG_RUN } from './big-lab.ts';
import type { Measured } from './measured.ts';

/** Scrolls the list by so many pixels in each frame and gives the length of every frame, and how many showed a row that was not there yet. */
function scroll(
  window: OpenWindow,
  pixels: number,
  seconds: number,
): Promise<{ frames: number[]; waiting: number }> {
  return window.page.evaluate(
    ({ by, long }) =>
      new Promise<{ frames: number[]; waiting: number }>((resolve) => {
        const list = document.querySelector('.ui-list') as HTMLElement;
        list.scrollTop = 0;
        const frames: number[] = [];
        let waiting = 0;
        let before = performance.now();
        const end = before + long * 1000;
        const step = (): void => {
          const now = performance.now();
          frames.push(now - before);
          before = now;
          if (list.querySelector('.mantine-Skeleton-root') !== null) waiting += 1;
          list.scrollTop += by;
          if (now < end) requestAnimationFrame(step);
          else resolve({ frames: frames.slice(1), waiting });
        };
        requestAnimationFrame(step);
      }),
    { by: pixels, long: seconds },
  );
}

/** Frames a second in each second that passed. */
function framesBySecond(frames: readonly number[]): number[] {
  const seconds: number[] = [];
  let [time, count] = [0, 0];
  for (const frame of frames) {
    time += frame;
    count += 1;
    if (time >= 1000) {
      seconds.push((count * 1000) / time);
      [time, count] = [0, 0];
    }
  }
  return seconds;
}

/** A hundred thousand records: as a wheel turns, and dragged from one end to the other. */
export async function scrolling(window: OpenWindow, seconds: number): Promise<Measured[]> {
  await window.go(`/runs/${BIG_RUN}/records`);
  await window.page.locator('.records-row').first().waitFor();
  const height = await window.page.evaluate(
    () => (document.querySelector('.ui-list') as HTMLElement).scrollHeight,
  );
  const wheel = await scroll(window, 120, seconds);
  const dragged = await scroll(window, Math.ceil(height / (60 * seconds)), seconds);
  const measured = (name: string, { frames, waiting }: typeof wheel): Measured => ({
    name,
    unit: 'frames/s',
    budget: 50,
    better: 'more',
    values: framesBySecond(frames),
    heldBy: 'median',
    note: `${frames.length} frames, ${((100 * waiting) / frames.length).toFixed(0)} % showed a row that was still being read`,
  });
  return [measured('scrolling, 120 px a frame', wheel), measured('scrolling, end to end', dragged)];
}
