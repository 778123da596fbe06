import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** Where systems install Chromium and Chrome. */
const INSTALLED = [
  '/usr/bin/chromium',
  '/opt/google/chrome/chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/** Starts the browser of this system, else that of a package for Linux on x86-64. @throws Error if there is none */
export async function launchBrowser(): Promise<Browser> {
  const installed = INSTALLED.find((path) => existsSync(path));
  // Chromium does not start as root with its sandbox. It opens pages of this repository only.
  return chromium.launch({ executablePath: installed ?? (await packagedBrowser()), args: ['--no-sandbox'] });
}

async function packagedBrowser(): Promise<string> {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error('install Chromium or Chrome: the packaged one is for Linux on x86-64');
  }
  const { default: packaged } = await import('@sparticuz/chromium');
  return packaged.executablePath();
}
