import { loadDocsAssets } from './docs-assets';
import { CONTENT_SECURITY_POLICY, DOCS_PAGE, START_SCRIPT } from './docs-page';

describe('the documentation page', () => {
  const assets = loadDocsAssets();

  it('needs nothing but what is served with it', () => {
    const wanted = [...DOCS_PAGE.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, path]) => path);
    expect(wanted.sort()).toEqual([...assets.keys()].map((name) => `/docs/${name}`).sort());
  });

  it('has no script of its own, so that a strict policy lets it run', () => {
    expect(DOCS_PAGE).not.toMatch(/<script>|<script [^>]*>[^<]| on[a-z]+=|<style/);
    expect(CONTENT_SECURITY_POLICY).toContain("script-src 'self';");
  });

  it('asks nobody else about the document', () => {
    expect(START_SCRIPT).toContain('validatorUrl: null');
    expect(START_SCRIPT).not.toMatch(/https?:/);
  });
});
