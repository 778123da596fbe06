/** The pre-commit hook runs these commands on staged files. `npm run lint` checks the whole workspace. */
export default {
  '*.{ts,mjs,cjs,json,md,yaml,yml}': 'prettier --write --ignore-unknown',
  '*.{ts,mjs,cjs}': 'eslint --max-warnings 0 --no-warn-ignored',
  '*.{ts,mjs,cjs,md,proto,yaml,yml}': 'cspell --no-progress --no-summary --no-must-find-files',
};
