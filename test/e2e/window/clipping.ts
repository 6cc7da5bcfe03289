import type { Page } from 'playwright-core';
import { painted } from './open-window.ts';

/** Ways in which people make text larger, in a window of 1280 by 720. A browser's zoom leaves fewer CSS pixels to the page. */
export const LARGER_TEXT = [
  { name: 'zoom of 125 %', size: { width: 1024, height: 576 } },
  { name: 'zoom of 150 %', size: { width: 853, height: 480 } },
  { name: 'text of 125 %', size: { width: 1280, height: 720 }, rootPx: 20 },
  { name: 'text of 150 %', size: { width: 1280, height: 720 }, rootPx: 24 },
  { name: 'the largest text of Settings', size: { width: 1280, height: 720 }, zoom: 1.5 },
] as const;

/** What `look` finds on the page under each way of larger text; one line each. */
async function whenLarger(page: Page, look: () => Promise<string[]>): Promise<string[]> {
  const before = page.viewportSize();
  const found: string[] = [];
  for (const { name, size, ...text } of LARGER_TEXT) {
    await page.setViewportSize(size);
    await enlarge(page, text);
    found.push(...(await look()).map((what) => `${name}: ${what}`));
  }
  if (before !== null) await page.setViewportSize(before);
  await enlarge(page, {});
  return found;
}

/** What is cut off, outside of the window or one over the other on the page as it is, under each way of larger text; one line each. */
export const cutOffWhenLarger = (page: Page): Promise<string[]> => whenLarger(page, () => cutOff(page));

/** Which of what the selector names are not wholly in sight within the box that scrolls them, under each way of larger text; one line each. */
export const outOfSightWhenLarger = (page: Page, selector: string, scroller: string): Promise<string[]> =>
  whenLarger(page, () =>
    page.evaluate(
      ([what, within]) => {
        const box = document.querySelector(within)?.getBoundingClientRect();
        const all = [...document.querySelectorAll(what)];
        if (box === undefined || all.length === 0) return ['nothing is there'];
        return all.flatMap((element) => {
          const { top, bottom } = element.getBoundingClientRect();
          return top < box.top || bottom > box.bottom
            ? [`${element.textContent.slice(0, 40)}: ${Math.round(top)} to ${Math.round(bottom)}`]
            : [];
        });
      },
      [selector, scroller] as const,
    ),
  );

/** Which of what the selector names end in an ellipsis, under each way of larger text; one line each. */
export const shortenedWhenLarger = (page: Page, selector: string): Promise<string[]> =>
  whenLarger(page, async () => {
    const all = page.locator(selector);
    await all.first().waitFor();
    return all.evaluateAll((cells) =>
      cells.filter((cell) => cell.scrollWidth > cell.clientWidth).map((cell) => cell.textContent),
    );
  });

/** Which of what the selector names are lower than so many pixels, under each way of larger text; one line each. */
export const lowWhenLarger = (page: Page, selector: string, leastPx: number): Promise<string[]> =>
  whenLarger(page, async () => {
    // A figure is drawn anew in another size.
    await page.locator(selector).first().waitFor();
    const heights = await page.locator(selector).evaluateAll((all) => all.map((one) => one.clientHeight));
    return heights.filter((height) => height < leastPx).map((height) => `${height} px`);
  });

/**
 * Which texts on the page hardly grow when a person chooses letters half as large again; one line each. Where room is short a text may give
 * up a part. What has no size is for screen readers alone.
 */
export const keptSmall = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const { style } = document.documentElement;
    const said = [...document.querySelectorAll('body *')].filter(
      (one) =>
        one.checkVisibility() &&
        [...one.childNodes].some(({ nodeType, nodeValue }) => nodeType === 3 && nodeValue?.trim() !== ''),
    );
    const sizes = (): number[] => said.map((one) => Number.parseFloat(getComputedStyle(one).fontSize));
    style.fontSize = '16px';
    const usual = sizes();
    style.fontSize = '24px';
    const large = sizes();
    style.fontSize = '';
    return said.flatMap((one, place) =>
      usual[place] === 0 || (large[place] ?? 0) > 1.2 * (usual[place] ?? 0)
        ? []
        : [
            `${one.tagName.toLowerCase()}.${one.getAttribute('class') ?? ''} "${one.textContent.slice(0, 30)}"`,
          ],
    );
  });

