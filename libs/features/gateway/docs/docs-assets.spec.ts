import { loadDocsAssets } from './docs-assets';
import { CONTENT_SECURITY_POLICY, DOCS_PAGE, START_SCRIPT } from './docs-page';

describe('the documentation page', () => {
  const assets = loadDocsAssets();

  it('loads only files that are served with it', () => {
    const paths = [...DOCS_PAGE.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, path]) => path);
    expect(paths.sort()).toEqual([...assets.keys()].map((name) => `/docs/${name}`).sort());
  });

  it('has no inline script, as the content security policy requires', () => {
    expect(DOCS_PAGE).not.toMatch(/<script>|<script [^>]*>[^<]| on[a-z]+=|<style/);
    expect(CONTENT_SECURITY_POLICY).toContain("script-src 'self';");
  });

  it('does not send the document to a validator', () => {
    expect(START_SCRIPT).toContain('validatorUrl: null');
    expect(START_SCRIPT).not.toMatch(/https?:/);
  });
});
