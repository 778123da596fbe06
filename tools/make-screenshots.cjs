// Writes the pictures of docs/explorer.md: `npm run screenshots:make`, after `npm run build`.

require('./register.cjs');
const { makeScreenshots } = require('../libs/testing/browser/index.ts');

makeScreenshots().catch((/** @type {unknown} */ error) => {
  console.error(error);
  process.exitCode = 1;
});