async function enlarge(page: Page, text: { rootPx?: number; zoom?: number }): Promise<void> {
  await page.evaluate(({ rootPx, zoom }) => {
    // A transition of what is inherited goes from parent to child, which takes more frames than there are levels.
    const still = new CSSStyleSheet();
    still.replaceSync('* { transition: none !important }');
    document.adoptedStyleSheets = [still];
    const { style, dataset } = document.documentElement;
    style.fontSize = rootPx === undefined ? '' : `${rootPx}px`;
    style.setProperty('--text-zoom', zoom === undefined ? '' : String(zoom));
    dataset['textSize'] = zoom === undefined ? 'normal' : 'largest';
  }, text);
  await painted(page);
}

/**
 * What is cut off on the page as it is now: text and controls that stick out of a box which hides what sticks out, or of the window; pages
 * that are larger than the window; texts and controls that lie on each other. What a box scrolls down to is not cut off, nor what a table
 * scrolls sideways to, nor text that ends in an ellipsis on purpose.
 */
export const cutOff = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const SLACK = 2; // pixels; letters lean over their boxes
    const { documentElement: root } = document;
    const found: string[] = [];
    for (const [what, size, room] of [
      ['wide', root.scrollWidth, root.clientWidth],
      ['high', root.scrollHeight, root.clientHeight],
    ] as const)
      if (size > room + SLACK) found.push(`the page is ${size - room} px too ${what}`);

    const hasText = (element: Element): boolean =>
      [...element.childNodes].some((node) => node.nodeType === 3 && (node.nodeValue ?? '').trim() !== '');
    const isControl = (element: Element): boolean => /^(BUTTON|INPUT|SELECT|TEXTAREA)$/.test(element.tagName);
    const nameOf = (element: Element): string =>
      `${element.tagName.toLowerCase()}.${[...element.classList].filter((name) => !/^m_|mantine-focus|mantine-active/.test(name)).join('.')} "${(element.textContent ?? '').trim().slice(0, 40)}"`;
    const shown = [...document.querySelectorAll<HTMLElement>('body *')].filter((element) => {
      if (!hasText(element) && !isControl(element)) return false;
      if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return false;
      // What is for screen readers alone is a pixel large, which a zoom enlarges.
      const { width, height } = element.getBoundingClientRect();
      return width > 3 && height > 3 && element.closest('svg, [aria-hidden="true"], .app-skip') === null;
    });

    for (const element of shown) {
      const box = ownBox(element);
      let [scrollsX, scrollsY] = [false, false];
      let isOut = false;
      let inTable = false;
      for (let around: HTMLElement | null = element; around !== null; around = around.parentElement) {
        const style = getComputedStyle(around);
        if (style.textOverflow === 'ellipsis' && style.overflowX !== 'visible') scrollsX = true;
        if (style.webkitLineClamp !== 'none' && style.webkitLineClamp !== '') scrollsY = true;
        if (/auto|scroll/.test(style.overflowY)) scrollsY = true;
        if (around.matches('table, [role="table"], [role="grid"], [role="treegrid"]')) inTable = true;
        const edge = around.getBoundingClientRect();
        const right = Math.round(box.right - edge.right);
        const foot = Math.round(box.bottom - edge.bottom);
        const hides = (overflow: string): boolean => /hidden|clip/.test(overflow);
        if (/auto|scroll/.test(style.overflowX) && !scrollsX) {
          scrollsX = true;
          const isTable = inTable && style.scrollbarWidth !== 'none';
          if (!isTable && right > SLACK)
            isOut = found.push(`${nameOf(element)} is seen only by scrolling ${right} px sideways`) > 0;
        } else if (hides(style.overflowX) && !scrollsX && right > SLACK)
          isOut = found.push(`${nameOf(element)} is cut off by ${right} px at the right`) > 0;
        else if (hides(style.overflowY) && !scrollsY && foot > SLACK)
          isOut = found.push(`${nameOf(element)} is cut off by ${foot} px at its foot`) > 0;
        if (isOut || style.position === 'fixed') break;
      }
      if (isOut) continue;
      if (!scrollsX && (box.right > root.clientWidth + SLACK || box.left < -SLACK))
        found.push(`${nameOf(element)} lies outside of the window at the side`);
      if (!scrollsY && (box.bottom > root.clientHeight + SLACK || box.top < -SLACK))
        found.push(`${nameOf(element)} lies outside of the window at its foot or top`);
    }

    for (const label of document.querySelectorAll<SVGTextElement>('svg text')) {
      const picture = label.ownerSVGElement;
      if (picture === null || !label.checkVisibility() || getComputedStyle(picture).overflow === 'visible')
        continue;
      const [box, edge] = [label.getBoundingClientRect(), picture.getBoundingClientRect()];
      const out = Math.round(
        Math.max(edge.left - box.left, box.right - edge.right, edge.top - box.top, box.bottom - edge.bottom),
      );
      if (out > SLACK) found.push(`${nameOf(label)} is cut off by ${out} px at an edge of its figure`);
    }
    // The text of a choice is no node of the page: it stands in the middle of its line.
    for (const choice of document.querySelectorAll('select')) {
      const { lineHeight } = getComputedStyle(choice);
      const low = Math.round(Number.parseFloat(lineHeight) - choice.getBoundingClientRect().height);
      if (low > SLACK) found.push(`${nameOf(choice)} is ${low} px lower than its text`);
    }

    // What stays in place while the rest scrolls below it, such as a table's head or a menu, lies over others on purpose.
    const isLifted = (element: Element): boolean => {
      for (let around: Element | null = element; around !== null; around = around.parentElement)
        if (/fixed|sticky/.test(getComputedStyle(around).position)) return true;
      return false;
    };
    // The steps of a number lie on its field.
    const isOneControl = (one: Element, other: Element): boolean =>
      one === other ||
      (isControl(one) && one.contains(other)) ||
      (isControl(other) && other.contains(one)) ||
      one.closest('.mantine-Input-wrapper')?.contains(other) === true;
    const parts = shown
      .filter((element) => !isLifted(element))
      .flatMap((element) =>
        [...linesOf(element), ...(isControl(element) ? [element.getBoundingClientRect()] : [])].flatMap(
          (whole) => {
            const rect = visiblePart(element, whole);
            return rect === null ? [] : [{ element, rect }];
          },
        ),
      );
    for (const [index, { element, rect }] of parts.entries())
      for (const other of parts.slice(index + 1)) {
        const wide = Math.min(rect.right, other.rect.right) - Math.max(rect.left, other.rect.left);
        const high = Math.min(rect.bottom, other.rect.bottom) - Math.max(rect.top, other.rect.top);
        const lower = Math.min(rect.bottom - rect.top, other.rect.bottom - other.rect.top);
        if (wide > 3 && high > 0.5 * lower && !isOneControl(element, other.element))
          found.push(`${nameOf(element)} and ${nameOf(other.element)} lie on each other`);
      }
    return [...new Set(found)];

    /** Boxes of the lines of an element's own text. */
    function linesOf(element: Element): DOMRect[] {
      return [...element.childNodes]
        .filter((node) => node.nodeType === 3 && (node.nodeValue ?? '').trim() !== '')
        .flatMap((node) => {
          const range = document.createRange();
          range.selectNodeContents(node);
          return [...range.getClientRects()];
        });
    }

    /** Where an element's own text is drawn, which may be outside of its box; a control's box with it. */
    function ownBox(element: Element): { left: number; right: number; top: number; bottom: number } {
      const rects = linesOf(element);
      if (isControl(element) || rects.length === 0) rects.push(element.getBoundingClientRect());
      return {
        left: Math.min(...rects.map(({ left }) => left)),
        right: Math.max(...rects.map(({ right }) => right)),
        top: Math.min(...rects.map(({ top }) => top)),
        bottom: Math.max(...rects.map(({ bottom }) => bottom)),
      };
    }

    /** Of a line of text, what the boxes around it do not hide; null where that is nothing. */
    function visiblePart(
      element: Element,
      { left, right, top, bottom }: DOMRect,
    ): { left: number; right: number; top: number; bottom: number } | null {
      const part = { left, right, top, bottom };
      for (let around: Element | null = element; around !== null; around = around.parentElement) {
        const { overflowX, overflowY } = getComputedStyle(around);
        const edge = around.getBoundingClientRect();
        if (overflowX !== 'visible')
          [part.left, part.right] = [Math.max(part.left, edge.left), Math.min(part.right, edge.right)];
        if (overflowY !== 'visible')
          [part.top, part.bottom] = [Math.max(part.top, edge.top), Math.min(part.bottom, edge.bottom)];
      }
      return part.right > part.left && part.bottom > part.top ? part : null;
    }
  });
