import { readFileSync } from 'node:fs';
import { PATIENCE_MS } from '@fresnel/testing/generic';
import { type Browser, type Page } from 'playwright-core';

/** Runs in the page: everything that the content security policy forbids. */
const RECORD_VIOLATIONS = `globalThis.forbidden = [];
document.addEventListener('securitypolicyviolation', (event) => forbidden.push(event.violatedDirective + ' ' + event.blockedURI));`;

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

const WIDTHS = [360, 768, 1_440];
const HEIGHT = 800;
/** What takes part in the order of the Tab key, as far as it is seen. */
const CONTROLS = `[...document.querySelectorAll('a[href], button, input, select, summary, [tabindex="0"]')]
  .filter((element) => element.checkVisibility() && !element.disabled)`;

export interface OpenedPage {
  page: Page;
  /** The URLs of all requests. */
  requests: string[];
  /** Requests without an answer, and answers with another status than 2xx. */
  failures: string[];
  /** Uncaught errors of the page's scripts. */
  errors: string[];
  /** Shows a view, and waits until it has loaded. */
  show(link: string): Promise<void>;
  close(): Promise<void>;
}

/** Opens a page of its own context. @param url of the gateway */
export async function openPage(browser: Browser, url: string): Promise<OpenedPage> {
  const context = await browser.newContext({
    locale: 'en-US',
    timezoneId: 'Asia/Tokyo',
    // Colors in the middle of a transition have no contrast.
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  context.setDefaultTimeout(PATIENCE_MS);
  await context.addInitScript(RECORD_VIOLATIONS);
  const page = await context.newPage();
  const requests: string[] = [];
  const failures: string[] = [];
  const errors: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  page.on('requestfailed', (request) => failures.push(`${request.url()}: ${request.failure()?.errorText}`));
  page.on('response', (response) => {
    if (!response.ok()) failures.push(`${response.url()}: ${response.status()}`);
  });
  page.on('pageerror', (error) => errors.push(error.message));
  return {
    page,
    requests,
    failures,
    errors,
    show: async (link) => {
      await page.goto('about:blank');
      await page.goto(`${url}/${link}`);
      await page.locator('h1').waitFor();
      await page.locator('main:not(:has([aria-busy=true]))').waitFor();
    },
    close: () => context.close(),
  };
}

/** What axe finds: each violation with the elements. */
export async function findViolations(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const violations = await page.evaluate(
    `axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))`,
  );
  return violations as string[];
}

/** What is wrong with a view, apart from its contents: it is wider than the window, or does what its policy forbids. */
export async function findProblems(page: Page): Promise<unknown[]> {
  const problems = await page.evaluate(`[
    ...forbidden,
    ...(document.documentElement.scrollWidth > innerWidth ? ['width ' + document.documentElement.scrollWidth] : []),
  ]`);
  return problems as unknown[];
}

/** What is wrong with a view at any width, in both themes, for screen readers and by keyboard. */
export async function findAllProblems(page: Page): Promise<unknown[]> {
  const problems: unknown[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    problems.push(...(await findViolations(page)));
  }
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: HEIGHT });
    problems.push(...(await findProblems(page)));
  }
  return [...problems, ...(await findUnreachable(page))];
}

/** The links and controls that the Tab key does not reach. */
async function findUnreachable(page: Page): Promise<string[]> {
  const count = await page.evaluate<number>(`
    globalThis.unreached = new Set(${CONTROLS});
    document.activeElement.blur();
    document.addEventListener('focusin', ({ target }) => unreached.delete(target));
    unreached.size`);
  // One more, since the focus may begin behind the last one.
  for (let presses = 0; presses <= count; presses++) await page.keyboard.press('Tab');
  return page.evaluate<string[]>(
    '[...unreached].filter((element) => element.isConnected).map((element) => "not reached: " + element.outerHTML)',
  );
}
