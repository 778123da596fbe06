export { type ChainView, listChainViews } from './chain-views';
export { findAllProblems, findProblems, findViolations, openPage, type OpenedPage } from './opened-page';
export { launchBrowser } from './launch-browser';
export { answerHostile } from './hostile-account';
export { makeScreenshots } from './make-screenshots';
