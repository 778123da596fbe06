import relativeLinks from 'markdownlint-rule-relative-links';

/** Finds links to files and headings that do not exist. Prettier checks the form. */
export default {
  globs: ['**/*.md'],
  ignores: ['**/node_modules', 'dist', '.fresnel', '.nx', 'CHANGELOG.md'],
  config: {
    default: false,
    'link-fragments': true,
    'reference-links-images': true,
    'relative-links': true,
  },
  customRules: [relativeLinks],
  noBanner: true,
  noProgress: true,
};
