import type { Page } from 'playwright-core';
import { painted, settled } from './open-window.ts';

/** A text of 150 %. */
const ENLARGED_PX = 24;
/** No page has so many places for the focus: a walk that is longer goes round in circles. */
const MOST_PRESSES = 400;

/**
 * Walks a page by Tab from its beginning until the focus comes round. @returns what is wrong with it, one line each: a control that is not
 * reached, a focus that cannot be seen, a control that is cut off or covered as it has the focus, a step back against the order of reading.
 */
export async function walkByKeys(page: Page): Promise<string[]> {
  await page.evaluate(prepare);
  const found: string[] = [];
  for (let press = 1; ; press += 1) {
    if (press > MOST_PRESSES) return [...found, `the focus does not come round in ${MOST_PRESSES} presses`];
    await page.keyboard.press('Tab');
    await painted(page);
    const { isRound, faults } = await page.evaluate(lookAtFocus);
    found.push(...faults);
    if (isRound) break;
  }
  return [...found, ...(await page.evaluate(notReached))];
}

/** The same with a text of 150 %, as large from the beginning as it is for whoever has it so: the page is read anew. */
export async function walkEnlarged(page: Page): Promise<string[]> {
  await page.reload();
  await page.evaluate((px) => {
    document.documentElement.style.fontSize = `${px}px`;
  }, ENLARGED_PX);
  await page.locator('#content').waitFor();
  await settled(page);
  return walkByKeys(page);
}

type Walk = {
  reached: Set<Element>;
  last: { element: HTMLElement; focused: string } | null;
};
type WithWalk = typeof globalThis & { keyboardWalk: Walk };

/** Nothing has the focus, nothing moves by itself, and the order begins anew. */
function prepare(): void {
  const still = new CSSStyleSheet();
  still.replaceSync('* { transition: none !important; scroll-behavior: auto !important }');
  document.adoptedStyleSheets = [still];
  (globalThis as WithWalk).keyboardWalk = { reached: new Set(), last: null };
  // Tab goes on from what had the focus last, also where that is no more.
  const start = document.createElement('span');
  start.tabIndex = -1;
  document.body.prepend(start);
  start.focus();
  start.remove();
}

/** What the press came to. The walk is over where the focus has been before, or on nothing. */
function lookAtFocus(): { isRound: boolean; faults: string[] } {
  const SLACK = 2;
  const { keyboardWalk: walk } = globalThis as WithWalk;
  const faults: string[] = [];
  const nameOf = (element: Element): string =>
    `${element.tagName.toLowerCase()} "${(element.ariaLabel ?? element.getAttribute('title') ?? (element.textContent || element.id)).trim().slice(0, 50)}"`;
  // A switch is drawn by what stands beside the input that has the focus.
  const looks = (element: Element): string =>
    [
      element,
      ...(element.parentElement === null ? [] : [element.parentElement, ...element.parentElement.children]),
    ]
      .map((each) => {
        const { outline, boxShadow, borderColor, backgroundColor, textDecoration } = getComputedStyle(each);
        return [outline, boxShadow, borderColor, backgroundColor, textDecoration].join();
      })
      .join('\n');

  const focused = document.activeElement as HTMLElement | null;
  const { last } = walk;
  if (
    last !== null &&
    last.element !== focused &&
    last.element.isConnected &&
    looks(last.element) === last.focused
  )
    faults.push(`${nameOf(last.element)} looks the same with the focus and without`);
  const isNothing = focused === null || focused === document.body || focused === document.documentElement;
  if (isNothing || walk.reached.has(focused)) return { isRound: true, faults };

  const whole = seenBox(focused);
  const seen = clipped(focused, whole);
  if (seen === null) faults.push(`${nameOf(focused)} is out of sight as it has the focus`);
  else {
    if (seen.right - seen.left < Math.min(whole.width, innerWidth) - SLACK)
      faults.push(`${nameOf(focused)} is cut off at its side as it has the focus`);
    // What is higher than the box that scrolls it is never seen whole.
    if (seen.bottom - seen.top < Math.min(whole.height, 40) - SLACK)
      faults.push(`${nameOf(focused)} is cut off at its top or foot as it has the focus`);
    const at = document.elementFromPoint((seen.left + seen.right) / 2, (seen.top + seen.bottom) / 2);
    const isOwn = (other: Element | null): boolean =>
      other !== null &&
      (focused.contains(other) || other.contains(focused) || (!isDrawn(focused) && isBesideIt(other)));
    const isBesideIt = (other: Element): boolean => focused.parentElement?.contains(other) === true;
    if (!isOwn(at)) faults.push(`${nameOf(focused)} is covered by ${at === null ? 'nothing' : nameOf(at)}`);
  }
  if (last !== null && last.element.isConnected) {
    const [before, after] = parted(last.element, focused);
    const isBelow = after.top >= before.bottom - SLACK;
    const isBeside = after.left >= before.right - SLACK;
    const isApart = after.bottom <= before.top + SLACK || after.right <= before.left + SLACK;
    if (isApart && !isBelow && !isBeside)
      faults.push(`${nameOf(focused)} comes after ${nameOf(last.element)}, but stands before it`);
  }
  walk.reached.add(focused);
  walk.last = { element: focused, focused: looks(focused) };
  return { isRound: false, faults };

  function isDrawn(element: HTMLElement): boolean {
    const { width, height } = element.getBoundingClientRect();
    return width > 3 && height > 3 && getComputedStyle(element).opacity !== '0';
  }

  /** An element's box, or that of the label of an input which is not drawn itself. */
  function seenBox(element: HTMLElement): DOMRect {
    const shown = isDrawn(element) ? element : (element.parentElement ?? element);
    return shown.getBoundingClientRect();
  }

  /** Of a box, what the boxes around its element and the window leave of it; null where that is nothing. */
  function clipped(element: HTMLElement, box: DOMRect) {
    const part = { left: box.left, right: box.right, top: box.top, bottom: box.bottom };
    const within = (edge: { left: number; right: number; top: number; bottom: number }): void => {
      part.left = Math.max(part.left, edge.left);
      part.right = Math.min(part.right, edge.right);
      part.top = Math.max(part.top, edge.top);
      part.bottom = Math.min(part.bottom, edge.bottom);
    };
    for (let around = element.parentElement; around !== null; around = around.parentElement)
      if (getComputedStyle(around).overflow !== 'visible') within(around.getBoundingClientRect());
    within({ left: 0, right: innerWidth, top: 0, bottom: innerHeight });
    return part.right > part.left && part.bottom > part.top ? part : null;
  }

  /** The boxes of the two parts of the page in which two elements lie: columns are read one after the other. */
  function parted(one: HTMLElement, other: HTMLElement): [DOMRect, DOMRect] {
    if (one.contains(other) || other.contains(one)) return [new DOMRect(), new DOMRect()];
    const around = (element: HTMLElement): HTMLElement[] => {
      const all: HTMLElement[] = [];
      for (let each: HTMLElement | null = element; each !== null; each = each.parentElement)
        all.unshift(each);
      return all;
    };
    const [ones, others] = [around(one), around(other)];
    const fork = ones.findIndex((each, place) => each !== others[place]);
    const boxOf = (way: HTMLElement[]): DOMRect =>
      way
        .slice(fork)
        .map((each) => each.getBoundingClientRect())
        .find(({ width, height }) => width > 0 && height > 0) ?? new DOMRect();
    return [boxOf(ones), boxOf(others)];
  }
}

/** Controls in sight, or to be scrolled to, that never had the focus. Of a group of choices Tab reaches the chosen one, and arrow keys the others. */
function notReached(): string[] {
  const { reached } = (globalThis as WithWalk).keyboardWalk;
  const all = document.querySelectorAll<HTMLElement>(
    ':is(a[href], button, input, select, textarea, summary, [tabindex="0"]):not(:disabled, [tabindex="-1"])',
  );
  return [...all]
    .filter((control) => control.checkVisibility({ visibilityProperty: true }) && !reached.has(control))
    .filter((control) => !(control instanceof HTMLInputElement && control.type === 'radio'))
    .filter((control) => control.closest('[inert]') === null)
    .map(
      (control) =>
        `${control.tagName.toLowerCase()} "${control.ariaLabel ?? control.textContent}" is not reached`,
    );
}
